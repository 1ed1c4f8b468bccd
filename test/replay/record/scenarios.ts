/**
 * Records scenarios (format `scenarios`): sends the requests of each step and records the state in which the cluster
 * comes to rest. The server runs with its controllers. For a recording with only a head, the lines are generated from
 * its `seed`.
 */
import { withConcurrencyLimit } from '../../../shared/scheduling/concurrency-limit';
import { systemClock } from '../../../shared/runtime/clock';
import { stringifyJson } from '../../../shared/values/json';
import { startScenarioServer } from '../../support/scenarios/scenario-server';
import { scenarioRecording } from '../scenarios';
import { randomScenarios } from '../scenarios/random-scenarios';
import { runStep } from '../scenarios/run-step';
import { sequenceByShares, type ObservedState, type Scenario } from '../scenarios/scenario';
import { ScenarioSession, type ScenarioSend } from '../scenarios/scenario-session';
import type { ReferenceServer } from './reference-server';

/** The number of observations in the quiet period of a cluster. */
const OBSERVATIONS = 12;
/** The controllers of the reference server send few requests a second: more scenarios would only wait for each other. */
const CONCURRENT_SCENARIOS = 16;

export async function recordScenarios(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, scenarios: recorded } = scenarioRecording(recording);
  const scenarios = head.seed !== undefined && recorded.length === 0 ? randomScenarios(head.seed) : recorded;
  const scenarioServer = await startScenarioServer(head.needs, sendTo(server), systemClock);
  const lines = new Map<Scenario, readonly unknown[]>();
  const record = sequenceByShares(async (scenario) => {
    lines.set(scenario, await recordScenario(scenario, new ScenarioSession(scenarioServer.send, `sc-${scenario.name}-${process.pid}`)));
  });
  try {
    await withConcurrencyLimit(CONCURRENT_SCENARIOS, scenarios, record);
  } finally {
    await scenarioServer.close();
  }
  return [head, ...scenarios.flatMap((scenario) => lines.get(scenario) ?? [])];
}

/** The lines of the scenario. An unchanged outcome results in an unchanged line. */
export async function recordScenario(scenario: Scenario, session: ScenarioSession): Promise<readonly unknown[]> {
  const { name, steps, ...settings } = scenario;
  const lines: unknown[] = [{ scenario: name, ...settings }];
  await session.open();
  for (const step of steps) {
    const outcome = await runStep(session, scenario, step, (quietMs) => stateAtRest(session, scenario, quietMs));
    lines.push({ ...step, ...outcome });
  }
  await session.close(scenario);
  return lines;
}

/** The state once it has not changed for `quietMs`. */
async function stateAtRest(session: ScenarioSession, { collections }: Scenario, quietMs: number): Promise<ObservedState> {
  let state = await session.observe(collections);
  let unchanged = 0;
  while (unchanged < OBSERVATIONS) {
    await session.environment.clock.sleep(quietMs / OBSERVATIONS);
    const next = await session.observe(collections);
    unchanged = JSON.stringify(next) === JSON.stringify(state) ? unchanged + 1 : 0;
    state = next;
  }
  return state;
}

/** Sends a scenario's requests to the reference server. */
export const sendTo =
  (server: ReferenceServer): ScenarioSend =>
  async (method, path, headers, body) => {
    const { code, bytes } = await server.send({ method, path, headers, body: Buffer.from(body === undefined ? '' : stringifyJson(body)) });
    const text = bytes.toString();
    // The response to a path that is not served is plain text.
    return { code, body: code === 404 && !text.startsWith('{') ? {} : JSON.parse(text) };
  };
