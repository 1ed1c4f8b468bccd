/**
 * Plays recorded scenarios to a cluster in simulated time and compares its state after each step with that of the
 * reference server and its controllers. Both sides use upstream's names.
 */
import { scenarioRecording } from '../../replay/scenarios';
import { sequenceByShares, type ObservedState, type Scenario } from '../../replay/scenarios/scenario';
import { ScenarioSession } from '../../replay/scenarios/scenario-session';
import { ApiClient } from '../http/api-client';
import { playSteps, recordedSteps, sendWith } from './replayed-scenario';
import { startScenarioServer } from './scenario-server';
import type { ScenarioWebhook } from './scenario-webhook';
import { startSimulatedCluster, type SimulatedCluster, type SimulatedClusterOptions } from './simulated-cluster';

/** The number of log lines that are printed when a scenario fails. */
const LOG_LINES = 30;

export interface ReplayOptions extends SimulatedClusterOptions {
  /** Intended differences: the state that replaces the recorded one, by `scenario: title` of the step. */
  readonly deviations?: Readonly<Record<string, (recorded: ObservedState) => ObservedState>>;
}

/** Defines one test for each scenario of the recording `controllers/<name>`. */
export function replayControllers(
  name: string,
  { serverArgs = [], controllerArgs = [], deviations = {}, ...options }: ReplayOptions = {},
): void {
  const { head, scenarios } = scenarioRecording(`controllers/${name}`);
  const recorded = recordedSteps(name);
  let cluster: SimulatedCluster;
  let api: ApiClient;
  let scenarioServer: ScenarioWebhook;

  beforeAll(async () => {
    const naming = '--naming=kubernetes';
    const args = { serverArgs: [naming, ...serverArgs], controllerArgs: [naming, ...controllerArgs] };
    cluster = await startSimulatedCluster({ ...options, ...args });
    api = new ApiClient(cluster.address, cluster.certificates);
    scenarioServer = await startScenarioServer(
      head.needs,
      sendWith(() => api),
      cluster.clock,
    );
  }, 60_000);

  afterAll(async () => {
    await scenarioServer.close();
    api.close();
    await cluster.stop();
  }, 60_000);

  const startScenario = sequenceByShares((scenario) =>
    play(new ScenarioSession(scenarioServer.send, `sc-${scenario.name}`, cluster), scenario),
  );

  // Concurrent scenarios share the simulated time that passes.
  it.concurrent.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    async (_name, scenario) => {
      await startScenario(scenario);
    },
    240_000,
  );

  async function play(session: ScenarioSession, scenario: Scenario): Promise<void> {
    try {
      const steps = playSteps(session, scenario, { recorded, deviations });
      for await (const { actual, expected } of steps) expect(actual).toEqual(expected);
    } catch (error) {
      if (error instanceof Error) error.message += `\n\nThe log ends with:\n${cluster.log.slice(-LOG_LINES).join('')}`;
      throw error;
    }
  }
}
