/** What every authenticator is: a look at one request's credentials. Never answers a request. */
import type { UserInfo } from '../../shared/api/identity/user';
import type { Eventually } from '../../shared/runtime/eventually';

/** The credentials that a request carries. */
export interface PresentedCredentials {
  /** The value of the Authorization header. */
  readonly authorization: string | undefined;
  /** Names and values of all headers in turn. */
  readonly rawHeaders: readonly string[];
  /** The request's target. */
  readonly url: string;
  readonly certificate: ClientCertificate | undefined;
}

/** The client's certificate as the TLS layer saw it. */
export interface ClientCertificate {
  /** Signed by the configured client authority, in time, for client use. */
  readonly verified: boolean;
  /** Signed by an authority of proxies, in time, for client use. */
  readonly isProxy: boolean;
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** `none` = these are not my credentials; `failed` = they are, and they are wrong. */
export type AuthenticationOutcome =
  /** `warning`: what its bearer should hear of the credential. */
  { readonly type: 'user'; readonly user: UserInfo; readonly warning?: string } | { readonly type: 'none' } | { readonly type: 'failed' };

/** Who hears what is to be said of the credentials of a request. */
export interface Warned {
  warn(text: string): void;
}

export interface Authenticator {
  authenticate(credentials: PresentedCredentials): Eventually<AuthenticationOutcome>;
}

export const NONE: AuthenticationOutcome = { type: 'none' };
export const FAILED: AuthenticationOutcome = { type: 'failed' };

export type TokenOutcome =
  /** `audiences`: those asked for that the token is good for. */
  | { readonly type: 'user'; readonly user: UserInfo; readonly audiences: readonly string[]; readonly warning?: string }
  | { readonly type: 'none' }
  /** `reason` is for those who may review tokens; whoever presented it hears nothing of it. */
  | { readonly type: 'failed'; readonly reason: string };

export interface TokenAuthenticator {
  /** `audiences`: the token has to be good for one of them; none = any will do. */
  authenticate(token: string, audiences: readonly string[]): Eventually<TokenOutcome>;
}

export const NOT_MINE: TokenOutcome = { type: 'none' };
