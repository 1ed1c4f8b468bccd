/**
 * Legacy tokens, which are stored in Secrets: they have no expiry and no audience, and are valid as long as their
 * Secret holds them. Accepted, never issued.
 */
import { LEGACY_CLAIMS, legacyIssuer, type LegacyClaims } from '../../../shared/api/identity/legacy-claims';
import { serviceAccountUserName } from '../../../shared/api/identity/user';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { quote } from '../../../shared/values/text/quote';
import { GENERATED_NAMES, type GeneratedNames } from '../../../shared/names/dialect';
import { LEGACY_TOKEN_LABELS } from '../../../shared/names/legacy-token';
import { tokenFingerprint } from '../token-fingerprint';
import type { BoundObjects } from './bound-objects';
import { ClaimError } from './claims';

/**
 * The kind of the Secret that contains the used token:
 *
 * - `automatic`: a controller created the Secret; the account therefore lists it in `secrets`.
 * - `manual`: the Secret was created by hand.
 * - `invalid`: a label of the Secret marks the token as invalid.
 */
export type LegacyTokenUse = 'automatic' | 'manual' | 'invalid';

/** The status of a token with respect to its Secret and its account. */
export interface LegacyTokenStatus {
  /** In upstream's words; `undefined` when the token is valid. */
  readonly error: string | undefined;
  /** Absent when the Secret does not hold this token for the account. */
  readonly use?: { readonly as: LegacyTokenUse; readonly lastUsed: string };
}

/** Both spellings of generated names. */
const SPELLINGS: readonly GeneratedNames[] = Object.values(GENERATED_NAMES);

/** Issuers of legacy tokens, in both spellings. */
export const LEGACY_ISSUERS: ReadonlySet<string> = new Set(SPELLINGS.map(legacyIssuer));

/** Reads the claims in either spelling. Throws {@link ClaimError} when one is missing, empty or of the wrong type. */
export function readLegacyClaims(payload: JsonObject): LegacyClaims {
  const claim = (member: string, claimName: string): string => {
    const text = SPELLINGS.map(({ prefix }) => stringAt(payload, `${prefix}/${member}`) ?? '').find((candidate) => candidate !== '');
    if (text === undefined) throw new ClaimError(`${claimName} claim is missing`);
    return text;
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

/**
 * Checks a verified token against its Secret and its account. `fingerprint` is that of the token, which is compared with
 * the one of the token in the Secret.
 */
export function legacyTokenStatus(
  { namespace, account, secret }: LegacyClaims,
  fingerprint: string,
  objects: BoundObjects,
  names: GeneratedNames,
): LegacyTokenStatus {
  const secretState = objects.find('secrets', namespace, secret);
  const storedToken = objects.secretToken(namespace, secret);
  if (secretState === undefined || storedToken === undefined || secretState.deletionTime !== undefined)
    return { error: 'Token has been invalidated' };
  if (tokenFingerprint(storedToken.token) !== fingerprint) return { error: "Token does not match server's copy" };
  const accountState = objects.find('serviceaccounts', namespace, account.name);
  if (accountState === undefined) return { error: `serviceaccounts ${quote(account.name)} not found` };
  if (accountState.deletionTime !== undefined) return { error: `ServiceAccount ${namespace}/${account.name} has been deleted` };
  if (accountState.uid !== account.uid) return { error: `ServiceAccount UID (${accountState.uid}) does not match claim (${account.uid})` };
  const { invalidSince, lastUsed } = storedToken;
  if (invalidSince === '') {
    const isAccountSecret = objects.accountSecrets(namespace, account.name).includes(secret);
    return { error: undefined, use: { as: isAccountSecret ? 'automatic' : 'manual', lastUsed } };
  }
  const label = `${names.prefix}/${LEGACY_TOKEN_LABELS.invalidSince}`;
  const error =
    `the token in secret ${namespace}/${secret} for service account ${namespace}/${account.name} has been marked invalid. ` +
    'Use tokens from the TokenRequest API or manually created secret-based tokens, ' +
    `or remove the '${label}' label from the secret to temporarily allow use of this token`;
  return { error, use: { as: 'invalid', lastUsed } };
}
