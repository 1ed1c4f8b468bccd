/** What is configured of one issuer of tokens, by flags or in a file. No behaviour is here. */

/** A claim as it stands, or an expression over `claims`. */
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
  /** What tokens say in `iss`. */
  readonly url: string;
  /** Where the provider describes itself; undefined = below the url. */
  readonly discoveryUrl: string | undefined;
  /** A token has to name one of them. */
  readonly audiences: readonly string[];
  /** PEM; undefined = the authorities of the system. */
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
