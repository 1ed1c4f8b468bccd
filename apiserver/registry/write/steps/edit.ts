/**
 * The steps of edits that the server makes without the strategy of the kind: bindings, conditions of evictions,
 * computed statuses. The caller validates the change.
 */
import { canonicalizeGroups } from '../../../../shared/api/types/group-fields';
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { ensureMetadata, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { notFound, storagePreconditionFailed, type FailedPrecondition } from '../../../../shared/api/errors/status';
import type { Entry } from '../../../cache/cache';
import { createEntry } from '../../../cache/store/entry';
import { encodeObject, isUnchanged, readEntry, type EncodedObject } from '../../object/stored-object';
import type { ResourceInfo } from '../../object/resource-info';
import { entryKey } from '../../resources';
import type { EditPreconditions } from '../../verbs';
import { recordManagedFields } from '../managed-fields';
import type { WriteRequest } from '../request';
import type { AttemptStart, EncodedAttempt, WriteOutcome } from './attempt';
import { addFacts, type StepExecution } from './step';
import { valueOf } from './store';

export interface EditStart extends AttemptStart {
  readonly preconditions: EditPreconditions;
  /** Changes the object in place or throws a StatusError. Called again when another write conflicts. */
  readonly change: (object: JsonObject) => void;
  /** The manager that owns the changed fields. Absent: managedFields are not updated (upstream behaviour). */
  readonly owner?: { readonly manager: string; readonly subresource: 'status' };
}

interface Editable {
  readonly entry: Entry;
  readonly text: string;
  readonly object: JsonObject;
  /** Adds the unparsed parts of a large object. */
  readonly complete: (encoded: EncodedObject) => EncodedObject;
}

/**
 * decode, of an edit: reads only the parts that {@link Strategy.abridge} keeps, for kinds with large objects. Throws
 * 404, or 409 when a precondition fails.
 */
export function decodeEdited<A extends EditStart>(attempt: A): A & Editable {
  const { request, current, preconditions } = attempt;
  const { entry } = current;
  if (entry === undefined) throw notFound(request.info.gr, request.name);
  const readable = readForEdit(request.info, entry);
  checkPreconditions(request, preconditions, readable.object);
  return addFacts(attempt, { ...readable, entry });
}

const unchanged = (encoded: EncodedObject): EncodedObject => encoded;

function readForEdit(info: ResourceInfo, entry: Entry): Omit<Editable, 'entry'> {
  const abridged = info.strategy.abridge?.(entry.bytes);
  if (abridged === undefined) return { ...readEntry(info, entry), complete: unchanged };
  // The omitted parts come after the position of resourceVersion.
  const complete = (encoded: EncodedObject): EncodedObject => ({ ...encoded, body: abridged.complete(encoded.body) });
  return { object: abridged.object, text: entry.bytes.toString(), complete };
}

function checkPreconditions(request: WriteRequest, { uid = '', resourceVersion = '' }: EditPreconditions, object: JsonObject): void {
  const { info, name } = request;
  const metadata = readMetadata(object);
  const failed = (precondition: FailedPrecondition): Error =>
    storagePreconditionFailed(info.gr, name, info.keyPrefix + entryKey(request), precondition);
  const storedUid = stringAt(metadata, 'uid') ?? '';
  const storedVersion = stringAt(metadata, 'resourceVersion') ?? '';
  if (uid !== '' && uid !== storedUid) throw failed({ field: 'UID', requested: uid, stored: storedUid });
  if (resourceVersion !== '' && resourceVersion !== storedVersion) {
    throw failed({ field: 'ResourceVersion', requested: resourceVersion, stored: storedVersion });
  }
}

/** prepare, of an edit: applies the change and updates managedFields for its owner. Throws what `change` throws. */
export function applyEdit<A extends EditStart & Editable>(attempt: A, { deps }: StepExecution): A {
  const { request, object, owner, change } = attempt;
  const old = owner === undefined ? undefined : structuredClone(object);
  change(object);
  delete ensureMetadata(object)['resourceVersion'];
  if (owner !== undefined) recordManagedFields(request.info, owner.subresource, owner.manager, object, old, deps.clock.now());
  return attempt;
}

/** encode, of an edit. */
export function encodeEdited<A extends EditStart & Editable>(attempt: A, { deps }: StepExecution): A & EncodedAttempt {
  const { request, object, complete } = attempt;
  const { info } = request;
  return addFacts(attempt, {
    encoded: complete(encodeObject(info, object, canonicalizeGroups(object, info.hubCodec.groupFields, deps.names))),
  });
}

/** commit, of an edit: stores nothing when nothing has changed. */
export function commitEdited(
  { request, entry, text, encoded }: EditStart & Editable & EncodedAttempt,
  { deps }: StepExecution,
): WriteOutcome {
  if (isUnchanged(encoded, entry, text)) return { type: 'unchanged', code: 200 };
  const { info } = request;
  const value = valueOf(deps, info, encoded);
  return {
    type: 'store',
    isNew: false,
    value,
    responseEntry: (revision) => createEntry(info.stored, entryKey(request), revision ?? entry.revision, value),
  };
}
