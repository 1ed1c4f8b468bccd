/**
 * The claims of a service account token that is stored in a Secret: it has neither expiry nor audience, and names the
 * account and the Secret.
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

/** Claim names after the prefix of the dialect. */
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

/** Claims are in upstream's order. */
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
