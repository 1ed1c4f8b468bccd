/**
 * Reads the objects that service account tokens are bound to from the cache: their existence, and what Secrets and
 * ServiceAccounts state about legacy tokens. Whether a token is valid is up to the authenticator.
 */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { canonicalQualifiedName, type GeneratedNames } from '../../../shared/names/dialect';
import { LEGACY_TOKEN_LABELS } from '../../../shared/names/legacy-token';
import type { BindableResource, BoundObjects } from '../../authentication/service-account/bound-objects';
import type { LiveObjects } from '../../registry/read/live-objects';

/** Reads the newest state in the cache; `waitUntilCurrent` makes it as new as the store. */
export function boundObjectReader(live: LiveObjects<BindableResource>, names: GeneratedNames): BoundObjects {
  return {
    find: (resource, namespace, name) => live.find(resource, namespace, name),
    waitUntilCurrent: () => live.waitUntilCurrent(),
    secretToken(namespace, name) {
      const secret = live.read('secrets', namespace, name);
      if (secret === undefined) return undefined;
      const labels = objectAt(readMetadata(secret), 'labels');
      return {
        token: Buffer.from(stringAt(objectAt(secret, 'data'), 'token') ?? '', 'base64').toString(),
        invalidSince: labelAt(labels, LEGACY_TOKEN_LABELS.invalidSince, names),
        lastUsed: labelAt(labels, LEGACY_TOKEN_LABELS.lastUsed, names),
      };
    },
    accountSecrets(namespace, name) {
      const references = arrayAt(live.read('serviceaccounts', namespace, name) ?? {}, 'secrets') ?? [];
      return references.flatMap((reference) => (isObject(reference) ? (stringAt(reference, 'name') ?? []) : []));
    },
  };
}

/** The label in this server's spelling, otherwise in the other one; '' when it is absent. */
function labelAt(labels: JsonObject | undefined, label: string, { prefix }: GeneratedNames): string {
  if (labels === undefined) return '';
  const preferred = stringAt(labels, `${prefix}/${label}`);
  if (preferred !== undefined) return preferred;
  const other = Object.keys(labels).find((name) => canonicalQualifiedName(name) === `platform.io/${label}`);
  return other === undefined ? '' : (stringAt(labels, other) ?? '');
}
