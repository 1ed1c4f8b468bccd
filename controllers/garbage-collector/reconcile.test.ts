import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { decide, withoutBlocking, withoutFinalizer, withoutOwners, type Dependent, type OwnerState } from './reconcile';

const owner = (uid: string, more: JsonObject = {}): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid, ...more });
const object = (owners: readonly string[], metadata: JsonObject = {}): ApiObject =>
  apiObject({
    metadata: {
      name: 'o',
      uid: 'u',
      resourceVersion: '7',
      ownerReferences: owners.map((uid) => owner(uid, { blockOwnerDeletion: true })),
      ...metadata,
    },
  });
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const waiting = { ...going, finalizers: ['foregroundDeletion'] };
const child = (more: Partial<Dependent> = {}): Dependent => ({ blocks: true, isWaiting: false, ...more });

test.each<[string, readonly OwnerState[], readonly Dependent[], JsonObject, unknown]>([
  ['without owners', [], [child()], {}, { type: 'keep' }],
  ['whose owners are all there', ['there', 'there'], [], {}, { type: 'keep' }],
  ['of whose owners one is gone', ['there', 'absent'], [], {}, { type: 'unlink', uids: new Set(['b']) }],
  ['of whose owners one waits', ['waiting', 'there'], [], {}, { type: 'unlink', uids: new Set(['a']) }],
  ['whose owners are gone', ['absent', 'absent'], [], {}, { type: 'delete', policy: 'Background', unblock: false }],
  ['with the finalizer of orphans', ['absent'], [], { finalizers: ['orphan'] }, { type: 'delete', policy: 'Orphan', unblock: false }],
  [
    'with the finalizer of the foreground',
    ['absent'],
    [],
    { finalizers: ['foregroundDeletion'] },
    { type: 'delete', policy: 'Foreground', unblock: false },
  ],
  ['whose owner waits, with children', ['waiting'], [child()], {}, { type: 'delete', policy: 'Foreground', unblock: false }],
  ['in a circle that waits', ['waiting'], [child({ isWaiting: true })], {}, { type: 'delete', policy: 'Foreground', unblock: true }],
  ['whose owner waits, without children', ['waiting'], [], {}, { type: 'delete', policy: 'Background', unblock: false }],
  ['with an owner of an unknown kind', ['absent', 'unknown'], [], {}, { type: 'undecided' }],
  ['that was to outlive an owner', ['orphaned', 'absent'], [], {}, { type: 'unlink', uids: new Set(['a']) }],
  ['that was to outlive one of two owners', ['there', 'orphaned'], [], {}, { type: 'unlink', uids: new Set(['b']) }],
  ['that was to outlive an owner, whatever the others are', ['orphaned', 'unknown'], [], {}, { type: 'unlink', uids: new Set(['a']) }],
  ['that goes already', ['absent'], [], going, { type: 'keep' }],
  ['that waits for a child that blocks', [], [child(), child({ blocks: false })], waiting, { type: 'keep' }],
  ['that waits for children that do not block', [], [child({ blocks: false })], waiting, { type: 'release' }],
  ['that waits for nobody', [], [], waiting, { type: 'release' }],
])('an object %s', (_, owners, dependents, metadata, decision) => {
  expect(decide(object(['a', 'b'].slice(0, owners.length), metadata), owners, dependents)).toEqual(decision);
});

describe('patches hold the version that they were made for', () => {
  const state = { uid: 'u', resourceVersion: '7' };

  test('forgetting some owners, all, and none', () => {
    const two = object(['a', 'b']);
    expect(withoutOwners(two, new Set(['a']))).toEqual({
      metadata: { ...state, ownerReferences: [owner('b', { blockOwnerDeletion: true })] },
    });
    expect(withoutOwners(two, new Set(['a', 'b']))).toEqual({ metadata: { ...state, ownerReferences: null } });
    expect(withoutOwners(two, new Set(['c']))).toBeUndefined();
  });

  test('blocking no owner any more', () => {
    expect(withoutBlocking(object(['a']))).toEqual({
      metadata: { ...state, ownerReferences: [owner('a', { blockOwnerDeletion: false })] },
    });
    expect(withoutBlocking(object([]))).toBeUndefined();
  });

  test('without a finalizer', () => {
    expect(withoutFinalizer(object([], { finalizers: ['x', 'orphan'] }), 'orphan')).toEqual({ metadata: { ...state, finalizers: ['x'] } });
    expect(withoutFinalizer(object([], { finalizers: ['orphan'] }), 'orphan')).toEqual({ metadata: { ...state, finalizers: null } });
    expect(withoutFinalizer(object([], { finalizers: ['x'] }), 'orphan')).toBeUndefined();
  });
});
