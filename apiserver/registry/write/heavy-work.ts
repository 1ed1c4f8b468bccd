/**
 * What a thread does with a heavy write: the steps of its verb, as everywhere, but for what only the process that was asked can know: there it notes that it
 * has come by and goes on. See heavy.ts.
 */
import { StatusError } from '../../../shared/api/errors/status';
import { stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { parseJson, SyntaxFault } from '../../../shared/serialization';
import { generateName } from '../../../shared/values/name-formats';
import { AllocationClaims } from '../../allocation/claims';
import type { Ledger } from '../../allocation/ledger';
import type { Entry } from '../../cache/cache';
import { parseObject } from '../object/parse-body';
import { parseEntry } from '../object/stored-object';
import type { ResourceInfo } from '../object/resource-info';
import { ALL_ADMITTED, type Admission, type AdmissionRequest } from '../admission';
import type { PatchBody, RequestContext, SentBody, WriteResult } from '../verbs';
import { ownerOf } from './allocation';
import { attemptCreate, readCreation } from './create';
import { attemptDelete, removeMarked } from './delete';
import type { Removed } from './removal-answer';
import type { Attempt, Current } from './guaranteed-update';
import type { Gate, HeavyEnd, HeavyOutcome, HeavyRemoval, HeavyRemovalEnd, HeavyRemovalOutcome, HeavyWork } from './heavy';
import { bufferOf, receivedEntry, sentEntry } from './heavy-attempt';
import { readSource } from './patch';
import type { AttemptPath, WriteRequest } from './request';
import { bodyInfo } from './scale';
import { attemptUpdate, throughEndpoint, updateSource, type UpdatedObjectInfo } from './update';

/** What a thread has of what a write needs; of admission, what rests on nothing but the object. */
export interface WorkPath extends AttemptPath {
  /** The ranges with nothing taken: what is chosen here is chosen again where the write was asked for. */
  readonly ledger: () => Ledger;
}

/** An object that a definition stands for: it is looked at where the write was asked for. */
const STANDING: Entry = { key: '', revision: 1, bytes: Buffer.from('{"metadata":{}}'), labels: {}, fields: {}, dialectSensitive: false };

/** Nothing but the object is known. */
const ALONE: Current = { entry: undefined, namespace: undefined, definition: STANDING, lease: undefined, proven: true };
const NOBODY: Admission = { ...ALL_ADMITTED, looksInto: () => true };
/** Nobody else is there to be let go first. */
const UNHURRIED = { deadline: Infinity, isTurnOver: false } as const;

/** What is found out on the way. */
interface Found {
  readonly passed: Gate[];
  readonly warnings: string[];
  name: string;
  generateName: string;
  generates: boolean;
  sent: HeavyOutcome['sent'];
}

export async function workOutHeavy(path: WorkPath, info: ResourceInfo, work: HeavyWork): Promise<HeavyOutcome> {
  const found: Found = { passed: [], warnings: [], name: work.name, generateName: '', generates: false, sent: undefined };
  const end = await endOf(path, info, work, found);
  return { ...found, end };
}

async function endOf(path: WorkPath, info: ResourceInfo, work: HeavyWork, found: Found): Promise<HeavyEnd> {
  try {
    const attempt = await attempted(path, info, work, found);
    return attempt.type === 'answer' ? { type: 'unchanged' } : stored(attempt, work.dryRun);
  } catch (error) {
    if (error instanceof StatusError) return { type: 'refused', status: error.status };
    throw error;
  }
}

function stored(attempt: Extract<Attempt<WriteResult>, { type: 'store' }>, dryRun: boolean): HeavyEnd {
  const { operation, isBirth = false } = attempt;
  const value = operation.type === 'put' ? operation.value : undefined;
  const shown = value !== undefined && !dryRun ? undefined : sentEntry(attempt.finish(undefined).entry);
  return { type: 'store', isBirth, value, shown };
}

async function attempted(outer: WorkPath, info: ResourceInfo, work: HeavyWork, found: Found): Promise<Attempt<WriteResult>> {
  const { namespace, name, subresource, dryRun, options, what } = work;
  const { passed } = found;
  const context: RequestContext = {
    ...UNHURRIED,
    user: work.user,
    warn: (text) => void found.warnings.push(text),
    creationRefusal: () => void passed.push('creationRefusal'),
    sent: (_row, metadata, object) => {
      found.sent ??= { type: 'object', metadata: placeIn(metadata), entry: work.keepsSent ? sentEntry(object()) : undefined };
    },
  };
  const mutate = (asked: AdmissionRequest): Promise<void> | undefined => {
    passed.push('mutate');
    return outer.admission.mutate(asked);
  };
  const admission = { ...NOBODY, mutate, validate: () => void passed.push('validate') };
  const path: AttemptPath = { ...outer, admission };
  const entry = work.entry === undefined ? undefined : receivedEntry(work.entry);
  const claims = claimsFor(outer, info, entry);
  const current: Current = { ...ALONE, entry };
  const request: WriteRequest = { context, info, namespace, name, subresource, dryRun, options: {} };
  if (what.verb === 'create') return created(path, { ...request, name: '' }, work, { ...current, entry: undefined }, claims, found);
  const source = await sourceOf(path, request, work, found);
  return attemptUpdate(path, request, { source: throughEndpoint(path, request, source, options), options, claims }, current);
}

/** How an object goes. */
export async function workOutRemoval(outer: WorkPath, info: ResourceInfo, work: HeavyRemoval): Promise<HeavyRemovalOutcome> {
  const passed: Gate[] = [];
  const { namespace, name, subresource, dryRun, user, what } = work;
  const path: AttemptPath = { ...outer, admission: { ...NOBODY, validate: () => void passed.push('validate') } };
  const request: WriteRequest = {
    context: { ...UNHURRIED, user, warn: () => undefined },
    info,
    namespace,
    name,
    subresource,
    dryRun,
    options: {},
  };
  const entry = receivedEntry(work.entry);
  const current: Current = { ...ALONE, entry };
  try {
    const attempt = await ('options' in what
      ? attemptDelete(path, request, what.options, current, undefined)
      : removeMarked(path, request, { entry, uid: what.marked }, current, undefined));
    return { passed, end: removalEnd(attempt, entry, info) };
  } catch (error) {
    if (error instanceof StatusError) return { passed, end: { type: 'refused', status: error.status } };
    throw error;
  }
}

function removalEnd(attempt: Attempt<Removed>, entry: Entry, { strategy }: ResourceInfo): HeavyRemovalEnd {
  if (attempt.type === 'answer') {
    const { result } = attempt;
    return result.type === 'object' && result.entry === entry ? { type: 'kept', code: result.code } : { type: 'gone' };
  }
  const { operation } = attempt;
  const { object } = parseEntry(entry);
  const uid = stringAt(readMetadata(object), 'uid') ?? '';
  if (operation.type === 'delete') return { type: 'goes', uid, held: strategy.allocation?.held(object) ?? new Map() };
  const made = attempt.finish(entry.revision);
  return { type: 'marked', uid, value: operation.value, goes: made.type === 'marked', code: made.type === 'object' ? made.code : 200 };
}

/** Of a kind that takes something. What the stored object holds is its own. */
function claimsFor(
  { ledger }: WorkPath,
  { strategy: { allocation } }: ResourceInfo,
  entry: Entry | undefined,
): AllocationClaims | undefined {
  if (allocation === undefined) return undefined;
  const ranges = ledger();
  if (entry !== undefined) {
    const { object } = parseEntry(entry);
    const { uid } = ownerOf(object);
    for (const id of allocation.held(object).keys()) ranges.learn(id, { revision: entry.revision, uid }, entry.revision);
  }
  return new AllocationClaims(ranges);
}

async function created(
  path: AttemptPath,
  request: WriteRequest,
  work: HeavyWork,
  current: Current,
  claims: AllocationClaims | undefined,
  found: Found,
): Promise<Attempt<WriteResult>> {
  const { options, what } = work;
  if (what.verb === 'patch') throw new Error('a patch creates nothing');
  const body = await parsed(path, request, what.body);
  const { sent, given, base } = readCreation(path, request, body, options);
  const generates = given === '' && base !== '';
  found.name = work.name !== '' ? work.name : generates ? generateName(base, path.random) : given;
  found.generateName = base;
  found.generates = generates;
  return attemptCreate(path, { ...request, name: given }, { name: found.name, sent, manager: options.fieldManager, claims }, current);
}

async function sourceOf(path: AttemptPath, request: WriteRequest, work: HeavyWork, found: Found): Promise<UpdatedObjectInfo> {
  const { options, what } = work;
  if (what.verb !== 'patch') return updateSource(path, request, await parsed(path, request, what.body), options);
  const patch = { ...what.patch, bytes: bufferOf(what.patch.bytes) };
  if (work.keepsSent) found.sent = { type: 'patch', text: bounded(patchText(patch)) };
  return readSource(path, request, patch, options);
}

async function parsed(
  { clock }: AttemptPath,
  request: WriteRequest,
  { bytes, format }: { readonly bytes: Uint8Array; readonly format: SentBody['format'] },
): Promise<Awaited<ReturnType<typeof parseObject>>> {
  return parseObject(bufferOf(bytes), format, bodyInfo(request).row, clock);
}

/** Characters; nobody records more. */
const LONGEST_RECORD = 1024 * 1024;
const bounded = (text: string): string | undefined => (text.length > LONGEST_RECORD ? undefined : text);

const PLACE = ['namespace', 'name', 'uid', 'resourceVersion'];

const placeIn = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(PLACE.map((member): [string, JsonValue] => [member, stringAt(metadata, member) ?? '']));

/** A patch as it was sent: as JSON where it is JSON, else as a text. */
function patchText({ bytes }: PatchBody): string {
  try {
    return stringifyJson(parseJson(bytes).value);
  } catch (error) {
    if (error instanceof SyntaxFault) return stringifyJson(bytes.toString());
    throw error;
  }
}
