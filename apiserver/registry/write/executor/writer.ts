/**
 * Entry point of all writes. For each verb: makes the {@link WriteRequest}, chooses the plan of steps, the name of the
 * object and the responses, and executes them. The result is converted to the version of the request, a store failure to a
 * Status error. The store is changed only through {@link guaranteedUpdate}.
 */
import type { ObjectKey } from '../../../../shared/api/identity/identity';
import * as status from '../../../../shared/api/errors/status';
import { slotTimeSlice } from '../../../../shared/scheduling/yielding';
import { stringifyJson } from '../../../../shared/values/json';
import { generateName } from '../../../../shared/values/name-formats';
import type { Entry } from '../../../cache/cache';
import { ADMIT_ALL, type OperationOptions } from '../../admission';
import { parseObjectBody } from '../../object/parse-body';
import type {
  ComputedStatus,
  DeleteOptions,
  DeleteResult,
  ObjectBody,
  ParsedBody,
  PatchBody,
  PatchOptions,
  RawBody,
  RequestContext,
  Resource,
  Subresource,
  WriteOptions,
  WriteResult,
  Writer,
} from '../../verbs';
import { alreadyExistsError } from '../preconditions';
import { createWriteDependencies, type WriteDependencies, type WriteRequest, type WriterDependencies } from '../request';
import { bodyInfo } from '../scale';
import type { EditStart } from '../steps/edit';
import { convertWriteFailure } from '../store-failure';
import { planChange, planCreate, planEdit, type WritePlan } from '../verbs/lists';
import { createSource, patchOrApplySource, updateSource } from '../verbs/sources';
import { toRequestVersion, versionConverterFor } from '../version-conversion';
import { deleteCollection, deleteObject } from './deletions';
import { callsWebhooks, execute, type Execution, type ExecutorDependencies, type WriteResponses } from './execute';
import type { OffloadThreads } from './offload/messages';
import { isObjectInspected, OffloadedAttempt, type OffloadedRequest } from './offload/offloaded-attempt';
import { shouldOffloadBody, shouldOffloadPatch } from './offload/should-offload';

/** `threads`: absent when every write runs on the server's thread. */
export function createWriter(dependencies: WriterDependencies & { readonly threads?: OffloadThreads | undefined }): Writer {
  const { threads } = dependencies;
  const deps: ExecutorDependencies = { ...createWriteDependencies(dependencies), threads };
  return {
    defersParsing: (resource, body) => threads !== undefined && shouldOffloadBody(body, deps.infoOf(resource).strategy, threads.limits),
    defersPatchParsing: (patch) => threads !== undefined && shouldOffloadPatch(patch, threads.limits),
    create(context, resource, namespace, body, options) {
      const request = createWriteRequest(deps, context, { resource, key: { namespace, name: '' }, subresource: undefined }, options);
      return runForResult(deps, 'create', request, () => createObject(deps, request, body, options));
    },
    update(context, resource, key, subresource, body, options) {
      const request = createWriteRequest(deps, context, { resource, key, subresource }, options);
      return runForResult(deps, 'update', request, () => updateObject(deps, request, body, options));
    },
    patch(context, resource, key, subresource, patch, options) {
      const request = createWriteRequest(deps, context, { resource, key, subresource }, options);
      return runForResult(deps, 'patch', request, () => patchObject(deps, request, patch, options));
    },
    edit(context, resource, key, { dryRun, preconditions = {} }, change) {
      const request = createWriteRequest(deps, context, { resource, key, subresource: undefined }, { dryRun });
      return runRequest(deps, 'update', request, () => editObject(deps, request, { preconditions, change }));
    },
    writeComputedStatus(context, resource, key, computed, options) {
      const request = createWriteRequest(deps, context, { resource, key, subresource: 'status' }, options);
      return runRequest(deps, 'update', request, () => writeComputedStatus(deps, request, computed, options));
    },
    delete(context, resource, key, options) {
      const request = createWriteRequest(deps, context, { resource, key, subresource: undefined }, options);
      return runForResult(deps, 'delete', request, () => deleteObject(dependenciesFor(deps, options), request, options));
    },
    deleteCollection(context, resource, namespace, list, options) {
      const request = createWriteRequest(deps, context, { resource, key: { namespace, name: '' }, subresource: undefined }, options);
      return runRequest(deps, 'delete', request, () => deleteCollection(dependenciesFor(deps, options), request, list, options));
    },
  };
}

/** A deletion that is already admitted passes no plug-ins. */
const dependenciesFor = (deps: ExecutorDependencies, { isAdmitted }: DeleteOptions): ExecutorDependencies =>
  isAdmitted === true ? { ...deps, admission: ADMIT_ALL } : deps;

/** What a request writes. The name in the key is empty for a create and for a collection. */
interface WriteTarget {
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly subresource: Subresource;
}

function createWriteRequest(
  deps: ExecutorDependencies,
  context: RequestContext,
  { resource, key: { namespace, name }, subresource }: WriteTarget,
  options: OperationOptions & { readonly dryRun: boolean; readonly statedOptions?: OperationOptions },
): WriteRequest {
  const { dryRun, statedOptions = options } = options;
  const info = deps.infoOf(resource);
  const versionConverter = versionConverterFor(deps, info, context);
  return { context, info, versionConverter, namespace, name, subresource, dryRun, options: statedOptions };
}

/** Like {@link runRequest}, and converts the object in the result to the version of the request. */
const runForResult = <R extends DeleteResult | WriteResult>(
  deps: ExecutorDependencies,
  operation: string,
  request: WriteRequest,
  run: () => Promise<R>,
): Promise<R> => runRequest(deps, operation, request, async () => toRequestVersion(deps, request, await run()));

