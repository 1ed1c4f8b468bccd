/**
 * Whom a change of a dependant concerns: the owner that controls it, the one that did so before, or, of one that nobody controls, all who may want it.
 * Tells the owners' keys and what of their expectations has come true. Never looks at the owners' state otherwise.
 */
import { parseApiVersion } from '../../shared/api/identity/identity';
import { isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import type { Resource } from '../../shared/client/rest/resource';
import { canonicalGroup } from '../../shared/names/dialect';
import { equalJson, objectAt } from '../../shared/values/json';
import { controllerOf } from '../runtime/pods';
import type { Expectations } from './expectations';

export interface FollowedDependants {
  readonly dependants: Informer;
  readonly owners: Informer;
  /** Of the owners. */
  readonly resource: Resource;
  /** Undefined where nothing is counted. */
  readonly expectations?: Expectations;
  /** Whether the owner would take in what nobody controls. */
  readonly wants: (owner: ApiObject, orphan: ApiObject) => boolean;
  /** Something of the owner's has changed. `then` = the dependant before, `now` = undefined where it is gone. */
  readonly tell: (owner: ApiObject, change: DependantChange) => void;
  /** Owners in a namespace; by default all of the informer are looked at. */
  readonly ownersIn?: (namespace: string) => Iterable<ApiObject>;
}

export interface DependantChange {
  readonly then: ApiObject | undefined;
  readonly now: ApiObject | undefined;
}

/** Returns what ends it. */
export function followDependants(followed: FollowedDependants): () => void {
  const { dependants, expectations } = followed;
  const gone = (object: ApiObject, change: DependantChange): void => {
    const owner = ownerOf(followed, object);
    if (owner === undefined) return;
    expectations?.deleted(keyOf(owner), keyOf(object));
    followed.tell(owner, change);
  };
  const orphaned = (object: ApiObject, change: DependantChange): void => {
    for (const owner of ownersIn(followed, object.namespace)) if (followed.wants(owner, object)) followed.tell(owner, change);
  };
  return dependants.handle({
    added(now) {
      const change = { then: undefined, now };
      // Seen for the first time on its way out, after a restart: nobody waits for its creation.
      if (isBeingDeleted(now)) return gone(now, change);
      const owner = ownerOf(followed, now);
      if (owner !== undefined) {
        expectations?.created(keyOf(owner));
        return followed.tell(owner, change);
      }
      if (controllerOf(now) === undefined) orphaned(now, change);
    },
    updated(then, now) {
      const change = { then, now };
      const [before, after] = [controllerOf(then), controllerOf(now)];
      if (isBeingDeleted(now)) {
        gone(now, change);
        if (before?.uid !== after?.uid) gone(then, change);
        return;
      }
      if (before !== undefined && before.uid !== after?.uid) {
        const former = ownerOf(followed, then);
        if (former !== undefined) followed.tell(former, change);
      }
      const owner = ownerOf(followed, now);
      if (owner !== undefined) return followed.tell(owner, change);
      if (after === undefined && (before !== undefined || haveOtherLabels(then, now))) orphaned(now, change);
    },
    deleted: (last) => gone(last, { then: last, now: undefined }),
  });
}

/** The object that controls it, where it is of the followed kind and still the one that is meant. */
export function ownerOf(
  { owners, resource }: Pick<FollowedDependants, 'owners' | 'resource'>,
  dependant: ApiObject,
): ApiObject | undefined {
  const controller = controllerOf(dependant);
  if (controller?.kind !== resource.kind || canonicalGroup(parseApiVersion(controller.apiVersion)?.group ?? '') !== resource.group)
    return undefined;
  const owner = owners.get(dependant.namespace, controller.name);
  return owner?.uid === controller.uid ? owner : undefined;
}

function ownersIn({ owners, ownersIn: found }: FollowedDependants, namespace: string): Iterable<ApiObject> {
  return found === undefined ? owners.list().filter((owner) => owner.namespace === namespace) : found(namespace);
}

const haveOtherLabels = (then: ApiObject, now: ApiObject): boolean =>
  !equalJson(objectAt(objectAt(then.body, 'metadata'), 'labels') ?? {}, objectAt(objectAt(now.body, 'metadata'), 'labels') ?? {});
