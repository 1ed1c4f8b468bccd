/** What the executor is asked to do for each verb: which plan, on which name, with which response. The steps themselves are in verbs/lists.ts. */
import { stringifyJson } from '../../../../shared/values/json';
import { generateName } from '../../../../shared/values/name-formats';
import type { FieldError } from '../../../../shared/api/errors/field-error';
import { invalidValue, unsupportedValue } from '../../../../shared/api/errors/field-error';
import * as status from '../../../../shared/api/errors/status';
import { withConcurrencyLimit } from '../../../../shared/scheduling/concurrency-limit';
import { scopeBounds } from '../../../cache/store/key-space';
import type { Entry } from '../../../cache/cache';
import { parseObject } from '../../object/parse-body';
import type { ResourceInfo } from '../../object/resource-info';
import type {
  DeleteOptions,
  DeleteResult,
  ListOptions,
  ListPage,
  ObjectBody,
  OwnStatus,
  ParsedBody,
  PatchBody,
  SentBody,
  WriteOptions,
  WriteResult,
} from '../../verbs';
import { slotTimeSlice, yieldIfDue } from '../../../../shared/scheduling/yielding';
import { alreadyExists } from '../preconditions';
import type { WriteDependencies, WriteRequest } from '../request';
import { bodyInfo } from '../scale';
import type { EditStart } from '../steps/edit';
import { change, creation, deletion, edit, finalDeletion, type WritePlan } from '../verbs/plan';
import { newObject, patchedObject, updatedObject, type ObjectSourceOptions } from '../verbs/sources';
import { callsOut, execute, type Execution, type ExecutorDependencies, type Responses } from './execute';
import { inspectsObject, OffloadedAttempt, type OffloadedRequest } from './offload/offloaded-attempt';
import { isOffloadedPatch } from './offload/should-offload';

const WRITTEN: Responses<WriteResult> = {
  unchanged: (entry) => ({ entry, created: false }),
  isRewritten: true,
  stored: (entry, { isNew }) => ({ entry, created: isNew }),
};

const NAME_ATTEMPTS = 8;

/** POST. */
export async function createObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  body: ObjectBody,
  options: WriteOptions,
): Promise<WriteResult> {
  if (body.value === undefined && deps.threads !== undefined && !callsOut(deps, request))
    return createOffloaded(deps, deps.threads, request, body.sent, options);
  const { source, given, base } = newObject(deps, request, await parsed(deps, request, body), options);
  const isGenerated = given === '' && base !== '';
  return withGeneratedNames(isGenerated, async () => {
    const name = isGenerated ? generateName(base, deps.random) : given;
    const plan = creation({ ...request, name: given }, name, source, options);
    return execute(deps, { ...creating(request, name), plan: () => plan });
  });
}

/** The name of the object is known when a worker thread has decoded the body; the same attempt then goes on. */
async function createOffloaded(
  deps: ExecutorDependencies,
  threads: NonNullable<ExecutorDependencies['threads']>,
  request: WriteRequest,
  body: SentBody,
  options: WriteOptions,
): Promise<WriteResult> {
  const offloaded: OffloadedRequest = { what: { verb: 'create', body, options }, isUnread: true };
  const begin = (): OffloadedAttempt => new OffloadedAttempt(deps, threads, request, offloaded, '', undefined);
  const first = begin();
  const { isGenerated } = await first.decodedName();
  let next: OffloadedAttempt | undefined = first;
  return withGeneratedNames(isGenerated, async () => {
    const begun = next ?? begin();
    next = undefined;
    const { name } = await begun.decodedName();
    // A webhook that has been configured meanwhile keeps the write on this thread.
    const plan = async (): Promise<WritePlan> => {
      const { source, given } = newObject(deps, request, await parsed(deps, request, { sent: body }), options);
      return creation({ ...request, name: given }, name, source, options);
    };
    return execute(deps, { ...creating(request, name), plan, offloaded, begun });
  });
}

