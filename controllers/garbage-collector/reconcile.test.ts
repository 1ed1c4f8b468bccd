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

const blockingOwner = (uid: string): MetaV1OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  blockOwnerDeletion: true,
});
const object = (owners: readonly string[], metadata: MetaV1ObjectMeta = {}): MetadataObject =>
  apiObject<PartialObjectMetadata>({
    metadata: {
      name: 'o',
      uid: 'u',
      resourceVersion: '7',
      ownerReferences: owners.map(blockingOwner),
      ...metadata,
    },
  });
const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const IN_FOREGROUND_DELETION = { ...DELETED, finalizers: ['foregroundDeletion'] };
const dependent = (changes: Partial<Dependent> = {}): Dependent => ({ blockOwnerDeletion: true, isDeletingDependents: false, ...changes });

interface DecisionCase {
  readonly title: string;
  /** The states of the owners `a` and `b`, of as many as the object has. */
  readonly owners?: readonly OwnerState[];
  readonly dependents?: readonly Dependent[];
  readonly metadata?: MetaV1ObjectMeta;
  readonly action: GarbageAction;
}

test.each<DecisionCase>([
  { title: 'keeps an object without owners', dependents: [dependent()], action: { type: 'none' } },
  { title: 'keeps an object whose owners all exist', owners: ['solid', 'solid'], action: { type: 'none' } },
  {
    title: 'removes the reference to a missing owner when another one exists',
    owners: ['solid', 'dangling'],
    action: { type: 'delete-owner-references', uids: new Set(['b']) },
  },
  {
    title: 'removes the reference to an owner in foreground deletion when another one exists',
    owners: ['waiting-for-dependents', 'solid'],
    action: { type: 'delete-owner-references', uids: new Set(['a']) },
  },
  {
    title: 'deletes an object whose owners are missing in the background',
    owners: ['dangling', 'dangling'],
    action: { type: 'delete', policy: 'Background', unblockOwners: false },
  },
  {
    title: 'deletes an object with the orphan finalizer with the policy Orphan',
    owners: ['dangling'],
    metadata: { finalizers: ['orphan'] },
    action: { type: 'delete', policy: 'Orphan', unblockOwners: false },
  },
  {
    title: 'deletes an object with the foregroundDeletion finalizer with the policy Foreground',
    owners: ['dangling'],
    metadata: { finalizers: ['foregroundDeletion'] },
    action: { type: 'delete', policy: 'Foreground', unblockOwners: false },
  },
  {
    title: 'deletes an object with dependents in the foreground when its owner is in foreground deletion',
    owners: ['waiting-for-dependents'],
    dependents: [dependent()],
    action: { type: 'delete', policy: 'Foreground', unblockOwners: false },
  },
  {
    title: 'unblocks an object in a cycle of owners in foreground deletion',
    owners: ['waiting-for-dependents'],
    dependents: [dependent({ isDeletingDependents: true })],
    action: { type: 'delete', policy: 'Foreground', unblockOwners: true },
  },
  {
    title: 'deletes an object without dependents in the background when its owner is in foreground deletion',
    owners: ['waiting-for-dependents'],
    action: { type: 'delete', policy: 'Background', unblockOwners: false },
  },
  {
    title: 'waits for more kinds when the kind of an owner is unknown',
    owners: ['dangling', 'unknown'],
    action: { type: 'wait-for-kinds' },
  },
  {
    title: 'removes the reference to an owner that orphaned the object when the other one is missing',
    owners: ['orphaned', 'dangling'],
    action: { type: 'delete-owner-references', uids: new Set(['a']) },
  },
  {
    title: 'removes the reference to an owner that orphaned the object when the other one exists',
    owners: ['solid', 'orphaned'],
    action: { type: 'delete-owner-references', uids: new Set(['b']) },
  },
  {
    title: 'removes the reference to an owner that orphaned the object when the other one is unknown',
    owners: ['orphaned', 'unknown'],
    action: { type: 'delete-owner-references', uids: new Set(['a']) },
  },
  { title: 'keeps an object that is being deleted', owners: ['dangling'], metadata: DELETED, action: { type: 'none' } },
  {
    title: 'keeps the finalizer of an object in foreground deletion while a dependent blocks it',
    dependents: [dependent(), dependent({ blockOwnerDeletion: false })],
    metadata: IN_FOREGROUND_DELETION,
    action: { type: 'none' },
  },
  {
    title: 'removes the finalizer of an object in foreground deletion when no dependent blocks it',
    dependents: [dependent({ blockOwnerDeletion: false })],
    metadata: IN_FOREGROUND_DELETION,
    action: { type: 'remove-foreground-finalizer' },
  },
  {
    title: 'removes the finalizer of an object in foreground deletion without dependents',
    metadata: IN_FOREGROUND_DELETION,
    action: { type: 'remove-foreground-finalizer' },
  },
])('decideAction $title', ({ owners = [], dependents = [], metadata = {}, action }) => {
  const ownerUids = ['a', 'b'].slice(0, owners.length);
  expect(decideAction(object(ownerUids, metadata), owners, dependents)).toEqual(action);
});

describe('a patch of the garbage collector with uid and resourceVersion', () => {
  const preconditions = { uid: 'u', resourceVersion: '7' };

  test('removes some or all owner references, and is undefined when none matches', () => {
    const two = object(['a', 'b']);
    expect(deleteOwnerReferencesPatch(two, new Set(['a']))).toEqual({ ...preconditions, ownerReferences: [blockingOwner('b')] });
    expect(deleteOwnerReferencesPatch(two, new Set(['a', 'b']))).toEqual({ ...preconditions, ownerReferences: null });
    expect(deleteOwnerReferencesPatch(two, new Set(['c']))).toBeUndefined();
  });

  test('sets blockOwnerDeletion to false', () => {
    expect(unblockOwnerReferencesPatch(object(['a']))).toEqual({
      ...preconditions,
      ownerReferences: [{ ...blockingOwner('a'), blockOwnerDeletion: false }],
    });
    expect(unblockOwnerReferencesPatch(object([]))).toBeUndefined();
  });

  test('removes a finalizer', () => {
    expect(removeFinalizerPatch(object([], { finalizers: ['x', 'orphan'] }), 'orphan')).toEqual({ ...preconditions, finalizers: ['x'] });
    expect(removeFinalizerPatch(object([], { finalizers: ['orphan'] }), 'orphan')).toEqual({ ...preconditions, finalizers: null });
    expect(removeFinalizerPatch(object([], { finalizers: ['x'] }), 'orphan')).toBeUndefined();
  });
});
