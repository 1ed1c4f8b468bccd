import fc from 'fast-check';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { AppsV1StatefulSet, AppsV1StatefulSetSpec, CoreV1Pod } from '../../shared/api/types/generated/members';
import { apiObject, isBeingDeleted } from '../../shared/client/rest/api-object';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { isPodAvailable } from '../workload/pod-activity';
import { podNameOf } from './identity';
import { reconcilePods, type PodAction, type StatefulSetView } from './reconcile';
import type { StatefulSet } from './stateful-set';

const NOW = Date.UTC(2026, 0, 2);

/** `young`: ready for one second. */
type State = 'ready' | 'young' | 'unready' | 'failed' | 'terminating';

function pod(ordinal: number, state: State, revision = 'new'): Pod {
  const isReady = state === 'ready' || state === 'young';
  const since = formatTimestamp(NOW - (state === 'young' ? 1_000 : 60_000));
  const livePhase = isReady ? 'Running' : 'Pending';
  return apiObject<CoreV1Pod>({
    metadata: {
      namespace: 'n',
      name: podNameOf('web', ordinal),
      uid: `u${ordinal}`,
      labels: { 'controller-revision-hash': revision },
      ...(state === 'terminating' ? { deletionTimestamp: formatTimestamp(NOW) } : {}),
    },
    status: {
      phase: state === 'failed' ? 'Failed' : livePhase,
      conditions: isReady ? [{ type: 'Ready', status: 'True', lastTransitionTime: since }] : [],
    },
  });
}

const set = (replicas: number, spec: AppsV1StatefulSetSpec = {}): StatefulSet =>
  apiObject<AppsV1StatefulSet>({
    metadata: { namespace: 'n', name: 'web', uid: 'w', generation: 3 },
    spec: { replicas, ...spec },
  });

const PARALLEL = { podManagementPolicy: 'Parallel' };

const view = (statefulSet: StatefulSet, pods: readonly Pod[]): StatefulSetView => ({
  set: statefulSet,
  pods,
  currentRevision: 'old',
  updateRevision: 'new',
  now: NOW,
});

const format = (action: PodAction): string => {
  switch (action.type) {
    case 'create':
      return `create ${action.ordinal} at ${action.revision} revision`;
    case 'update':
      return `update ${action.ordinal}`;
    case 'delete':
      return `delete ${action.isCondemned ? 'condemned ' : ''}${action.pod.name}`;
  }
};

/** The actions without those that update a pod, which every pod in its place gets. */
const actionsFor = (statefulSet: StatefulSet, pods: readonly Pod[]): readonly string[] =>
  reconcilePods(view(statefulSet, pods))
    .filter(({ type }) => type !== 'update')
    .map(format);

test.each<[string, StatefulSet, readonly Pod[], readonly string[]]>([
  ['creates the first pod', set(3), [], ['create 0 at update revision']],
  ['creates no pod before the lower ones are ready', set(3), [pod(0, 'unready')], []],
  ['creates no pod before the lower ones have been ready for minReadySeconds', set(3, { minReadySeconds: 5 }), [pod(0, 'young')], []],
  ['creates the next pod when the lower one is ready', set(3), [pod(0, 'ready')], ['create 1 at update revision']],
  ['fills a gap first', set(4), [pod(0, 'ready'), pod(2, 'ready')], ['create 1 at update revision']],
  ['starts at ordinals.start', set(1, { ordinals: { start: 5 } }), [], ['create 5 at update revision']],
  ['creates all pods at once with Parallel', set(2, PARALLEL), [], ['create 0 at update revision', 'create 1 at update revision']],
  ['deletes a failed pod', set(1), [pod(0, 'failed')], ['delete web-0']],
  ['creates no pod while a lower one is terminating', set(2), [pod(0, 'terminating')], []],
  ['scales down from the highest ordinal', set(1), [pod(0, 'ready'), pod(1, 'ready'), pod(2, 'ready')], ['delete condemned web-2']],
  ['deletes no unready surplus pod but the lowest unready one', set(1), [pod(0, 'ready'), pod(1, 'unready'), pod(2, 'unready')], []],
  [
    'deletes a ready surplus pod above an unready one',
    set(1),
    [pod(0, 'ready'), pod(1, 'unready'), pod(2, 'ready')],
    ['delete condemned web-2'],
  ],
  ['deletes a surplus pod that is the only unready one', set(1), [pod(0, 'ready'), pod(1, 'unready')], ['delete condemned web-1']],
  [
    'deletes all surplus pods at once with Parallel',
    set(0, PARALLEL),
    [pod(0, 'unready'), pod(1, 'ready')],
    ['delete condemned web-1', 'delete condemned web-0'],
  ],
  ['replaces the highest pod of the old revision', set(2), [pod(0, 'ready', 'old'), pod(1, 'ready', 'old')], ['delete web-1']],
  ['replaces no further pod while the new one is not ready', set(2), [pod(0, 'ready', 'old'), pod(1, 'unready')], []],
  ['replaces one pod at a time with Parallel', set(2, PARALLEL), [pod(0, 'ready', 'old'), pod(1, 'unready', 'old')], ['delete web-1']],
  [
    'replaces no pod below the partition',
    set(2, { updateStrategy: { rollingUpdate: { partition: 1 } } }),
    [pod(0, 'ready', 'old'), pod(1, 'ready')],
    [],
  ],
  [
    'creates a pod of the old revision below the partition',
    set(2, { updateStrategy: { rollingUpdate: { partition: 1 } } }),
    [],
    ['create 0 at current revision'],
  ],
  ['replaces no pod with OnDelete', set(1, { updateStrategy: { type: 'OnDelete' } }), [pod(0, 'ready', 'old')], []],
])('reconcilePods %s', (_title, statefulSet, pods, actions) => expect(actionsFor(statefulSet, pods)).toEqual(actions));

const states = fc.constantFrom<State>('ready', 'young', 'unready', 'failed', 'terminating');
const anyPods = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 6 }), states, fc.constantFrom('old', 'new')), { selector: ([ordinal]) => ordinal })
  .map((rows) => rows.map(([ordinal, state, revision]) => pod(ordinal, state, revision)));

/** Whether the pod has been ready for the 5 seconds of the property below; false for no pod. */
const isAvailable = (candidate: Pod | undefined): boolean =>
  candidate !== undefined && !isBeingDeleted(candidate) && isPodAvailable(candidate, 5, NOW);

test('reconcilePods with OrderedReady changes one pod at a time, and creates none above a pod that is not available', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5 }), anyPods, (replicas, pods) => {
      const actions = reconcilePods(view(set(replicas, { minReadySeconds: 5 }), pods));
      const changes = actions.filter(({ type }) => type !== 'update');
      expect(changes.length).toBeLessThanOrEqual(1);
      for (const action of changes) {
        if (action.type !== 'create') continue;
        const below = Array.from({ length: action.ordinal }, (_, ordinal) => pods.find(({ name }) => name === podNameOf('web', ordinal)));
        expect(below.every(isAvailable)).toBe(true);
      }
    }),
  );
});

test('reconcilePods replaces at most one pod of the old revision at a time with either pod management policy', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5 }), anyPods, fc.boolean(), (replicas, pods, isParallel) => {
      const actions = reconcilePods(view(set(replicas, isParallel ? PARALLEL : {}), pods));
      const hasFailed = ({ body }: Pod): boolean => body.status?.phase === 'Failed';
      const replaced = actions.filter((action) => action.type === 'delete' && !action.isCondemned && !hasFailed(action.pod));
      expect(replaced.length).toBeLessThanOrEqual(1);
    }),
  );
});
