/** What is done about an object, by what is known of its owners and its children; decided without a server. */
import { finalizersOf, isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject, JsonValue } from '../../shared/values/json';
import { FOREGROUND, isWaiting, ORPHAN, ownersOf, type Owner } from './owner-references';

export type OwnerState =
  | 'there'
  /** It is being deleted, after its children. */
  | 'waiting'
  | 'absent'
  /** It is gone, and its children were to stay: this one was not known yet when the others forgot it. */
  | 'orphaned'
  /** It cannot be said: nobody serves its kind, or it may not be an owner where it is. */
  | 'unknown';

/** What a child is to its owner. */
export interface Dependent {
  readonly blocks: boolean;
  /** It waits for children of its own. */
  readonly isWaiting: boolean;
}

export type DeletionPolicy = 'Background' | 'Foreground' | 'Orphan';

export type GarbageDecision =
  | { readonly type: 'keep' }
  /** An owner cannot be found out about: it is looked at again when more kinds are served. */
  | { readonly type: 'undecided' }
  /** It forgets some owners, because others are there, or because it was to outlive them. */
  | { readonly type: 'unlink'; readonly uids: ReadonlySet<string> }
  /** `unblock`: owners do not wait for it any more, because they would wait for each other. */
  | { readonly type: 'delete'; readonly policy: DeletionPolicy; readonly unblock: boolean }
  /** Its children do not keep it any more. */
  | { readonly type: 'release' };

/** `owners` in the order of the object's references; empty where it is being deleted. */
export function decide(object: ApiObject, owners: readonly OwnerState[], dependents: readonly Dependent[]): GarbageDecision {
  if (isWaiting(object)) return dependents.some(({ blocks }) => blocks) ? { type: 'keep' } : { type: 'release' };
  if (isBeingDeleted(object) || owners.length === 0) return { type: 'keep' };
  if (owners.includes('orphaned')) return { type: 'unlink', uids: uidsOf(object, (index) => owners[index] === 'orphaned') };
  if (owners.includes('unknown')) return { type: 'undecided' };
  if (owners.includes('there')) {
    const uids = uidsOf(object, (index) => owners[index] !== 'there');
    return uids.size === 0 ? { type: 'keep' } : { type: 'unlink', uids };
  }
  if (owners.includes('waiting') && dependents.length > 0) {
    return { type: 'delete', policy: 'Foreground', unblock: dependents.some((dependent) => dependent.isWaiting) };
  }
  return { type: 'delete', policy: wishOf(object), unblock: false };
}

const uidsOf = (object: ApiObject, isMeant: (index: number) => boolean): ReadonlySet<string> =>
  new Set(
    ownersOf(object)
      .filter((_, index) => isMeant(index))
      .map(({ uid }) => uid),
  );

/** Who put a policy's finalizer there before the object was deleted wants it deleted so. */
function wishOf(object: ApiObject): DeletionPolicy {
  const finalizers = finalizersOf(object);
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
}

/** Merge patches; each holds the version that it was made for. */
export function withoutOwners(object: ApiObject, uids: ReadonlySet<string>): JsonObject | undefined {
  const owners = ownersOf(object);
  const left = owners.filter(({ uid }) => !uids.has(uid));
  return left.length === owners.length ? undefined : patchOf(object, { ownerReferences: referencesOf(left) });
}

export function withoutBlocking(object: ApiObject): JsonObject | undefined {
  const owners = ownersOf(object);
  if (!owners.some(({ blocks }) => blocks)) return undefined;
  return patchOf(object, { ownerReferences: owners.map(({ reference }) => ({ ...reference, blockOwnerDeletion: false })) });
}

export function withoutFinalizer(object: ApiObject, finalizer: string): JsonObject | undefined {
  const finalizers = finalizersOf(object);
  const left = finalizers.filter((name) => name !== finalizer);
  return left.length === finalizers.length ? undefined : patchOf(object, { finalizers: left.length === 0 ? null : left });
}

const referencesOf = (owners: readonly Owner[]): JsonValue => (owners.length === 0 ? null : owners.map(({ reference }) => reference));

const patchOf = ({ uid, resourceVersion }: ApiObject, members: JsonObject): JsonObject => ({
  metadata: { uid, resourceVersion, ...members },
});
