import fc from 'fast-check';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { podName } from './identity';
import { planSet, type SetAction } from './plan';
import { setStatus } from './status';

const NOW = Date.UTC(2026, 0, 2);

type State = 'ready' | 'young' | 'waiting' | 'ended' | 'going';

function pod(ordinal: number, state: State, revision = 'new'): ApiObject {
  const isReady = state === 'ready' || state === 'young';
  const since = formatTimestamp(NOW - (state === 'young' ? 1_000 : 60_000));
  return apiObject({
    metadata: {
      namespace: 'n',
      name: podName('web', ordinal),
      uid: `u${ordinal}`,
      labels: { 'controller-revision-hash': revision },
      ...(state === 'going' ? { deletionTimestamp: formatTimestamp(NOW) } : {}),
    },
    status: {
      phase: state === 'ended' ? 'Failed' : isReady ? 'Running' : 'Pending',
      conditions: isReady ? [{ type: 'Ready', status: 'True', lastTransitionTime: since }] : [],
    },
  });
}

const set = (replicas: number, spec: JsonObject = {}, metadata: JsonObject = {}): ApiObject =>
  apiObject({ metadata: { namespace: 'n', name: 'web', uid: 'w', generation: 3, ...metadata }, spec: { replicas, ...spec } });

const PARALLEL = { podManagementPolicy: 'Parallel' };
const view = (of: ApiObject, pods: readonly ApiObject[]) => ({ set: of, pods, current: 'old', update: 'new', now: NOW });
const told = (action: SetAction): string => {
  switch (action.type) {
    case 'create':
      return `create ${action.ordinal} ${action.revision}`;
    case 'settle':
      return `settle ${action.ordinal}`;
    case 'delete':
      return `delete ${action.pod.name}${action.claims ? ' for good' : ''}`;
  }
};
const planned = (of: ApiObject, pods: readonly ApiObject[]): readonly string[] =>
  planSet(view(of, pods))
    .map(told)
    .filter((text) => !text.startsWith('settle'));

test.each<[string, ApiObject, readonly ApiObject[], readonly string[]]>([
  ['creates the first pod', set(3), [], ['create 0 update']],
  ['creates no pod before a lower one is ready', set(3), [pod(0, 'waiting')], []],
  ['creates no pod before a lower one has been ready for minReadySeconds', set(3, { minReadySeconds: 5 }), [pod(0, 'young')], []],
  ['creates the next pod when the lower one is ready', set(3), [pod(0, 'ready')], ['create 1 update']],
  ['fills a gap first', set(3), [pod(0, 'ready'), pod(2, 'ready')], ['create 1 update']],
  ['starts at ordinals.start', set(1, { ordinals: { start: 5 } }), [], ['create 5 update']],
  ['creates all pods at once with Parallel', set(2, PARALLEL), [], ['create 0 update', 'create 1 update']],
  ['deletes a failed pod', set(1), [pod(0, 'ended')], ['delete web-0']],
  ['creates nothing while a pod is terminating', set(2), [pod(0, 'going')], []],
  ['scales down from the highest ordinal', set(1), [pod(0, 'ready'), pod(1, 'ready'), pod(2, 'ready')], ['delete web-2 for good']],
  ['deletes no pod while a lower surplus pod is not ready', set(1), [pod(0, 'ready'), pod(1, 'waiting'), pod(2, 'waiting')], []],
  ['deletes a surplus pod that is the only unready one', set(1), [pod(0, 'ready'), pod(1, 'waiting')], ['delete web-1 for good']],
  [
    'deletes all surplus pods at once with Parallel',
    set(0, PARALLEL),
    [pod(0, 'waiting'), pod(1, 'ready')],
    ['delete web-1 for good', 'delete web-0 for good'],
  ],
  ['replaces the highest pod of the old revision', set(2), [pod(0, 'ready', 'old'), pod(1, 'ready', 'old')], ['delete web-1']],
  ['replaces no further pod while the new one is not ready', set(2), [pod(0, 'ready', 'old'), pod(1, 'waiting')], []],
  ['replaces one pod at a time with Parallel', set(2, PARALLEL), [pod(0, 'ready', 'old'), pod(1, 'waiting', 'old')], ['delete web-1']],
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
    ['create 0 current'],
  ],
  ['replaces no pod with OnDelete', set(1, { updateStrategy: { type: 'OnDelete' } }), [pod(0, 'ready', 'old')], []],
])('planSet %s', (_title, of, pods, actions) => expect(planned(of, pods)).toEqual(actions));

const states = fc.constantFrom<State>('ready', 'young', 'waiting', 'ended', 'going');
const somePods = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 6 }), states, fc.constantFrom('old', 'new')), { selector: ([ordinal]) => ordinal })
  .map((all) => all.map(([ordinal, state, revision]) => pod(ordinal, state, revision)));

test('planSet with OrderedReady changes one pod at a time, and creates none above a pod that is not ready', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5 }), somePods, (replicas, pods) => {
      const of = set(replicas, { minReadySeconds: 5 });
      const actions = planSet(view(of, pods));
      const touched = actions.filter(({ type }) => type !== 'settle');
      expect(touched.length).toBeLessThanOrEqual(1);
      for (const action of touched) {
        if (action.type !== 'create') continue;
        const below = Array.from({ length: action.ordinal }, (_, ordinal) => pods.find(({ name }) => name === podName('web', ordinal)));
        const serve = new Set([pod(0, 'ready')].map(({ body }) => JSON.stringify(body['status'])));
        expect(below.every((one) => one !== undefined && serve.has(JSON.stringify(one.body['status'])))).toBe(true);
      }
    }),
  );
});

test('planSet replaces at most one pod of the old revision at a time with either pod management policy', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5 }), somePods, fc.boolean(), (replicas, pods, isParallel) => {
      const actions = planSet(view(set(replicas, isParallel ? PARALLEL : {}), pods));
      const hasEnded = (one: ApiObject): boolean => JSON.stringify(one.body).includes('Failed');
      const rolled = actions.filter((action) => action.type === 'delete' && !action.claims && !hasEnded(action.pod));
      expect(rolled.length).toBeLessThanOrEqual(1);
    }),
  );
});

describe('setStatus', () => {
  const known = { observedGeneration: 3, collisionCount: 0, updateRevision: 'new' };

  test('counts pods by revision', () => {
    const pods = [pod(0, 'ready', 'old'), pod(1, 'young'), pod(2, 'going')];
    expect(setStatus(view(set(3, { minReadySeconds: 5 }), pods), 0)).toEqual({
      ...known,
      replicas: 3,
      readyReplicas: 3 - 1,
      currentReplicas: 1,
      updatedReplicas: 1,
      currentRevision: 'old',
      availableReplicas: 1,
    });
  });

  test('makes the update revision the current one when all pods have it', () => {
    const status = setStatus(view(set(1), [pod(0, 'ready')]), 2);
    expect(status).toMatchObject({ currentRevision: 'new', currentReplicas: 1, updatedReplicas: 1, collisionCount: 2 });
  });

  test('keeps the current revision with OnDelete', () => {
    const status = setStatus(view(set(1, { updateStrategy: { type: 'OnDelete' } }), [pod(0, 'ready')]), 0);
    expect(status).toMatchObject({ currentRevision: 'old', updatedReplicas: 1 });
  });

  test('returns nothing when the status is unchanged', () => {
    const status = setStatus(view(set(1), []), 0);
    const { body } = set(1);
    expect(setStatus(view(apiObject({ ...body, status: status ?? {} }), []), 0)).toBeUndefined();
  });
});
