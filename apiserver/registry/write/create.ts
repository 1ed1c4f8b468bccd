/** Creation of an object: POST, and the PUT or apply that finds nothing. The steps stand in {@link attemptCreate} in their order. */
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { generateName } from '../../../shared/values/name-formats';
import { dropCarried } from '../../../shared/api/conversion';
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import { metadataOf, parseResourceVersion, readMetadata } from '../../../shared/api/metadata/object-meta';
import { withPasses } from '../../../shared/values/steps';
import * as status from '../../../shared/api/errors/status';
import type { AllocationClaims } from '../../allocation/claims';
import { makeEntry } from '../../cache/entry';
import { hiddenFields } from '../object/hidden-fields';
import { parseObject } from '../object/parse-body';
import { toHub } from '../object/resource-info';
import { encoding, storedValue, unstoredEntry, type Encoded } from '../object/stored-object';
import { entryKey } from '../resources';
import type { ObjectBody, ParsedBody, SentBody, WriteOptions, WriteResult } from '../verbs';
import { accompany, allocate, withClaims } from './allocation';
import { decodeBody } from './decode-body';
import { guaranteedUpdate, type Attempt, type Attempts, type Current } from './guaranteed-update';
import type { HeavyOutcome } from './heavy';
import { asksOthers, attemptWhereItFits, settle, workOut, type HeavySource } from './heavy-attempt';
import { reserving, withReservation } from './reservation';
import * as meta from './metadata-steps';
import { recordingOwnership } from './ownership';
import { alreadyExists, checkDefinition } from './preconditions';
import { admissionRequest, type AttemptPath, type WritePath, type WriteRequest } from './request';
import { breaks } from './breaks';
import { tellSent } from './sent-object';
import { prepareForAllocation, validateCreation } from './validation';
import { asKept, settled } from './versions';

/** What is known of a creation beyond its request. */
export interface Birth {
  /** '' where the kind's own rules have to refuse it. */
  readonly name: string;
  /** Decoded, in canonical spelling, of the version that was sent; it is changed. */
  readonly sent: JsonObject;
  /** Who comes to own what; undefined = the object says so already. */
  readonly manager: string | undefined;
  readonly claims: AllocationClaims | undefined;
}

const NAME_ATTEMPTS = 8;

/** What a body of POST says, and how it is to be called. */
export interface Creation {
  /** Decoded, in canonical spelling, of the version that was sent. */
  readonly sent: JsonObject;
  /** The name that it brings; '' = none. */
  readonly given: string;
  /** What names are generated from; '' = nothing. */
  readonly base: string;
}

export function readCreation(path: AttemptPath, request: WriteRequest, body: ParsedBody, { fieldValidation }: WriteOptions): Creation {
  const { info, context, namespace } = request;
  const decoded = decodeBody(info, body, fieldValidation, (text) => context.warn(text));
  tellSent(context, info, decoded, path.names, (copy) => completeSent(path, request, copy));
  const sent = meta.agreeOnPlace(info, decoded, path.names, namespace, undefined);
  const metadata = readMetadata(sent);
  const given = stringAt(metadata, 'name') ?? '';
  return { sent, given, base: stringAt(metadata, 'generateName') ?? '' };
}

/** A body of POST. Its name, when one is to be generated, is generated again where it is taken. */
export async function createObject(path: WritePath, request: WriteRequest, body: ObjectBody, options: WriteOptions): Promise<WriteResult> {
  if (body.value === undefined) return createDeferred(path, request, body.sent, options);
  const { pass } = breaks(path.clock, request.context);
  const read = (): Creation => readCreation(path, request, body, options);
  let fresh: Creation | undefined = read();
  await pass();
  const { given, base } = fresh;
  const generates = given === '' && base !== '';
  return withNames(generates, () => {
    const name = generates ? generateName(base, path.random) : given;
    const source = sourceOf(body.sent, name, false, options);
    return withClaims(path, request, (claims) =>
      guaranteedUpdate(path, birthOf(path, request, name), async (current) => {
        refuseTaken(request, name, current);
        return attemptWhereItFits(path, request, source, current, async (tried) => {
          const { sent } = fresh ?? read();
          fresh = undefined;
          await pass();
          return attemptCreate(path, { ...tried, name: given }, { name, sent, manager: options.fieldManager, claims }, current);
        });
      }),
    );
  });
}

