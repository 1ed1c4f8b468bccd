/** The last steps of a write: encode the stored value and determine the outcome. The executor commits it. */
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import { clientError } from '../../../../shared/api/errors/status';
import { isTerminating, ensureMetadata, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { createEntry } from '../../../cache/store/entry';
import { hiddenFields, isStoredInFormerVersion } from '../../object/hidden-fields';
import { encodeObjectInSteps, isUnchanged, toStoredValue, unstoredEntry, type EncodedObject } from '../../object/stored-object';
import type { ResourceInfo } from '../../object/resource-info';
import { entryKey } from '../../resources';
import { allocationChange } from '../allocation';
import { changesOnlyTimestamps } from '../managed-fields';
import { alreadyExistsError, ensureDefinitionExists } from '../preconditions';
import { canRemove } from '../mark-for-deletion';
import type { StepDependencies } from '../request';
import type {
  AttemptStart,
  CanonicalAttempt,
  DecodedChange,
  DecodedAttempt,
  EncodedAttempt,
  WriteOutcome,
  ReservedAttempt,
  StampedAttempt,
  StoredObject,
} from './attempt';
import { addFacts, type StepExecution } from './step';

/**
 * encode, of a create. Sets the defaults that upstream sets when it decodes the stored object: `applyStoredDefaults`,
 * and after a conversion those of the storage version. Throws 409 when the name exists, 400 when the object has a
 * resourceVersion outside of a dry run, and 405 when the definition of a custom kind is absent or terminating.
 */
export function encodeNew<A extends DecodedAttempt & CanonicalAttempt & StampedAttempt>(
  attempt: A,
  execution: StepExecution,
): MaybePromise<A & EncodedAttempt> {
  const { request, current, name, object, stored, requestVersion } = attempt;
  const { info, dryRun } = request;
  if (requestVersion !== undefined && !dryRun) throw clientError('resourceVersion should not be set on objects to be created');
  if (current.entry !== undefined) throw alreadyExistsError(info, name, ensureMetadata(object), current.entry);
  if (info.row.custom !== undefined) ensureDefinitionExists(info, current.definition);
  info.strategy.applyStoredDefaults?.(stored);
  return encodeChange(attempt, execution);
}

/** encode, of a change. */
export function encodeChange<A extends DecodedAttempt & CanonicalAttempt>(
  attempt: A,
  execution: StepExecution,
): MaybePromise<A & EncodedAttempt> {
  const { request, stored } = attempt;
  const { info } = request;
  if (info.converter !== undefined) info.hubCodec.applyDefaults(stored);
  const encoding = execution.compute(encodeObjectInSteps(info, stored, attempt));
  return whenResolved(encoding, (encoded) => addFacts(attempt, { encoded }));
}

/** The bytes to store, with the hidden fields of the kind. */
function valueOf(deps: StepDependencies, info: ResourceInfo, encoded: EncodedObject): Buffer {
  return toStoredValue(info, encoded, hiddenFields(info, encoded.object, deps.clock.now(), deps.eventTtlSeconds));
}

/** The outcome that stores another value of an existing object. */
export function replacement(
  deps: StepDependencies,
  { request, entry, encoded }: Pick<AttemptStart, 'request'> & Pick<StoredObject, 'entry'> & EncodedAttempt,
): Extract<WriteOutcome, { readonly type: 'store' }> {
  const { info } = request;
  const value = valueOf(deps, info, encoded);
  return {
    type: 'store',
    isNew: false,
    value,
    responseEntry: (revision) => createEntry(info.stored, entryKey(request), revision ?? entry.revision, value),
  };
}

/** commit, of a new object. */
export function commitNew(
  attempt: DecodedAttempt & EncodedAttempt & ReservedAttempt & StampedAttempt,
  { deps }: StepExecution,
): WriteOutcome {
  const { request, name, encoded, reservation, requestVersion } = attempt;
  const { info, namespace } = request;
  const key = entryKey({ namespace, name });
  const value = valueOf(deps, info, encoded);
  return {
    type: 'store',
    isNew: true,
    value,
    responseEntry: (revision = requestVersion) =>
      revision === undefined ? unstoredEntry(key, encoded) : createEntry(info.stored, key, revision, value),
    allocation: allocationChange(info, undefined, encoded.object),
    reservation,
  };
}

/**
 * commit, of a change: stores nothing when nothing has changed, and removes a terminating object when nothing blocks
 * its removal any more.
 */
export function commitChange(attempt: DecodedChange & EncodedAttempt & ReservedAttempt, { deps }: StepExecution): WriteOutcome {
  const { request, entry, object, old, encoded, reservation } = attempt;
  const { info } = request;
  const isDeleted = isTerminating(readMetadata(old)) && canRemove(info, object);
  if (!isDeleted && isUnchangedAttempt(attempt)) return { type: 'unchanged', code: 200, reservation };
  const key = entryKey(request);
  const value = valueOf(deps, info, encoded);
  // The response to a removal is the object of the request at its last stored version (upstream behaviour); so is the
  // response to a dry run.
  return {
    type: 'store',
    isNew: false,
    value: isDeleted ? undefined : value,
    responseEntry: (revision) => createEntry(info.stored, key, isDeleted ? entry.revision : (revision ?? entry.revision), value),
    allocation: allocationChange(info, old, isDeleted ? undefined : object),
    reservation,
  };
}

function isUnchangedAttempt({
  request: { info, subresource },
  entry,
  text,
  object,
  old,
  encoded,
}: DecodedChange & EncodedAttempt): boolean {
  if (isStoredInFormerVersion(info.row, entry)) return false;
  return isUnchanged(encoded, entry, text) || (subresource !== 'scale' && changesOnlyTimestamps(object, old));
}
