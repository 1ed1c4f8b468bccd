/**
 * Plays recorded scenarios to a cluster in simulated time and compares its state after each step with that of the
 * reference server and its controllers. Both sides use upstream's names.
 */
import { scenarioRecording } from '../../replay/scenarios';
import { sequenceByShares, type ObservedState, type Scenario } from '../../replay/scenarios/scenario';
import { ScenarioSession } from '../../replay/scenarios/scenario-session';
import { ApiClient } from '../http/api-client';
import { useClosable, useResource } from '../use-resource';
import { lastWrites } from './last-writes';
import { playSteps, recordedSteps, sendWith } from './replayed-scenario';
import { startScenarioServer } from './scenario-server';
import { startSimulatedCluster, type SimulatedClusterOptions } from './simulated-cluster';

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
  const cluster = useResource(
    () => {
      const naming = '--naming=kubernetes';
      const args = { serverArgs: [naming, ...serverArgs], controllerArgs: [naming, ...controllerArgs] };
      return startSimulatedCluster({ ...options, ...args });
    },
    (started) => started.stop(),
    60_000,
  );
  const api = useClosable(() => new ApiClient(cluster().address, cluster().certificates));
  const scenarioServer = useClosable(() => startScenarioServer(head.needs, sendWith(api), cluster().clock));
  const lastWrite = useResource(() => lastWrites(cluster().store, head.needs, scenarios));

  // Scenarios that share objects run one after the other.
  const startScenario = sequenceByShares((scenario) => {
    const environment = { clock: cluster().clock, lastWrite: lastWrite() };
    return play(new ScenarioSession(scenarioServer().send, `sc-${scenario.name}`, environment), scenario);
  });

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
      if (error instanceof Error) error.message += `\n\nThe log ends with:\n${cluster().log.slice(-LOG_LINES).join('')}`;
      throw error;
    }
  }
}
