/**
 * Runs each verb: chooses the plan, the object name and the responses, and passes them to the executor. The result
 * is the same whether the steps of a verb run in a worker thread or on the server's thread. The steps are in verbs/lists.ts.
 */
import type { ObjectKey } from '../../../../shared/api/identity/identity';
import { stringifyJson } from '../../../../shared/values/json';
import { generateName } from '../../../../shared/values/name-formats';
import { invalidValue, unsupportedValue, type FieldError } from '../../../../shared/api/errors/field-error';
import * as status from '../../../../shared/api/errors/status';
import { deletedStatus } from '../../../../shared/api/errors/success-status';
import { withConcurrencyLimit } from '../../../../shared/scheduling/concurrency-limit';
import { scopeBounds } from '../../../cache/store/key-space';
import type { Entry } from '../../../cache/cache';
import { parseObjectBody } from '../../object/parse-body';
import type { ResourceInfo } from '../../object/resource-info';
import type {
  DeleteOptions,
  DeleteResult,
  ListOptions,
  ListPage,
  ObjectBody,
  ComputedStatus,
  ParsedBody,
  PatchBody,
  PatchOptions,
  RawBody,
  WriteOptions,
  WriteResult,
} from '../../verbs';
import { slotTimeSlice, yieldIfDue } from '../../../../shared/scheduling/yielding';
import { alreadyExistsError } from '../preconditions';
import type { WriteDependencies, WriteRequest } from '../request';
import { bodyInfo } from '../scale';
import type { EditStart } from '../steps/edit';
import { planChange, planCreate, planDelete, planEdit, planFinalDelete, type WritePlan } from '../verbs/plan';
import { createSource, patchOrApplySource, updateSource } from '../verbs/sources';
import { callsWebhooks, execute, type Execution, type ExecutorDependencies, type WriteResponses } from './execute';
import { isObjectInspected, OffloadedAttempt, type OffloadedRequest } from './offload/offloaded-attempt';
import { shouldOffloadPatch } from './offload/should-offload';

const WRITE_RESPONSES: WriteResponses<WriteResult> = {
  unchanged: (entry) => ({ entry, created: false }),
  rewritesOutdated: true,
  stored: (entry, { isNew }) => ({ entry, created: isNew }),
};

/** Generated names that a create tries. */
const NAME_ATTEMPTS = 8;

/** POST. */
export async function createObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  body: ObjectBody,
  options: WriteOptions,
): Promise<WriteResult> {
  if (body.value === undefined && deps.threads !== undefined && !callsWebhooks(deps, request))
    return createOffloaded(deps, deps.threads, request, body.raw, options);
  const { source, name: bodyName, generateName: prefix } = createSource(deps, request, await parseIfNeeded(deps, request, body), options);
  const isGenerated = bodyName === '' && prefix !== '';
  return withGeneratedNames(isGenerated, async () => {
    const chosenName = isGenerated ? generateName(prefix, deps.random) : bodyName;
    const plan = planCreate({ ...request, name: bodyName }, chosenName, source, options);
    return execute(deps, { ...createExecution(request, chosenName), plan: () => plan });
  });
}

/** The worker thread decodes the body first; when it has reported the object's name, the same attempt continues. */
async function createOffloaded(
  deps: ExecutorDependencies,
  threads: NonNullable<ExecutorDependencies['threads']>,
  request: WriteRequest,
  body: RawBody,
  options: WriteOptions,
): Promise<WriteResult> {
  const offloaded: OffloadedRequest = { payload: { verb: 'create', body, options }, isUnparsed: true };
  const startAttempt = (): OffloadedAttempt => new OffloadedAttempt(deps, threads, request, offloaded, { name: '', entry: undefined });
  const firstAttempt = startAttempt();
  const { isGenerated } = await firstAttempt.decodedName();
  let startedAttempt: OffloadedAttempt | undefined = firstAttempt;
  return withGeneratedNames(isGenerated, async () => {
    // Another generated name needs another attempt.
    const attempt = startedAttempt ?? startAttempt();
    startedAttempt = undefined;
    const { name: chosenName } = await attempt.decodedName();
    // If a webhook has been configured in the meantime, the write runs on this thread.
    const plan = async (): Promise<WritePlan> => {
      const { source, name: bodyName } = createSource(deps, request, await parseIfNeeded(deps, request, { raw: body }), options);
      return planCreate({ ...request, name: bodyName }, chosenName, source, options);
    };
    return execute(deps, { ...createExecution(request, chosenName), plan, offloaded, startedAttempt: attempt });
  });
}

/**
 * A create is rejected when its name exists, whatever else is wrong with the object, so its steps run only once, on
 * fresh state.
 */
