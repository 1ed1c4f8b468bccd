/** Tests the driver of scenarios with a cluster in simulated time in place of the reference server. */
import { ApiClient } from '../../support/http/api-client';
import { sendWith } from '../../support/scenarios/replayed-scenario';
import { useSimulatedCluster } from '../../support/scenarios/use-simulated-cluster';
import { useClosable } from '../../support/use-resource';
import { readRecording } from '../recording';
import { scenarioRecording } from '../scenarios';
import { randomScenarios } from '../scenarios/random-scenarios';
import { ScenarioSession } from '../scenarios/scenario-session';
import { anything } from '../shape';
import { recordScenario } from './scenarios';

describe('recordScenario', () => {
  const naming = ['--naming=kubernetes'];
  const { cluster } = useSimulatedCluster(() => ({ serverArgs: naming, controllerArgs: naming }));
  const api = useClosable(() => new ApiClient(cluster().address, cluster().certificates));

  it.each(['controllers/service-accounts', 'controllers/mirrored-endpoints'])(
    'returns the lines of %s unchanged when the cluster behaves as recorded',
    async (recording) => {
      const lines: unknown[] = [];
      for (const scenario of scenarioRecording(recording).scenarios) {
        lines.push(...(await recordScenario(scenario, new ScenarioSession(sendWith(api), `sc-${scenario.name}`, cluster()))));
      }
      const { cases } = readRecording(recording, anything, anything);
      expect(lines.map((line) => JSON.stringify(line))).toEqual(cases.map((line) => JSON.stringify(line)));
    },
    60_000,
  );
});

it.each([1, 2, 3, 4])('randomScenarios generates the requests of the recording killed-%i from its seed', (seed) => {
  const { head, scenarios } = scenarioRecording(`controllers/killed-${seed}`);
  const recorded = scenarios.map(({ steps, ...scenario }) => ({
    ...scenario,
    steps: steps.map(({ codes: _codes, state: _state, ...step }) => step),
  }));
  expect(head.seed).toBe(seed);
  expect(randomScenarios(seed)).toEqual(recorded);
});
