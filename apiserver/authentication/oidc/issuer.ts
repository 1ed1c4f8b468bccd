/**
 * The configuration of an issuer of ID tokens, as flags and the authentication configuration file describe it.
 * Expressions are text here: claim-mapping.ts compiles them.
 */

/** What a member of the user is read from: a claim and the prefix of its values, or an expression over `claims`. */
export type ClaimSource =
  | { readonly type: 'claim'; readonly claim: string; readonly prefix: string }
  | { readonly type: 'expression'; readonly expression: string };

/** A condition on the claims: a required value of a claim, or an expression. `message` is '' when none is configured. */
export type ClaimRule =
  | { readonly type: 'required'; readonly claim: string; readonly value: string }
  | { readonly type: 'expression'; readonly expression: string; readonly message: string };

/** A condition on the resulting user, as an expression over `user`. `message` is '' when none is configured. */
export interface UserRule {
  readonly expression: string;
  readonly message: string;
}

/** One configured issuer. Its expressions and URLs are checked where options/authentication reads the configuration. */
export interface TokenIssuerConfig {
  /** The `iss` of its tokens. */
  readonly url: string;
  /** URL of the discovery document; `undefined` for the standard path below the issuer URL. */
  readonly discoveryUrl: string | undefined;
  /** A token must have one of them. */
  readonly audiences: readonly string[];
  /** PEM; `undefined` for the CAs of the system. */
  readonly authority: string | undefined;
  /** Accepted signature algorithms. */
  readonly algorithms: readonly string[];
  readonly username: ClaimSource;
  readonly groups: ClaimSource | undefined;
  readonly uid: ClaimSource | undefined;
  readonly extra: readonly { readonly key: string; readonly expression: string }[];
  readonly claimRules: readonly ClaimRule[];
  readonly userRules: readonly UserRule[];
}

/** The signature algorithms that can be configured. */
export const ALL_ALGORITHMS: readonly string[] = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];
