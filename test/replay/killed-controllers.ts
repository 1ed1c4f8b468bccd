/**
 * Plays the random scripts to the reference while its controllers are killed and started again, and says where it came to something else than it is recorded to come to
 * when nobody is killed:
 *   REFERENCE_RESTART='<command that kills the controllers and starts them>' node deploy/scripts/run.mjs test/replay/killed-controllers.js [seed …]
 * Records nothing: what it shows is that the recorded ends do not depend on when somebody is killed.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { KilledAtRandom } from '../support/killed-at-random';
import { eventsOf, played, recordedSteps, withoutLostEvents } from '../support/replayed-scenario';
import { createChance } from './chance';
import { call, hangUp } from './reference';
import { killedName, randomScripts, SEEDS } from './scenarios/random-scripts';
import { Stage, type Send } from './scenarios/stage';

/** The reference's controllers take some seconds to begin. */
const MOMENTS = { shortestMs: 300, longestMs: 4_500 };
const LONGER_MS = 60_000;
/** It is fast when nobody kills it: each script is played so often, with other moments. */
const ROUNDS = 6;
const run = promisify(execFile);

async function main(): Promise<void> {
  const restart = process.env['REFERENCE_RESTART'];
  if (restart === undefined) throw new Error('REFERENCE_RESTART is not set');
  const wanted = process.argv.slice(2).map(Number);
  for (const seed of wanted.length === 0 ? SEEDS : wanted) {
    for (let round = 1; round <= ROUNDS; round += 1) await play(seed, round, restart);
  }
  hangUp();
}

async function play(seed: number, round: number, restart: string): Promise<void> {
  const again = async (): Promise<void> => void (await run('sh', ['-c', restart]));
  const killed = new KilledAtRandom({ start: () => Promise.resolve(), kill: again }, createChance(seed * 1_000 + round), MOMENTS);
  const recorded = recordedSteps(killedName(seed));
  await Promise.all(
    randomScripts(seed).map(async (scenario) => {
      const namespace = `sc-${scenario.name}-${Math.random().toString(36).slice(2, 7)}`;
      const compared = withoutLostEvents(eventsOf(recorded, scenario.name));
      const steps = played(new Stage(send, namespace), scenario, { recorded, compared, restMs: LONGER_MS });
      for await (const { found, wanted } of steps) {
        if (JSON.stringify(found) === JSON.stringify(wanted)) continue;
        process.stdout.write(`${scenario.name}: ${wanted.title}\n  ${JSON.stringify(wanted)}\n  ${JSON.stringify(found)}\n`);
      }
    }),
  );
  await killed.leave();
  process.stdout.write(`seed ${seed}, round ${round}: killed ${killed.kills} times\n`);
}

const send: Send = (method, path, headers, body) => call(method, path, headers, body);

void main();
