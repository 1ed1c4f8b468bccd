import type { MetaV1ObjectMeta, MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { PartialObjectMetadata } from '../../shared/client/rest/resource';
import type { MetadataObject } from './owner-references';
import {
  decideAction,
  deleteOwnerReferencesPatch,
  removeFinalizerPatch,
  unblockOwnerReferencesPatch,
  type Dependent,
  type GarbageAction,
  type OwnerState,
} from './reconcile';

const owner = (uid: string, blockOwnerDeletion: boolean): MetaV1OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  blockOwnerDeletion,
});
const object = (owners: readonly string[], metadata: MetaV1ObjectMeta = {}): MetadataObject =>
  apiObject<PartialObjectMetadata>({
    metadata: {
      name: 'o',
      uid: 'u',
      resourceVersion: '7',
      ownerReferences: owners.map((uid) => owner(uid, true)),
      ...metadata,
    },
  });
const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const IN_FOREGROUND_DELETION = { ...DELETED, finalizers: ['foregroundDeletion'] };
const dependent = (changes: Partial<Dependent> = {}): Dependent => ({ blockOwnerDeletion: true, isDeletingDependents: false, ...changes });

test.each<[string, readonly OwnerState[], readonly Dependent[], MetaV1ObjectMeta, GarbageAction]>([
  ['keeps an object without owners', [], [dependent()], {}, { type: 'none' }],
  ['keeps an object whose owners all exist', ['solid', 'solid'], [], {}, { type: 'none' }],
  [
    'removes the reference to a missing owner when another one exists',
    ['solid', 'dangling'],
    [],
    {},
    { type: 'delete-owner-references', uids: new Set(['b']) },
  ],
  [
    'removes the reference to an owner in foreground deletion when another one exists',
    ['waiting-for-dependents', 'solid'],
    [],
    {},
    { type: 'delete-owner-references', uids: new Set(['a']) },
  ],
  [
    'deletes an object whose owners are missing in the background',
    ['dangling', 'dangling'],
    [],
    {},
    { type: 'delete', policy: 'Background', unblockOwners: false },
  ],
  [
    'deletes an object with the orphan finalizer with the policy Orphan',
    ['dangling'],
    [],
    { finalizers: ['orphan'] },
    { type: 'delete', policy: 'Orphan', unblockOwners: false },
  ],
  [
    'deletes an object with the foregroundDeletion finalizer with the policy Foreground',
    ['dangling'],
    [],
    { finalizers: ['foregroundDeletion'] },
    { type: 'delete', policy: 'Foreground', unblockOwners: false },
  ],
  [
    'deletes an object with dependents in the foreground when its owner is in foreground deletion',
    ['waiting-for-dependents'],
    [dependent()],
    {},
    { type: 'delete', policy: 'Foreground', unblockOwners: false },
  ],
  [
    'unblocks an object in a cycle of owners in foreground deletion',
    ['waiting-for-dependents'],
    [dependent({ isDeletingDependents: true })],
    {},
    { type: 'delete', policy: 'Foreground', unblockOwners: true },
  ],
  [
    'deletes an object without dependents in the background when its owner is in foreground deletion',
    ['waiting-for-dependents'],
    [],
    {},
    { type: 'delete', policy: 'Background', unblockOwners: false },
  ],
  ['waits for more kinds when the kind of an owner is unknown', ['dangling', 'unknown'], [], {}, { type: 'wait-for-kinds' }],
  [
    'removes the reference to an owner that orphaned the object when the other one is missing',
    ['orphaned', 'dangling'],
    [],
    {},
    { type: 'delete-owner-references', uids: new Set(['a']) },
  ],
  [
    'removes the reference to an owner that orphaned the object when the other one exists',
    ['solid', 'orphaned'],
    [],
    {},
    { type: 'delete-owner-references', uids: new Set(['b']) },
  ],
  [
    'removes the reference to an owner that orphaned the object when the other one is unknown',
    ['orphaned', 'unknown'],
    [],
    {},
    { type: 'delete-owner-references', uids: new Set(['a']) },
  ],
  ['keeps an object that is being deleted', ['dangling'], [], DELETED, { type: 'none' }],
  [
    'keeps the finalizer of an object in foreground deletion while a dependent blocks it',
    [],
    [dependent(), dependent({ blockOwnerDeletion: false })],
    IN_FOREGROUND_DELETION,
    { type: 'none' },
  ],
  [
    'removes the finalizer of an object in foreground deletion when no dependent blocks it',
    [],
    [dependent({ blockOwnerDeletion: false })],
    IN_FOREGROUND_DELETION,
    { type: 'remove-foreground-finalizer' },
  ],
  [
    'removes the finalizer of an object in foreground deletion without dependents',
    [],
    [],
    IN_FOREGROUND_DELETION,
    { type: 'remove-foreground-finalizer' },
  ],
])('decideAction %s', (_, owners, dependents, metadata, action) => {
  expect(decideAction(object(['a', 'b'].slice(0, owners.length), metadata), owners, dependents)).toEqual(action);
});

describe('a patch of the garbage collector with uid and resourceVersion', () => {
  const preconditions = { uid: 'u', resourceVersion: '7' };

  test('removes some or all owner references, and is undefined when none matches', () => {
    const two = object(['a', 'b']);
    expect(deleteOwnerReferencesPatch(two, new Set(['a']))).toEqual({ ...preconditions, ownerReferences: [owner('b', true)] });
    expect(deleteOwnerReferencesPatch(two, new Set(['a', 'b']))).toEqual({ ...preconditions, ownerReferences: null });
    expect(deleteOwnerReferencesPatch(two, new Set(['c']))).toBeUndefined();
  });

  test('sets blockOwnerDeletion to false', () => {
    expect(unblockOwnerReferencesPatch(object(['a']))).toEqual({ ...preconditions, ownerReferences: [owner('a', false)] });
    expect(unblockOwnerReferencesPatch(object([]))).toBeUndefined();
  });

  test('removes a finalizer', () => {
    expect(removeFinalizerPatch(object([], { finalizers: ['x', 'orphan'] }), 'orphan')).toEqual({ ...preconditions, finalizers: ['x'] });
    expect(removeFinalizerPatch(object([], { finalizers: ['orphan'] }), 'orphan')).toEqual({ ...preconditions, finalizers: null });
    expect(removeFinalizerPatch(object([], { finalizers: ['x'] }), 'orphan')).toBeUndefined();
  });
});
