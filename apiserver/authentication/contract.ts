/** What every authenticator is: a look at one request's credentials. Never answers a request. */
import type { UserInfo } from '../../shared/api/user';

/** The credentials that a request carries. */
export interface Credentials {
  /** The value of the Authorization header. */
  readonly authorization: string | undefined;
  readonly certificate: ClientCertificate | undefined;
}

/** The client's certificate as the TLS layer saw it. */
export interface ClientCertificate {
  /** Signed by the configured client authority, in time, for client use. */
  readonly verified: boolean;
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** `none` = these are not my credentials; `failed` = they are, and they are wrong. */
export type Outcome = { readonly type: 'user'; readonly user: UserInfo } | { readonly type: 'none' } | { readonly type: 'failed' };

export interface Authenticator {
  authenticate(credentials: Credentials): Outcome;
}

export const NONE: Outcome = { type: 'none' };
export const FAILED: Outcome = { type: 'failed' };
