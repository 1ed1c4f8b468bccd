/** The Secrets of bootstrap tokens, as the registry knows them. */
import { readMetadata, isTerminating } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName, type GeneratedNames } from '../../shared/names/dialect';
import { objectAt, stringAt } from '../../shared/values/json';
import type { BootstrapSecrets } from '../authentication/bootstrap-token';
import type { LiveObjects } from '../registry/read/live-objects';

const TYPE = 'bootstrap.platform.io/token';

export function bootstrapSecrets(live: LiveObjects<'secrets'>, { systemNamespace }: GeneratedNames): BootstrapSecrets {
  return (id) => {
    const secret = live.read('secrets', systemNamespace, `bootstrap-token-${id}`);
    if (secret === undefined || canonicalQualifiedName(stringAt(secret, 'type') ?? '') !== TYPE || isTerminating(readMetadata(secret)))
      return undefined;
    const data = objectAt(secret, 'data') ?? {};
    return Object.fromEntries(Object.keys(data).map((name) => [name, Buffer.from(stringAt(data, name) ?? '', 'base64').toString()]));
  };
}
