/**
 * DELETE of one object and of a collection (behaviour-reference §7): what the options ask for, whether the object goes or only gets marked, and
 * what is answered. A mark is an update of the object's metadata, a removal a delete of its key; both go through {@link settle}.
 */
import type { FieldError } from '../../../shared/api/errors/field-error';
import { invalidValue, notSupported } from '../../../shared/api/errors/field-error';
import { type JsonObject, own, stringAt, stringsAt } from '../../../shared/values/json';
import { isTerminating, metadataOf, readMetadata, timeOf, timestamp } from '../../../shared/api/metadata/object-meta';
import * as status from '../../../shared/api/errors/status';
import type { Claims } from '../../allocation/claims';
import type { Entry } from '../../cache/cache';
import { makeEntry } from '../../cache/entry';
import type { DeleteOptions, DeleteResult, ListOptions, ListPage } from '../verbs';
import { entryKey } from '../resources';
import type { MarkContext } from '../strategy';
import { accompany, withClaims } from './allocation';
import { settle, type Current, type Step } from './attempts';
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import { hiddenFields } from '../object/hidden-fields';
import type { Plan } from '../object/resource-info';
import { encode, isUnchanged, readEntry, storedValue } from '../object/stored-object';
import type { WritePath, WriteRequest } from './request';

export async function deleteObject(path: WritePath, request: WriteRequest, options: DeleteOptions): Promise<DeleteResult> {
  checkOptions(options);
  warnOfOrphans(request, options);
  return await withClaims(path, request, (claims) =>
    settle(path, path.attemptsFor(request, request.name, request.dryRun), (current) =>
      attemptDelete(path, request, options, current, claims),
    ),
  );
}

async function attemptDelete(
  path: WritePath,
  request: WriteRequest,
  options: DeleteOptions,
  current: Current,
  claims: Claims | undefined,
): Promise<Step<DeleteResult>> {
  const { clock, names, admission } = path;
  const { plan, name } = request;
  const { entry } = current;
  if (entry === undefined) throw status.notFound(plan.gr, name);
  const { object: old, text } = readEntry(plan, entry);
  checkPreconditions(plan, name, options, readMetadata(old), entry);
  const checked = admission.validate(path.admissionRequest(request, 'DELETE', current, undefined, old));
  if (checked !== undefined) await checked;
  const key = entryKey(request);
  const storeKey = plan.keyPrefix + key;
  const code = options.orphanDependents === false ? 202 : 200;
  const object: JsonObject = { ...old, metadata: { ...readMetadata(old) } };
  switch (mark(plan, object, options, { names, now: clock.now() })) {
    case 'wait':
      return { type: 'answer', result: { type: 'object', entry, code } };
    case 'remove': {
      const last = plan.strategy.gracePeriod === undefined ? { text } : graceless(plan, object, entry, clock.now());
      const answer = (removed: Entry): DeleteResult => removedAnswer(plan, name, readMetadata(old), removed);
      if (request.dryRun) return { type: 'answer', result: answer(atRevision(entry, last.text, entry.revision)) };
      return {
        type: 'store',
        guarded: false,
        operation: { type: 'delete', key: storeKey },
        ...accompany(path, plan, old, undefined, claims, (revision) => answer(atRevision(entry, last.text, revision))),
      };
    }
    case 'mark': {
      delete metadataOf(object)['resourceVersion'];
      const encoded = encode(plan, object, canonicalizeGroups(object, plan.hubForm.groupFields, names));
      if (isUnchanged(encoded, entry, text)) return { type: 'answer', result: { type: 'object', entry, code } };
      const value = storedValue(plan, encoded, hiddenFields(plan, clock.now(), path.eventTtlSeconds));
      const answer = (revision: number): DeleteResult => ({ type: 'object', entry: makeEntry(plan.stored, key, revision, value), code });
      if (request.dryRun) return { type: 'answer', result: answer(entry.revision) };
      return { type: 'store', guarded: false, operation: { type: 'put', key: storeKey, value }, finish: answer };
    }
  }
}

