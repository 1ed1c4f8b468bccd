/**
 * Change of an object, whatever it comes from: PUT, a patch, an applied configuration. The steps stand in {@link attemptUpdate} in their order. How a
 * body becomes the changed object is its {@link UpdatedObjectInfo}'s business.
 */
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { dropCarried } from '../../../shared/api/conversion';
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import { isTerminating, metadataOf, parseResourceVersion, readMetadata } from '../../../shared/api/metadata/object-meta';
import { withPasses, type GiveWay } from '../../../shared/values/steps';
import * as status from '../../../shared/api/errors/status';
import type { AllocationClaims } from '../../allocation/claims';
import type { Entry } from '../../cache/cache';
import { makeEntry } from '../../cache/entry';
import { hiddenFields, isFormerVersion } from '../object/hidden-fields';
import { parseObject } from '../object/parse-body';
import { needsWebhook, toHub, type ResourceInfo } from '../object/resource-info';
import { encoding, isUnchanged, storedValue, type Encoded } from '../object/stored-object';
import { entryKey } from '../resources';
import type { UpdateRules } from '../strategy';
import type { ObjectBody, ParsedBody, WriteOptions, WriteResult } from '../verbs';
import { accompany, allocate, withClaims } from './allocation';
import { attemptCreate, completeSent } from './create';
import { decodeBody } from './decode-body';
import { scoped } from './endpoint-scope';
import { guaranteedUpdate, type Current, type Attempt } from './guaranteed-update';
import { attemptWhereItFits, type HeavySource } from './heavy-attempt';
import * as meta from './metadata-steps';
import { changesOnlyTimes, recordingOwnership } from './ownership';
import { checkResourceVersion } from './preconditions';
import { mayGo } from './removal';
import { admissionRequest, type AttemptPath, type WritePath, type WriteRequest } from './request';
import { bodyInfo, scaled, shownScale } from './scale';
import { breaks } from './breaks';
import { reserving, withReservation } from './reservation';
import { tellSent } from './sent-object';
import { prepareForAllocation, validateUpdate } from './validation';
import { asKept, readStored, settled } from './versions';

/** What traces say of patches. */
const PATCHING = 'About to apply patch';
const ADMITTING = 'About to check admission control';

/** What a PUT or PATCH makes of the stored object. */
export interface UpdatedObjectInfo {
  readonly verb: 'update' | 'patch' | 'apply';
  /** The object says already who owns what. */
  readonly owned?: true;
  /** A decoded object of the served version, new on every call; of an apply, with its managedFields. `old` is the stored one, if there is one. */
  object(old: JsonObject | undefined): JsonObject;
  /** Adds the cause to a refusal of the last returned object, where the source knows it. */
  readonly explain?: (refusal: status.StatusError) => status.StatusError;
}

/** A body of PUT. */
export async function updateObject(path: WritePath, request: WriteRequest, body: ObjectBody, options: WriteOptions): Promise<WriteResult> {
  const { pass } = breaks(path.clock, request.context);
  const { sent, value } = body;
  const heavy =
    sent === undefined
      ? undefined
      : ({ what: { verb: 'update', body: sent }, name: request.name, isHeavy: value === undefined, options } as const);
  if (value !== undefined) {
    const source = updateSource(path, request, body, options);
    await pass();
    return change(path, request, () => source, options, heavy);
  }
  const later = async (): Promise<UpdatedObjectInfo> => {
    const parsed = await parseObject(sent.bytes, sent.format, bodyInfo(request).row, path.clock, pass);
    await pass();
    const source = updateSource(path, request, parsed, options);
    await pass();
    return source;
  };
  return change(path, request, later, options, heavy);
}

/** Read at once; a body that cannot be read is refused before anything else is. */
export function updateSource(
  path: AttemptPath,
  request: WriteRequest,
  body: ParsedBody,
  { fieldValidation }: WriteOptions,
): UpdatedObjectInfo {
  const info = bodyInfo(request);
  const { context, namespace, name } = request;
  const decode = (): JsonObject => {
    const object = decodeBody(info, body, fieldValidation, (text) => context.warn(text));
    tellSent(context, info, object, path.names, request.subresource === 'scale' ? undefined : (copy) => completeSent(path, request, copy));
    return meta.agreeOnPlace(info, object, path.names, namespace, name);
  };
  let fresh: JsonObject | undefined = decode();
  const object = (): JsonObject => {
    const written = fresh ?? decode();
    fresh = undefined;
    return written;
  };
  return { verb: 'update', object };
}

/** `source` is asked for where the change is worked out here. */
export function change(
  path: WritePath,
  request: WriteRequest,
  source: () => UpdatedObjectInfo | Promise<UpdatedObjectInfo>,
  options: WriteOptions,
  heavy: HeavySource | undefined,
): Promise<WriteResult> {
  return withClaims(path, request, (claims) =>
    guaranteedUpdate(path, { ...path.attemptsFor(request, request.name), called: 'GuaranteedUpdate etcd3' }, (current) =>
      attemptWhereItFits(path, request, heavy, current, async (tried) =>
        attemptUpdate(path, tried, { source: throughEndpoint(path, request, await source(), options), options, claims }, current),
      ),
    ),
  );
}

