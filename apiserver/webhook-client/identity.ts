/**
 * Credentials for calls to webhooks, from a kubeconfig with user names that are hosts, domains (`*.example.com`) or
 * `*`. Certificate files are read again every minute. A host that matches no user, without a current user, is called
 * anonymously.
 */
import { CredentialSource, type Credentials } from '../../shared/client/kubeconfig/credential-source';
import { ExecCredentials, type ClientKeyPair } from '../../shared/client/kubeconfig/exec-credentials';
import type { KubeconfigUser, KubeconfigUsers } from '../../shared/client/kubeconfig/kubeconfig-users';
import type { Clock } from '../../shared/runtime/clock';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import { errorMessage } from '../../shared/runtime/error-message';

/** The credentials of one call. */
export interface WebhookIdentity {
  /** Client certificate and key. */
  readonly pair: ClientKeyPair | undefined;
  /** The authorization and the impersonated user, as far as they are configured. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Called when the webhook responded with 401. */
  readonly onUnauthorized: () => void;
}

/** The reason why there are no credentials. */
export interface IdentityFailure {
  readonly error: string;
  /** Whether the error is reported as a failed call, instead of an invalid configuration. */
  readonly isCallFailure: boolean;
}

/**
 * Finds the credentials for calls to a host: that of a URL, without the default port of its scheme, or
 * `<name>.<namespace>.svc:<port>` for a Service. Never rejects.
 */
export type Identify = (host: string) => MaybePromise<WebhookIdentity | IdentityFailure>;

/** A call without credentials. */
export const ANONYMOUS: WebhookIdentity = { pair: undefined, headers: {}, onUnauthorized: () => undefined };

/** Interval at which the files of a client certificate are read again. */
const REREAD_MS = 60_000;
const DEFAULT_PORT_SUFFIX = ':443';

/** Returns the function that finds the credentials. It reads the files of a user at the first call for that user. */
export function createIdentify(users: KubeconfigUsers, clock: Clock): Identify {
  const cachedUsers = new Map<KubeconfigUser, CachedUser>();
  return (host) => {
    const user = userFor(users, host);
    if (user === undefined) return ANONYMOUS;
    let cached = cachedUsers.get(user);
    if (cached === undefined) {
      cached = new CachedUser(user, clock);
      cachedUsers.set(user, cached);
    }
    return cached.identity();
  };
}

/** Tries the host with its port, then without the default port, then `*`, then the current user. */
function userFor({ users, current }: KubeconfigUsers, host: string): KubeconfigUser | undefined {
  const withoutPort = host.endsWith(DEFAULT_PORT_SUFFIX) ? hostPatterns(host.slice(0, -DEFAULT_PORT_SUFFIX.length)) : [];
  for (const name of [...hostPatterns(host), ...withoutPort, '*']) {
    const user = users.get(name);
    if (user !== undefined) return user;
  }
  return current;
}

/** The host itself and patterns for its parent domains, the most specific first: `a.b.c` -> `a.b.c`, `*.b.c`, `*.c`. */
function hostPatterns(host: string): readonly string[] {
  const names = [host];
  for (let at = host.indexOf('.'); at >= 0; at = host.indexOf('.', at + 1)) names.push(`*${host.slice(at)}`);
  return names;
}

/** A user of the kubeconfig, with its client certificate and the source of its credentials once they are needed. */
class CachedUser {
  private cachedPair: { readonly readAt: number; readonly pair: ClientKeyPair | undefined } | undefined;
  private source: Credentials | undefined;

  constructor(
    private readonly user: KubeconfigUser,
    private readonly clock: Clock,
  ) {}

  identity(): MaybePromise<WebhookIdentity | IdentityFailure> {
    try {
      const pair = this.pair();
      const source = (this.source ??= this.openCredentials());
      if (source instanceof ExecCredentials) return this.execIdentity(source, pair);
      const header = source.header();
      return header instanceof Promise
        ? header.then((text) => this.identityFrom(pair, text, source))
        : this.identityFrom(pair, header, source);
    } catch (error) {
      return { error: errorMessage(error), isCallFailure: false };
    }
  }

  private openCredentials(): Credentials {
    const credentials = this.user.credentials();
    const { clock } = this;
    return credentials.type === 'exec'
      ? new ExecCredentials({ config: credentials.exec, clock })
      : new CredentialSource(credentials, clock);
  }

  /** An exec plugin may provide a token, a certificate, or both. Its certificate takes precedence over the configured one. */
  private async execIdentity(
    source: ExecCredentials,
    configuredPair: ClientKeyPair | undefined,
  ): Promise<WebhookIdentity | IdentityFailure> {
    try {
      const header = await source.header();
      return this.identityFrom((await source.pair()) ?? configuredPair, header, source);
    } catch (error) {
      return { error: `getting credentials: exec: ${errorMessage(error)}`, isCallFailure: true };
    }
  }

  private identityFrom(pair: ClientKeyPair | undefined, authorization: string | undefined, source: Credentials): WebhookIdentity {
    const { impersonation } = this.user;
    return {
      pair,
      headers: authorization === undefined ? impersonation : { ...impersonation, authorization },
      onUnauthorized: () => void Promise.resolve(source.refreshAfterRejection()).catch(() => undefined),
    };
  }

  private pair(): ClientKeyPair | undefined {
    const now = this.clock.monotonic();
    if (this.cachedPair === undefined || now - this.cachedPair.readAt >= REREAD_MS)
      this.cachedPair = { readAt: now, pair: this.user.clientKeyPair() };
    return this.cachedPair.pair;
  }
}