/** What is to be created is known only when a thread has worked it out. */
async function createDeferred(path: WritePath, request: WriteRequest, sent: SentBody, options: WriteOptions): Promise<WriteResult> {
  const { clock, threads } = path;
  const here = async (): Promise<WriteResult> => {
    const { pass } = breaks(clock, request.context);
    const { sent: _, ...body } = await parseObject(sent.bytes, sent.format, request.info.row, clock, pass);
    await pass();
    return createObject(path, request, body, options);
  };
  if (threads === undefined || asksOthers(path, request)) return here();
  const work = (): Promise<HeavyOutcome | undefined> => workOut(path, threads, request, sourceOf(sent, '', true, options), undefined);
  let outcome = await work();
  if (outcome === undefined) return here();
  const { generates } = outcome;
  return withNames(generates, async () => {
    const worked = outcome ?? (await work());
    // A name that is taken is generated again.
    outcome = undefined;
    if (worked === undefined) return here();
    const { name } = worked;
    return guaranteedUpdate(path, birthOf(path, request, name), (current) => {
      refuseTaken(request, name, current);
      return settle(path, request, worked, current);
    });
  });
}

function sourceOf(sent: SentBody, name: string, isHeavy: boolean, options: WriteOptions): HeavySource;
function sourceOf(sent: SentBody | undefined, name: string, isHeavy: boolean, options: WriteOptions): HeavySource | undefined;
function sourceOf(sent: SentBody | undefined, name: string, isHeavy: boolean, options: WriteOptions): HeavySource | undefined {
  if (sent === undefined) return undefined;
  return { what: { verb: 'create', body: sent }, name, isHeavy, options };
}

/** Tries again where a generated name is taken. */
async function withNames(generates: boolean, create: () => Promise<WriteResult>): Promise<WriteResult> {
  for (let left = generates ? NAME_ATTEMPTS : 1; ; left--) {
    try {
      return await create();
    } catch (error) {
      if (left === 1 || !(error instanceof status.StatusError) || error.reason !== 'AlreadyExists') throw error;
    }
  }
}

/** What is sent of an object that has a name has the labels that its kind demands. */
export function completeSent(path: AttemptPath, request: WriteRequest, object: JsonObject): void {
  if (stringAt(metadataOf(object), 'name') !== undefined) request.info.strategy.setRequiredLabels?.(object, path.strategyContext(request));
}

/** One whose place is taken by what cannot be read is refused like any other. */
const birthOf = (path: WritePath, request: WriteRequest, name: string): Attempts => ({
  ...path.attemptsFor(request, name),
  called: 'Create etcd3',
  taken: () => status.alreadyExists(request.info.gr, name),
});

/** It will be refused, whatever else is wrong with it: the work is done once, on a proven state. */
function refuseTaken({ info }: WriteRequest, name: string, { entry, proven }: Current): void {
  if (entry !== undefined && !proven) throw alreadyExists(info, name, {}, entry);
}

export async function attemptCreate(
  path: AttemptPath,
  request: WriteRequest,
  birth: Birth,
  current: Current,
): Promise<Attempt<WriteResult>> {
  const { pass } = breaks(path.clock, request.context);
  const object = receive(path, request, birth);
  await pass();
  if (birth.manager !== undefined) {
    const { info, subresource } = request;
    const { manager } = birth;
    const now = path.clock.now();
    await settled(request, () => withPasses(recordingOwnership(info, subresource, manager, object, undefined, now), pass));
  }
  await pass();
  const admitted = admissionRequest(request, 'CREATE', current, object, undefined);
  const mutated = path.admission.mutate(admitted);
  if (mutated !== undefined) {
    await mutated;
    meta.agreeOnNamespace(request.info, metadataOf(object), request.namespace);
  }
  const asked = parseResourceVersion(stringAt(metadataOf(object), 'resourceVersion'));
  begin(path, request, birth, object);
  await pass();
  decide(path, request, birth, object);
  await pass();
  const dialectSensitive = canonicalizeGroups(object, request.info.hubCodec.groupFields, path.names);
  const refusal = request.creates === 'instead' ? await request.context.creationRefusal?.() : undefined;
  if (refusal !== undefined) throw refusal;
  const checked = path.admission.validate(admitted);
  if (checked !== undefined) await checked;
  const kept = await asKept(path, request, object);
  return withReservation(path, admitted, async (reservation) => {
    const version = asked.type === 'number' ? asked.value : undefined;
    if (version !== undefined && !request.dryRun) throw status.clientFault('resourceVersion should not be set on objects to be created');
    checkFree(request, birth, object, current);
    await pass();
    const encoded = await withPasses(encoding(request.info, stored(request, kept), dialectSensitive), pass);
    await pass();
    return reserving(store(path, request, birth, encoded, version), reservation);
  });
}

