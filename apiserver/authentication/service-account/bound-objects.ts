/**
 * Checks whether the objects that a service account token is bound to still exist: its account, and the pod, Secret or
 * node. Called in every request, so that a token ends with its objects.
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

/** The token in a Secret, and the labels about it; absent values are ''. */
export interface SecretToken {
  readonly token: string;
  /** The value of the label that invalidates the token: every value but '' does. */
  readonly invalidSince: string;
  /** The date (`2006-01-02`) in the label that records the last use. */
  readonly lastUsed: string;
}

/** The objects on which the validity of a token depends, as this replica's cache has them. */
export interface BoundObjects {
  /** `namespace` is '' for nodes; `undefined` when the object does not exist. */
  find(resource: BindableResource, namespace: string, name: string): ObjectState | undefined;
  /** `undefined` when the Secret does not exist. */
  secretToken(namespace: string, name: string): SecretToken | undefined;
  /** Names of the Secrets in `secrets` of the account; empty when it does not exist. */
  accountSecrets(namespace: string, name: string): readonly string[];
  /** Resolves when this replica's cache has every earlier write. */
  waitUntilCurrent(): Promise<void>;
}

/** How long tokens stay valid after the deletionTimestamp of an object that still exists; its removal ends them at once. */
const DELETION_LEEWAY_MS = 60_000;

const INVALIDATED = 'service account token has been invalidated';

/** The resources of the objects that a token can be bound to besides its account, by their names in claims and errors. */
const RESOURCES = { secret: 'secrets', pod: 'pods', node: 'nodes' } as const;

/** The error when an object of a bound token does not exist any more, in upstream's words; `undefined` when all of them do. */
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

  function objectError(kind: keyof typeof RESOURCES, claim: ObjectClaim | undefined): string | undefined {
    if (claim === undefined) return undefined;
    const object = claim.name === '' ? undefined : objects.find(RESOURCES[kind], kind === 'node' ? '' : namespace, claim.name);
    if (object === undefined || isDeleted(object)) return INVALIDATED;
    return object.uid === claim.uid
      ? undefined
      : `${kind} UID (${object.uid}) does not match service account ${kind} ref claim (${claim.uid})`;
  }

  return (
    accountError() ??
    objectError('secret', secret) ??
    objectError('pod', pod) ??
    // For a pod-bound token the node is informative; only the pod is checked.
    (pod === undefined ? objectError('node', node) : undefined)
  );
}
