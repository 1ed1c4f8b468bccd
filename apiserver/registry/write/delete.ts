/**
 * DELETE of one object and of a collection: what the options ask for, whether the object goes or only gets marked, and
 * what is answered. A mark is an update of the object's metadata, a removal a delete of its key; both go through {@link guaranteedUpdate}.
 */
import type { FieldError } from '../../../shared/api/errors/field-error';
import { invalidValue, notSupported } from '../../../shared/api/errors/field-error';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { metadataOf, readMetadata } from '../../../shared/api/metadata/object-meta';
import * as status from '../../../shared/api/errors/status';
import type { AllocationClaims } from '../../allocation/claims';
import type { Entry } from '../../cache/cache';
import { scopeBounds } from '../../cache/key-space';
import { makeEntry } from '../../cache/entry';
import { giveWay } from '../give-way';
import type { DeleteOptions, DeleteResult, ListOptions, ListPage } from '../verbs';
import { entryKey } from '../resources';
import { accompany, withClaims } from './allocation';
import { guaranteedUpdate, type Current, type Attempt } from './guaranteed-update';
import { atATime } from '../../../shared/runtime/at-a-time';
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import { hiddenFields } from '../object/hidden-fields';
import type { ResourceInfo } from '../object/resource-info';
import { encode, isUnchanged, storedValue } from '../object/stored-object';
import { mark, mayGo } from './removal';
import { removeWhereItFits } from './heavy-removal';
import { atRevision, removedAnswer, type Marked, type Removed } from './removal-answer';
import { admissionRequest, type AttemptPath, type WritePath, type WriteRequest } from './request';
import { asKept, readStored } from './versions';

export async function deleteObject(path: WritePath, request: WriteRequest, options: DeleteOptions): Promise<DeleteResult> {
  checkOptions(options);
  warn(request, options);
  return withClaims(path, request, async (claims) => {
    const attempts = path.attemptsFor(request, request.name);
    const outcome = await guaranteedUpdate(path, attempts, (current) =>
      removeWhereItFits(path, request, options, current, claims, () => attemptDelete(path, request, options, current, claims)),
    );
    if (outcome.type !== 'marked') return outcome;
    const removed = await guaranteedUpdate(path, { ...attempts, left: outcome.entry }, (current) =>
      removeWhereItFits(path, request, outcome, current, claims, () => removeMarked(path, request, outcome, current, claims)),
    );
    if (removed.type === 'marked') throw new Error('what was to go has been marked again');
    return removed;
  });
}

export async function attemptDelete(
  path: AttemptPath,
  request: WriteRequest,
  options: DeleteOptions,
  current: Current,
  claims: AllocationClaims | undefined,
): Promise<Attempt<Removed>> {
  const { info, name } = request;
  const { entry } = current;
  if (entry === undefined) throw status.notFound(info.gr, name);
  const { object: old, text } = await readStored(path, request, entry);
  checkPreconditions(info, name, options, readMetadata(old), entry);
  const admitted = admissionRequest(asSeen(request, uidOf(old)), 'DELETE', current, undefined, old);
  const mutated = path.admission.mutate(admitted);
  if (mutated !== undefined) await mutated;
  const checked = path.admission.validate(admitted);
  if (checked !== undefined) await checked;
  const object: JsonObject = { ...old, metadata: { ...readMetadata(old) } };
  const code = options.orphanDependents === false ? 202 : 200;
  const course = mark(info, object, options, { names: path.names, now: path.clock.now() });
  switch (course) {
    case 'wait':
      return { type: 'answer', result: { type: 'object', entry, code } };
    case 'remove':
      return removal(path, request, { entry, text, object: old }, claims);
    case 'mark':
    case 'mark-and-remove': {
      delete metadataOf(object)['resourceVersion'];
      const kept = await asKept(path, request, object);
      const encoded = encode(info, kept, canonicalizeGroups(kept, info.hubCodec.groupFields, path.names));
      if (isUnchanged(encoded, entry, text)) return { type: 'answer', result: { type: 'object', entry, code } };
      const key = entryKey(request);
      const value = storedValue(info, encoded, hiddenFields(info, encoded.object, path.clock.now(), path.eventTtlSeconds));
      return {
        type: 'store',
        operation: { type: 'put', key: info.keyPrefix + key, value },
        finish(revision) {
          const marked = makeEntry(info.stored, key, revision ?? entry.revision, value);
          if (course === 'mark') return { type: 'object', entry: marked, code };
          const uid = uidOf(old);
          return revision === undefined ? removedAnswer(info, name, uid, marked) : { type: 'marked', entry: marked, uid };
        },
      };
    }
  }
}

