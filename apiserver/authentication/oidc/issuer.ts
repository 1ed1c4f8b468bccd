/** The configuration of a token issuer, from flags or a file. */

/** A claim, or an expression over `claims`. */
export type ClaimSource =
  | { readonly type: 'claim'; readonly claim: string; /** Put before each value. */ readonly prefix: string }
  | { readonly type: 'expression'; readonly expression: string };

export type ClaimRule =
  | { readonly type: 'required'; readonly claim: string; readonly value: string }
  | { readonly type: 'expression'; readonly expression: string; readonly message: string };

export interface UserRule {
  readonly expression: string;
  readonly message: string;
}

export interface TokenIssuerConfig {
  /** The `iss` of its tokens. */
  readonly url: string;
  /** URL of the discovery document; `undefined` = below the issuer URL. */
  readonly discoveryUrl: string | undefined;
  /** A token must have one of them. */
  readonly audiences: readonly string[];
  /** PEM; `undefined` = the CAs of the system. */
  readonly authority: string | undefined;
  readonly algorithms: readonly string[];
  readonly username: ClaimSource;
  readonly groups: ClaimSource | undefined;
  readonly uid: ClaimSource | undefined;
  readonly extra: readonly { readonly key: string; readonly expression: string }[];
  readonly claimRules: readonly ClaimRule[];
  readonly userRules: readonly UserRule[];
}

export const ALL_ALGORITHMS: readonly string[] = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];
