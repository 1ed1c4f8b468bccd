/**
 * The server's part of an object's metadata: what it sets at creation, what it carries over from the stored object, and how a body's name and
 * namespace must agree with the URL. The rules for what remains are in shared/api/metadata.
 */
import { equalIgnoringEmptyLists, equalJson, own, stringAt, type JsonObject } from '../../../shared/values/json';
import type { GenerationRule } from '../../../shared/api/kinds';
import { isTerminating, ensureMetadata, readMetadata, formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import { badRequest } from '../../../shared/api/errors/status';
import { dedupOwnerReferences } from '../../../shared/api/metadata/owner-references';
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import type { Subresource } from '../verbs';
import type { KindInfo, ResourceInfo } from '../object/resource-info';

/** Takes aliases of the system namespaces for the namespaces themselves. `kind` Namespace: so do their names. */
export function canonicalPlace(info: KindInfo, metadata: JsonObject, names: GeneratedNames): void {
  const namespace = stringAt(metadata, 'namespace');
  if (namespace !== undefined) metadata['namespace'] = canonicalNamespace(names, namespace);
  if (info.row.nameIsNamespace !== true) return;
  const name = stringAt(metadata, 'name');
  if (name !== undefined) metadata['name'] = canonicalNamespace(names, name);
}

/** Brings the names in a decoded object to the canonical spelling and holds its place against the URL's. `name` undefined = a new object. */
export function agreeOnPlace(
  info: KindInfo,
  object: JsonObject,
  names: GeneratedNames,
  namespace: string,
  name: string | undefined,
): JsonObject {
  const metadata = ensureMetadata(object);
  canonicalPlace(info, metadata, names);
  canonicalizeGroups(object, info.codec.groupFields, names);
  agreeOnNamespace(info, metadata, namespace);
  if (name !== undefined) agreeOnName(metadata, name);
  return object;
}

/** An absent namespace is the URL's; on cluster-scoped kinds one in the body does not count. */
export function agreeOnNamespace(info: KindInfo, metadata: JsonObject, namespace: string): void {
  if (!info.namespaced) {
    delete metadata['namespace'];
    return;
  }
  const given = stringAt(metadata, 'namespace') ?? '';
  if (given !== '' && given !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  metadata['namespace'] = namespace;
}

/** A body that replaces or changes an object must bear its name. */
export function agreeOnName(metadata: JsonObject, name: string): void {
  const given = stringAt(metadata, 'name') ?? '';
  if (given === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name) throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

/** Nothing is born while it is being deleted. */
export function dropDeletion(metadata: JsonObject): void {
  delete metadata['deletionTimestamp'];
  delete metadata['deletionGracePeriodSeconds'];
}

/** What clients cannot set at creation. `ms` since 1970. */
export function stampNew(info: ResourceInfo, metadata: JsonObject, uid: string, ms: number): void {
  delete metadata['resourceVersion'];
  delete metadata['selfLink'];
  metadata['uid'] = uid;
  metadata['creationTimestamp'] = formatTimestamp(ms);
  const { generation } = info.row;
  if (generation !== undefined && generation !== 'counted-from-none') metadata['generation'] = 1;
}

/** What an update takes from the stored object, whatever the body says; what it may not say is left for validation to refuse. */
export function carryOver(metadata: JsonObject, old: JsonObject): void {
  delete metadata['resourceVersion'];
  delete metadata['selfLink'];
  take(metadata, old, 'generation');
  take(metadata, old, 'creationTimestamp');
  if ((stringAt(metadata, 'uid') ?? '') === '') take(metadata, old, 'uid');
  if (isTerminating(old)) take(metadata, old, 'deletionTimestamp');
  if (own(metadata, 'deletionGracePeriodSeconds') === undefined) take(metadata, old, 'deletionGracePeriodSeconds');
}

function take(metadata: JsonObject, old: JsonObject, member: string): void {
  const value = own(old, member);
  if (value === undefined) delete metadata[member];
  else metadata[member] = value;
}

/** Duplicate owner references go, with a warning. Those of a patch are noticed late, and the warning says so (upstream behaviour). */
export function dedupeOwners(metadata: JsonObject, verb: 'update' | 'patch' | 'apply', warn: (text: string) => void): void {
  const warning = dedupOwnerReferences(metadata, verb === 'update' ? '' : ' after mutating admission happens');
  if (warning !== undefined) warn(warning);
}

/** One more when anything but metadata and status has changed, or what else the kind counts; never through the status endpoint. */
export function countGeneration(info: ResourceInfo, subresource: Subresource, object: JsonObject, old: JsonObject): void {
  const { generation } = info.row;
  if (generation === undefined || generation === 'fixed' || subresource === 'status') return;
  const metadata = ensureMetadata(object);
  const counted = COUNTED_METADATA[generation];
  const isChanged =
    bodyHasChanged(info, object, old) ||
    (counted !== undefined && !equalJson(own(metadata, counted) ?? {}, own(readMetadata(old), counted) ?? {}));
  if (isChanged) metadata['generation'] = Number(own(metadata, 'generation') ?? 0) + 1;
}

const COUNTED_METADATA: Readonly<Record<Exclude<GenerationRule, 'fixed'>, string | undefined>> = {
  counted: undefined,
  'counted-from-none': undefined,
  'counted-with-labels': 'labels',
  'counted-with-annotations': 'annotations',
};

/** In a built-in kind what is empty, null or absent is one; a custom object keeps each of them. */
function bodyHasChanged(info: ResourceInfo, object: JsonObject, old: JsonObject): boolean {
  const isCustom = info.row.custom !== undefined;
  const members = new Set([...Object.keys(object), ...Object.keys(old)]);
  members.delete('metadata');
  // Where there is no status endpoint, a custom kind's status is a member like others.
  if (info.hasStatus || !isCustom) members.delete('status');
  return [...members].some((member) => {
    const [value, former] = [own(object, member), own(old, member)];
    return !equalJson(value, former) && (isCustom || !equalIgnoringEmptyLists(value, former));
  });
}
