/**
 * Which dependants belong to an owner, and the two writes that make it so: taking in one that nobody controls, and letting one go that is not selected any more. For
 * any kind of dependants. Never looks at what the dependants are.
 */
import { ApiError, isNotFound } from '../../shared/client/rest/api-error';
import { finalizersOf, isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { metadataOf, type Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { controllerOf } from '../runtime/pods';
import { controllerReference } from './reference';

export interface Claims {
  readonly owned: readonly ApiObject[];
  readonly adopt: readonly ApiObject[];
  readonly release: readonly ApiObject[];
}

/** `matches` = the owner's selector, and whatever else its kind demands. An owner that is being deleted neither takes in nor lets go. */
export function claimsOf(owner: ApiObject, matches: (candidate: ApiObject) => boolean, candidates: Iterable<ApiObject>): Claims {
  const claims = { owned: new Array<ApiObject>(), adopt: new Array<ApiObject>(), release: new Array<ApiObject>() };
  const isGoing = isBeingDeleted(owner);
  for (const candidate of candidates) {
    const controller = controllerOf(candidate);
    if (controller !== undefined) {
      if (controller.uid !== owner.uid) continue;
      if (matches(candidate)) claims.owned.push(candidate);
      else if (!isGoing) claims.release.push(candidate);
    } else if (!isGoing && !isBeingDeleted(candidate) && candidate.namespace === owner.namespace && matches(candidate)) {
      claims.adopt.push(candidate);
    }
  }
  return claims;
}

/** The owner that was seen is not there any more, or is going: it may not take anything in. */
export class OwnerGone extends Error {
  override readonly name = 'OwnerGone';
}

export interface ClaimOptions {
  readonly client: RestClient;
  /** Of the owner. */
  readonly ownerResource: Resource;
  /** Of the dependants. */
  readonly resource: Resource;
  /** Put on what is taken in, and taken off what is let go. */
  readonly finalizer?: string;
  readonly signal: AbortSignal;
}

/**
 * Makes the claims so, and returns what is the owner's then. Throws what adoption met with once everything has been tried: {@link OwnerGone} where the
 * server says that the owner is another one by now or is going.
 */
export async function claim(
  options: ClaimOptions,
  owner: ApiObject,
  matches: (candidate: ApiObject) => boolean,
  candidates: Iterable<ApiObject>,
): Promise<readonly ApiObject[]> {
  const { owned, adopt, release } = claimsOf(owner, matches, candidates);
  if (adopt.length === 0 && release.length === 0) return owned;
  for (const dependant of release) await letGo(options, owner, dependant);
  if (adopt.length === 0) return owned;
  await checkOwner(options, owner);
  const taken: ApiObject[] = [];
  for (const dependant of adopt) {
    const adopted = await takeIn(options, owner, dependant);
    if (adopted !== undefined) taken.push(adopted);
  }
  return [...owned, ...taken];
}

/** What is followed may be behind: an owner that was deleted, or made anew, would take in what the collector then removes. */
async function checkOwner({ client, ownerResource, signal }: ClaimOptions, owner: ApiObject): Promise<void> {
  const { namespace, name } = owner;
  const found = await client.get(metadataOf(ownerResource), { namespace, name }, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) throw new OwnerGone(`original ${ownerResource.kind} ${keyOf(owner)} is gone`);
    throw error;
  });
  if (found.uid !== owner.uid) {
    throw new OwnerGone(`original ${ownerResource.kind} ${keyOf(owner)} is gone: got uid ${found.uid}, wanted ${owner.uid}`);
  }
  if (isBeingDeleted(found)) throw new OwnerGone(`${keyOf(owner)} has just been deleted`);
}

async function takeIn(options: ClaimOptions, owner: ApiObject, dependant: ApiObject): Promise<ApiObject | undefined> {
  const { client, resource, ownerResource, finalizer, signal } = options;
  const { namespace, name, uid, resourceVersion } = dependant;
  const ownerReferences = [...referencesOf(dependant), controllerReference(client.dialect, ownerResource, owner)];
  const finalizers = finalizersOf(dependant);
  const held = finalizer === undefined || finalizers.includes(finalizer) ? {} : { finalizers: [...finalizers, finalizer] };
  const patch = { metadata: { uid, resourceVersion, ownerReferences, ...held } };
  try {
    return await client.patch(resource, { namespace, name }, 'merge', patch, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function letGo({ client, resource, finalizer, signal }: ClaimOptions, owner: ApiObject, dependant: ApiObject): Promise<void> {
  const { namespace, name, uid, resourceVersion } = dependant;
  const ownerReferences = referencesOf(dependant).filter((reference) => stringAt(reference, 'uid') !== owner.uid);
  const freed = finalizer === undefined ? {} : { finalizers: finalizersOf(dependant).filter((other) => other !== finalizer) };
  const patch = { metadata: { uid, resourceVersion, ownerReferences, ...freed } };
  try {
    await client.patch(resource, { namespace, name }, 'merge', patch, { signal });
  } catch (error) {
    // It is gone, or it is another one by now, or nobody holds it any more.
    if (!isNotFound(error) && !(error instanceof ApiError && error.code === 422)) throw error;
  }
}

function referencesOf({ body }: ApiObject): readonly JsonObject[] {
  return (arrayAt(objectAt(body, 'metadata'), 'ownerReferences') ?? []).filter(isObject);
}
