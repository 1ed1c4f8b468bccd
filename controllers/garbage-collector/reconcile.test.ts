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
  ['keeps an object without owners', [], [child()], {}, { type: 'keep' }],
  ['keeps an object whose owners all exist', ['there', 'there'], [], {}, { type: 'keep' }],
  [
    'removes the reference to a missing owner when another one exists',
    ['there', 'absent'],
    [],
    {},
    { type: 'unlink', uids: new Set(['b']) },
  ],
  [
    'removes the reference to an owner in foreground deletion when another one exists',
    ['waiting', 'there'],
    [],
    {},
    { type: 'unlink', uids: new Set(['a']) },
  ],
  [
    'deletes an object whose owners are missing in the background',
    ['absent', 'absent'],
    [],
    {},
    { type: 'delete', policy: 'Background', unblock: false },
  ],
  [
    'deletes an object with the orphan finalizer with the policy Orphan',
    ['absent'],
    [],
    { finalizers: ['orphan'] },
    { type: 'delete', policy: 'Orphan', unblock: false },
  ],
  [
    'deletes an object with the foregroundDeletion finalizer with the policy Foreground',
    ['absent'],
    [],
    { finalizers: ['foregroundDeletion'] },
    { type: 'delete', policy: 'Foreground', unblock: false },
  ],
  [
    'deletes an object with dependents in the foreground when its owner is in foreground deletion',
    ['waiting'],
    [child()],
    {},
    { type: 'delete', policy: 'Foreground', unblock: false },
  ],
  [
    'unblocks an object in a cycle of owners in foreground deletion',
    ['waiting'],
    [child({ isWaiting: true })],
    {},
    { type: 'delete', policy: 'Foreground', unblock: true },
  ],
  [
    'deletes an object without dependents in the background when its owner is in foreground deletion',
    ['waiting'],
    [],
    {},
    { type: 'delete', policy: 'Background', unblock: false },
  ],
  ['makes no decision when the kind of an owner is unknown', ['absent', 'unknown'], [], {}, { type: 'undecided' }],
  [
    'removes the reference to an owner that orphaned the object when the other one is missing',
    ['orphaned', 'absent'],
    [],
    {},
    { type: 'unlink', uids: new Set(['a']) },
  ],
  [
    'removes the reference to an owner that orphaned the object when the other one exists',
    ['there', 'orphaned'],
    [],
    {},
    { type: 'unlink', uids: new Set(['b']) },
  ],
  [
    'removes the reference to an owner that orphaned the object when the other one is unknown',
    ['orphaned', 'unknown'],
    [],
    {},
    { type: 'unlink', uids: new Set(['a']) },
  ],
  ['keeps an object that is being deleted', ['absent'], [], going, { type: 'keep' }],
  [
    'keeps the finalizer of an object in foreground deletion while a dependent blocks it',
    [],
    [child(), child({ blocks: false })],
    waiting,
    { type: 'keep' },
  ],
  [
    'removes the finalizer of an object in foreground deletion when no dependent blocks it',
    [],
    [child({ blocks: false })],
    waiting,
    { type: 'release' },
  ],
  ['removes the finalizer of an object in foreground deletion without dependents', [], [], waiting, { type: 'release' }],
])('decide %s', (_, owners, dependents, metadata, decision) => {
  expect(decide(object(['a', 'b'].slice(0, owners.length), metadata), owners, dependents)).toEqual(decision);
});

describe('a patch of the garbage collector with uid and resourceVersion', () => {
  const state = { uid: 'u', resourceVersion: '7' };

  test('removes some or all owner references, and is undefined when none matches', () => {
    const two = object(['a', 'b']);
    expect(withoutOwners(two, new Set(['a']))).toEqual({
      metadata: { ...state, ownerReferences: [owner('b', { blockOwnerDeletion: true })] },
    });
    expect(withoutOwners(two, new Set(['a', 'b']))).toEqual({ metadata: { ...state, ownerReferences: null } });
    expect(withoutOwners(two, new Set(['c']))).toBeUndefined();
  });

  test('sets blockOwnerDeletion to false', () => {
    expect(withoutBlocking(object(['a']))).toEqual({
      metadata: { ...state, ownerReferences: [owner('a', { blockOwnerDeletion: false })] },
    });
    expect(withoutBlocking(object([]))).toBeUndefined();
  });

  test('removes a finalizer', () => {
    expect(withoutFinalizer(object([], { finalizers: ['x', 'orphan'] }), 'orphan')).toEqual({ metadata: { ...state, finalizers: ['x'] } });
    expect(withoutFinalizer(object([], { finalizers: ['orphan'] }), 'orphan')).toEqual({ metadata: { ...state, finalizers: null } });
    expect(withoutFinalizer(object([], { finalizers: ['x'] }), 'orphan')).toBeUndefined();
  });
});
