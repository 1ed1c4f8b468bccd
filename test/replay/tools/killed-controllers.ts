/**
 * Runs the generated scenarios on the reference server while its controllers are killed and restarted, and prints the
 * states that differ from the recorded ones. Records nothing: it shows that the recorded outcomes do not depend on when
 * controllers are killed.
 *   REFERENCE_RESTART='<command that kills and restarts the controllers>' \
 *     node deploy/scripts/run.mjs test/replay/tools/killed-controllers.js KUBECONFIG [seed …]
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { RandomKiller } from '../../support/random-killer';
import { recordedEvents, playSteps, recordedSteps, withoutLostEvents } from '../../support/scenarios/replayed-scenario';
import { createSeededRandom } from '../seeded-random';
import { ReferenceServer } from '../record/reference-server';
import { sendTo } from '../record/scenarios';
import { killedRecordingName, RECORDED_SEEDS } from '../scenarios/random-scenarios';
import { SCENARIOS } from '../scenarios';
import { ScenarioSession, type ScenarioSend } from '../scenarios/scenario-session';

/** The time between two restarts. The controllers of the reference server take some seconds to start. */
const LIFETIMES = { shortestMs: 300, longestMs: 4_500 };
/** Killed controllers need more time until the cluster is at rest: each waits for the Lease of its predecessor. */
const EXTRA_MS = 60_000;
/** The number of runs of each seed, each with other lifetimes. */
const ROUNDS = 6;
const runFile = promisify(execFile);

async function main(): Promise<void> {
  const restart = process.env['REFERENCE_RESTART'];
  if (restart === undefined) throw new Error('REFERENCE_RESTART is not set');
  const [kubeconfig = '', ...seeds] = process.argv.slice(2);
  const server = ReferenceServer.fromKubeconfig(kubeconfig);
  const requestedSeeds = seeds.map(Number);
  for (const seed of requestedSeeds.length === 0 ? RECORDED_SEEDS : requestedSeeds) {
    for (let round = 1; round <= ROUNDS; round += 1) await playRound(sendTo(server), seed, round, restart);
  }
  server.close();
}

/** Plays the scenarios of a seed at the same time, while the command `restart` is run at random times. */
async function playRound(send: ScenarioSend, seed: number, round: number, restart: string): Promise<void> {
  const restartControllers = async (): Promise<void> => void (await runFile('sh', ['-c', restart]));
  const killer = new RandomKiller(
    // The command starts the controllers too.
    { start: () => Promise.resolve(), kill: restartControllers },
    createSeededRandom(seed * 1_000 + round),
    LIFETIMES,
  );
  const recorded = recordedSteps(killedRecordingName(seed));
  await Promise.all(
    (SCENARIOS.get(killedRecordingName(seed)) ?? []).map(async (scenario) => {
      const namespace = `sc-${scenario.name}-${process.pid}-${round}`;
      const compared = withoutLostEvents(recordedEvents(recorded, scenario.name));
      const steps = playSteps(new ScenarioSession(send, namespace), scenario, { recorded, compared, extraMs: EXTRA_MS });
      for await (const { actual, expected } of steps) {
        if (JSON.stringify(actual) === JSON.stringify(expected)) continue;
        process.stdout.write(`${scenario.name}: ${expected.title}\n  ${JSON.stringify(expected)}\n  ${JSON.stringify(actual)}\n`);
      }
    }),
  );
  await killer.stop();
  process.stdout.write(`seed ${seed}, round ${round}: killed ${killer.kills} times\n`);
}

void main();