/** A creation that finds its name taken will be refused, whatever else is wrong with the object: its steps run once, on a proven state. */
function creating(request: WriteRequest, name: string): Omit<Execution<WriteResult>, 'plan'> {
  const { info } = request;
  return {
    request,
    attempts: { name, called: 'Create etcd3', taken: () => status.alreadyExists(info.gr, name) },
    precheck({ entry, proven }) {
      if (entry !== undefined && !proven) throw alreadyExists(info, name, {}, entry);
    },
    responses: WRITTEN,
  };
}

/** Tries again where a generated name is taken. */
async function withGeneratedNames(isGenerated: boolean, create: () => Promise<WriteResult>): Promise<WriteResult> {
  for (let left = isGenerated ? NAME_ATTEMPTS : 1; ; left--) {
    try {
      return await create();
    } catch (error) {
      if (left === 1 || !(error instanceof status.StatusError) || error.reason !== 'AlreadyExists') throw error;
    }
  }
}

/** A body that the endpoint has left unparsed is parsed when no worker thread may do so. */
async function parsed({ clock }: WriteDependencies, request: WriteRequest, body: ObjectBody): Promise<ParsedBody> {
  if (body.value !== undefined) return body;
  const { bytes, format } = body.sent;
  return parseObject(bytes, format, bodyInfo(request).row, clock, slotTimeSlice(clock, request.context));
}

/** PUT. What is wrong with a body that has been parsed is said before anything else. */
export async function updateObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  body: ObjectBody,
  options: WriteOptions,
): Promise<WriteResult> {
  const { sent, value } = body;
  const offloaded =
    sent === undefined ? undefined : ({ what: { verb: 'update', body: sent, options }, isUnread: value === undefined } as const);
  const read = async (): Promise<WritePlan> => planOf(await parsed(deps, request, body));
  const planOf = (known: ParsedBody): WritePlan => change(request, updatedObject(deps, request, known, options), options);
  return changeObject(deps, request, value === undefined ? undefined : planOf(body), read, offloaded);
}

/** PATCH, and server-side apply. */
export async function patchObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  patch: PatchBody,
  options: ObjectSourceOptions,
): Promise<WriteResult> {
  const isUnread = deps.threads !== undefined && isOffloadedPatch(patch, deps.threads.limits);
  const read = async (): Promise<WritePlan> => change(request, await patchedObject(deps, request, patch, options), options);
  return changeObject(deps, request, isUnread ? undefined : await read(), read, { what: { verb: 'patch', patch, options }, isUnread });
}

async function changeObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  known: WritePlan | undefined,
  read: () => Promise<WritePlan>,
  offloaded: OffloadedRequest | undefined,
): Promise<WriteResult> {
  let plan = known;
  const attempts = { name: request.name, called: 'GuaranteedUpdate etcd3' } as const;
  return execute(deps, { request, attempts, plan: () => plan ?? read().then((made) => (plan = made)), offloaded, responses: WRITTEN });
}

/** A binding, the marks of an eviction. See steps/edit.ts. */
export function editObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  edited: Omit<EditStart, 'current' | 'request'>,
): Promise<Entry> {
  const plan = edit(request, edited);
  const responses = { unchanged: (entry: Entry) => entry, isRewritten: true, stored: (entry: Entry) => entry };
  return execute(deps, { request, attempts: { name: request.name }, plan: () => plan, responses });
}

/**
 * A status that the server itself has worked out: it is not validated again, and no more is read of the object than that needs. Where plug-ins look into such
 * objects, it is a patch like those of clients. `request`: of the status endpoint.
 */
export async function writeOwnStatus(
  deps: ExecutorDependencies,
  request: WriteRequest,
  { revision, status: value }: OwnStatus,
  options: WriteOptions,
): Promise<void> {
  const resourceVersion = String(revision);
  if (callsOut(deps, request) || inspectsObject(deps, request, 'update')) {
    const steps = [
      { op: 'add', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: '/status', value },
    ];
    await patchObject(deps, request, { type: 'json', bytes: Buffer.from(stringifyJson(steps)), dialect: 'platform' }, options);
    return;
  }
  await editObject(deps, request, {
    preconditions: { resourceVersion },
    owner: { manager: options.fieldManager, subresource: 'status' },
    change: (object) => void (object['status'] = value),
  });
}

