/** The one path of every write: which file holds a verb's steps. Never speaks HTTP, and never changes the store but through the guaranteed update. */
import type { ObjectKey } from '../../../shared/api/identity/identity';
import * as status from '../../../shared/api/errors/status';
import { ALL_ADMITTED, type GivenOptions } from '../admission';
import type { DeleteOptions, RequestContext, Resource, Subresource, Writer } from '../verbs';
import { createObject } from './create';
import { deleteCollection, deleteObject } from './delete';
import { editObject } from './edit';
import { isHeavyBody, isHeavyPatch } from './heavy';
import { writeOwnStatus } from './own-status';
import { patchObject } from './patch';
import { createWritePath, type WritePath, type WriteRequest, type WriterDependencies } from './request';
import { writeFailure } from './store-failure';
import { updateObject } from './update';
import { asShown, withMemo } from './versions';

export function createWriter(dependencies: WriterDependencies): Writer {
  const path = createWritePath(dependencies);
  const { threads } = dependencies;
  return {
    defers: (resource, body) =>
      threads !== undefined && (path.infoOf(resource).strategy.isHeavy === true || isHeavyBody(body, threads.limits)),
    defersPatch: (patch) => threads !== undefined && isHeavyPatch(patch, threads.limits),
    create(context, resource, namespace, body, options) {
      const request = requestFor(path, context, resource, { namespace, name: '' }, undefined, options);
      return guarded(path, 'create', request, async () => asShown(path, request, await createObject(path, request, body, options)));
    },
    update(context, resource, key, subresource, body, options) {
      const request = requestFor(path, context, resource, key, subresource, options);
      return guarded(path, 'update', request, async () => asShown(path, request, await updateObject(path, request, body, options)));
    },
    patch(context, resource, key, subresource, patch, options) {
      const request = requestFor(path, context, resource, key, subresource, options);
      return guarded(path, 'patch', request, async () => asShown(path, request, await patchObject(path, request, patch, options)));
    },
    edit(context, resource, key, { dryRun, preconditions = {} }, change) {
      const request = requestFor(path, context, resource, key, undefined, { dryRun });
      return guarded(path, 'update', request, () => editObject(path, request, { preconditions, change }));
    },
    ownStatus(context, resource, key, own, options) {
      const request = requestFor(path, context, resource, key, 'status', options);
      return guarded(path, 'update', request, () => writeOwnStatus(path, request, own, options));
    },
    delete(context, resource, key, options) {
      const request = requestFor(path, context, resource, key, undefined, options);
      return guarded(path, 'delete', request, async () =>
        asShown(path, request, await deleteObject(admitting(path, options), request, options)),
      );
    },
    deleteCollection(context, resource, namespace, list, options) {
      const request = requestFor(path, context, resource, { namespace, name: '' }, undefined, options);
      return guarded(path, 'delete', request, () => deleteCollection(admitting(path, options), request, list, options));
    },
  };
}

const admitting = (path: WritePath, { isAdmitted }: DeleteOptions): WritePath =>
  isAdmitted === true ? { ...path, admission: { ...ALL_ADMITTED, reserve: (request) => path.admission.reserve(request) } } : path;

function requestFor(
  path: WritePath,
  context: RequestContext,
  resource: Resource,
  { namespace, name }: ObjectKey,
  subresource: Subresource,
  options: GivenOptions & { readonly dryRun: boolean; readonly given?: GivenOptions },
): WriteRequest {
  const { dryRun, given = options } = options;
  return { context, ...withMemo(path, path.infoOf(resource), context), namespace, name, subresource, dryRun, options: given };
}

/** Runs a request and puts what the store failed at into words. */
async function guarded<R>({ cache }: WritePath, operation: string, request: WriteRequest, run: () => Promise<R>): Promise<R> {
  if (!cache.ready) throw status.tooManyRequests('storage is (re)initializing', 1);
  try {
    return await run();
  } catch (error) {
    throw writeFailure(error, operation, request.info.gr, request.name);
  }
}
