/**
 * As whom webhooks are asked: the users of a kubeconfig bear the names of hosts, of domains (`*.example.com`), or of everyone (`*`). Certificates are read again once a
 * minute, tokens in files as everywhere. Who is named nowhere is asked by nobody in particular. Asks no webhook.
 */
import { CredentialSource, type Credentials } from '../../shared/client/kubeconfig/credential-source';
import { ExecCredentials, type ClientPair } from '../../shared/client/kubeconfig/exec-credentials';
import type { KubeconfigUser, KubeconfigUsers } from '../../shared/client/kubeconfig/kubeconfig-users';
import type { Clock } from '../../shared/runtime/clock';
import type { Eventually } from '../../shared/runtime/eventually';
import { errorMessage } from '../../shared/runtime/error-message';

export interface WebhookIdentity {
  /** What is shown when a connection is made. */
  readonly pair: ClientPair | undefined;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** It was not accepted. */
  readonly refused: () => void;
}

/** `asked`: what is wrong came to light on the way to the webhook. */
export type NoIdentity = { readonly fault: string; readonly asked: boolean };

/** `host` with its port. Never rejects. */
export type Identify = (host: string) => Eventually<WebhookIdentity | NoIdentity>;

export const NOBODY: WebhookIdentity = { pair: undefined, headers: {}, refused: () => undefined };

const REREAD_MS = 60_000;
const USUAL_PORT = ':443';

export function identify(users: KubeconfigUsers, clock: Clock): Identify {
  const known = new Map<KubeconfigUser, User>();
  return (host) => {
    const user = userFor(users, host);
    if (user === undefined) return NOBODY;
    let found = known.get(user);
    if (found === undefined) known.set(user, (found = new User(user, clock)));
    return found.identity();
  };
}

function userFor({ users, current }: KubeconfigUsers, host: string): KubeconfigUser | undefined {
  const bare = host.endsWith(USUAL_PORT) ? namesOf(host.slice(0, -USUAL_PORT.length)) : [];
  for (const name of [...namesOf(host), ...bare, '*']) {
    const user = users.get(name);
    if (user !== undefined) return user;
  }
  return current;
}

/** Itself, and the domains in which it is, the smallest first. */
function namesOf(host: string): readonly string[] {
  const names = [host];
  for (let at = host.indexOf('.'); at >= 0; at = host.indexOf('.', at + 1)) names.push(`*${host.slice(at)}`);
  return names;
}

/** What is known of a user for a while. */
class User {
  private read: { readonly at: number; readonly pair: ClientPair | undefined } | undefined;
  private source: Credentials | undefined;

  constructor(
    private readonly user: KubeconfigUser,
    private readonly clock: Clock,
  ) {}

  identity(): Eventually<WebhookIdentity | NoIdentity> {
    try {
      const pair = this.pair();
      const source = (this.source ??= this.open());
      if (source instanceof ExecCredentials) return this.handedOut(source, pair);
      const header = source.header();
      return header instanceof Promise ? header.then((text) => this.of(pair, text, source)) : this.of(pair, header, source);
    } catch (error) {
      return { fault: errorMessage(error), asked: false };
    }
  }

  private open(): Credentials {
    const credentials = this.user.credentials();
    const { clock } = this;
    return credentials.type === 'exec'
      ? new ExecCredentials({ config: credentials.exec, clock })
      : new CredentialSource(credentials, clock);
  }

  /** A program may say who one is in either way. */
  private async handedOut(source: ExecCredentials, own: ClientPair | undefined): Promise<WebhookIdentity | NoIdentity> {
    try {
      const header = await source.header();
      return this.of((await source.pair()) ?? own, header, source);
    } catch (error) {
      return { fault: `getting credentials: exec: ${errorMessage(error)}`, asked: true };
    }
  }

  private of(pair: ClientPair | undefined, authorization: string | undefined, source: Credentials): WebhookIdentity {
    const { impersonation } = this.user;
    return {
      pair,
      headers: authorization === undefined ? impersonation : { ...impersonation, authorization },
      refused: () => void Promise.resolve(source.refused()).catch(() => undefined),
    };
  }

  private pair(): ClientPair | undefined {
    const now = this.clock.monotonic();
    if (this.read === undefined || now - this.read.at >= REREAD_MS) this.read = { at: now, pair: this.user.pair() };
    return this.read.pair;
  }
}
