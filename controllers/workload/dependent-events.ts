/**
 * Finds the owners that a change of a dependent concerns: its controller, its previous controller, and for an orphan
 * every owner that matches it. Calls `onChange` for each of them, and records in their expectations the creations and
 * deletions that the informer shows.
 */
import { parseApiVersion } from '../../shared/api/identity/identity';
import { isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import type { Resource } from '../../shared/client/rest/resource';
import { canonicalGroup } from '../../shared/names/dialect';
import { equalJson, type JsonObject } from '../../shared/values/json';
import { controllerOf } from '../runtime/pods';
import type { Expectations } from './expectations';

/** The informers of the owners and the dependents of one controller, and what to call. */
export interface DependentEventOptions<Owner extends JsonObject, Dependent extends JsonObject> {
  readonly dependents: Informer<Dependent>;
  readonly owners: Informer<Owner>;
  readonly ownerResource: Resource<Owner>;
  /** Where the controller records what it expects before it creates or deletes dependents. */
  readonly expectations?: Expectations;
  /** Whether the owner would adopt the orphan. */
  readonly matches: (owner: ApiObject<Owner>, orphan: ApiObject<Dependent>) => boolean;
  /** Called once or more for each owner that a change concerns, after its expectations were updated. */
  readonly onChange: (owner: ApiObject<Owner>, change: DependentChange<Dependent>) => void;
  /** Owners in a namespace; by default the informer's objects are filtered. */
  readonly ownersIn?: (namespace: string) => Iterable<ApiObject<Owner>>;
}

/** A change of a dependent: `previous` is undefined for a new one, `current` for a deleted one. */
export interface DependentChange<Body extends JsonObject = JsonObject> {
  readonly previous: ApiObject<Body> | undefined;
  readonly current: ApiObject<Body> | undefined;
}

/** Handles the events of the dependents' informer. Returns a function that ends the calls. */
export function watchDependents<Owner extends JsonObject, Dependent extends JsonObject>(
  options: DependentEventOptions<Owner, Dependent>,
): () => void {
  const { dependents, expectations, matches, onChange } = options;
  /** A dependent counts as deleted from its `deletionTimestamp` on: the controllers no longer count it as a replica. */
  const notifyOwnerOfDeletion = (dependent: ApiObject<Dependent>, change: DependentChange<Dependent>): void => {
    const owner = ownerOf(options, dependent);
    if (owner === undefined) return;
    expectations?.deletionObserved(keyOf(owner), keyOf(dependent));
    onChange(owner, change);
  };
  const notifyMatchingOwners = (orphan: ApiObject<Dependent>, change: DependentChange<Dependent>): void => {
    for (const owner of ownersIn(options, orphan.namespace)) if (matches(owner, orphan)) onChange(owner, change);
  };
  return dependents.handle({
    added(current) {
      const change = { previous: undefined, current };
      // After a restart an object may be seen for the first time while it is being deleted: no expectation waits for
      // its creation.
      if (isBeingDeleted(current)) return notifyOwnerOfDeletion(current, change);
      const owner = ownerOf(options, current);
      if (owner !== undefined) {
        expectations?.creationObserved(keyOf(owner));
        return onChange(owner, change);
      }
      if (controllerOf(current) === undefined) notifyMatchingOwners(current, change);
    },
    updated(previous, current) {
      const change = { previous, current };
      const before = controllerOf(previous);
      const after = controllerOf(current);
      if (isBeingDeleted(current)) {
        notifyOwnerOfDeletion(current, change);
        // The former owner may expect this deletion, and no later event names it.
        if (before?.uid !== after?.uid) notifyOwnerOfDeletion(previous, change);
        return;
      }
      if (before !== undefined && before.uid !== after?.uid) {
        const formerOwner = ownerOf(options, previous);
        if (formerOwner !== undefined) onChange(formerOwner, change);
      }
      const owner = ownerOf(options, current);
      if (owner !== undefined) return onChange(owner, change);
      // Which owners match an orphan depends on its labels only. They were called when it got its labels, or became an orphan.
      const mayMatchNow = before !== undefined || !equalJson(previous.metadata.labels ?? {}, current.metadata.labels ?? {});
      if (after === undefined && mayMatchNow) notifyMatchingOwners(current, change);
    },
    deleted: (last) => notifyOwnerOfDeletion(last, { previous: last, current: undefined }),
  });
}

/** The controller of a dependent, if it is of the owners' kind and the object with its name has its uid. */
export function ownerOf<Owner extends JsonObject>(
  { owners, ownerResource }: { readonly owners: Informer<Owner>; readonly ownerResource: Resource },
  dependent: ApiObject,
): ApiObject<Owner> | undefined {
  const controller = controllerOf(dependent);
  if (controller?.kind !== ownerResource.kind) return undefined;
  if (canonicalGroup(parseApiVersion(controller.apiVersion)?.group ?? '') !== ownerResource.group) return undefined;
  const owner = owners.get(dependent.namespace, controller.name);
  return owner?.uid === controller.uid ? owner : undefined;
}

function ownersIn<Owner extends JsonObject>(
  { owners, ownersIn: lookUpOwners }: Pick<DependentEventOptions<Owner, JsonObject>, 'owners' | 'ownersIn'>,
  namespace: string,
): Iterable<ApiObject<Owner>> {
  return lookUpOwners === undefined ? owners.list().filter((owner) => owner.namespace === namespace) : lookUpOwners(namespace);
}
