/**
 * Entry point of all writes: makes the request of a verb, runs it, and converts its result to the version of the request
 * and store failures to Status errors. The store is changed only through {@link guaranteedUpdate}.
 */
import type { ObjectKey } from '../../../../shared/api/identity/identity';
import * as status from '../../../../shared/api/errors/status';
import { ADMIT_ALL, type OperationOptions } from '../../admission';
import type { DeleteOptions, DeleteResult, RequestContext, Resource, Subresource, WriteResult, Writer } from '../../verbs';
import { createWriteDependencies, type WriteRequest, type WriterDependencies } from '../request';
import { convertWriteFailure } from '../store-failure';
import { toRequestVersion, withVersionConverter } from '../version-conversion';
import type { ExecutorDependencies } from './execute';
import type { OffloadThreads } from './offload/messages';
import { shouldOffloadBody, shouldOffloadPatch } from './offload/should-offload';
import * as writes from './writes';

/** `threads`: absent when every write runs on the server's thread. */
export function createWriter(dependencies: WriterDependencies & { readonly threads?: OffloadThreads | undefined }): Writer {
  const { threads } = dependencies;
  const deps: ExecutorDependencies = { ...createWriteDependencies(dependencies), threads };
  return {
    defersParsing: (resource, body) => threads !== undefined && shouldOffloadBody(body, deps.infoOf(resource).strategy, threads.limits),
    defersPatchParsing: (patch) => threads !== undefined && shouldOffloadPatch(patch, threads.limits),
    create(context, resource, namespace, body, options) {
      const request = createWriteRequest(deps, context, resource, { namespace, name: '' }, undefined, options);
      return runForResult(deps, 'create', request, () => writes.createObject(deps, request, body, options));
    },
    update(context, resource, key, subresource, body, options) {
      const request = createWriteRequest(deps, context, resource, key, subresource, options);
      return runForResult(deps, 'update', request, () => writes.updateObject(deps, request, body, options));
    },
    patch(context, resource, key, subresource, patch, options) {
      const request = createWriteRequest(deps, context, resource, key, subresource, options);
      return runForResult(deps, 'patch', request, () => writes.patchObject(deps, request, patch, options));
    },
    edit(context, resource, key, { dryRun, preconditions = {} }, change) {
      const request = createWriteRequest(deps, context, resource, key, undefined, { dryRun });
      return runRequest(deps, 'update', request, () => writes.editObject(deps, request, { preconditions, change }));
    },
    writeComputedStatus(context, resource, key, computed, options) {
      const request = createWriteRequest(deps, context, resource, key, 'status', options);
      return runRequest(deps, 'update', request, () => writes.writeComputedStatus(deps, request, computed, options));
    },
    delete(context, resource, key, options) {
      const request = createWriteRequest(deps, context, resource, key, undefined, options);
      return runForResult(deps, 'delete', request, () => writes.deleteObject(dependenciesFor(deps, options), request, options));
    },
    deleteCollection(context, resource, namespace, list, options) {
      const request = createWriteRequest(deps, context, resource, { namespace, name: '' }, undefined, options);
      return runRequest(deps, 'delete', request, () => writes.deleteCollection(dependenciesFor(deps, options), request, list, options));
    },
  };
}

/** A deletion that is already admitted passes no plug-ins, but still reserves quota. */
const dependenciesFor = (deps: ExecutorDependencies, { isAdmitted }: DeleteOptions): ExecutorDependencies =>
  isAdmitted === true ? { ...deps, admission: { ...ADMIT_ALL, reserve: (request) => deps.admission.reserve(request) } } : deps;

function createWriteRequest(
  deps: ExecutorDependencies,
  context: RequestContext,
  resource: Resource,
  { namespace, name }: ObjectKey,
  subresource: Subresource,
  options: OperationOptions & { readonly dryRun: boolean; readonly statedOptions?: OperationOptions },
): WriteRequest {
  const { dryRun, statedOptions: operationOptions = options } = options;
  return {
    context,
    ...withVersionConverter(deps, deps.infoOf(resource), context),
    namespace,
    name,
    subresource,
    dryRun,
    options: operationOptions,
  };
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
    throw convertWriteFailure(error, operation, request.info.gr, request.name);
  }
}