/** A stored object. */
interface Stored {
  readonly entry: Entry;
  /** The entry's. */
  readonly text: string;
  readonly object: JsonObject;
}

function removal(
  path: AttemptPath,
  request: WriteRequest,
  { entry, text, object }: Stored,
  claims: AllocationClaims | undefined,
): Attempt<DeleteResult> {
  const { info, name } = request;
  return {
    type: 'store',
    operation: { type: 'delete', key: info.keyPrefix + entryKey(request) },
    ...accompany(path, info, object, undefined, claims, (revision) =>
      removedAnswer(info, name, uidOf(object), atRevision(entry, text, revision ?? entry.revision)),
    ),
  };
}

/** Whoever came between has removed it already, or has put something in its way. */
export async function removeMarked(
  path: AttemptPath,
  request: WriteRequest,
  { entry: marked, uid }: Pick<Marked, 'entry' | 'uid'>,
  { entry }: Current,
  claims: AllocationClaims | undefined,
): Promise<Attempt<Removed>> {
  const { info, name } = request;
  const found = entry === undefined ? undefined : { entry, ...(await readStored(path, request, entry)) };
  if (found === undefined || uidOf(found.object) !== uid) return { type: 'answer', result: removedAnswer(info, name, uid, marked) };
  if (!mayGo(info, found.object)) return { type: 'answer', result: { type: 'object', entry: found.entry, code: 200 } };
  return removal(path, request, found, claims);
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

function checkOptions(options: DeleteOptions): void {
  const { orphanDependents, propagationPolicy } = options;
  if (propagationPolicy === undefined) return;
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined) {
    errors.push(invalidValue('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (!POLICIES.includes(propagationPolicy)) errors.push(notSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  if (errors.length > 0) throw status.invalid({ group: 'meta.platform.io', kind: 'DeleteOptions' }, '', errors);
}

function warn({ info, context }: WriteRequest, options: DeleteOptions): void {
  for (const warning of info.strategy.deletion?.warnings?.(options) ?? []) context.warn(warning);
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
    ? status.foundPrecondition(gr, name, what, wanted, found)
    : status.deletePrecondition({ group, kind }, name, what, wanted, found);
}

/** The request as admission sees it. */
function asSeen(request: WriteRequest, uid: string): WriteRequest {
  if (request.info.strategy.deletion?.asksForFound !== true) return request;
  const { options } = request;
  return { ...request, options: { ...options, preconditions: { ...options.preconditions, uid } } };
}

const uidOf = (object: JsonObject): string => stringAt(readMetadata(object), 'uid') ?? '';

/** Deletions that are under way at a time: enough for the store to do them in one go, few enough not to crowd out others. */
const WORKERS = 16;

/** Deletes the objects of a list and returns the list. Stops at the first failure; an object that no longer exists is not a failure. */
export async function deleteCollection(
  path: WritePath,
  request: WriteRequest,
  list: ListOptions,
  options: DeleteOptions,
): Promise<ListPage> {
  checkOptions(options);
  warn(request, options);
  const { info, context } = request;
  const { start, end } = scopeBounds(info.stored, request.namespace === '' ? {} : { namespace: request.namespace });
  const refusal = path.cache.firstRefusal(info.stored, start, end);
  if (refusal !== undefined) throw status.internalError(`unable to transform key "${refusal.storeKey}": ${refusal.reason}`);
  const page = await path.reader.list(context, info.resource, request.namespace, list);
  const entries = [...page.entries];
  await atATime(WORKERS, entries, async (entry) => {
    // Deletions that store nothing (dry runs) wait for nothing either.
    await giveWay(context);
    try {
      await deleteObject(path, { ...request, ...placeOf(info, entry.key) }, options);
    } catch (error) {
      if (!(error instanceof status.StatusError && error.reason === 'NotFound')) throw error;
    }
  });
  return { ...page, entries };
}

function placeOf(info: ResourceInfo, key: string): { readonly namespace: string; readonly name: string } {
  const slash = info.namespaced ? key.indexOf('/') : -1;
  return { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
}
