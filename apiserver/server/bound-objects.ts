/** What service account tokens are bound to, as the registry knows it. */
import { objectAt, stringAt } from '../../shared/api/json';
import { readMetadata } from '../../shared/api/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import type { BindableResource, BoundObjects } from '../authentication/service-account/bound-objects';
import type { LiveObjects } from '../registry/read/live-objects';

const INVALID_SINCE = 'platform.io/legacy-token-invalid-since';

export function boundObjects(live: LiveObjects<BindableResource>): BoundObjects {
  return {
    find: (resource, namespace, name) => live.find(resource, namespace, name),
    current: () => live.current(),
    secretToken(namespace, name) {
      const secret = live.read('secrets', namespace, name);
      if (secret === undefined) return undefined;
      const labels = Object.keys(objectAt(readMetadata(secret), 'labels') ?? {});
      return {
        token: Buffer.from(stringAt(objectAt(secret, 'data'), 'token') ?? '', 'base64').toString(),
        invalid: labels.some((label) => canonicalQualifiedName(label) === INVALID_SINCE),
      };
    },
  };
}
