/** The steps of a DELETE: whether the object is marked, goes, or stays. What holds an object back is removal.ts's business. */
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { canonicalizeGroups } from '../../../../shared/api/types/group-fields';
import * as status from '../../../../shared/api/errors/status';
import { ensureMetadata, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { Entry } from '../../../cache/cache';
import { createEntry } from '../../../cache/store/entry';
import type { ResourceInfo } from '../../object/resource-info';
import { encode, isUnchanged } from '../../object/stored-object';
import { entryKey } from '../../resources';
import type { DeleteOptions } from '../../verbs';
import { allocationChange } from '../allocation';
import { markForDeletion, mayGo, type Course } from '../mark-for-deletion';
import { asKept, readStored } from '../version-conversion';
import type { AttemptStart, Encodable, WriteOutcome, StoredObject } from './attempt';
import { learn, type StepExecution } from './step';
import { valueOf } from './store';

export interface DeletionStart extends AttemptStart {
  readonly options: DeleteOptions;
}

/** The second transaction of a DELETE that has marked an object which may go at once. */
export interface FinalDeletionStart extends AttemptStart {
  /** Of the marked object. */
  readonly uid: string;
}

interface Marked {
  readonly course: Course;
  /** The object with its mark. */
  readonly marked: JsonObject;
}

const uidOf = (object: JsonObject): string => stringAt(readMetadata(object), 'uid') ?? '';

/** decode, of a DELETE: reads the stored object. Throws 404, and 409 when a precondition does not hold. */
export function decodeDeletion<A extends DeletionStart>(attempt: A, { deps }: StepExecution): MaybePromise<A & StoredObject> {
  const { request, current, options } = attempt;
  const { info, name } = request;
  const { entry } = current;
  if (entry === undefined) throw status.notFound(info.gr, name);
  return whenResolved(readStored(deps, request, entry), ({ object: old, text }) => {
    checkPreconditions(info, name, options, readMetadata(old), entry);
    return learn(attempt, { entry, text, old });
  });
}

function checkPreconditions(
  info: ResourceInfo,
  name: string,
  { preconditions = {} }: DeleteOptions,
  metadata: JsonObject,
  entry: Entry,
): void {
  const { uid, resourceVersion } = preconditions;
  const found = { uid: stringAt(metadata, 'uid') ?? '', resourceVersion: String(entry.revision) };
  if (uid !== undefined && uid !== found.uid) throw preconditionFailed(info, name, 'UID', uid, found.uid);
  if (resourceVersion !== undefined && resourceVersion !== found.resourceVersion)
    throw preconditionFailed(info, name, 'ResourceVersion', resourceVersion, found.resourceVersion);
}

function preconditionFailed(info: ResourceInfo, name: string, what: 'UID' | 'ResourceVersion', wanted: string, found: string): Error {
  const { gr, group, kind, strategy } = info;
  return strategy.deletion?.asksForFound === true
    ? status.preconditionFailed(gr, name, what, wanted, found)
    : status.deletePreconditionFailed({ group, kind }, name, what, wanted, found);
}

/** prepare, of a DELETE: marks a copy of the object as far as the options ask for it. */
export function prepareForDeletion<A extends DeletionStart & StoredObject>(attempt: A, { deps }: StepExecution): A & Marked {
  const { request, options, old } = attempt;
  const marked: JsonObject = { ...old, metadata: { ...readMetadata(old) } };
  const course = markForDeletion(request.info, marked, options, { names: deps.names, now: deps.clock.now() });
  return learn(attempt, { course, marked });
}

/** encode, of a DELETE: the marked object, if a mark is stored. */
export function encodeMarked<A extends AttemptStart & Marked>(attempt: A, { deps }: StepExecution): MaybePromise<A & Partial<Encodable>> {
  const { request, course, marked } = attempt;
  if (course === 'wait' || course === 'remove') return attempt;
  delete ensureMetadata(marked)['resourceVersion'];
  const { info } = request;
  return whenResolved(asKept(deps, request, marked), (kept) =>
    learn(attempt, { encoded: encode(info, kept, canonicalizeGroups(kept, info.hubCodec.groupFields, deps.names)) }),
  );
}

/** commit, of a DELETE. */
export function commitDeletion(attempt: DeletionStart & StoredObject & Marked & Partial<Encodable>, { deps }: StepExecution): WriteOutcome {
  const { request, options, entry, text, old, course, encoded } = attempt;
  const { info } = request;
  const code = options.orphanDependents === false ? 202 : 200;
  if (course === 'remove') return deleted(attempt);
  if (encoded === undefined || isUnchanged(encoded, entry, text)) return { type: 'unchanged', code };
  const value = valueOf(deps, info, encoded);
  return {
    type: 'store',
    isNew: false,
    value,
    shown: (revision) => createEntry(info.stored, entryKey(request), revision ?? entry.revision, value),
    removal: { uid: uidOf(old), code, isDue: course === 'mark-and-remove' },
  };
}

function deleted({ request: { info }, entry, text, old }: AttemptStart & StoredObject): WriteOutcome {
  return {
    type: 'store',
    isNew: false,
    value: undefined,
    shown: (revision) => atRevision(entry, text, revision ?? entry.revision),
    allocation: allocationChange(info, old, undefined),
    removal: { uid: uidOf(old), code: 200, isDue: false },
  };
}

/** The last state under the revision of its removal. */
export function atRevision(entry: Entry, text: string, revision: number): Entry {
  const bytes = Buffer.from(text.replace(`"resourceVersion":"${entry.revision}"`, `"resourceVersion":"${revision}"`));
  return { ...entry, revision, bytes };
}

/** decode, of a final deletion: another write may have deleted the marked object, or replaced it. */
export function decodeMarked<A extends FinalDeletionStart>(attempt: A, { deps }: StepExecution): MaybePromise<A & Partial<StoredObject>> {
  const { request, current, uid } = attempt;
  const { entry } = current;
  if (entry === undefined) return attempt;
  return whenResolved(readStored(deps, request, entry), ({ object: old, text }) =>
    uidOf(old) === uid ? learn(attempt, { entry, text, old }) : attempt,
  );
}

/** commit, of a final deletion: another write may have added a finalizer. */
export function commitFinalDeletion({ request, current, entry, text, old }: FinalDeletionStart & Partial<StoredObject>): WriteOutcome {
  if (entry === undefined || text === undefined || old === undefined) return { type: 'gone' };
  return mayGo(request.info, old) ? deleted({ request, current, entry, text, old }) : { type: 'unchanged', code: 200 };
}
