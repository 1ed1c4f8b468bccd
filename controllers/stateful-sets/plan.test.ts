import fc from 'fast-check';
import { timestamp } from '../../shared/api/metadata/object-meta';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { podName } from './identity';
import { planSet, type SetAction } from './plan';
import { setStatus } from './status';

const NOW = Date.UTC(2026, 0, 2);

type State = 'ready' | 'young' | 'waiting' | 'ended' | 'going';

function pod(ordinal: number, state: State, revision = 'new'): ApiObject {
  const isReady = state === 'ready' || state === 'young';
  const since = timestamp(NOW - (state === 'young' ? 1_000 : 60_000));
  return apiObject({
    metadata: {
      namespace: 'n',
      name: podName('web', ordinal),
      uid: `u${ordinal}`,
      labels: { 'controller-revision-hash': revision },
      ...(state === 'going' ? { deletionTimestamp: timestamp(NOW) } : {}),
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
  ['the first one', set(3), [], ['create 0 update']],
  ['nothing before it serves', set(3), [pod(0, 'waiting')], []],
  ['nothing before it has served for long enough', set(3, { minReadySeconds: 5 }), [pod(0, 'young')], []],
  ['the next one', set(3), [pod(0, 'ready')], ['create 1 update']],
  ['a gap first', set(3), [pod(0, 'ready'), pod(2, 'ready')], ['create 1 update']],
  ['numbers from five on', set(1, { ordinals: { start: 5 } }), [], ['create 5 update']],
  ['all at once', set(2, PARALLEL), [], ['create 0 update', 'create 1 update']],
  ['one that has ended anew', set(1), [pod(0, 'ended')], ['delete web-0']],
  ['nothing while one goes', set(2), [pod(0, 'going')], []],
  ['the highest away', set(1), [pod(0, 'ready'), pod(1, 'ready'), pod(2, 'ready')], ['delete web-2 for good']],
  ['none away while another is no good', set(1), [pod(0, 'ready'), pod(1, 'waiting'), pod(2, 'waiting')], []],
  ['the only bad one away', set(1), [pod(0, 'ready'), pod(1, 'waiting')], ['delete web-1 for good']],
  ['all away at once', set(0, PARALLEL), [pod(0, 'waiting'), pod(1, 'ready')], ['delete web-1 for good', 'delete web-0 for good']],
  ['the highest old one', set(2), [pod(0, 'ready', 'old'), pod(1, 'ready', 'old')], ['delete web-1']],
  ['no second old one while the new one is none', set(2), [pod(0, 'ready', 'old'), pod(1, 'waiting')], []],
  ['one old one at a time', set(2, PARALLEL), [pod(0, 'ready', 'old'), pod(1, 'waiting', 'old')], ['delete web-1']],
  [
    'no old one below the partition',
    set(2, { updateStrategy: { rollingUpdate: { partition: 1 } } }),
    [pod(0, 'ready', 'old'), pod(1, 'ready')],
    [],
  ],
  ['an old one again below the partition', set(2, { updateStrategy: { rollingUpdate: { partition: 1 } } }), [], ['create 0 current']],
  ['no old one by itself', set(1, { updateStrategy: { type: 'OnDelete' } }), [pod(0, 'ready', 'old')], []],
])('%s', (_title, of, pods, actions) => expect(planned(of, pods)).toEqual(actions));

const states = fc.constantFrom<State>('ready', 'young', 'waiting', 'ended', 'going');
const somePods = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 6 }), states, fc.constantFrom('old', 'new')), { selector: ([ordinal]) => ordinal })
  .map((all) => all.map(([ordinal, state, revision]) => pod(ordinal, state, revision)));

test('in order, one pod at a time is touched, and none is made above one that does not serve', () => {
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

test('whatever the policy, no two old pods that are wanted go at a time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5 }), somePods, fc.boolean(), (replicas, pods, isParallel) => {
      const actions = planSet(view(set(replicas, isParallel ? PARALLEL : {}), pods));
      const hasEnded = (one: ApiObject): boolean => JSON.stringify(one.body).includes('Failed');
      const rolled = actions.filter((action) => action.type === 'delete' && !action.claims && !hasEnded(action.pod));
      expect(rolled.length).toBeLessThanOrEqual(1);
    }),
  );
});

describe('the status', () => {
  const known = { observedGeneration: 3, collisionCount: 0, updateRevision: 'new' };

  test('counts by revision', () => {
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

  test('makes the new revision the current one when all are of it', () => {
    const status = setStatus(view(set(1), [pod(0, 'ready')]), 2);
    expect(status).toMatchObject({ currentRevision: 'new', currentReplicas: 1, updatedReplicas: 1, collisionCount: 2 });
  });

  test('leaves that to whoever deletes pods by hand', () => {
    const status = setStatus(view(set(1, { updateStrategy: { type: 'OnDelete' } }), [pod(0, 'ready')]), 0);
    expect(status).toMatchObject({ currentRevision: 'old', updatedReplicas: 1 });
  });

  test('is not written twice', () => {
    const status = setStatus(view(set(1), []), 0);
    const { body } = set(1);
    expect(setStatus(view(apiObject({ ...body, status: status ?? {} }), []), 0)).toBeUndefined();
  });
});
