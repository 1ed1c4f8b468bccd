/**
 * Tokens that are kept in Secrets: they have no end and no audience, and are good for as long as their Secret holds
 * them. Taken, never issued.
 */
import { LEGACY_CLAIMS, legacyIssuer, type LegacyClaims } from '../../../shared/api/identity/legacy-claims';
import { serviceAccountUserName } from '../../../shared/api/identity/user';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { quote } from '../../../shared/values/quote';
import { GENERATED_NAMES, type GeneratedNames } from '../../../shared/names/dialect';
import { LEGACY_TOKEN_LABELS } from '../../../shared/names/legacy-token';
import { fingerprint } from '../fingerprint';
import type { BoundObjects } from './bound-objects';
import { ClaimError } from './claims';

/** How a token came to its Secret: by a controller or by hand; or that it is no longer good. */
export type LegacyUse = 'automatic' | 'manual' | 'invalid';

/** How a token stands with its Secret and its account. */
export interface LegacyStanding {
  /** In upstream's words; undefined = all is well. */
  readonly fault: string | undefined;
  /** Undefined = this is not the token that the Secret holds for the account. */
  readonly use?: { readonly as: LegacyUse; readonly lastUsed: string };
}

const DIALECTS = Object.values(GENERATED_NAMES);

/** Who issues such tokens, in both spellings. */
export const LEGACY_ISSUERS: ReadonlySet<string> = new Set(DIALECTS.map(legacyIssuer));

/** Throws {@link ClaimError}. */
export function readLegacyClaims(payload: JsonObject): LegacyClaims {
  const claim = (member: string, word: string): string => {
    const found = DIALECTS.map(({ prefix }) => stringAt(payload, `${prefix}/${member}`) ?? '').find((text) => text !== '');
    if (found === undefined) throw new ClaimError(`${word} claim is missing`);
    return found;
  };
  const namespace = claim(LEGACY_CLAIMS.namespace, 'namespace');
  const secret = claim(LEGACY_CLAIMS.secret, 'secretName');
  const account = {
    name: claim(LEGACY_CLAIMS.accountName, 'serviceAccountName'),
    uid: claim(LEGACY_CLAIMS.accountUid, 'serviceAccountUID'),
  };
  if (stringAt(payload, 'sub') !== serviceAccountUserName(namespace, account.name)) throw new ClaimError('sub claim is invalid');
  return { namespace, account, secret };
}

/** `name` is the token's fingerprint. */
export function legacyStanding(
  { namespace, account, secret }: LegacyClaims,
  name: string,
  objects: BoundObjects,
  names: GeneratedNames,
): LegacyStanding {
  const kept = objects.find('secrets', namespace, secret);
  const copy = objects.secretToken(namespace, secret);
  if (kept === undefined || copy === undefined || kept.deletionTime !== undefined) return { fault: 'Token has been invalidated' };
  if (fingerprint(copy.token) !== name) return { fault: "Token does not match server's copy" };
  const found = objects.find('serviceaccounts', namespace, account.name);
  if (found === undefined) return { fault: `serviceaccounts ${quote(account.name)} not found` };
  if (found.deletionTime !== undefined) return { fault: `ServiceAccount ${namespace}/${account.name} has been deleted` };
  if (found.uid !== account.uid) return { fault: `ServiceAccount UID (${found.uid}) does not match claim (${account.uid})` };
  const { invalidSince, lastUsed } = copy;
  if (invalidSince === '') {
    const isOwn = objects.accountSecrets(namespace, account.name).includes(secret);
    return { fault: undefined, use: { as: isOwn ? 'automatic' : 'manual', lastUsed } };
  }
  const label = `${names.prefix}/${LEGACY_TOKEN_LABELS.invalidSince}`;
  const fault =
    `the token in secret ${namespace}/${secret} for service account ${namespace}/${account.name} has been marked invalid. ` +
    'Use tokens from the TokenRequest API or manually created secret-based tokens, ' +
    `or remove the '${label}' label from the secret to temporarily allow use of this token`;
  return { fault, use: { as: 'invalid', lastUsed } };
}
