/**
 * Resets the fields that an endpoint does not write to their stored values, so that an update through `status` changes
 * no spec and an update of the object changes no status. Validation runs afterwards.
 */
import { ensureMetadata, readMetadata } from '../../../shared/api/metadata/object-meta';
import { objectAt, ownMember, type JsonObject } from '../../../shared/values/json';
import type { ResourceInfo } from '../object/resource-info';
import type { Subresource } from '../verbs';

/**
 * The object with the stored values of all fields that the endpoint does not write:
 *
 * | endpoint | writes |
 * |---|---|
 * | main, `scale` | all fields but the status of a kind with a status endpoint |
 * | `status` | metadata (for some kinds without labels, or only managedFields), status |
 * | `approval` | metadata, conditions of the status |
 * | `ephemeralcontainers` | ephemeralContainers of the spec |
 * | `finalize` | metadata, spec |
 *
 * The main endpoint and `scale` return `object` itself, changed; the others return a new object.
 */
export function restrictToEndpoint(info: ResourceInfo, subresource: Subresource, object: JsonObject, old: JsonObject): JsonObject {
  switch (subresource) {
    case undefined:
    case 'scale':
      if (info.hasStatus) copyMember(object, old, 'status');
      return object;
    case 'status': {
      const merged: JsonObject = { ...old };
      copyMember(merged, object, 'metadata');
      copyMember(merged, object, 'status');
      restoreMetadata(info.row.statusUpdateKeeps, merged, readMetadata(old));
      return merged;
    }
    case 'approval': {
      const merged: JsonObject = { ...old, status: { ...objectAt(old, 'status') } };
      copyMember(merged, object, 'metadata');
      copyMember(objectAt(merged, 'status') ?? {}, objectAt(object, 'status') ?? {}, 'conditions');
      return merged;
    }
    case 'ephemeralcontainers': {
      const { resourceVersion: _, ...metadata } = readMetadata(old);
      const spec = { ...objectAt(old, 'spec') };
      copyMember(spec, objectAt(object, 'spec') ?? {}, 'ephemeralContainers');
      return { ...old, metadata, spec };
    }
    case 'finalize': {
      const merged: JsonObject = { ...old };
      copyMember(merged, object, 'metadata');
      copyMember(merged, object, 'spec');
      return merged;
    }
  }
}

/** Restores metadata that the status endpoint of the kind does not write. It always writes managedFields. */
function restoreMetadata(kept: 'labels' | 'metadata' | undefined, object: JsonObject, old: JsonObject): void {
  const metadata = readMetadata(object);
  switch (kept) {
    case undefined:
      return;
    case 'labels':
      object['metadata'] = { ...metadata };
      copyMember(ensureMetadata(object), old, 'labels');
      return;
    case 'metadata':
      object['metadata'] = { ...old };
      copyMember(ensureMetadata(object), metadata, 'managedFields');
      delete ensureMetadata(object)['resourceVersion'];
  }
}

/** Sets a member to its value in `source`; removes it when `source` lacks it. */
export function copyMember(target: JsonObject, source: JsonObject, member: string): void {
  const value = ownMember(source, member);
  if (value === undefined) delete target[member];
  else target[member] = value;
}
