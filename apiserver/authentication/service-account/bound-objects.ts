/**
 * Whether what a service account token is bound to is still there: its account, and the pod, Secret or node that it was made for. Asked of the
 * replica's cache at every request, so a token ends with its objects. Never knows how objects are stored.
 */
import { quote } from '../../../shared/values/quote';
import type { Clock } from '../../../shared/runtime/clock';
import type { TokenClaims, ObjectClaim } from './claims';

/** What of an object a token depends on. */
export interface ObjectState {
  readonly uid: string;
  /** When it was or will be deleted, in ms since 1970; undefined = it stays. */
  readonly deletionTime: number | undefined;
}

export type BindableResource = 'serviceaccounts' | 'pods' | 'secrets' | 'nodes';

/** What a Secret says of the token that it holds; texts are '' when it does not say. */
export interface SecretToken {
  readonly token: string;
  /** Set = it is no longer good. */
  readonly invalidSince: string;
  /** A day (`2006-01-02`). */
  readonly lastUsed: string;
}

export interface BoundObjects {
  /** As this replica sees it; undefined = it does not exist. */
  find(resource: BindableResource, namespace: string, name: string): ObjectState | undefined;
  /** Undefined = there is no such Secret. */
  secretToken(namespace: string, name: string): SecretToken | undefined;
  /** The Secrets that an account names as its own. */
  accountSecrets(namespace: string, name: string): readonly string[];
  /** Resolves when this replica sees everything that was stored before the call. */
  current(): Promise<void>;
}

/** What is marked as deleted may go on for so long. */
const LEEWAY_MS = 60_000;

const INVALIDATED = 'service account token has been invalidated';

/** Undefined when all is well, else upstream's words for what is not. */
export function bindingFault(claims: TokenClaims, objects: BoundObjects, clock: Clock): string | undefined {
  const { namespace, account, secret, pod, node } = claims;
  const gone = ({ deletionTime }: ObjectState): boolean => deletionTime !== undefined && deletionTime < clock.now() - LEEWAY_MS;

  function accountFault(): string | undefined {
    if (account.name === '' || namespace === '') return 'resource name may not be empty';
    const found = objects.find('serviceaccounts', namespace, account.name);
    if (found === undefined) return `serviceaccounts ${quote(account.name)} not found`;
    if (gone(found)) return `service account ${namespace}/${account.name} has been deleted`;
    return found.uid === account.uid ? undefined : `service account UID (${found.uid}) does not match claim (${account.uid})`;
  }

  function objectFault(word: string, resource: BindableResource, within: string, claim: ObjectClaim | undefined): string | undefined {
    if (claim === undefined) return undefined;
    const found = claim.name === '' ? undefined : objects.find(resource, within, claim.name);
    if (found === undefined || gone(found)) return INVALIDATED;
    return found.uid === claim.uid
      ? undefined
      : `${word} UID (${found.uid}) does not match service account ${word} ref claim (${claim.uid})`;
  }

  return (
    accountFault() ??
    objectFault('secret', 'secrets', namespace, secret) ??
    objectFault('pod', 'pods', namespace, pod) ??
    // A pod's node is only named; the pod itself is what the token stands and falls with.
    (pod === undefined ? objectFault('node', 'nodes', '', node) : undefined)
  );
}
