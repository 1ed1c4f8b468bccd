import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { AppsV1StatefulSet, AppsV1StatefulSetSpec, CoreV1Pod, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Pod } from '../../shared/client/rest/typed-objects';
import type { StatefulSetView } from './reconcile';
import type { StatefulSet } from './stateful-set';
import { calculateStatus } from './status';

const NOW = Date.UTC(2026, 0, 2);

/** A running pod that has been ready for as many seconds. */
const readyPod = (name: string, revision: string, seconds: number): Pod =>
  apiObject<CoreV1Pod>({
    metadata: podMetadata(name, revision),
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: formatTimestamp(NOW - seconds * 1000) }],
    },
  });

const terminatingPod = (name: string, revision: string): Pod =>
  apiObject<CoreV1Pod>({
    metadata: { ...podMetadata(name, revision), deletionTimestamp: formatTimestamp(NOW) },
    status: { phase: 'Pending' },
  });

const podMetadata = (name: string, revision: string): MetaV1ObjectMeta => ({
  namespace: 'n',
  name,
  labels: { 'controller-revision-hash': revision },
});

const set = (spec: AppsV1StatefulSetSpec): StatefulSet =>
  apiObject<AppsV1StatefulSet>({ metadata: { namespace: 'n', name: 'web', uid: 'w', generation: 3 }, spec });

const view = (statefulSet: StatefulSet, pods: readonly Pod[]): StatefulSetView => ({
  set: statefulSet,
  pods,
  currentRevision: 'old',
  updateRevision: 'new',
  now: NOW,
});

test('calculateStatus counts all pods, ready and available ones, and those of each revision that are not being deleted', () => {
  const pods = [readyPod('web-0', 'old', 60), readyPod('web-1', 'new', 1), terminatingPod('web-2', 'new')];
  expect(calculateStatus(view(set({ replicas: 3, minReadySeconds: 5 }), pods), 0)).toEqual({
    observedGeneration: 3,
    replicas: 3,
    readyReplicas: 2,
    currentReplicas: 1,
    updatedReplicas: 1,
    currentRevision: 'old',
    updateRevision: 'new',
    collisionCount: 0,
    availableReplicas: 1,
  });
});

test('calculateStatus makes the update revision the current one when all pods have it and are ready', () => {
  const status = calculateStatus(view(set({ replicas: 1 }), [readyPod('web-0', 'new', 60)]), 2);
  expect(status).toMatchObject({ currentRevision: 'new', currentReplicas: 1, updatedReplicas: 1, collisionCount: 2 });
});

test('calculateStatus keeps the current revision with OnDelete', () => {
  const onDelete = set({ replicas: 1, updateStrategy: { type: 'OnDelete' } });
  const status = calculateStatus(view(onDelete, [readyPod('web-0', 'new', 60)]), 0);
  expect(status).toMatchObject({ currentRevision: 'old', updatedReplicas: 1 });
});

test('calculateStatus returns nothing when the status is unchanged', () => {
  const { body } = set({ replicas: 1 });
  const status = calculateStatus(view(apiObject<AppsV1StatefulSet>(body), []), 0);
  expect(calculateStatus(view(apiObject<AppsV1StatefulSet>({ ...body, status: status ?? {} }), []), 0)).toBeUndefined();
});
