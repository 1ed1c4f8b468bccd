/** Rollouts of StatefulSets by the controller itself with delayed events, conflicts, failed writes and restarts in any order. */
import fc from 'fast-check';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { lateMoves, playLate, type LateOptions } from '../../test/support/late-world';
import { isPodReady } from '../runtime/pods';
import { runStatefulSets } from './controller';
import { ordinalOf } from './identity';
import { propertyRuns } from '../../test/support/property-runs';

const optionsFor = (replicas: number, podManagementPolicy: string, check: LateOptions['check']): LateOptions => ({
  collection: '/apis/apps/v1/statefulsets',
  spec: { replicas, serviceName: 's', podManagementPolicy },
  run: (context) => runStatefulSets({ ...context, settings: { concurrentStatefulSetSyncs: 2 } }),
  check,
});

/** Expects as many pods as replicas, all of one template. */
function isAtRest(pods: readonly ApiObject[], replicas: number): void {
  expect(pods).toHaveLength(replicas);
  expect(new Set(pods.map(({ body }) => JSON.stringify(body['spec']).replace(/web-\d/g, ''))).size).toBe(1);
}

test('an OrderedReady StatefulSet never exceeds its replicas, has at most one unready pod, and completes its rollout', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), lateMoves, async (replicas, moves) => {
      const check = (pods: readonly ApiObject[]): void => {
        expect(pods.length).toBeLessThanOrEqual(replicas);
        expect(pods.filter(isPodReady).length).toBeGreaterThanOrEqual(replicas - 1);
      };
      isAtRest(await playLate(optionsFor(replicas, 'OrderedReady', check), moves), replicas);
    }),
    propertyRuns(6),
  );
});

// A template that changes again while a lower one is being made begins with the highest, as upstream's roll-outs do.
test('a Parallel StatefulSet never exceeds its replicas, replaces a ready pod only when all higher ones are ready, and completes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), lateMoves, async (replicas, moves) => {
      const check = (pods: readonly ApiObject[], deleted: string | undefined): void => {
        expect(pods.length).toBeLessThanOrEqual(replicas);
        const going = deleted === undefined ? undefined : pods.find(({ name }) => name === deleted);
        if (going === undefined || !isPodReady(going)) return;
        const above = pods.filter((pod) => (ordinalOf('web', pod.name) ?? 0) > (ordinalOf('web', going.name) ?? 0));
        expect(above.filter(isPodReady)).toHaveLength(replicas - 1 - (ordinalOf('web', going.name) ?? 0));
      };
      isAtRest(await playLate(optionsFor(replicas, 'Parallel', check), moves), replicas);
    }),
    propertyRuns(6),
  );
});