/** What a source says of an object, where it is written through another one. */
export function throughEndpoint(
  path: Pick<WritePath, 'clock'>,
  request: WriteRequest,
  source: UpdatedObjectInfo,
  options: WriteOptions,
): UpdatedObjectInfo {
  return request.subresource === 'scale' ? throughScale(path, request, source, options) : source;
}

/** A source of scales as one of the objects that they scale. */
function throughScale(
  { clock }: Pick<WritePath, 'clock'>,
  request: WriteRequest,
  source: UpdatedObjectInfo,
  { fieldManager }: WriteOptions,
): UpdatedObjectInfo {
  const { verb } = source;
  const object = (old: JsonObject | undefined): JsonObject => {
    if (old === undefined) throw status.notFound(request.info.gr, request.name);
    return scaled(request, { verb, manager: fieldManager, ms: clock.now() }, old, source.object(shownScale(request, old)));
  };
  return { verb, owned: true, object };
}

/** What is known of a change beyond its request. */
interface Replacement {
  readonly source: UpdatedObjectInfo;
  readonly options: WriteOptions;
  readonly claims: AllocationClaims | undefined;
}

/** One attempt to replace what is stored by what the source makes of it. */
export async function attemptUpdate(
  path: AttemptPath,
  request: WriteRequest,
  change: Replacement,
  current: Current,
): Promise<Attempt<WriteResult>> {
  const { entry } = current;
  if (entry === undefined) return createInstead(path, request, change, current);
  const { pass } = breaks(path.clock, request.context);
  const { object: old, text } = await readStored(path, request, entry);
  await pass();
  const received = await receive(path, request, change, old, entry);
  await pass();
  await own(path, request, change, received, old, pass);
  await pass();
  if (change.source.verb !== 'update') request.context.trace?.event(ADMITTING);
  const admitted = admissionRequest(request, 'UPDATE', current, received, old);
  const mutated = path.admission.mutate(admitted);
  if (mutated !== undefined) await mutated;
  const object = place(request, change, received, old);
  await pass();
  explaining(change.source, () => decide(path, request, change, object, old));
  await pass();
  const dialectSensitive = canonicalizeGroups(object, request.info.hubCodec.groupFields, path.names);
  const checked = path.admission.validate({ ...admitted, object });
  if (checked !== undefined) await checked;
  const kept = await asKept(path, request, object);
  return withReservation(path, { ...admitted, object }, async (reservation) => {
    await pass();
    if (request.info.converter !== undefined) request.info.hubCodec.applyDefaults(kept);
    const encoded = await withPasses(encoding(request.info, kept, dialectSensitive), pass);
    await pass();
    return reserving(store(path, request, change, { entry, text, object, old, encoded }), reservation);
  });
}

/** Where nothing is stored, an apply creates, and a PUT of some kinds does. */
async function createInstead(
  path: AttemptPath,
  request: WriteRequest,
  { source, options, claims }: Replacement,
  current: Current,
): Promise<Attempt<WriteResult>> {
  const { info, name, subresource } = request;
  const applies = source.verb === 'apply';
  const { pass } = breaks(path.clock, request.context);
  if (applies && subresource !== undefined) throw status.notFound(info.gr, name);
  if (applies) request.context.trace?.event(PATCHING);
  const object = source.verb === 'patch' ? undefined : source.object(undefined);
  const uid = object === undefined ? '' : (stringAt(metadataOf(object), 'uid') ?? '');
  if (uid !== '') throw status.uidPrecondition(info.gr, name, info.keyPrefix + entryKey(request), uid, '');
  const creates = applies || (subresource === undefined && object !== undefined && createsOnUpdate(info, object));
  if (object === undefined || !creates || options.ifMatch !== undefined) throw status.notFound(info.gr, name);
  delete metadataOf(object)['resourceVersion'];
  if (applies) request.context.trace?.event(ADMITTING);
  const manager = applies ? undefined : options.fieldManager;
  await pass();
  return attemptCreate(path, { ...request, creates: 'instead' }, { name, sent: object, manager, claims }, current);
}

function createsOnUpdate({ row }: ResourceInfo, object: JsonObject): boolean {
  if (row.createOnUpdate !== 'without-resource-version') return row.createOnUpdate === true;
  return parseResourceVersion(stringAt(metadataOf(object), 'resourceVersion')).type === 'unset';
}

