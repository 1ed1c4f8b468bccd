/**
 * The steps of edits that the server makes without the strategy of the kind: bindings, conditions of evictions,
 * computed statuses. The caller validates the change.
 */
import type { JsonObject } from '../../../../shared/values/json';
import { ensureMetadata, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { notFound } from '../../../../shared/api/errors/status';
import type { Entry } from '../../../cache/cache';
import { encodeObject, isUnchanged, readEntry, type EncodedObject } from '../../object/stored-object';
import type { ResourceInfo } from '../../object/resource-info';
import type { EditPreconditions } from '../../verbs';
import { recordManagedFields } from '../managed-fields';
import { failedPrecondition, storagePreconditionError } from '../preconditions';
import type { AttemptStart, EncodedAttempt, WriteOutcome } from './attempt';
import { addFacts, type StepExecution } from './step';
import { replacement } from './store';

/** The beginning of an edit. */
export interface EditStart extends AttemptStart {
  readonly preconditions: EditPreconditions;
  /** Changes the object in place or throws a StatusError. Called again when another write conflicts. */
  readonly change: (object: JsonObject) => void;
  /** The manager that owns the changed fields. Absent: managedFields are not updated (upstream behaviour). */
  readonly owner?: { readonly manager: string; readonly subresource: 'status' };
}

/** The object to edit, without the parts that {@link Strategy.abridge} leaves out. */
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
  if (entry === undefined) throw notFound(request.info.row, request.name);
  const readable = readForEdit(request.info, entry);
  const failed = failedPrecondition(withoutEmpty(preconditions), readMetadata(readable.object));
  if (failed !== undefined) throw storagePreconditionError(request, failed);
  return addFacts(attempt, { entry, ...readable });
}

const unchanged = (encoded: EncodedObject): EncodedObject => encoded;

function readForEdit(info: ResourceInfo, entry: Entry): Omit<Editable, 'entry'> {
  const abridged = info.strategy.abridge?.(entry.bytes);
  if (abridged === undefined) return { complete: unchanged, ...readEntry(info, entry) };
  // `versionPosition` of the encoded object stays valid, because the omitted parts come after that position.
  const complete = (encoded: EncodedObject): EncodedObject => ({ ...encoded, body: abridged.complete(encoded.body) });
  return { object: abridged.object, text: entry.bytes.toString(), complete };
}

const withoutEmpty = ({ uid, resourceVersion }: EditPreconditions): EditPreconditions => ({
  uid: uid === '' ? undefined : uid,
  resourceVersion: resourceVersion === '' ? undefined : resourceVersion,
});

/** prepare, of an edit: applies the change and updates managedFields for its owner. Throws what `change` throws. */
export function applyEdit<A extends EditStart & Editable>(attempt: A, { deps }: StepExecution): A {
  const { request, object, owner, change } = attempt;
  const old = owner === undefined ? undefined : structuredClone(object);
  change(object);
  delete ensureMetadata(object)['resourceVersion'];
  if (owner !== undefined) recordManagedFields(request.info, { ms: deps.clock.now(), ...owner }, object, old);
  return attempt;
}

/** encode, of an edit. */
export function encodeEdited<A extends EditStart & Editable>(attempt: A, { deps }: StepExecution): A & EncodedAttempt {
  const { request, object, complete } = attempt;
  return addFacts(attempt, { encoded: complete(encodeObject(request.info, object, deps.names)) });
}

/** commit, of an edit: stores nothing when nothing has changed. */
export function commitEdited(attempt: EditStart & Editable & EncodedAttempt, { deps }: StepExecution): WriteOutcome {
  const { entry, text, encoded } = attempt;
  return isUnchanged(encoded, entry, text) ? { type: 'unchanged', code: 200 } : replacement(deps, attempt);
}
