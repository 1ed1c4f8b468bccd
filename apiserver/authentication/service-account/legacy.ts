/**
 * Tokens that are kept in Secrets (behaviour-reference §9.6): they have no end and no audience, and are good for as long as their Secret holds
 * them. Taken, never issued.
 */
import { stringAt, type JsonObject } from '../../../shared/api/json';
import { quote } from '../../../shared/api/quote';
import { GENERATED_NAMES, type GeneratedNames } from '../../../shared/names/dialect';
import { fingerprint } from '../fingerprint';
import type { BoundObjects } from './bound-objects';
import { accountUser, ClaimError, type ObjectClaim } from './claims';

export interface LegacyClaims {
  readonly namespace: string;
  readonly account: ObjectClaim;
  readonly secret: string;
}

const DIALECTS = Object.values(GENERATED_NAMES);

/** Who issues such tokens, in both spellings. */
export const LEGACY_ISSUERS: ReadonlySet<string> = new Set(DIALECTS.map(({ defaultService }) => `${defaultService}/serviceaccount`));

/** Throws {@link ClaimError}. */
export function readLegacyClaims(payload: JsonObject): LegacyClaims {
  const claim = (member: string, word: string): string => {
    const found = DIALECTS.map(({ prefix }) => stringAt(payload, `${prefix}/serviceaccount/${member}`) ?? '').find((text) => text !== '');
    if (found === undefined) throw new ClaimError(`${word} claim is missing`);
    return found;
  };
  const namespace = claim('namespace', 'namespace');
  const secret = claim('secret.name', 'secretName');
  const account = { name: claim('service-account.name', 'serviceAccountName'), uid: claim('service-account.uid', 'serviceAccountUID') };
  if (stringAt(payload, 'sub') !== accountUser(namespace, account.name)) throw new ClaimError('sub claim is invalid');
  return { namespace, account, secret };
}

/** Undefined when all is well, else upstream's words for what is not. `name` is the token's fingerprint. */
export function legacyFault(
  { namespace, account, secret }: LegacyClaims,
  name: string,
  objects: BoundObjects,
  names: GeneratedNames,
): string | undefined {
  const kept = objects.find('secrets', namespace, secret);
  const copy = objects.secretToken(namespace, secret);
  if (kept === undefined || copy === undefined || kept.deletion !== undefined) return 'Token has been invalidated';
  if (fingerprint(copy.token) !== name) return "Token does not match server's copy";
  const found = objects.find('serviceaccounts', namespace, account.name);
  if (found === undefined) return `serviceaccounts ${quote(account.name)} not found`;
  if (found.deletion !== undefined) return `ServiceAccount ${namespace}/${account.name} has been deleted`;
  if (found.uid !== account.uid) return `ServiceAccount UID (${found.uid}) does not match claim (${account.uid})`;
  if (!copy.invalid) return undefined;
  const label = `${names.prefix}/legacy-token-invalid-since`;
  return (
    `the token in secret ${namespace}/${secret} for service account ${namespace}/${account.name} has been marked invalid. ` +
    'Use tokens from the TokenRequest API or manually created secret-based tokens, ' +
    `or remove the '${label}' label from the secret to temporarily allow use of this token`
  );
}
