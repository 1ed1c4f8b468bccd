/**
 * Controllers that are killed (SIGKILL) repeatedly during requests reach the same objects, conditions and Events as
 * those of upstream, after every step. A seed chooses the requests (`replay/scenarios/random-scenarios`) and the
 * times of the kills. `KILLED_SEEDS=1,2,3,4` plays all recordings.
 */
import { SCENARIOS } from '../../replay/scenarios';
import { isBody, type Json } from '../../replay/json-response';
import { killedRecordingName, randomScenarios } from '../../replay/scenarios/random-scenarios';
import { recordedEvents, recordedSteps, withoutLostEvents } from '../../support/scenarios/replayed-scenario';
import { useKilledControllers } from './use-killed-controllers';

const SEEDS = (process.env['KILLED_SEEDS'] ?? '1').split(',').map(Number);
/** CronJob scenarios, which are recorded without a seed. */
const CRON_SCENARIOS = ['cron-allow', 'cron-forbid', 'cron-replace', 'cron-suspended'];
/** The controllers that the recorded states show, and those that prepare and clean up namespaces. */
const CONTROLLERS = ['deployment', 'replicaset', 'replicationcontroller', 'statefulset', 'daemonset', 'job', 'cronjob', 'nodelifecycle'];
const OTHER_CONTROLLERS = ['serviceaccount', 'namespace', 'garbage-collector'];
/**
 * Lifetime of a controllers process from its start: from too short to list anything to long enough to reconcile
 * everything.
 */
const LIFETIMES = { shortestMs: 0, longestMs: 1_000, longestInStarts: 2 };
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
  const recorded = [...recordedSteps(killedRecordingName(seed)), ...recordedSteps('jobs')];
  const scenarios = [...randomScenarios(seed), ...(SCENARIOS.get('jobs') ?? []).filter(({ name }) => CRON_SCENARIOS.includes(name))];
  const args = [`--controllers=-*,${[...CONTROLLERS, ...OTHER_CONTROLLERS].join()}`];
  const { killer, play } = useKilledControllers({ seed, args, lifetimes: LIFETIMES, stepTimeoutMs: STEP_TIMEOUT_MS });

  it.concurrent.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    'match the recording of %s after every step',
    async (name, scenario) => {
      const events = recordedEvents(recorded, name);
      const compared = withoutLostEvents([...events, ...cronJobWarnings(events)]);
      await play(scenario, { recorded, compared });
    },
    300_000,
  );

  it('have been killed more than twice', () => expect(killer().kills).toBeGreaterThan(2));
});