/** With the defaults of the version that was sent, as the version that is stored. */
function receive(path: AttemptPath, request: WriteRequest, { sent }: Birth): JsonObject {
  const { info } = request;
  const { strategy } = info;
  info.codec.applyDefaults(sent);
  dropCarried(info.row, sent);
  const object = toHub(info, sent);
  meta.dropDeletion(metadataOf(object));
  strategy.canonicalize?.(object);
  const isNamed = request.name !== '' || stringAt(metadataOf(object), 'name') !== undefined;
  if (isNamed) strategy.setRequiredLabels?.(object, path.strategyContext(request));
  return object;
}

/** The server's part of a new object's metadata, and what nobody can bring along. */
function begin(path: AttemptPath, { info, context }: WriteRequest, { name }: Birth, object: JsonObject): void {
  const metadata = metadataOf(object);
  meta.stampNew(info, metadata, path.random.uuid(), path.clock.now());
  if (name !== '') metadata['name'] = name;
  if (info.hasStatus && info.strategy.keepsStatusAtCreation !== true) delete object['status'];
  meta.dedupeOwners(metadata, 'update', (text) => context.warn(text));
  info.hubCodec.dropDisabled(object);
}

/** The kind's part: allocation, what a client may not choose, and the judgement. */
function decide(path: AttemptPath, request: WriteRequest, { claims }: Birth, object: JsonObject): void {
  const { info, context } = request;
  const { strategy } = info;
  const strategyContext = path.strategyContext(request);
  prepareForAllocation(info, object, undefined, strategyContext);
  allocate(info, object, undefined, claims);
  for (const warning of strategy.earlyWarnings?.(object) ?? []) context.warn(warning);
  strategy.prepareForCreate?.(object, strategyContext);
  strategy.setRequiredLabels?.(object, strategyContext);
  validateCreation(info, object, strategyContext);
  for (const warning of strategy.warningsOnCreate?.(object) ?? []) context.warn(warning);
}

function checkFree({ info }: WriteRequest, { name }: Birth, object: JsonObject, { entry, definition }: Current): void {
  if (entry !== undefined) throw alreadyExists(info, name, metadataOf(object), entry);
  if (info.row.custom !== undefined) checkDefinition(info, definition);
}

/** Applies the defaults that upstream applies when it decodes the stored object: those of `completeCreated`, and those of the stored version after a conversion. */
function stored({ info }: WriteRequest, object: JsonObject): JsonObject {
  info.strategy.completeCreated?.(object);
  if (info.converter !== undefined) info.hubCodec.applyDefaults(object);
  return object;
}

/** `version` = the one that the object was sent with: a dry run shows it again. */
function store(
  path: AttemptPath,
  request: WriteRequest,
  birth: Birth,
  encoded: Encoded,
  version: number | undefined,
): Attempt<WriteResult> {
  const { info, namespace } = request;
  const key = entryKey({ namespace, name: birth.name });
  const value = storedValue(info, encoded, hiddenFields(info, encoded.object, path.clock.now(), path.eventTtlSeconds));
  return {
    type: 'store',
    isBirth: true,
    operation: { type: 'put', key: info.keyPrefix + key, value },
    ...accompany(path, info, undefined, encoded.object, birth.claims, (revision = version) => ({
      entry: revision === undefined ? unstoredEntry(key, encoded) : makeEntry(info.stored, key, revision, value),
      created: true,
    })),
  };
}