function createExecution(request: WriteRequest, name: string): Omit<Execution<WriteResult>, 'plan'> {
  const { info } = request;
  return {
    request,
    attempts: { name, traceName: 'Create etcd3', alreadyExistsError: () => status.alreadyExists(info.gr, name) },
    precheck({ entry, isFresh }) {
      if (entry !== undefined && !isFresh) throw alreadyExistsError(info, name, {}, entry);
    },
    responses: WRITE_RESPONSES,
  };
}

/** Retries with another generated name when the name exists. */
async function withGeneratedNames(isGenerated: boolean, create: () => Promise<WriteResult>): Promise<WriteResult> {
  for (let attemptsLeft = isGenerated ? NAME_ATTEMPTS : 1; ; attemptsLeft--) {
    try {
      return await create();
    } catch (error) {
      if (attemptsLeft === 1 || !(error instanceof status.StatusError) || error.reason !== 'AlreadyExists') throw error;
    }
  }
}

/** Parses a body that the endpoint left unparsed, when the write is not offloaded after all. */
async function parseIfNeeded({ clock }: WriteDependencies, request: WriteRequest, body: ObjectBody): Promise<ParsedBody> {
  if (body.value !== undefined) return body;
  const { bytes, format } = body.raw;
  return parseObjectBody(bytes, format, bodyInfo(request).row, clock, slotTimeSlice(clock, request.context));
}

/** PUT. Errors in a parsed body come before all others. */
export async function updateObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  body: ObjectBody,
  options: WriteOptions,
): Promise<WriteResult> {
  const { raw, value } = body;
  const offloaded =
    raw === undefined ? undefined : ({ payload: { verb: 'update', body: raw, options }, isUnparsed: value === undefined } as const);
  const parsePlan = async (): Promise<WritePlan> => planFor(await parseIfNeeded(deps, request, body));
  const planFor = (parsed: ParsedBody): WritePlan => planChange(request, updateSource(deps, request, parsed, options), options);
  return changeObject(deps, request, value === undefined ? undefined : planFor(body), parsePlan, offloaded);
}

/** PATCH and server-side apply. */
export async function patchObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  patch: PatchBody,
  options: PatchOptions,
): Promise<WriteResult> {
  const isUnparsed = deps.threads !== undefined && shouldOffloadPatch(patch, deps.threads.limits);
  const parsePlan = async (): Promise<WritePlan> => planChange(request, await patchOrApplySource(deps, request, patch, options), options);
  return changeObject(deps, request, isUnparsed ? undefined : await parsePlan(), parsePlan, {
    payload: { verb: 'patch', patch, options },
    isUnparsed,
  });
}

/** `parsedPlan`: absent until a body or patch that was left unparsed has to be parsed on this thread after all. */
async function changeObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  parsedPlan: WritePlan | undefined,
  parsePlan: () => Promise<WritePlan>,
  offloaded: OffloadedRequest | undefined,
): Promise<WriteResult> {
  let plan = parsedPlan;
  const attempts = { name: request.name, traceName: 'GuaranteedUpdate etcd3' } as const;
  return execute(deps, {
    request,
    attempts,
    plan: () => plan ?? parsePlan().then((parsed) => (plan = parsed)),
    offloaded,
    responses: WRITE_RESPONSES,
  });
}

/** Bindings and the conditions of evictions. See steps/edit.ts. */
export function editObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  editStart: Omit<EditStart, 'current' | 'request'>,
): Promise<Entry> {
  const plan = planEdit(request, editStart);
  const responses = { unchanged: (entry: Entry) => entry, rewritesOutdated: true, stored: (entry: Entry) => entry };
  return execute(deps, { request, attempts: { name: request.name }, plan: () => plan, responses });
}

/**
 * Writes a status that the server has computed. The status is not validated, and only the necessary part of the
 * object is parsed. If plug-ins inspect such objects, the status is written as a JSON patch instead. `request`: of
 * the status endpoint.
 */
export async function writeComputedStatus(
  deps: ExecutorDependencies,
  request: WriteRequest,
  { revision, status: value }: ComputedStatus,
  options: WriteOptions,
): Promise<void> {
  const resourceVersion = String(revision);
  if (callsWebhooks(deps, request) || isObjectInspected(deps, request, 'update')) {
    const operations = [
      { op: 'add', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: '/status', value },
    ];
    await patchObject(deps, request, { type: 'json', bytes: Buffer.from(stringifyJson(operations)), dialect: 'platform' }, options);
    return;
  }
  await editObject(deps, request, {
    preconditions: { resourceVersion },
    owner: { manager: options.fieldManager, subresource: 'status' },
    change: (object) => void (object['status'] = value),
  });
}