/** The object is marked and may go at once: its deletion is a transaction of its own. */
interface Marked {
  readonly type: 'marked';
  readonly entry: Entry;
  readonly uid: string;
}

/** DELETE. An object that may go at once is marked and then deleted, in two transactions, so that watchers see both. */
export async function deleteObject(deps: ExecutorDependencies, request: WriteRequest, options: DeleteOptions): Promise<DeleteResult> {
  checkOptions(options);
  warn(request, options);
  const { info, name } = request;
  const object = (entry: Entry, code: 200 | 202): DeleteResult => ({ type: 'object', entry, code });
  const marked = await execute<DeleteResult | Marked>(deps, {
    request,
    attempts: { name },
    plan: () => deletion(request, options),
    offloaded: { what: { verb: 'delete', options }, isUnread: false },
    responses: {
      unchanged: object,
      isRewritten: false,
      stored(entry, { value, removal = NOT_REMOVED }, revision) {
        const { uid, code, isDue } = removal;
        if (value === undefined || (isDue && revision === undefined)) return deletedResult(info, name, uid, entry);
        return isDue ? { type: 'marked', entry, uid } : object(entry, code);
      },
    },
  });
  if (marked.type !== 'marked') return marked;
  const { uid, entry: left } = marked;
  return execute<DeleteResult>(deps, {
    request,
    attempts: { name, left },
    plan: () => finalDeletion(request, uid),
    offloaded: { what: { verb: 'finalDelete', uid }, isUnread: false },
    responses: {
      unchanged: object,
      isRewritten: false,
      stored: (entry) => deletedResult(info, name, uid, entry),
      gone: () => deletedResult(info, name, uid, left),
    },
  });
}

const NOT_REMOVED = { uid: '', code: 200, isDue: false } as const;

function deletedResult(info: ResourceInfo, name: string, uid: string, entry: Entry): DeleteResult {
  if (info.row.returnsDeletedObject !== undefined) return { type: 'object', entry, code: 200 };
  return { type: 'status', status: status.deletedStatus(info.gr, name, uid), code: 200 };
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

function checkOptions(options: DeleteOptions): void {
  const { orphanDependents, propagationPolicy } = options;
  if (propagationPolicy === undefined) return;
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined) {
    errors.push(invalidValue('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (!POLICIES.includes(propagationPolicy)) errors.push(unsupportedValue('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  if (errors.length > 0) throw status.invalid({ group: 'meta.platform.io', kind: 'DeleteOptions' }, '', errors);
}

function warn({ info, context }: WriteRequest, options: DeleteOptions): void {
  for (const warning of info.strategy.deletion?.warnings?.(options) ?? []) context.warn(warning);
}

/** Deletions that are under way at a time: enough for the store to do them in one go, few enough not to crowd out others. */
const WORKERS = 16;

/** Deletes the objects of a list and returns the list. Stops at the first failure; an object that no longer exists is not a failure. */
export async function deleteCollection(
  deps: ExecutorDependencies,
  request: WriteRequest,
  list: ListOptions,
  options: DeleteOptions,
): Promise<ListPage> {
  checkOptions(options);
  warn(request, options);
  const { info, context } = request;
  const { start, end } = scopeBounds(info.stored, request.namespace === '' ? {} : { namespace: request.namespace });
  const refusal = deps.cache.firstUnreadableKey(info.stored, start, end);
  if (refusal !== undefined) throw status.internalError(`unable to transform key "${refusal.storeKey}": ${refusal.reason}`);
  const page = await deps.reader.list(context, info.resource, request.namespace, list);
  const entries = [...page.entries];
  await withConcurrencyLimit(WORKERS, entries, async (entry) => {
    // Deletions that store nothing (dry runs) wait for nothing either.
    await yieldIfDue(context);
    try {
      await deleteObject(deps, { ...request, ...placeOf(info, entry.key) }, options);
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