/** How an object that could have had grace is shown when it goes at once: as one whose time is up (upstream behaviour). */
function graceless(plan: Plan, object: JsonObject, entry: Entry, now: number): { readonly text: string } {
  const metadata = metadataOf(object);
  if (!isTerminating(metadata)) begin(metadata, now);
  else metadata['deletionTimestamp'] = timestamp(Math.min(now, timeOf(stringAt(metadata, 'deletionTimestamp')) ?? now));
  metadata['deletionGracePeriodSeconds'] = 0;
  delete metadata['resourceVersion'];
  const { body, position } = encode(plan, object, entry.dialectSensitive);
  return { text: `${body.slice(0, position)}"resourceVersion":"${entry.revision}",${body.slice(position)}` };
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

function warnOfOrphans({ plan, context }: WriteRequest, options: DeleteOptions): void {
  if (plan.kind !== 'Job' || options.propagationPolicy !== undefined || options.orphanDependents !== undefined) return;
  context.warn(
    'child pods are preserved by default when jobs are deleted; ' +
      'set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  );
}

function checkPreconditions(plan: Plan, name: string, options: DeleteOptions, metadata: JsonObject, entry: Entry): void {
  const refusal = (what: 'UID' | 'ResourceVersion', wanted: string, found: string): status.StatusError =>
    plan.group === '' && plan.kind === 'Namespace'
      ? status.namespacePrecondition(name, what, wanted, found)
      : status.deletePrecondition({ group: plan.group, kind: plan.kind }, name, what, wanted, found);
  const { uid, resourceVersion } = options.preconditions ?? {};
  const storedUid = stringAt(metadata, 'uid') ?? '';
  if (uid !== undefined && uid !== storedUid) throw refusal('UID', uid, storedUid);
  const stored = String(entry.revision);
  if (resourceVersion !== undefined && resourceVersion !== stored) throw refusal('ResourceVersion', resourceVersion, stored);
}

/** Marks `object` (its metadata is a copy) as far as the options ask for it, and says what is to be done with it. */
function mark(plan: Plan, object: JsonObject, options: DeleteOptions, context: MarkContext): 'wait' | 'mark' | 'remove' {
  const { strategy } = plan;
  const { now } = context;
  const metadata = metadataOf(object);
  const terminating = isTerminating(metadata);
  if (strategy.markDeleted !== undefined) {
    if (terminating && strategy.heldBack?.(object) === true) return 'wait';
    if (!terminating) {
      if (strategy.marksOnly === true) metadata['deletionTimestamp'] = timestamp(now);
      else {
        setFinalizers(metadata, collectorFinalizers(plan, metadata, options));
        begin(metadata, now);
      }
      strategy.markDeleted(object, context);
      return 'mark';
    }
  }
  const grace = terminating ? shorterGrace(plan, object, options) : (strategy.gracePeriod?.(object, nonNegative(options)) ?? 0);
  const finalizers = collectorFinalizers(plan, metadata, options);
  setFinalizers(metadata, finalizers);
  if (grace === 0 && finalizers.length === 0) return 'remove';
  if (!terminating) begin(metadata, now + grace * 1000);
  else if (grace !== gracePeriodOf(metadata)) {
    const started = (timeOf(stringAt(metadata, 'deletionTimestamp')) ?? now) - gracePeriodOf(metadata) * 1000;
    metadata['deletionTimestamp'] = timestamp(started + grace * 1000);
  }
  metadata['deletionGracePeriodSeconds'] = grace;
  return 'mark';
}

function begin(metadata: JsonObject, at: number): void {
  metadata['deletionTimestamp'] = timestamp(at);
  const generation = own(metadata, 'generation');
  if (typeof generation === 'number' && generation > 0) metadata['generation'] = generation + 1;
}

/** A negative period counts as one second (upstream behaviour). */
function nonNegative(options: DeleteOptions): number | undefined {
  const asked = options.gracePeriodSeconds;
  return asked !== undefined && asked < 0 ? 1 : asked;
}

function gracePeriodOf(metadata: JsonObject): number {
  const grace = own(metadata, 'deletionGracePeriodSeconds');
  return typeof grace === 'number' ? grace : 0;
}

/** A later DELETE can only shorten what the first one granted. */
function shorterGrace(plan: Plan, object: JsonObject, options: DeleteOptions): number {
  const granted = gracePeriodOf(readMetadata(object));
  if (plan.strategy.gracePeriod === undefined) return granted;
  const asked = plan.strategy.gracePeriod(object, nonNegative(options));
  return Math.min(asked, granted);
}

const COLLECTOR: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion']);

/** The finalizers once the garbage collector's own say what the options ask for; without a wish in the options they stay. */
function collectorFinalizers(plan: Plan, metadata: JsonObject, options: DeleteOptions): readonly string[] {
  const finalizers = stringsAt(metadata, 'finalizers');
  if (plan.resource.row.noGarbageCollection === true) return finalizers;
  const { orphanDependents, propagationPolicy } = options;
  const wish = propagationPolicy ?? (orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background');
  if (wish === undefined) {
    const orphans = plan.resource.row.orphansByDefault === true && !finalizers.some((finalizer) => COLLECTOR.has(finalizer));
    return orphans ? [...finalizers, 'orphan'] : finalizers;
  }
  const others = finalizers.filter((finalizer) => !COLLECTOR.has(finalizer));
  if (wish === 'Orphan') return [...others, 'orphan'];
  return wish === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
}

function setFinalizers(metadata: JsonObject, finalizers: readonly string[]): void {
  if (finalizers.length === 0) delete metadata['finalizers'];
  else metadata['finalizers'] = [...finalizers];
}

function removedAnswer(plan: Plan, name: string, metadata: JsonObject, entry: Entry): DeleteResult {
  if (plan.resource.row.returnsDeletedObject !== undefined) return { type: 'object', entry, code: 200 };
  return { type: 'status', status: status.deletedStatus(plan.gr, name, stringAt(metadata, 'uid') ?? ''), code: 200 };
}

/** The last state under the revision of its removal. */
function atRevision(entry: Entry, text: string, revision: number): Entry {
  const bytes = Buffer.from(text.replace(`"resourceVersion":"${entry.revision}"`, `"resourceVersion":"${revision}"`));
  return { ...entry, revision, bytes };
}

/** Deletions that are under way at a time: enough for the store to do them in one go, few enough not to crowd out others. */
const WORKERS = 16;

/** Deletes what the list shows, and answers with what it showed. The first failure ends it; objects that are gone already are no failure. */
export async function deleteCollection(
  path: WritePath,
  request: WriteRequest,
  list: ListOptions,
  options: DeleteOptions,
): Promise<ListPage> {
  checkOptions(options);
  warnOfOrphans(request, options);
  const { plan } = request;
  const page = await path.reader.list(request.context, plan.resource, request.namespace, list);
  const entries = [...page.entries];
  let next = 0;
  let failed = false;
  const work = async (): Promise<void> => {
    while (!failed) {
      const entry = entries[next++];
      if (entry === undefined) return;
      try {
        await deleteObject(path, { ...request, ...placeOf(plan, entry.key) }, options);
      } catch (error) {
        if (error instanceof status.StatusError && error.reason === 'NotFound') continue;
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(WORKERS, entries.length) }, work));
  return { ...page, entries };
}

function placeOf(plan: Plan, key: string): { readonly namespace: string; readonly name: string } {
  const slash = plan.namespaced ? key.indexOf('/') : -1;
  return { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
}
