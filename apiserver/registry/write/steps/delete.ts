/** The steps of DELETE. Whether the object is marked, removed or unchanged is decided in mark-for-deletion.ts. */
import type { JsonObject } from '../../../../shared/values/json';
import * as status from '../../../../shared/api/errors/status';
import { ensureMetadata, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { Entry } from '../../../cache/cache';
import type { ResourceInfo } from '../../object/resource-info';
import { encodeObject, isUnchanged } from '../../object/stored-object';
import type { DeleteOptions } from '../../verbs';
import { allocationChange } from '../allocation';
import { markForDeletion, canRemove, type DeletionAction } from '../mark-for-deletion';
import { failedPrecondition, uidIn } from '../preconditions';
import { toStoredVersion, readStored } from '../version-conversion';
import type { AttemptStart, EncodedAttempt, WriteOutcome, StoredObject } from './attempt';
import { addFacts, type StepExecution } from './step';
import { replacement } from './store';

/** The beginning of a DELETE. */
export interface DeletionStart extends AttemptStart {
  readonly options: DeleteOptions;
}

/** The second transaction of a DELETE, which removes the object that the first has marked. */
export interface FinalDeletionStart extends AttemptStart {
  /** The uid of the object that is marked for deletion. */
  readonly uid: string;
}

interface MarkedAttempt {
  readonly action: DeletionAction;
  /** The object with deletionTimestamp and finalizers set. */
  readonly marked: JsonObject;
}

const uidOf = (object: JsonObject): string => uidIn(readMetadata(object));

/** decode, of a DELETE: reads the stored object. Throws 404, or 409 when a precondition fails. */
export function decodeDeletion<A extends DeletionStart>(attempt: A, { deps }: StepExecution): MaybePromise<A & StoredObject> {
  const { request, current, options } = attempt;
  const { info, name } = request;
  const { entry } = current;
  if (entry === undefined) throw status.notFound(info.row, name);
  return whenResolved(readStored(deps, request, entry), ({ object: old, text }) => {
    const failed = failedPrecondition(options.preconditions ?? {}, readMetadata(old));
    if (failed !== undefined) throw preconditionError(info, name, failed);
    return addFacts(attempt, { entry, text, old });
  });
}

function preconditionError({ row, strategy }: ResourceInfo, name: string, failed: status.FailedPrecondition): Error {
  return strategy.deletion?.addsUidPrecondition === true
    ? status.preconditionFailed(row, name, failed)
    : status.deletePreconditionFailed(row, name, failed);
}

/** prepare, of a DELETE: marks a copy of the object as the options require. */
export function prepareForDeletion<A extends DeletionStart & StoredObject>(attempt: A, { deps }: StepExecution): A & MarkedAttempt {
  const { request, options, old } = attempt;
  const marked: JsonObject = { ...old, metadata: { ...readMetadata(old) } };
  const action = markForDeletion(request.info, marked, options, { names: deps.names, now: deps.clock.now() });
  return addFacts(attempt, { action, marked });
}

/** encode, of a DELETE: encodes the marked object, if it is going to be stored. */
export function encodeMarked<A extends AttemptStart & MarkedAttempt>(
  attempt: A,
  { deps }: StepExecution,
): MaybePromise<A & Partial<EncodedAttempt>> {
  const { request, action, marked } = attempt;
  if (action === 'wait' || action === 'remove') return attempt;
  delete ensureMetadata(marked)['resourceVersion'];
  return whenResolved(toStoredVersion(deps, request, marked), (stored) =>
    addFacts(attempt, { encoded: encodeObject(request.info, stored, deps.names) }),
  );
}

/** commit, of a DELETE. */
export function commitDeletion(
  attempt: DeletionStart & StoredObject & MarkedAttempt & Partial<EncodedAttempt>,
  { deps }: StepExecution,
): WriteOutcome {
  const { options, entry, text, old, action, encoded } = attempt;
  const code = options.orphanDependents === false ? 202 : 200;
  if (action === 'remove') return removalOutcome(attempt);
  if (encoded === undefined || isUnchanged(encoded, entry, text)) return { type: 'unchanged', code };
  return {
    removal: { uid: uidOf(old), code, isRemovalDue: action === 'mark-and-remove' },
    ...replacement(deps, { request: attempt.request, entry, encoded }),
  };
}

function removalOutcome({ request: { info }, entry, text, old }: AttemptStart & StoredObject): WriteOutcome {
  return {
    type: 'store',
    isNew: false,
    value: undefined,
    responseEntry: (revision) => atRevision(entry, text, revision ?? entry.revision),
    allocation: allocationChange(info, old, undefined),
    removal: { uid: uidOf(old), code: 200, isRemovalDue: false },
  };
}

/** The last state of a removed object, with the revision of its removal. */
export function atRevision(entry: Entry, text: string, revision: number): Entry {
  const bytes = Buffer.from(text.replace(`"resourceVersion":"${entry.revision}"`, `"resourceVersion":"${revision}"`));
  return { ...entry, revision, bytes };
}

/** decode, of a final deletion: another write may have removed or replaced the marked object. */
export function decodeMarked<A extends FinalDeletionStart>(attempt: A, { deps }: StepExecution): MaybePromise<A & Partial<StoredObject>> {
  const { request, current, uid } = attempt;
  const { entry } = current;
  if (entry === undefined) return attempt;
  return whenResolved(readStored(deps, request, entry), ({ object: old, text }) =>
    uidOf(old) === uid ? addFacts(attempt, { entry, text, old }) : attempt,
  );
}

/** commit, of a final deletion: another write may have added a finalizer. */
export function commitFinalDeletion({ request, current, entry, text, old }: FinalDeletionStart & Partial<StoredObject>): WriteOutcome {
  if (entry === undefined || text === undefined || old === undefined) return { type: 'missing' };
  return canRemove(request.info, old) ? removalOutcome({ request, current, entry, text, old }) : { type: 'unchanged', code: 200 };
}