/** Runs a request and converts store failures to Status errors. */
async function runRequest<R>({ cache }: ExecutorDependencies, operation: string, request: WriteRequest, run: () => Promise<R>): Promise<R> {
  if (!cache.isReady) throw status.tooManyRequests('storage is (re)initializing', 1);
  try {
    return await run();
  } catch (error) {
    throw convertWriteFailure(error, operation, request.info.row, request.name);
  }
}

const WRITE_RESPONSES: WriteResponses<WriteResult> = {
  unchanged: (entry) => ({ entry, created: false }),
  rewritesOutdated: true,
  stored: (entry, { isNew }) => ({ entry, created: isNew }),
};

/** Number of generated names that a create tries, as in upstream. */
const NAME_ATTEMPTS = 8;

/** POST. */
async function createObject(
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
    // In the request that plug-ins see, a generated name is missing; the object gets it after mutating admission.
    const plan = planCreate({ ...request, name: bodyName }, chosenName, source, options);
    return execute(deps, { plan: () => plan, ...createExecution(request, chosenName) });
  });
}

/** The worker thread decodes the body first; when it has reported the object's name, the same attempt continues. */
async function createOffloaded(
  deps: ExecutorDependencies,
  threads: NonNullable<ExecutorDependencies['threads']>,
  request: WriteRequest,
  raw: RawBody,
  options: WriteOptions,
): Promise<WriteResult> {
  const { bytes, format } = raw;
  const offloaded: OffloadedRequest = { payload: { verb: 'create', bytes, format, options }, isUnparsed: true };
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
      const { source, name: bodyName } = createSource(deps, request, await parseIfNeeded(deps, request, { raw }), options);
      return planCreate({ ...request, name: bodyName }, chosenName, source, options);
    };
    return execute(deps, { plan, offloaded, startedAttempt: attempt, ...createExecution(request, chosenName) });
  });
}

/**
 * When the name exists in cached state, the steps do not run on that state: the create is going to be rejected whatever
 * they find, so they run only once, on fresh state.
 */
function createExecution(request: WriteRequest, name: string): Omit<Execution<WriteResult>, 'plan'> {
  const { info } = request;
  return {
    request,
    attempts: { name, traceName: 'Create etcd3', alreadyExistsError: () => status.alreadyExists(info.row, name) },
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
  return parseObjectBody(body.raw, bodyInfo(request).row, clock, slotTimeSlice(clock, request.context));
}

/** PUT. Errors in a parsed body come before all others. */
async function updateObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  body: ObjectBody,
  options: WriteOptions,
): Promise<WriteResult> {
  const { raw, value } = body;
  const offloaded =
    raw === undefined
      ? undefined
      : ({ payload: { verb: 'update', bytes: raw.bytes, format: raw.format, options }, isUnparsed: value === undefined } as const);
  const planFor = (parsed: ParsedBody): WritePlan => planChange(request, updateSource(deps, request, parsed, options), options);
  const parsePlan = async (): Promise<WritePlan> => planFor(await parseIfNeeded(deps, request, body));
  return changeObject(deps, request, { planOfParsed: value === undefined ? undefined : planFor(body), parsePlan, offloaded });
}

/** PATCH and server-side apply. */
async function patchObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  patch: PatchBody,
  options: PatchOptions,
): Promise<WriteResult> {
  const isUnparsed = deps.threads !== undefined && shouldOffloadPatch(patch, deps.threads.limits);
  const parsePlan = async (): Promise<WritePlan> => planChange(request, await patchOrApplySource(deps, request, patch, options), options);
  return changeObject(deps, request, {
    planOfParsed: isUnparsed ? undefined : await parsePlan(),
    parsePlan,
    offloaded: { payload: { verb: 'patch', type: patch.type, bytes: patch.bytes, dialect: patch.dialect, options }, isUnparsed },
  });
}

/** The body or patch of a change, as the attempts on this thread and those in worker threads use it. */
interface ChangeInput {
  /** The plan of a body or patch that is already parsed; `undefined` when it was left unparsed for a worker thread. */
  readonly planOfParsed: WritePlan | undefined;
  /** Parses the body or patch. Called once, when an attempt runs on this thread although it was left unparsed. */
  readonly parsePlan: () => Promise<WritePlan>;
  readonly offloaded: OffloadedRequest | undefined;
}

/** Executes a change of an existing object, or a PUT or apply that creates an absent one. */
async function changeObject(
  deps: ExecutorDependencies,
  request: WriteRequest,
  { planOfParsed, parsePlan, offloaded }: ChangeInput,
): Promise<WriteResult> {
  let plan = planOfParsed;
  const attempts = { name: request.name, traceName: 'GuaranteedUpdate etcd3' } as const;
  return execute(deps, {
    request,
    attempts,
    plan: () => plan ?? parsePlan().then((parsed) => (plan = parsed)),
    offloaded,
    responses: WRITE_RESPONSES,
  });
}

/** Edits by the server itself: bindings, conditions of evictions, computed statuses. Their steps are in steps/edit.ts. */
function editObject(deps: ExecutorDependencies, request: WriteRequest, editStart: Omit<EditStart, 'current' | 'request'>): Promise<Entry> {
  const plan = planEdit(request, editStart);
  const responses = { unchanged: (entry: Entry) => entry, rewritesOutdated: true, stored: (entry: Entry) => entry };
  return execute(deps, { request, attempts: { name: request.name }, plan: () => plan, responses });
}

/**
 * Writes a status that the server has computed. The status is not validated, and only the necessary part of the
 * object is parsed. An edit bypasses admission; so if webhooks or plug-ins read such objects, the status is written as a
 * JSON patch instead. `request`: of the status endpoint.
 */
async function writeComputedStatus(
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