/** What the source makes of the stored object, held against the preconditions, with defaults, as the version that is stored. */
async function receive(
  path: AttemptPath,
  request: WriteRequest,
  { source, options }: Replacement,
  old: JsonObject,
  entry: Entry,
): Promise<JsonObject> {
  const { info, name } = request;
  if (options.ifMatch !== undefined && options.ifMatch !== String(entry.revision)) throw status.modified(info.gr, name);
  if (source.verb !== 'update') request.context.trace?.event(PATCHING);
  const sent = await settled(request, () => source.object(old));
  const metadata = metadataOf(sent);
  const [uid, oldUid] = [stringAt(metadata, 'uid') ?? '', stringAt(readMetadata(old), 'uid') ?? ''];
  if (source.verb === 'update' && uid !== '' && uid !== oldUid)
    throw status.uidPrecondition(info.gr, name, info.keyPrefix + entryKey(request), uid, oldUid);
  checkResourceVersion(request, stringAt(metadata, 'resourceVersion'), entry);
  // What a configuration leaves out that is applied in a version that is not stored is filled in where the object is read (upstream behaviour).
  if (source.verb !== 'apply' || !needsWebhook(info) || info.row.version === info.hub.version) info.codec.applyDefaults(sent);
  dropCarried(info.row, sent);
  const object = toHub(info, sent);
  info.strategy.canonicalize?.(object);
  info.strategy.setRequiredLabels?.(object, path.strategyContext(request));
  return object;
}

/** An apply has said already who owns what. */
async function own(
  path: AttemptPath,
  request: WriteRequest,
  { source, options }: Replacement,
  object: JsonObject,
  old: JsonObject,
  pass: GiveWay,
): Promise<void> {
  if (source.owned === true) return;
  const { info, subresource } = request;
  const now = path.clock.now();
  await settled(request, () => withPasses(recordingOwnership(info, subresource, options.fieldManager, object, old, now), pass));
}

/** The server's part of the metadata, and what the endpoint does not write. */
function place(
  { info, context, namespace, name, subresource }: WriteRequest,
  { source }: Replacement,
  received: JsonObject,
  old: JsonObject,
): JsonObject {
  const metadata = metadataOf(received);
  meta.agreeOnName(metadata, name);
  meta.agreeOnNamespace(info, metadata, namespace);
  meta.carryOver(metadata, readMetadata(old));
  meta.dedupeOwners(metadata, source.verb, (text) => context.warn(text));
  const object = scoped(info, subresource, received, old);
  info.hubCodec.dropDisabled(object);
  return object;
}

/** The kind's part: allocation, what the endpoint may not change, and the judgement. */
function decide(path: AttemptPath, request: WriteRequest, { claims }: Replacement, object: JsonObject, old: JsonObject): void {
  const { info, context, subresource } = request;
  const { strategy } = info;
  const strategyContext = path.strategyContext(request);
  const rules: UpdateRules | undefined = subresource === undefined || subresource === 'scale' ? strategy.update : strategy[subresource];
  if (subresource === undefined) {
    prepareForAllocation(info, object, old, strategyContext);
    allocate(info, object, old, claims);
  }
  rules?.prepareForUpdate?.(object, old, strategyContext);
  strategy.setRequiredLabels?.(object, strategyContext);
  meta.countGeneration(info, subresource, object, old);
  validateUpdate(info, rules, object, old, strategyContext);
  if (subresource === undefined) for (const warning of strategy.warningsOnUpdate?.(object, old) ?? []) context.warn(warning);
}

function explaining({ explain }: UpdatedObjectInfo, decide: () => void): void {
  try {
    decide();
  } catch (error) {
    throw error instanceof status.StatusError && error.reason === 'Invalid' ? (explain?.(error) ?? error) : error;
  }
}

/** What has been decided, beside what is stored. */
interface Decided {
  readonly entry: Entry;
  /** The entry's. */
  readonly text: string;
  readonly object: JsonObject;
  readonly old: JsonObject;
  readonly encoded: Encoded;
}

/** A terminating object that nothing holds back any more is removed with the change. */
function store(path: AttemptPath, request: WriteRequest, { claims }: Replacement, decided: Decided): Attempt<WriteResult> {
  const { info, subresource } = request;
  const { entry, text, object, old, encoded } = decided;
  const removed = isTerminating(readMetadata(old)) && mayGo(info, object);
  const isSame =
    !isFormerVersion(info.row, entry) && (isUnchanged(encoded, entry, text) || (subresource !== 'scale' && changesOnlyTimes(object, old)));
  if (!removed && isSame) {
    return { type: 'answer', result: { entry, created: false }, unchanged: (written) => ({ entry: written, created: false }) };
  }
  const key = entryKey(request);
  const storeKey = info.keyPrefix + key;
  const value = storedValue(info, encoded, hiddenFields(info, encoded.object, path.clock.now(), path.eventTtlSeconds));
  // A removal answers with the object as it was sent, at its last stored version (upstream behaviour), and so does a dry run.
  const shown = (revision: number | undefined): number => (removed ? entry.revision : (revision ?? entry.revision));
  return {
    type: 'store',
    operation: removed ? { type: 'delete', key: storeKey } : { type: 'put', key: storeKey, value },
    ...accompany(path, info, old, removed ? undefined : object, claims, (revision) => ({
      entry: makeEntry(info.stored, key, shown(revision), value),
      created: false,
    })),
  };
}
