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
import { settle, type Current, type Step } from './attempts';
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
  return settle(path, path.attemptsFor(request, request.name, request.dryRun), (current) => attemptEdit(path, request, edit, current));
}

function attemptEdit(path: WritePath, request: WriteRequest, edit: Edit, { entry }: Current): Step<Entry> {
  const { plan, name } = request;
  if (entry === undefined) throw notFound(plan.gr, name);
  const { object, text } = readEntry(plan, entry);
  checkPreconditions(request, edit.preconditions, object);
  edit.change(object);
  delete metadataOf(object)['resourceVersion'];
  const encoded = encode(plan, object, canonicalizeGroups(object, plan.hubForm.groupFields, path.names));
  if (isUnchanged(encoded, entry, text)) return { type: 'answer', result: entry };
  const key = entryKey(request);
  const value = storedValue(plan, encoded, hiddenFields(plan, path.clock.now(), path.eventTtlSeconds));
  const changed = (revision: number): Entry => makeEntry(plan.stored, key, revision, value);
  if (request.dryRun) return { type: 'answer', result: changed(entry.revision) };
  return { type: 'store', guarded: false, operation: { type: 'put', key: plan.keyPrefix + key, value }, finish: changed };
}

function checkPreconditions(request: WriteRequest, { uid = '', resourceVersion = '' }: EditPreconditions, object: JsonObject): void {
  const { plan, name } = request;
  const metadata = readMetadata(object);
  const refusal = (what: 'UID' | 'ResourceVersion', wanted: string, found: string): Error =>
    storedPrecondition(plan.gr, name, plan.keyPrefix + entryKey(request), what, wanted, found);
  const [foundUid, foundVersion] = [stringAt(metadata, 'uid') ?? '', stringAt(metadata, 'resourceVersion') ?? ''];
  if (uid !== '' && uid !== foundUid) throw refusal('UID', uid, foundUid);
  if (resourceVersion !== '' && resourceVersion !== foundVersion) throw refusal('ResourceVersion', resourceVersion, foundVersion);
}
