/** Reads the Secrets of bootstrap tokens through the registry. */
import { readMetadata, isTerminating } from '../../../shared/api/metadata/object-meta';
import { BOOTSTRAP_SECRET_PREFIX, BOOTSTRAP_TOKEN_SECRET_TYPE } from '../../../shared/names/bootstrap-token';
import { canonicalQualifiedName, type GeneratedNames } from '../../../shared/names/dialect';
import { objectAt, stringAt } from '../../../shared/values/json';
import type { BootstrapSecrets } from '../../authentication/bootstrap-token';
import type { LiveObjects } from '../../registry/read/live-objects';

export function bootstrapSecretReader(live: LiveObjects<'secrets'>, { systemNamespace }: GeneratedNames): BootstrapSecrets {
  return (id) => {
    const secret = live.read('secrets', systemNamespace, BOOTSTRAP_SECRET_PREFIX + id);
    if (
      secret === undefined ||
      canonicalQualifiedName(stringAt(secret, 'type') ?? '') !== BOOTSTRAP_TOKEN_SECRET_TYPE.platform ||
      isTerminating(readMetadata(secret))
    )
      return undefined;
    const data = objectAt(secret, 'data') ?? {};
    return Object.fromEntries(Object.keys(data).map((name) => [name, Buffer.from(stringAt(data, name) ?? '', 'base64').toString()]));
  };
}
