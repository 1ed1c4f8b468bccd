/**
 * The claims of legacy service account tokens, which are stored in Secrets. Such a token names its account and its
 * Secret, and has neither an expiry nor an audience. Signing and verifying are left to the callers.
 */
import type { GeneratedNames } from '../../names/dialect';
import type { JsonObject } from '../../values/json';
import { serviceAccountUserName } from './user';

/** The claims of a token that a Secret contains. */
export interface LegacyClaims {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly secret: string;
}

/** Claim names after the prefix: `platform.io/serviceaccount/namespace`, or `kubernetes.io/serviceaccount/namespace`. */
export const LEGACY_CLAIMS = {
  namespace: 'serviceaccount/namespace',
  secret: 'serviceaccount/secret.name',
  accountName: 'serviceaccount/service-account.name',
  accountUid: 'serviceaccount/service-account.uid',
} as const;

/** The `iss` claim of these tokens. */
export function legacyIssuer({ defaultService }: GeneratedNames): string {
  return `${defaultService}/serviceaccount`;
}

/** The payload of a token with these claims, in upstream's order. */
export function writeLegacyClaims({ namespace, account, secret }: LegacyClaims, names: GeneratedNames): JsonObject {
  const { prefix } = names;
  return {
    iss: legacyIssuer(names),
    [`${prefix}/${LEGACY_CLAIMS.namespace}`]: namespace,
    [`${prefix}/${LEGACY_CLAIMS.secret}`]: secret,
    [`${prefix}/${LEGACY_CLAIMS.accountName}`]: account.name,
    [`${prefix}/${LEGACY_CLAIMS.accountUid}`]: account.uid,
    sub: serviceAccountUserName(namespace, account.name),
  };
}
