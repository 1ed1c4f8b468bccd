/**
 * Rollouts of StatefulSets by the controller itself with delayed events, conflicts, failed writes and restarts in any
 * order.
 */
import fc from 'fast-check';
import { simulationSteps, runSimulation, type SimulationOptions } from '../../test/support/controllers/pod-controller-simulation';
import { isPodReady } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { runStatefulSets } from './controller';
import { ordinalOf } from './identity';
import { propertyRuns } from '../../test/support/property-runs';

const optionsFor = (replicas: number, podManagementPolicy: string, check: SimulationOptions['check']): SimulationOptions => ({
  collection: '/apis/apps/v1/statefulsets',
  spec: { replicas, serviceName: 's', podManagementPolicy },
  run: (context) => runStatefulSets({ ...context, settings: { concurrentStatefulSetSyncs: 2 } }),
  check,
});

/** Expects as many pods as replicas, all of one template. Their specs differ in the name of the pod, which is removed. */
function expectComplete(pods: readonly Pod[], replicas: number): void {
  expect(pods).toHaveLength(replicas);
  expect(new Set(pods.map(({ body }) => JSON.stringify(body.spec).replace(/web-\d/g, ''))).size).toBe(1);
}

test('an OrderedReady StatefulSet never exceeds its replicas, has at most one unready pod, and completes its rollout', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), simulationSteps, async (replicas, moves) => {
      const check = (pods: readonly Pod[]): void => {
        expect(pods.length).toBeLessThanOrEqual(replicas);
        expect(pods.filter(isPodReady).length).toBeGreaterThanOrEqual(replicas - 1);
      };
      expectComplete(await runSimulation(optionsFor(replicas, 'OrderedReady', check), moves), replicas);
    }),
    propertyRuns(6),
  );
});

// When the template changes while a lower pod is being replaced, the rollout starts again from the highest, as
// upstream's does.
test('a Parallel StatefulSet never exceeds its replicas, replaces a ready pod only when all higher ones are ready, and completes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), simulationSteps, async (replicas, moves) => {
      const check = (pods: readonly Pod[], deleted: string | undefined): void => {
        expect(pods.length).toBeLessThanOrEqual(replicas);
        const deletedPod = pods.find(({ name }) => name === deleted);
        if (deletedPod === undefined || !isPodReady(deletedPod)) return;
        const ordinal = ordinalOf('web', deletedPod.name) ?? 0;
        const higher = pods.filter((pod) => (ordinalOf('web', pod.name) ?? 0) > ordinal);
        expect(higher.filter(isPodReady)).toHaveLength(replicas - 1 - ordinal);
      };
      expectComplete(await runSimulation(optionsFor(replicas, 'Parallel', check), moves), replicas);
    }),
    propertyRuns(6),
  );
});
