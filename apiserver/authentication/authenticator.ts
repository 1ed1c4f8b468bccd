/** What every authenticator is: a look at one request's credentials. Never answers a request. */
import type { UserInfo } from '../../shared/api/identity/user';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';

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
  /** Milliseconds since 1970; absent = not known. */
  readonly expiresAt?: number;
}

/** `none` = these are not my credentials; `failed` = they are, and they are wrong. */
export type AuthenticationOutcome =
  | ({ readonly type: 'user'; readonly user: UserInfo } & Remarks)
  | { readonly type: 'none' }
  | { readonly type: 'failed' };

/** What is to be said of a credential that is good. */
export interface Remarks {
  /** What its bearer should hear. */
  readonly warning?: string;
  /** What the audit log should say: names of annotations in canonical spelling, and their values. */
  readonly notes?: readonly (readonly [name: string, value: string])[];
}

/** Who hears what is to be said of the credentials of a request. */
export interface Bearer {
  warn(text: string): void;
  addAuditAnnotation(name: string, value: string): void;
}

export interface Authenticator {
  authenticate(credentials: PresentedCredentials): MaybePromise<AuthenticationOutcome>;
}

export const NONE: AuthenticationOutcome = { type: 'none' };
export const FAILED: AuthenticationOutcome = { type: 'failed' };

export type TokenOutcome =
  /** `audiences`: those asked for that the token is good for. */
  | ({ readonly type: 'user'; readonly user: UserInfo; readonly audiences: readonly string[] } & Remarks)
  | { readonly type: 'none' }
  /** `reason` is for those who may review tokens; whoever presented it hears nothing of it. */
  | { readonly type: 'failed'; readonly reason: string };

export interface TokenAuthenticator {
  /** `audiences`: the token has to be good for one of them; none = any will do. */
  authenticate(token: string, audiences: readonly string[]): MaybePromise<TokenOutcome>;
}

export const NOT_MINE: TokenOutcome = { type: 'none' };
