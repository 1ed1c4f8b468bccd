/** What a token that is kept in a Secret says: no end and no audience, but whose it is and where it is kept. */
import type { GeneratedNames } from '../../names/dialect';
import type { JsonObject } from '../../values/json';
import { accountUser } from './user';

export interface LegacyClaims {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly secret: string;
}

/** After the prefix that the dialect puts before them. */
export const LEGACY_CLAIMS = {
  namespace: 'serviceaccount/namespace',
  secret: 'serviceaccount/secret.name',
  accountName: 'serviceaccount/service-account.name',
  accountUid: 'serviceaccount/service-account.uid',
} as const;

/** Who issues such tokens. */
export function legacyIssuer({ defaultService }: GeneratedNames): string {
  return `${defaultService}/serviceaccount`;
}

/** Members in upstream's order. */
export function writeLegacyClaims({ namespace, account, secret }: LegacyClaims, names: GeneratedNames): JsonObject {
  const { prefix } = names;
  return {
    iss: legacyIssuer(names),
    [`${prefix}/${LEGACY_CLAIMS.namespace}`]: namespace,
    [`${prefix}/${LEGACY_CLAIMS.secret}`]: secret,
    [`${prefix}/${LEGACY_CLAIMS.accountName}`]: account.name,
    [`${prefix}/${LEGACY_CLAIMS.accountUid}`]: account.uid,
    sub: accountUser(namespace, account.name),
  };
}
