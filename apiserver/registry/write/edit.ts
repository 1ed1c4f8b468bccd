/**
 * Changes that an operation makes to a stored object past the rules of its kind: a binding, the marks of an eviction. Nobody comes to own what is
 * changed so (upstream behaviour). The operation holds the rules; here is only the way into the store.
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
import { encode, isUnchanged, readEntry, storedValue } from '../object/stored-object';

/** An edit of one object: what must hold of it, and what becomes of it. */
export interface Edit {
  readonly preconditions: EditPreconditions;
  /** Alters the object in place or refuses with a StatusError; it is called again when another write came between. */
  readonly change: (object: JsonObject) => void;
}

export function editObject(path: WritePath, request: WriteRequest, edit: Edit): Promise<Entry> {
  return guaranteedUpdate(path, path.attemptsFor(request, request.name), (current) => attemptEdit(path, request, edit, current));
}

function attemptEdit(path: WritePath, request: WriteRequest, edit: Edit, { entry }: Current): Attempt<Entry> {
  const { info, name } = request;
  if (entry === undefined) throw notFound(info.gr, name);
  const { object, text } = readEntry(info, entry);
  checkPreconditions(request, edit.preconditions, object);
  edit.change(object);
  delete metadataOf(object)['resourceVersion'];
  const encoded = encode(info, object, canonicalizeGroups(object, info.hubCodec.groupFields, path.names));
  if (isUnchanged(encoded, entry, text)) return { type: 'answer', result: entry, unchanged: (written) => written };
  const key = entryKey(request);
  const value = storedValue(info, encoded, hiddenFields(info, encoded.object, path.clock.now(), path.eventTtlSeconds));
  return {
    type: 'store',
    operation: { type: 'put', key: info.keyPrefix + key, value },
    finish: (revision = entry.revision) => makeEntry(info.stored, key, revision, value),
  };
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
