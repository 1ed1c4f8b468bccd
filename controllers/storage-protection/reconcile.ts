/** What the protection controllers do about a volume or a claim; decided from what is seen, without a server. Seen at release 1.31.1. */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { finalizersOf, isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { canonicalQualifiedName } from '../../shared/names/dialect';

export type FinalizerDecision =
  | { readonly type: 'none' }
  /** The finalizer is missing. */
  | { readonly type: 'protect'; readonly object: JsonObject }
  /** Nothing but use keeps the object: where it is not used, it is to be stored like this. */
  | { readonly type: 'release'; readonly object: JsonObject };

/** `finalizer` in the spelling that is to be written; either spelling protects. */
export function decide(found: ApiObject | undefined, finalizer: string): FinalizerDecision {
  if (found === undefined) return { type: 'none' };
  const finalizers = finalizersOf(found);
  const canonical = canonicalQualifiedName(finalizer);
  const others = finalizers.filter((name) => canonicalQualifiedName(name) !== canonical);
  const isProtected = others.length < finalizers.length;
  if (!isBeingDeleted(found)) {
    return isProtected ? { type: 'none' } : { type: 'protect', object: withFinalizers(found, [...finalizers, finalizer]) };
  }
  return isProtected ? { type: 'release', object: withFinalizers(found, others) } : { type: 'none' };
}

function withFinalizers({ body }: ApiObject, finalizers: readonly string[]): JsonObject {
  return { ...body, metadata: { ...objectAt(body, 'metadata'), finalizers: [...finalizers] } };
}

export function isBound(volume: ApiObject): boolean {
  return stringAt(objectAt(volume.body, 'status'), 'phase') === 'Bound';
}

/** A pod uses a claim from the moment it has a node until it is gone, whether it still runs or not. */
export function usesClaim(pod: ApiObject, claim: string): boolean {
  const spec = objectAt(pod.body, 'spec');
  if ((stringAt(spec, 'nodeName') ?? '') === '') return false;
  return (arrayAt(spec, 'volumes') ?? []).filter(isObject).some((volume) => claimOf(pod, volume) === claim);
}

function claimOf(pod: ApiObject, volume: JsonObject): string | undefined {
  if (objectAt(volume, 'ephemeral') !== undefined) return `${pod.name}-${stringAt(volume, 'name') ?? ''}`;
  return stringAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName');
}
