/** The last steps of a write: the bytes that are stored, and what the write comes to. Nothing is stored here. */
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import { clientError } from '../../../../shared/api/errors/status';
import { isTerminating, ensureMetadata, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { createEntry } from '../../../cache/store/entry';
import { hiddenFields, isFormerVersion } from '../../object/hidden-fields';
import { encoding, isUnchanged, storedValue, unstoredEntry, type Encoded } from '../../object/stored-object';
import type { ResourceInfo } from '../../object/resource-info';
import { entryKey } from '../../resources';
import { allocationChange } from '../allocation';
import { changesOnlyTimes } from '../managed-fields';
import { alreadyExists, checkDefinition } from '../preconditions';
import { mayGo } from '../mark-for-deletion';
import type { StepDependencies } from '../request';
import type { Canonical, DecodedChange, DecodedAttempt, Encodable, WriteOutcome, Reserved, Stamped } from './attempt';
import { learn, type StepExecution } from './step';

/**
 * encode, of a new object. Sets the defaults that upstream sets when it decodes the stored object: those of `completeCreated`, and those of the stored version
 * after a conversion. Throws 409 when the name is taken, 500 when the object was sent with a version.
 */
export function encodeNew<A extends DecodedAttempt & Canonical & Stamped>(
  attempt: A,
  execution: StepExecution,
): MaybePromise<A & Encodable> {
  const { request, current, name, object, stored, sentVersion, isDialectSensitive } = attempt;
  const { info, dryRun } = request;
  if (sentVersion !== undefined && !dryRun) throw clientError('resourceVersion should not be set on objects to be created');
  if (current.entry !== undefined) throw alreadyExists(info, name, ensureMetadata(object), current.entry);
  if (info.row.custom !== undefined) checkDefinition(info, current.definition);
  info.strategy.completeCreated?.(stored);
  if (info.converter !== undefined) info.hubCodec.applyDefaults(stored);
  return encoded(attempt, execution, encoding(info, stored, isDialectSensitive));
}

/** encode, of a change. */
export function encodeChange<A extends DecodedAttempt & Canonical>(attempt: A, execution: StepExecution): MaybePromise<A & Encodable> {
  const { request, stored, isDialectSensitive } = attempt;
  const { info } = request;
  if (info.converter !== undefined) info.hubCodec.applyDefaults(stored);
  return encoded(attempt, execution, encoding(info, stored, isDialectSensitive));
}

const encoded = <A extends object>(attempt: A, execution: StepExecution, steps: ReturnType<typeof encoding>): MaybePromise<A & Encodable> =>
  whenResolved(execution.compute(steps), (made) => learn(attempt, { encoded: made }));

export function valueOf(deps: StepDependencies, info: ResourceInfo, made: Encoded): Buffer {
  return storedValue(info, made, hiddenFields(info, made.object, deps.clock.now(), deps.eventTtlSeconds));
}

/** commit, of a new object. */
export function commitNew(attempt: DecodedAttempt & Encodable & Reserved & Stamped, { deps }: StepExecution): WriteOutcome {
  const { request, name, encoded: made, reservation, sentVersion } = attempt;
  const { info, namespace } = request;
  const key = entryKey({ namespace, name });
  const value = valueOf(deps, info, made);
  return {
    type: 'store',
    isNew: true,
    value,
    shown: (revision = sentVersion) => (revision === undefined ? unstoredEntry(key, made) : createEntry(info.stored, key, revision, value)),
    allocation: allocationChange(info, undefined, made.object),
    reservation,
  };
}

/** commit, of a change: nothing is stored where nothing has changed, and a terminating object that nothing holds back any more is deleted. */
export function commitChange(attempt: DecodedChange & Encodable & Reserved, { deps }: StepExecution): WriteOutcome {
  const { request, entry, object, old, encoded: made, reservation } = attempt;
  const { info } = request;
  const isDeleted = isTerminating(readMetadata(old)) && mayGo(info, object);
  if (!isDeleted && isSame(attempt)) return { type: 'unchanged', code: 200, reservation };
  const key = entryKey(request);
  const value = valueOf(deps, info, made);
  // A removal responds with the object as it was sent, at its last stored version (upstream behaviour), and so does a dry run.
  return {
    type: 'store',
    isNew: false,
    value: isDeleted ? undefined : value,
    shown: (revision) => createEntry(info.stored, key, isDeleted ? entry.revision : (revision ?? entry.revision), value),
    allocation: allocationChange(info, old, isDeleted ? undefined : object),
    reservation,
  };
}

function isSame({ request: { info, subresource }, entry, text, object, old, encoded: made }: DecodedChange & Encodable): boolean {
  if (isFormerVersion(info.row, entry)) return false;
  return isUnchanged(made, entry, text) || (subresource !== 'scale' && changesOnlyTimes(object, old));
}
