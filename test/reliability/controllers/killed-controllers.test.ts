/**
 * Controllers that are killed (SIGKILL) repeatedly during requests reach the same objects, conditions and Events as
 * those of upstream, after every step. A seed chooses the requests (`replay/scenarios/random-scenarios`) and the
 * times of the kills. `KILLED_SEEDS=1,2,3,4` plays all recordings.
 */
import { createSeededRandom } from '../../replay/seeded-random';
import { SCENARIOS } from '../../replay/scenarios';
import { isBody, type Json } from '../../replay/json-response';
import { killedRecordingName, randomScenarios } from '../../replay/scenarios/random-scenarios';
import { ScenarioSession } from '../../replay/scenarios/scenario-session';
import { ApiClient } from '../../support/http/api-client';
import { startControllers } from '../../support/control-plane';
import { RandomKiller } from '../../support/random-killer';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer, type ProgramProcess } from '../../support/programs';
import {
  recordedEvents,
  playSteps,
  recordedSteps,
  sendWith,
  withoutLostEvents,
  type PlayOptions,
} from '../../support/scenarios/replayed-scenario';

const SEEDS = (process.env['KILLED_SEEDS'] ?? '1').split(',').map(Number);
/** CronJob scenarios, which are recorded without a seed. */
const CRON_SCENARIOS = ['cron-allow', 'cron-forbid', 'cron-replace', 'cron-suspended'];
const CONTROLLERS = ['deployment', 'replicaset', 'replicationcontroller', 'statefulset', 'daemonset', 'job', 'cronjob', 'nodelifecycle'];
const OTHER_CONTROLLERS = ['serviceaccount', 'namespace', 'garbage-collector'];
/**
 * Lifetime of a controllers process from its start: from too short to list anything to long enough to reconcile
 * everything.
 */
const LIFETIMES = { shortestMs: 0, longestMs: 1_000, longestInStarts: 2 };
const STARTED_MESSAGE = 'controllers are running';
/** Longer than without kills, because each kill delays a step. */
const STEP_TIMEOUT_MS = 30_000;

/**
 * Events that may replace the recorded ones of a CronJob: a controller that is killed after it creates a Job, or sees
 * one finish, and before it updates the status reports an unexpected or a missing Job afterwards.
 */
const cronJobWarnings = (events: readonly Json[]): readonly Json[] =>
  events
    .filter(isBody)
    .filter(({ involvedObject = null }) => isBody(involvedObject) && involvedObject['kind'] === 'CronJob')
    .flatMap((event) => [
      {
        ...event,
        type: 'Warning',
        reason: 'UnexpectedJob',
        message: 'Saw a job that the controller did not create or forgot: c-<minute>',
      },
      { ...event, type: 'Normal', reason: 'MissingJob', message: 'Active job went missing: c-<minute>' },
    ]);

describe.each(SEEDS)('controllers killed at random with seed %i', (seed) => {
  const folder = temporaryFolder(`killed-${seed}`);
  const recorded = [...recordedSteps(killedRecordingName(seed)), ...recordedSteps('jobs')];
  const scenarios = [...randomScenarios(seed), ...(SCENARIOS.get('jobs') ?? []).filter(({ name }) => CRON_SCENARIOS.includes(name))];
  let server: ApiServer;
  let controllers: ProgramProcess;
  let killed: RandomKiller;
  let api: ApiClient;

  beforeAll(async () => {
    server = await startApiServer({ folder, securePort: await freePort(), args: ['--naming=kubernetes'] });
    api = new ApiClient(server.address, server.certificates);
    const args = ['--naming=kubernetes', '--leader-elect=false', `--controllers=-*,${[...CONTROLLERS, ...OTHER_CONTROLLERS].join()}`];
    const program = {
      start: async () => {
        controllers = startControllers(server, ...args);
        await waitUntil('the controllers to run', () => Promise.resolve(controllers.output.includes(STARTED_MESSAGE)), STEP_TIMEOUT_MS);
      },
      kill: () => controllers.kill(),
    };
    killed = new RandomKiller(program, createSeededRandom(seed), LIFETIMES);
  }, 60_000);

  afterAll(async () => {
    await killed.stop();
    api.close();
    await controllers.stop();
    await server.process.stop();
    removeFolder(folder);
  }, 60_000);

  const send = sendWith(() => api);

  it.concurrent.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    'match the recording of %s after every step',
    async (name, scenario) => {
      const events = recordedEvents(recorded, name);
      const compared = withoutLostEvents([...events, ...cronJobWarnings(events)]);
      const options: PlayOptions = { recorded, compared, extraMs: STEP_TIMEOUT_MS };
      for await (const { actual, expected } of playSteps(new ScenarioSession(send, `sc-${name}`), scenario, options))
        expect(actual).toEqual(expected);
    },
    300_000,
  );

  it('have been killed more than twice', () => expect(killed.kills).toBeGreaterThan(2));
});
