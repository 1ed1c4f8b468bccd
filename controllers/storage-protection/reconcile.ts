/**
 * Decides whether a volume or a claim gets or loses the protection finalizer, and whether it is in use. The functions
 * are pure. The behaviour is that of upstream 1.31.1.
 */
import type { CoreV1PersistentVolume, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { finalizersOf, isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { claimNamesOf, nodeNameOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';

/** A PersistentVolume or a PersistentVolumeClaim. */
export type ProtectedBody = { metadata?: MetaV1ObjectMeta };

/** The change of the finalizers; `body` is the object to write. */
export type FinalizerAction<Body extends ProtectedBody> =
  | { readonly type: 'none' }
  | { readonly type: 'add'; readonly body: Body }
  /** To be executed only when the object is not in use. */
  | { readonly type: 'remove'; readonly body: Body };

/**
 * An object that is not being deleted must have the finalizer. `finalizer`: in the spelling to write; the other
 * spelling protects as well.
 */
export function reconcileFinalizer<Body extends ProtectedBody>(object: ApiObject<Body>, finalizer: string): FinalizerAction<Body> {
  const finalizers = finalizersOf(object);
  const canonical = canonicalQualifiedName(finalizer);
  const others = finalizers.filter((name) => canonicalQualifiedName(name) !== canonical);
  const isProtected = others.length < finalizers.length;
  if (!isBeingDeleted(object)) {
    return isProtected ? { type: 'none' } : { type: 'add', body: withFinalizers(object, [...finalizers, finalizer]) };
  }
  return isProtected ? { type: 'remove', body: withFinalizers(object, others) } : { type: 'none' };
}

function withFinalizers<Body extends ProtectedBody>({ body }: ApiObject<Body>, finalizers: readonly string[]): Body {
  return { ...body, metadata: { ...body.metadata, finalizers: [...finalizers] } };
}

/** A volume is in use while it is bound. */
export function isBound({ body }: ApiObject<CoreV1PersistentVolume>): boolean {
  return body.status?.phase === 'Bound';
}

/** A pod uses a claim from the time it is scheduled until it is deleted, whether it has terminated or not. */
export function podUsesClaim(pod: Pod, claim: string): boolean {
  return nodeNameOf(pod) !== '' && claimNamesOf(pod).includes(claim);
}
