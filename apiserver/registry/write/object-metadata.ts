/**
 * Metadata that the server controls: what it sets on create, what an update carries over from the stored object, and
 * the match of name and namespace with the request URL. Validation of metadata is in shared/api/metadata.
 */
import { equalIgnoringEmptyLists, equalJson, ownMember, stringAt, type JsonObject } from '../../../shared/values/json';
import type { GenerationRule, KindRow } from '../../../shared/api/kinds';
import { isTerminating, ensureMetadata, readMetadata, formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import { badRequest } from '../../../shared/api/errors/status';
import { dedupOwnerReferences } from '../../../shared/api/metadata/owner-references';
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import type { Subresource } from '../verbs';
import type { KindInfo, ResourceInfo } from '../object/resource-info';
import { copyMember } from './restrict-to-endpoint';

/** Replaces aliases of system namespaces by their names, in `metadata.namespace` and in the name of a Namespace. */
export function canonicalizeNamespace(info: KindInfo, metadata: JsonObject, names: GeneratedNames): void {
  const namespace = stringAt(metadata, 'namespace');
  if (namespace !== undefined) metadata['namespace'] = canonicalNamespace(names, namespace);
  if (info.row.nameIsNamespace !== true) return;
  const name = stringAt(metadata, 'name');
  if (name !== undefined) metadata['name'] = canonicalNamespace(names, name);
}

/**
 * Converts group names and namespaces in a decoded object to canonical spelling, in place, and checks name and namespace
 * against the URL. `name` is undefined on create. Returns the object. Throws 400.
 */
export function ensureMatchesRequest(
  info: KindInfo,
  object: JsonObject,
  names: GeneratedNames,
  { namespace, name }: { readonly namespace: string; readonly name: string | undefined },
): JsonObject {
  const metadata = ensureMetadata(object);
  canonicalizeNamespace(info, metadata, names);
  canonicalizeGroups(object, info.codec.groupFields, names);
  ensureNamespaceMatchesRequest(info.row, metadata, namespace);
  if (name !== undefined) ensureNameMatchesRequest(metadata, name);
  return object;
}

/** Sets the namespace of the URL. A body with another namespace is an error; for cluster-scoped kinds it is ignored. */
export function ensureNamespaceMatchesRequest({ namespaced }: KindRow, metadata: JsonObject, namespace: string): void {
  if (!namespaced) {
    delete metadata['namespace'];
    return;
  }
  const given = stringAt(metadata, 'namespace') ?? '';
  if (given !== '' && given !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  metadata['namespace'] = namespace;
}

/** The body of an update must contain the name of the object. */
export function ensureNameMatchesRequest(metadata: JsonObject, name: string): void {
  const given = stringAt(metadata, 'name') ?? '';
  if (given === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name) throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

/** A new object cannot be terminating. */
export function clearDeletion(metadata: JsonObject): void {
  delete metadata['deletionTimestamp'];
  delete metadata['deletionGracePeriodSeconds'];
}

/**
 * Sets uid, creationTimestamp and generation, as rest.FillObjectMetaSystemFields does, and removes what clients
 * cannot set. `ms` since 1970.
 */
export function fillSystemFields(info: ResourceInfo, metadata: JsonObject, uid: string, ms: number): void {
  delete metadata['resourceVersion'];
  delete metadata['selfLink'];
  metadata['uid'] = uid;
  metadata['creationTimestamp'] = formatTimestamp(ms);
  const { generation } = info.row;
  if (generation !== undefined && generation !== 'counted-from-none') metadata['generation'] = 1;
}

/** Copies fields that clients cannot change from the stored object. Other forbidden changes are left to validation. */
export function carryOverMetadata(metadata: JsonObject, old: JsonObject): void {
  delete metadata['resourceVersion'];
  delete metadata['selfLink'];
  copyMember(metadata, old, 'generation');
  copyMember(metadata, old, 'creationTimestamp');
  if ((stringAt(metadata, 'uid') ?? '') === '') copyMember(metadata, old, 'uid');
  if (isTerminating(old)) copyMember(metadata, old, 'deletionTimestamp');
  if (ownMember(metadata, 'deletionGracePeriodSeconds') === undefined) copyMember(metadata, old, 'deletionGracePeriodSeconds');
}

/**
 * Removes duplicate owner references with a warning. For patches and applies upstream finds them after mutating admission,
 * and the warning states that.
 */
export function removeDuplicateOwnersWithWarning(
  metadata: JsonObject,
  verb: 'update' | 'patch' | 'apply',
  warn: (text: string) => void,
): void {
  const warning = dedupOwnerReferences(metadata, verb === 'update' ? '' : ' after mutating admission happens');
  if (warning !== undefined) warn(warning);
}

const COUNTED_METADATA_MEMBER: Readonly<Record<Exclude<GenerationRule, 'fixed'>, string | undefined>> = {
  counted: undefined,
  'counted-from-none': undefined,
  'counted-with-labels': 'labels',
  'counted-with-annotations': 'annotations',
};

/**
 * Increments the generation when a member other than metadata and status has changed, or the member of metadata that the
 * kind counts as well (labels or annotations). The status endpoint does not increment it.
 */
export function incrementGeneration(info: ResourceInfo, subresource: Subresource, object: JsonObject, old: JsonObject): void {
  const { generation } = info.row;
  if (generation === undefined || generation === 'fixed' || subresource === 'status') return;
  const metadata = ensureMetadata(object);
  const countedMember = COUNTED_METADATA_MEMBER[generation];
  const isChanged =
    hasBodyChanged(info, object, old) ||
    (countedMember !== undefined &&
      !equalJson(ownMember(metadata, countedMember) ?? {}, ownMember(readMetadata(old), countedMember) ?? {}));
  if (isChanged) metadata['generation'] = Number(ownMember(metadata, 'generation') ?? 0) + 1;
}

/** Empty lists, null and absent values of built-in kinds are equal; custom objects preserve them. */
function hasBodyChanged(info: ResourceInfo, object: JsonObject, old: JsonObject): boolean {
  const isCustom = info.row.custom !== undefined;
  const members = new Set([...Object.keys(object), ...Object.keys(old)]);
  members.delete('metadata');
  // Without a status endpoint the status of a custom kind is an ordinary member.
  if (info.hasStatus || !isCustom) members.delete('status');
  return [...members].some((member) => {
    const value = ownMember(object, member);
    const oldValue = ownMember(old, member);
    return !equalJson(value, oldValue) && (isCustom || !equalIgnoringEmptyLists(value, oldValue));
  });
}
