/**
 * The interfaces of authenticators, which determine the user of a request from its credentials. Rejecting a request
 * without a user is left to the caller of the chain (union.ts).
 */
import type { UserInfo } from '../../shared/api/identity/user';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';

/** The credentials that a request carries. */
export interface RequestCredentials {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /** Alternating names and values of all headers. */
  readonly rawHeaders: readonly string[];
  readonly url: string;
  readonly certificate: ClientCertificate | undefined;
}

/** A client certificate, as verified by the TLS layer. */
export interface ClientCertificate {
  /** Signed by the client CA, valid now, for client authentication. */
  readonly isVerified: boolean;
  /** Signed by the front-proxy CA, valid now, for client authentication. */
  readonly isProxy: boolean;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Milliseconds since 1970; absent when unknown. */
  readonly expiresAt?: number;
}

/** The result of one authenticator for a request. */
export type AuthenticationOutcome =
  | ({ readonly type: 'user'; readonly user: UserInfo } & AuthenticationRemarks)
  /** The request has no credentials for this authenticator. */
  | { readonly type: 'none' }
  /** The request has credentials for this authenticator, but they are invalid. */
  | { readonly type: 'failed' };

/** Remarks about valid credentials. */
export interface AuthenticationRemarks {
  /** A warning for the client. */
  readonly warning?: string;
  /** Annotations of the audit event; names are in canonical spelling. */
  readonly auditAnnotations?: readonly (readonly [name: string, value: string])[];
}

/** Receives the remarks about the credentials of a request. */
export interface RemarkSink {
  /** Adds a `Warning` header to the response. */
  warn(text: string): void;
  /** Adds an annotation to the audit event of the request; `name` is in canonical spelling. */
  addAuditAnnotation(name: string, value: string): void;
}

/**
 * Determines the user of a request. The authenticators of a chain (union.ts) are called for every request, in order, until
 * one returns a user.
 */
export interface Authenticator {
  /** Must not throw or reject because of the credentials: invalid ones are `failed`. Must not change the credentials. */
  authenticate(credentials: RequestCredentials): MaybePromise<AuthenticationOutcome>;
}

/** There are no credentials for this authenticator. */
export const NO_CREDENTIALS: AuthenticationOutcome = { type: 'none' };
/** The credentials are invalid. */
export const INVALID_CREDENTIALS: AuthenticationOutcome = { type: 'failed' };

/** The result of one authenticator for a token. */
export type TokenOutcome =
  /** `audiences`: the requested audiences that the token is valid for. */
  | ({ readonly type: 'user'; readonly user: UserInfo; readonly audiences: readonly string[] } & AuthenticationRemarks)
  /** The token is not of this authenticator. */
  | { readonly type: 'none' }
  /** The token is invalid. `reason` is shown in token reviews only, not to the client that presented the token. */
  | { readonly type: 'failed'; readonly reason: string };

/** Determines the user of a bearer token, for requests and for token reviews. */
export interface TokenAuthenticator {
  /** The token must be valid for one of `audiences`; an empty list accepts every audience. */
  authenticate(token: string, audiences: readonly string[]): MaybePromise<TokenOutcome>;
}

/** The token is not of this authenticator. */
export const UNKNOWN_TOKEN: TokenOutcome = { type: 'none' };

/**
 * The outcome for a token that is valid for `tokenAudiences`: `user` with those that are requested, or `none` when some are
 * requested and the token has none of them.
 */
export function outcomeForAudiences(user: UserInfo, requested: readonly string[], tokenAudiences: readonly string[]): TokenOutcome {
  const audiences = requested.filter((audience) => tokenAudiences.includes(audience));
  return audiences.length === 0 && requested.length > 0 ? UNKNOWN_TOKEN : { type: 'user', user, audiences };
}
