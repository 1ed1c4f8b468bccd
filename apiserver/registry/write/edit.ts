/**
 * Changes that the server makes to a stored object past the rules of its kind: a binding, the marks of an eviction, a status that it has worked out. Nobody comes
 * to own what is changed so unless it is said who (upstream behaviour). Who asks for an edit holds the rules; here is only the way into the store.
 */
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { metadataOf, readMetadata } from '../../../shared/api/metadata/object-meta';
import { notFound, storedPrecondition } from '../../../shared/api/errors/status';
import type { Entry } from '../../cache/cache';
import { makeEntry } from '../../cache/entry';
import type { EditPreconditions } from '../verbs';
import { entryKey } from '../resources';
import { guaranteedUpdate, type Current, type Attempt } from './guaranteed-update';
import { hiddenFields } from '../object/hidden-fields';
import type { WritePath, WriteRequest } from './request';
import { encode, isUnchanged, readEntry, storedValue, type Encoded } from '../object/stored-object';
import type { ResourceInfo } from '../object/resource-info';
import { recordOwnership } from './ownership';

/** An edit of one object: what must hold of it, and what becomes of it. */
export interface Edit {
  readonly preconditions: EditPreconditions;
  /** Alters the object in place or refuses with a StatusError; it is called again when another write came between. */
  readonly change: (object: JsonObject) => void;
  /** Who comes to own what is changed, and through which endpoint. */
  readonly owner?: { readonly manager: string; readonly subresource: 'status' };
}

export function editObject(path: WritePath, request: WriteRequest, edit: Edit): Promise<Entry> {
  return guaranteedUpdate(path, path.attemptsFor(request, request.name), (current) => attemptEdit(path, request, edit, current));
}

function attemptEdit(path: WritePath, request: WriteRequest, edit: Edit, { entry }: Current): Attempt<Entry> {
  const { info, name } = request;
  if (entry === undefined) throw notFound(info.gr, name);
  const { object, text, complete } = readForEdit(info, entry);
  checkPreconditions(request, edit.preconditions, object);
  const old = edit.owner === undefined ? undefined : structuredClone(object);
  edit.change(object);
  delete metadataOf(object)['resourceVersion'];
  if (edit.owner !== undefined) recordOwnership(info, edit.owner.subresource, edit.owner.manager, object, old, path.clock.now());
  const encoded = complete(encode(info, object, canonicalizeGroups(object, info.hubCodec.groupFields, path.names)));
  if (isUnchanged(encoded, entry, text)) return { type: 'answer', result: entry, unchanged: (written) => written };
  const key = entryKey(request);
  const value = storedValue(info, encoded, hiddenFields(info, encoded.object, path.clock.now(), path.eventTtlSeconds));
  return {
    type: 'store',
    operation: { type: 'put', key: info.keyPrefix + key, value },
    finish: (revision = entry.revision) => makeEntry(info.stored, key, revision, value),
  };
}

interface Readable {
  readonly text: string;
  readonly object: JsonObject;
  readonly complete: (encoded: Encoded) => Encoded;
}

const same = (encoded: Encoded): Encoded => encoded;

function readForEdit(info: ResourceInfo, entry: Entry): Readable {
  const abridged = info.strategy.abridge?.(entry.bytes);
  if (abridged === undefined) return { ...readEntry(info, entry), complete: same };
  // What is left out stands behind the place of the version.
  const complete = (encoded: Encoded): Encoded => ({ ...encoded, body: abridged.complete(encoded.body) });
  return { object: abridged.object, text: entry.bytes.toString(), complete };
}

function checkPreconditions(request: WriteRequest, { uid = '', resourceVersion = '' }: EditPreconditions, object: JsonObject): void {
  const { info, name } = request;
  const metadata = readMetadata(object);
  const refusal = (what: 'UID' | 'ResourceVersion', wanted: string, found: string): Error =>
    storedPrecondition(info.gr, name, info.keyPrefix + entryKey(request), what, wanted, found);
  const [foundUid, foundVersion] = [stringAt(metadata, 'uid') ?? '', stringAt(metadata, 'resourceVersion') ?? ''];
  if (uid !== '' && uid !== foundUid) throw refusal('UID', uid, foundUid);
  if (resourceVersion !== '' && resourceVersion !== foundVersion) throw refusal('ResourceVersion', resourceVersion, foundVersion);
}
