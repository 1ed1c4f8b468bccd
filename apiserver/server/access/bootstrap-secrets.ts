/**
 * Reads the Secrets of bootstrap tokens from the cache. Returns only existing Secrets of the type for bootstrap tokens
 * that are not terminating; whether a token is valid is up to the authenticator.
 */
import { readMetadata, isTerminating } from '../../../shared/api/metadata/object-meta';
import { BOOTSTRAP_SECRET_PREFIX, BOOTSTRAP_TOKEN_SECRET_TYPE } from '../../../shared/names/bootstrap-token';
import { canonicalQualifiedName, type GeneratedNames } from '../../../shared/names/dialect';
import { objectAt, stringAt } from '../../../shared/values/json';
import type { BootstrapSecrets } from '../../authentication/bootstrap-token';
import type { LiveObjects } from '../../registry/read/live-objects';

/** Returns the decoded data of the Secret for a token ID; `undefined` when there is no such Secret. */
export function bootstrapSecretReader(live: LiveObjects<'secrets'>, { systemNamespace }: GeneratedNames): BootstrapSecrets {
  return (id) => {
    const secret = live.read('secrets', systemNamespace, BOOTSTRAP_SECRET_PREFIX + id);
    if (secret === undefined) return undefined;
    const type = canonicalQualifiedName(stringAt(secret, 'type') ?? '');
    if (type !== BOOTSTRAP_TOKEN_SECRET_TYPE.platform || isTerminating(readMetadata(secret))) return undefined;
    const data = objectAt(secret, 'data') ?? {};
    return Object.fromEntries(Object.keys(data).map((name) => [name, Buffer.from(stringAt(data, name) ?? '', 'base64').toString()]));
  };
}
