/** The entry of every write. Never speaks HTTP, and never changes the store but through the guaranteed update. */
import type { ObjectKey } from '../../../../shared/api/identity/identity';
import * as status from '../../../../shared/api/errors/status';
import { ALL_ADMITTED, type GivenOptions } from '../../admission';
import type { DeleteOptions, RequestContext, Resource, Subresource, Writer } from '../../verbs';
import { createWriteDependencies, type WriteRequest, type WriterDependencies } from '../request';
import { writeFailure } from '../store-failure';
import { asShown, withMemo } from '../version-conversion';
import type { ExecutorDependencies } from './execute';
import type { OffloadThreads } from './offload/messages';
import { isOffloadedBody, isOffloadedPatch } from './offload/should-offload';
import * as writes from './writes';

/** `threads`: absent, every write runs on the server's thread. */
export function createWriter(dependencies: WriterDependencies & { readonly threads?: OffloadThreads | undefined }): Writer {
  const { threads } = dependencies;
  const deps: ExecutorDependencies = { ...createWriteDependencies(dependencies), threads };
  return {
    defers: (resource, body) => threads !== undefined && isOffloadedBody(body, deps.infoOf(resource).strategy, threads.limits),
    defersPatch: (patch) => threads !== undefined && isOffloadedPatch(patch, threads.limits),
    create(context, resource, namespace, body, options) {
      const request = requestFor(deps, context, resource, { namespace, name: '' }, undefined, options);
      return guarded(deps, 'create', request, async () => asShown(deps, request, await writes.createObject(deps, request, body, options)));
    },
    update(context, resource, key, subresource, body, options) {
      const request = requestFor(deps, context, resource, key, subresource, options);
      return guarded(deps, 'update', request, async () => asShown(deps, request, await writes.updateObject(deps, request, body, options)));
    },
    patch(context, resource, key, subresource, patch, options) {
      const request = requestFor(deps, context, resource, key, subresource, options);
      return guarded(deps, 'patch', request, async () => asShown(deps, request, await writes.patchObject(deps, request, patch, options)));
    },
    edit(context, resource, key, { dryRun, preconditions = {} }, change) {
      const request = requestFor(deps, context, resource, key, undefined, { dryRun });
      return guarded(deps, 'update', request, () => writes.editObject(deps, request, { preconditions, change }));
    },
    ownStatus(context, resource, key, own, options) {
      const request = requestFor(deps, context, resource, key, 'status', options);
      return guarded(deps, 'update', request, () => writes.writeOwnStatus(deps, request, own, options));
    },
    delete(context, resource, key, options) {
      const request = requestFor(deps, context, resource, key, undefined, options);
      return guarded(deps, 'delete', request, async () =>
        asShown(deps, request, await writes.deleteObject(admitting(deps, options), request, options)),
      );
    },
    deleteCollection(context, resource, namespace, list, options) {
      const request = requestFor(deps, context, resource, { namespace, name: '' }, undefined, options);
      return guarded(deps, 'delete', request, () => writes.deleteCollection(admitting(deps, options), request, list, options));
    },
  };
}

const admitting = (deps: ExecutorDependencies, { isAdmitted }: DeleteOptions): ExecutorDependencies =>
  isAdmitted === true ? { ...deps, admission: { ...ALL_ADMITTED, reserve: (request) => deps.admission.reserve(request) } } : deps;

function requestFor(
  deps: ExecutorDependencies,
  context: RequestContext,
  resource: Resource,
  { namespace, name }: ObjectKey,
  subresource: Subresource,
  options: GivenOptions & { readonly dryRun: boolean; readonly given?: GivenOptions },
): WriteRequest {
  const { dryRun, given = options } = options;
  return { context, ...withMemo(deps, deps.infoOf(resource), context), namespace, name, subresource, dryRun, options: given };
}

/** Runs a request and puts what the store failed at into words. */
async function guarded<R>({ cache }: ExecutorDependencies, operation: string, request: WriteRequest, run: () => Promise<R>): Promise<R> {
  if (!cache.isReady) throw status.tooManyRequests('storage is (re)initializing', 1);
  try {
    return await run();
  } catch (error) {
    throw writeFailure(error, operation, request.info.gr, request.name);
  }
}
