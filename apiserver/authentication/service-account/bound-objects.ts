/**
 * Checks whether the objects that a service account token is bound to still exist: its account, and the pod, Secret or
 * node. Read from this replica's cache in every request, so that a token ends with its objects.
 */
import { quote } from '../../../shared/values/text/quote';
import type { Clock } from '../../../shared/runtime/clock';
import type { TokenClaims, ObjectClaim } from './claims';

/** The state of an object that a token depends on. */
export interface ObjectState {
  readonly uid: string;
  /** When the object was or will be deleted, in milliseconds since 1970; `undefined` when it is not being deleted. */
  readonly deletionTime: number | undefined;
}

/** The resources of objects that a token can depend on. */
export type BindableResource = 'serviceaccounts' | 'pods' | 'secrets' | 'nodes';

/** The token of a Secret; absent values are ''. */
export interface SecretToken {
  readonly token: string;
  /** The value of the label that invalidates the token; '' when the label is absent. */
  readonly invalidSince: string;
  /** A date (`2006-01-02`). */
  readonly lastUsed: string;
}

/** The objects on which the validity of a token depends. */
export interface BoundObjects {
  /** From this replica's cache; `undefined` when it does not exist. */
  find(resource: BindableResource, namespace: string, name: string): ObjectState | undefined;
  /** `undefined` when the Secret does not exist. */
  secretToken(namespace: string, name: string): SecretToken | undefined;
  /** Names of the Secrets in `secrets` of the account. */
  accountSecrets(namespace: string, name: string): readonly string[];
  /** Resolves when this replica's cache has every earlier write. */
  waitUntilCurrent(): Promise<void>;
}

/** How long tokens stay valid after the deletionTimestamp of an object that still exists; its removal ends them at once. */
const DELETION_LEEWAY_MS = 60_000;

const INVALIDATED = 'service account token has been invalidated';

/** The error in upstream's words, or `undefined`. */
export function bindingError(claims: TokenClaims, objects: BoundObjects, clock: Clock): string | undefined {
  const { namespace, account, secret, pod, node } = claims;
  const isDeleted = ({ deletionTime }: ObjectState): boolean =>
    deletionTime !== undefined && deletionTime < clock.now() - DELETION_LEEWAY_MS;

  function accountError(): string | undefined {
    if (account.name === '' || namespace === '') return 'resource name may not be empty';
    const serviceAccount = objects.find('serviceaccounts', namespace, account.name);
    if (serviceAccount === undefined) return `serviceaccounts ${quote(account.name)} not found`;
    if (isDeleted(serviceAccount)) return `service account ${namespace}/${account.name} has been deleted`;
    return serviceAccount.uid === account.uid
      ? undefined
      : `service account UID (${serviceAccount.uid}) does not match claim (${account.uid})`;
  }

  function objectError(
    claimType: string,
    resource: BindableResource,
    objectNamespace: string,
    claim: ObjectClaim | undefined,
  ): string | undefined {
    if (claim === undefined) return undefined;
    const object = claim.name === '' ? undefined : objects.find(resource, objectNamespace, claim.name);
    if (object === undefined || isDeleted(object)) return INVALIDATED;
    return object.uid === claim.uid
      ? undefined
      : `${claimType} UID (${object.uid}) does not match service account ${claimType} ref claim (${claim.uid})`;
  }

  return (
    accountError() ??
    objectError('secret', 'secrets', namespace, secret) ??
    objectError('pod', 'pods', namespace, pod) ??
    // For a pod-bound token the node is informative; only the pod is checked.
    (pod === undefined ? objectError('node', 'nodes', '', node) : undefined)
  );
}
