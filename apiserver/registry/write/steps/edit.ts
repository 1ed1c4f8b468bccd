/**
 * The steps of a change that the server makes to a stored object past the rules of its kind: a binding, the marks of an eviction, a status that it has worked
 * out. The rules are the caller's business; here is only the way into the store.
 */
import { canonicalizeGroups } from '../../../../shared/api/types/group-fields';
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { ensureMetadata, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { notFound, storagePreconditionFailed } from '../../../../shared/api/errors/status';
import type { Entry } from '../../../cache/cache';
import { createEntry } from '../../../cache/store/entry';
import { encode, isUnchanged, readEntry, type Encoded } from '../../object/stored-object';
import type { ResourceInfo } from '../../object/resource-info';
import { entryKey } from '../../resources';
import type { EditPreconditions } from '../../verbs';
import { recordOwnership } from '../managed-fields';
import type { WriteRequest } from '../request';
import type { AttemptStart, Encodable, WriteOutcome } from './attempt';
import { learn, type StepExecution } from './step';
import { valueOf } from './store';

export interface EditStart extends AttemptStart {
  readonly preconditions: EditPreconditions;
  /** Alters the object in place or refuses with a StatusError; it is called again when another write came between. */
  readonly change: (object: JsonObject) => void;
  /** The manager that comes to own what is changed, and the endpoint; absent: nobody does (upstream behaviour). */
  readonly owner?: { readonly manager: string; readonly subresource: 'status' };
}

interface Editable {
  readonly entry: Entry;
  readonly text: string;
  readonly object: JsonObject;
  /** Adds the parts of a large object that were not read. */
  readonly complete: (encoded: Encoded) => Encoded;
}

/** decode, of an edit: of kinds whose objects are large only the parts outside {@link Strategy.abridge} are read. Throws 404, and 409 when a precondition does not hold. */
export function decodeEdited<A extends EditStart>(attempt: A): A & Editable {
  const { request, current, preconditions } = attempt;
  const { entry } = current;
  if (entry === undefined) throw notFound(request.info.gr, request.name);
  const readable = readForEdit(request.info, entry);
  checkPreconditions(request, preconditions, readable.object);
  return learn(attempt, { ...readable, entry });
}

const same = (encoded: Encoded): Encoded => encoded;

function readForEdit(info: ResourceInfo, entry: Entry): Omit<Editable, 'entry'> {
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
    storagePreconditionFailed(info.gr, name, info.keyPrefix + entryKey(request), what, wanted, found);
  const [foundUid, foundVersion] = [stringAt(metadata, 'uid') ?? '', stringAt(metadata, 'resourceVersion') ?? ''];
  if (uid !== '' && uid !== foundUid) throw refusal('UID', uid, foundUid);
  if (resourceVersion !== '' && resourceVersion !== foundVersion) throw refusal('ResourceVersion', resourceVersion, foundVersion);
}

/** prepare, of an edit: makes the change, and records its owner if there is one. Throws what `change` refuses with. */
export function applyEdit<A extends EditStart & Editable>(attempt: A, { deps }: StepExecution): A {
  const { request, object, owner, change } = attempt;
  const old = owner === undefined ? undefined : structuredClone(object);
  change(object);
  delete ensureMetadata(object)['resourceVersion'];
  if (owner !== undefined) recordOwnership(request.info, owner.subresource, owner.manager, object, old, deps.clock.now());
  return attempt;
}

/** encode, of an edit. */
export function encodeEdited<A extends EditStart & Editable>(attempt: A, { deps }: StepExecution): A & Encodable {
  const { request, object, complete } = attempt;
  const { info } = request;
  return learn(attempt, { encoded: complete(encode(info, object, canonicalizeGroups(object, info.hubCodec.groupFields, deps.names))) });
}

/** commit, of an edit: nothing is stored where nothing has changed. */
export function commitEdited({ request, entry, text, encoded }: EditStart & Editable & Encodable, { deps }: StepExecution): WriteOutcome {
  if (isUnchanged(encoded, entry, text)) return { type: 'unchanged', code: 200 };
  const { info } = request;
  const value = valueOf(deps, info, encoded);
  return {
    type: 'store',
    isNew: false,
    value,
    shown: (revision) => createEntry(info.stored, entryKey(request), revision ?? entry.revision, value),
  };
}
