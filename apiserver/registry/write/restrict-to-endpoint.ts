/** What each endpoint of a kind writes; all else is as it was, whatever the body says. Judges nothing. */
import { ensureMetadata, readMetadata } from '../../../shared/api/metadata/object-meta';
import { objectAt, own, type JsonObject } from '../../../shared/values/json';
import type { ResourceInfo } from '../object/resource-info';
import type { Subresource } from '../verbs';

/** What the endpoint does not write is as it was: the main one keeps the status, `status` keeps all but metadata and status. */
export function scoped(info: ResourceInfo, subresource: Subresource, object: JsonObject, old: JsonObject): JsonObject {
  switch (subresource) {
    case undefined:
    case 'scale':
      if (info.hasStatus) take(object, old, 'status');
      return object;
    case 'status': {
      const merged: JsonObject = { ...old };
      take(merged, object, 'metadata');
      take(merged, object, 'status');
      keepMetadata(info.row.statusUpdateKeeps, merged, readMetadata(old));
      return merged;
    }
    case 'approval': {
      const merged: JsonObject = { ...old, status: { ...objectAt(old, 'status') } };
      take(merged, object, 'metadata');
      take(objectAt(merged, 'status') ?? {}, objectAt(object, 'status') ?? {}, 'conditions');
      return merged;
    }
    case 'ephemeralcontainers': {
      const { resourceVersion: _, ...metadata } = readMetadata(old);
      const spec = { ...objectAt(old, 'spec') };
      take(spec, objectAt(object, 'spec') ?? {}, 'ephemeralContainers');
      return { ...old, metadata, spec };
    }
    case 'finalize': {
      const merged: JsonObject = { ...old };
      take(merged, object, 'metadata');
      take(merged, object, 'spec');
      return merged;
    }
  }
}

/** What of the metadata the status endpoint does not write. Who owns what is written by every endpoint. */
function keepMetadata(keeps: 'labels' | 'metadata' | undefined, object: JsonObject, old: JsonObject): void {
  const metadata = readMetadata(object);
  switch (keeps) {
    case undefined:
      return;
    case 'labels':
      object['metadata'] = { ...metadata };
      take(ensureMetadata(object), old, 'labels');
      return;
    case 'metadata':
      object['metadata'] = { ...old };
      take(ensureMetadata(object), metadata, 'managedFields');
      delete ensureMetadata(object)['resourceVersion'];
  }
}

function take(target: JsonObject, source: JsonObject, member: string): void {
  const value = own(source, member);
  if (value === undefined) delete target[member];
  else target[member] = value;
}
