/**
 * Plays scenarios to the reference server with its controllers, and records after each step how the cluster came to rest:
 *   node deploy/scripts/run.mjs test/replay/controllers.js [recording …]
 * The reference runs with its controllers. test/integration/controllers replays the recordings.
 */
import { atATime } from '../../shared/runtime/at-a-time';
import { serveMetrics } from '../support/metrics-server';
import { startScenarioWebhook } from '../support/scenario-webhook';
import { writeRecording } from './recording';
import { call, hangUp } from './reference';
import { CONVERTED, MEASURED, SCENARIOS } from './scenarios';
import { inTurn, REST_MS, type Observed, type Scenario, type ScenarioStep } from './scenarios/scenario';
import { beating, Stage, type Send } from './scenarios/stage';

/** Looks at a cluster that has to be quiet so long. */
const LOOKS_OF_REST = 12;
/** The reference's controllers send few requests a second: more scenarios at a time would only wait for each other. */
const AT_A_TIME = 16;

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  for (const [recording, scenarios] of SCENARIOS) {
    if (wanted.length > 0 && !wanted.includes(recording)) continue;
    const recorded = new Map<string, readonly object[]>();
    const webhook = CONVERTED.has(recording) ? await startScenarioWebhook(send) : undefined;
    const inTurned = inTurn((scenario) => record(scenario, webhook?.send ?? send));
    const end = MEASURED.has(recording) ? await serveMetrics(send) : undefined;
    await atATime(AT_A_TIME, scenarios, async (scenario) => void recorded.set(scenario.name, await inTurned(scenario)));
    await end?.();
    await webhook?.close();
    writeRecording(
      `controllers/${recording}`,
      scenarios.flatMap(({ name }) => recorded.get(name) ?? []),
    );
  }
  hangUp();
}

async function record(scenario: Scenario, sends: Send): Promise<readonly object[]> {
  const namespace = `sc-${scenario.name}-${Math.random().toString(36).slice(2, 7)}`;
  const stage = new Stage(sends, namespace);
  await stage.open();
  const lines: object[] = [];
  for (const step of scenario.steps) {
    const { title, acts, restMs = REST_MS } = step;
    const codes: number[] = [];
    const state = await beating(stage, step, async () => {
      for (const act of acts) codes.push(await stage.act(act));
      return atRest(stage, scenario, restMs);
    });
    lines.push({ scenario: scenario.name, title, codes, state });
  }
  await stage.close(scenario);
  process.stdout.write(`${scenario.name}: ${lines.length} steps\n`);
  return lines;
}

const send: Send = (method, path, headers, body) => call(method, path, headers, body);

async function atRest(stage: Stage, { looks }: Pick<Scenario, 'looks'>, restMs: NonNullable<ScenarioStep['restMs']>): Promise<Observed> {
  let state = await stage.look(looks);
  const lookMs = restMs / LOOKS_OF_REST;
  for (let quiet = 0; quiet < restMs; quiet += lookMs) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    const now = await stage.look(looks);
    if (JSON.stringify(now) !== JSON.stringify(state)) quiet = -lookMs;
    state = now;
  }
  return state;
}

void main();
