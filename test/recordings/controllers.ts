/**
 * Plays scenarios to the reference server with its controllers, and records after each step how the cluster came to rest:
 *   node deploy/scripts/run.mjs test/recordings/controllers.js [recording …]
 * The reference runs with its controllers. test/integration/controllers replays the recordings.
 */
import { writeRecording } from './recording';
import { call, hangUp } from './reference';
import { SCENARIOS } from './scenarios';
import { inTurn, type Observed, type Scenario, type ScenarioStep } from './scenarios/scenario';
import { beating, Stage } from './scenarios/stage';

const REST_MS = 3_000;
const LOOK_MS = 250;

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  for (const [recording, scenarios] of SCENARIOS) {
    if (wanted.length > 0 && !wanted.includes(recording)) continue;
    const recorded = await Promise.all(scenarios.map(inTurn(record)));
    writeRecording(`controllers/${recording}`, recorded.flat());
  }
  hangUp();
}

async function record(scenario: Scenario): Promise<readonly object[]> {
  const namespace = `sc-${scenario.name}-${Math.random().toString(36).slice(2, 7)}`;
  const stage = new Stage((method, path, type, body) => call(method, path, type, body), namespace);
  await stage.open();
  const lines: object[] = [];
  for (const { title, acts, beats = [], restMs = REST_MS } of scenario.steps) {
    const codes: number[] = [];
    const state = await beating(stage, beats, async () => {
      for (const act of acts) codes.push(await stage.act(act));
      return atRest(stage, scenario, restMs);
    });
    lines.push({ scenario: scenario.name, title, codes, state });
  }
  await stage.close(scenario);
  process.stdout.write(`${scenario.name}: ${lines.length} steps\n`);
  return lines;
}

async function atRest(stage: Stage, { looks }: Pick<Scenario, 'looks'>, restMs: NonNullable<ScenarioStep['restMs']>): Promise<Observed> {
  let state = await stage.look(looks);
  for (let quiet = 0; quiet < restMs; quiet += LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = await stage.look(looks);
    if (JSON.stringify(now) !== JSON.stringify(state)) quiet = -LOOK_MS;
    state = now;
  }
  return state;
}

void main();
