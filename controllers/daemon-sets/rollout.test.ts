/**
 * Rollouts of DaemonSets by the controller itself with delayed events, conflicts, failed writes and restarts in any
 * order.
 */
import fc from 'fast-check';
import type { FakeApi } from '../../test/support/controllers/fake-api';
import { simulationSteps, runSimulation } from '../../test/support/controllers/pod-controller-simulation';
import { isPodReady } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { runDaemonSets } from './controller';
import { targetNodeOf } from './daemon-pod';
import { propertyRuns } from '../../test/support/property-runs';

const NODES = ['a', 'b', 'c', 'd'];
const prepare = (api: FakeApi): void => {
  for (const name of NODES) api.put('/api/v1/nodes', { metadata: { name } });
};
const nodesOf = (pods: readonly Pod[]): ReadonlySet<string> => new Set(pods.map(targetNodeOf));

test.each([
  [1, 0],
  [2, 0],
  [0, 1],
  [0, 2],
])('a DaemonSet rollout with maxUnavailable %i and maxSurge %i stays within both and completes', async (maxUnavailable, maxSurge) => {
  await fc.assert(
    fc.asyncProperty(simulationSteps, async (moves) => {
      const check = (pods: readonly Pod[]): void => {
        expect(pods.length).toBeLessThanOrEqual(NODES.length + maxSurge);
        expect(nodesOf(pods.filter(isPodReady)).size).toBeGreaterThanOrEqual(NODES.length - maxUnavailable);
      };
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } };
      const options = { collection: '/apis/apps/v1/daemonsets', spec: { updateStrategy }, run: runDaemonSets, prepare, check };
      const pods = await runSimulation(options, moves);
      expect(pods).toHaveLength(NODES.length);
      expect(nodesOf(pods).size).toBe(NODES.length);
    }),
    propertyRuns(5),
  );
});
