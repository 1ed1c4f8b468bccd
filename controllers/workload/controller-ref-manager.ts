/**
 * Decides which dependents belong to an owner, and brings their owner references to that state: adopts matching orphans
 * and releases dependents that no longer match. Its rules are those of upstream's ControllerRefManager, for any kind of
 * dependent. The caller decides what matches.
 */
import type { MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { ApiError, isNotFound } from '../../shared/client/rest/api-error';
import { finalizersOf, isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { metadataOf, type Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { JsonObject } from '../../shared/values/json';
import { controllerOf } from '../runtime/pods';
import { controllerReference } from './references';

/**
 * What an owner does with the candidates. Those in no list are left as they are: they have another controller, or the
 * owner may not adopt or release them.
 */
export interface CandidateClaims<Body extends JsonObject> {
  /** Controlled by the owner, and matching. */
  readonly owned: readonly ApiObject<Body>[];
  /** Matching, in the owner's namespace, without a controller, and not being deleted. */
  readonly adopt: readonly ApiObject<Body>[];
  /** Controlled by the owner, but no longer matching. */
  readonly release: readonly ApiObject<Body>[];
}

/**
 * Pure. `matches`: the owner's selector, and whatever else its kind requires. An owner that is being deleted neither
 * adopts nor releases.
 */
export function classifyCandidates<Body extends JsonObject>(
  owner: ApiObject,
  matches: (candidate: ApiObject<Body>) => boolean,
  candidates: Iterable<ApiObject<Body>>,
): CandidateClaims<Body> {
  const owned: ApiObject<Body>[] = [];
  const adopt: ApiObject<Body>[] = [];
  const release: ApiObject<Body>[] = [];
  const isOwnerDeleted = isBeingDeleted(owner);
  for (const candidate of candidates) {
    const controller = controllerOf(candidate);
    if (controller !== undefined) {
      if (controller.uid !== owner.uid) continue;
      if (matches(candidate)) owned.push(candidate);
      else if (!isOwnerDeleted) release.push(candidate);
    } else if (!isOwnerDeleted && !isBeingDeleted(candidate) && candidate.namespace === owner.namespace && matches(candidate)) {
      adopt.push(candidate);
    }
  }
  return { owned, adopt, release };
}

/** The owner was deleted, replaced or is being deleted: it must not adopt. */
export class OwnerDeletedError extends Error {
  override readonly name = 'OwnerDeletedError';
}

/** The kinds of the owner and its dependents, and the client that writes the claims. */
export interface ClaimOptions<Body extends JsonObject> {
  readonly client: RestClient;
  readonly ownerResource: Resource;
  /** The resource of the dependents. */
  readonly resource: Resource<Body>;
  /** A finalizer that is added on adoption and removed on release. */
  readonly finalizer?: string;
  readonly signal: AbortSignal;
}

/**
 * Adopts and releases; returns the dependents that the owner controls afterwards. Before the first adoption the owner
 * is read from the server, because the informer may be behind and the garbage collector would delete what a deleted
 * owner adopted. Dependents that were deleted meanwhile are skipped. Throws {@link OwnerDeletedError}, or the error of
 * the first other request that fails.
 */
export async function claimDependents<Body extends JsonObject>(
  options: ClaimOptions<Body>,
  owner: ApiObject,
  matches: (candidate: ApiObject<Body>) => boolean,
  candidates: Iterable<ApiObject<Body>>,
): Promise<readonly ApiObject<Body>[]> {
  const claims = classifyCandidates(owner, matches, candidates);
  for (const dependent of claims.release) await release(options, owner, dependent);
  if (claims.adopt.length === 0) return claims.owned;
  await checkOwnerUnchanged(options, owner);
  const adopted: ApiObject<Body>[] = [];
  for (const dependent of claims.adopt) {
    const updated = await adopt(options, owner, dependent);
    if (updated !== undefined) adopted.push(updated);
  }
  return [...claims.owned, ...adopted];
}

async function checkOwnerUnchanged({ client, ownerResource, signal }: ClaimOptions<JsonObject>, owner: ApiObject): Promise<void> {
  const { namespace, name } = owner;
  const current = await client
    .of(metadataOf(ownerResource))
    .namespace(namespace)
    .get(name, { signal })
    .catch((error: unknown) => {
      if (isNotFound(error)) throw new OwnerDeletedError(`original ${ownerResource.kind} ${keyOf(owner)} is gone`);
      throw error;
    });
  if (current.uid !== owner.uid) {
    throw new OwnerDeletedError(`original ${ownerResource.kind} ${keyOf(owner)} is gone: got uid ${current.uid}, wanted ${owner.uid}`);
  }
  if (isBeingDeleted(current)) throw new OwnerDeletedError(`${keyOf(owner)} has just been deleted`);
}

/** Undefined for a dependent that has been deleted meanwhile. */
async function adopt<Body extends JsonObject>(
  options: ClaimOptions<Body>,
  owner: ApiObject,
  dependent: ApiObject<Body>,
): Promise<ApiObject<Body> | undefined> {
  const { client, ownerResource, finalizer } = options;
  const ownerReferences = [...(dependent.metadata.ownerReferences ?? []), controllerReference(client.dialect, ownerResource, owner)];
  const finalizers = finalizersOf(dependent);
  const added = finalizer === undefined || finalizers.includes(finalizer) ? {} : { finalizers: [...finalizers, finalizer] };
  try {
    return await patchMetadata(options, dependent, { ownerReferences, ...added });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function release<Body extends JsonObject>(options: ClaimOptions<Body>, owner: ApiObject, dependent: ApiObject<Body>): Promise<void> {
  const { finalizer } = options;
  const ownerReferences = (dependent.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.uid);
  const removed = finalizer === undefined ? {} : { finalizers: finalizersOf(dependent).filter((name) => name !== finalizer) };
  try {
    await patchMetadata(options, dependent, { ownerReferences, ...removed });
  } catch (error) {
    // The object does not exist (404), or the change is invalid (422), which upstream's manager ignores too. For another
    // object of the name the server reports a conflict, because its resourceVersion differs.
    if (!isNotFound(error) && !(error instanceof ApiError && error.code === 422)) throw error;
  }
}

/** The uid and resourceVersion in the patch make the server refuse it when the object has changed. */
function patchMetadata<Body extends JsonObject>(
  { client, resource, signal }: ClaimOptions<Body>,
  { namespace, name, uid, resourceVersion }: ApiObject,
  changes: MetaV1ObjectMeta,
): Promise<ApiObject<Body>> {
  return client
    .of(resource)
    .namespace(namespace)
    .patchMetadata(name, { uid, resourceVersion, ...changes }, { signal });
}