/** The object is marked and can be removed, in another transaction. */
interface MarkedObject {
  readonly type: 'marked';
  readonly entry: Entry;
  readonly uid: string;
}

/** DELETE. An object that is marked and can be removed at once takes two transactions, so that watchers see both. */
export async function deleteObject(deps: ExecutorDependencies, request: WriteRequest, options: DeleteOptions): Promise<DeleteResult> {
  validateDeleteOptions(options);
  addDeleteWarnings(request, options);
  const { info, name } = request;
  const toResult = (entry: Entry, code: 200 | 202): DeleteResult => ({ type: 'object', entry, code });
  const outcome = await execute<DeleteResult | MarkedObject>(deps, {
    request,
    attempts: { name },
    plan: () => planDelete(request, options),
    offloaded: { payload: { verb: 'delete', options }, isUnparsed: false },
    responses: {
      unchanged: toResult,
      rewritesOutdated: false,
      stored(entry, { value, removal = NO_REMOVAL }, revision) {
        const { uid, code, isRemovalDue } = removal;
        if (value === undefined || (isRemovalDue && revision === undefined)) return deletedResult(info, name, uid, entry);
        return isRemovalDue ? { type: 'marked', entry, uid } : toResult(entry, code);
      },
    },
  });
  if (outcome.type !== 'marked') return outcome;
  const { uid, entry: markedEntry } = outcome;
  return execute<DeleteResult>(deps, {
    request,
    attempts: { name, startEntry: markedEntry },
    plan: () => planFinalDelete(request, uid),
    offloaded: { payload: { verb: 'finalDelete', uid }, isUnparsed: false },
    responses: {
      unchanged: toResult,
      rewritesOutdated: false,
      stored: (entry) => deletedResult(info, name, uid, entry),
      missing: () => deletedResult(info, name, uid, markedEntry),
    },
  });
}

const NO_REMOVAL = { uid: '', code: 200, isRemovalDue: false } as const;

function deletedResult(info: ResourceInfo, name: string, uid: string, entry: Entry): DeleteResult {
  if (info.row.returnsDeletedObject !== undefined) return { type: 'object', entry, code: 200 };
  return { type: 'status', status: deletedStatus(info.gr, name, uid), code: 200 };
}

const PROPAGATION_POLICIES = ['Foreground', 'Background', 'Orphan'];

function validateDeleteOptions(options: DeleteOptions): void {
  const { orphanDependents, propagationPolicy } = options;
  if (propagationPolicy === undefined) return;
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined) {
    errors.push(invalidValue('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (!PROPAGATION_POLICIES.includes(propagationPolicy))
    errors.push(unsupportedValue('propagationPolicy', propagationPolicy, [...PROPAGATION_POLICIES, 'nil']));
  if (errors.length > 0) throw status.invalid({ group: 'meta.platform.io', kind: 'DeleteOptions' }, '', errors);
}

function addDeleteWarnings({ info, context }: WriteRequest, options: DeleteOptions): void {
  for (const warning of info.strategy.deletion?.warnings?.(options) ?? []) context.warn(warning);
}

/** Concurrent deletions: enough for the store to batch them, few enough not to delay other requests. */
const DELETE_CONCURRENCY = 16;

/**
 * Deletes the objects of a list and returns the list. Stops at the first failure; an object that no longer exists is
 * not a failure.
 */
export async function deleteCollection(
  deps: ExecutorDependencies,
  request: WriteRequest,
  list: ListOptions,
  options: DeleteOptions,
): Promise<ListPage> {
  validateDeleteOptions(options);
  addDeleteWarnings(request, options);
  const { info, context } = request;
  const { start, end } = scopeBounds(info.stored, request.namespace === '' ? {} : { namespace: request.namespace });
  const unreadable = deps.cache.firstUnreadableKey(info.stored, start, end);
  if (unreadable !== undefined) throw status.internalError(`unable to transform key "${unreadable.storeKey}": ${unreadable.reason}`);
  const page = await deps.reader.list(context, info.resource, request.namespace, list);
  const entries = [...page.entries];
  await withConcurrencyLimit(DELETE_CONCURRENCY, entries, async (entry) => {
    // Deletions that store nothing, such as dry runs, do not wait otherwise.
    await yieldIfDue(context);
    try {
      await deleteObject(deps, { ...request, ...namespacedNameOf(info, entry.key) }, options);
    } catch (error) {
      if (!(error instanceof status.StatusError && error.reason === 'NotFound')) throw error;
    }
  });
  return { ...page, entries };
}

function namespacedNameOf(info: ResourceInfo, key: string): ObjectKey {
  const slash = info.namespaced ? key.indexOf('/') : -1;
  return { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
}
