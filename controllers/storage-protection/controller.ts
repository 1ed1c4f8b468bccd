/**
 * Two controllers that protect bound PersistentVolumes, and PersistentVolumeClaims that pods use, from removal: they
 * add a finalizer where it is missing, and remove it from an object that is being deleted when it is not in use. A
 * claim in use is enqueued again when a pod of its namespace is deleted. Unlike upstream the claim controller always
 * lists the pods from the API server before it removes a finalizer, and never decides from an informer that a claim is
 * in use.
 */
import { ignoreNotFoundOrConflict } from '../../shared/client/rest/api-error';
import { isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import type { CoreV1Pod, CoreV1PersistentVolumeClaim } from '../../shared/api/types/generated/members';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { ObjectList } from '../../shared/client/rest/request-options';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { isBound, podUsesClaim, reconcileFinalizer, type ProtectedBody } from './reconcile';

const VOLUMES = resourceOf('core.v1.PersistentVolume');
const CLAIMS = resourceOf('core.v1.PersistentVolumeClaim');
const PODS = resourceOf('core.v1.Pod');
/** Claims and volumes synced at the same time. */
const CONCURRENCY = 4;
/** The page size of client-go's pager. */
const PAGE_SIZE = 500;

export const claimProtectionController: Controller = {
  name: 'persistentvolumeclaim-protection',
  aliases: ['persistentvolumeclaim-protection-controller', 'pvc-protection'],
  description: 'retains deleted PersistentVolumeClaims until no pod uses them',
  isOnByDefault: true,
  account: 'pvc-protection-controller',
  run: protectClaims,
};

export const volumeProtectionController: Controller = {
  name: 'persistentvolume-protection',
  aliases: ['persistentvolume-protection-controller', 'pv-protection'],
  description: 'retains deleted PersistentVolumes until they are not bound',
  isOnByDefault: true,
  account: 'pv-protection-controller',
  run: (context) =>
    protect(context, {
      resource: VOLUMES,
      queue: 'pvprotection',
      finalizer: 'pv-protection',
      isInUse: (volume) => Promise.resolve(isBound(volume)),
    }),
};

/** What the two controllers differ in. */
interface Protection<Body extends ProtectedBody> {
  readonly resource: Resource<Body>;
  /** The name of the queue in metrics. */
  readonly queue: string;
  /** Without the product's prefix. */
  readonly finalizer: string;
  /** Called for objects that are being deleted. */
  isInUse(object: ApiObject<Body>): Promise<boolean>;
}

async function protectClaims(context: ControllerContext): Promise<void> {
  const { client, signal } = context;
  // Only deletions are read from this informer, which other controllers have anyway: metadata of all pods would be a
  // second copy. Uses are read from the API server, because the informer may not show yet that a pod was scheduled.
  const pods = context.informers.of(PODS);
  const isInUse = (claim: ApiObject<CoreV1PersistentVolumeClaim>): Promise<boolean> => isUsedByPod(client, claim, signal);
  await protect(context, { resource: CLAIMS, queue: 'pvcprotection', finalizer: 'pvc-protection', isInUse }, pods);
}

/** `users`: objects that may use objects of their namespace, which are enqueued again when a user is deleted. */
async function protect<Body extends ProtectedBody>(
  context: ControllerContext,
  protection: Protection<Body>,
  users?: Informer<CoreV1Pod>,
): Promise<void> {
  const { client, informers, logger, names, signal } = context;
  const { resource } = protection;
  const finalizer = `${names.prefix}/${protection.finalizer}`;
  const objects = informers.of(resource);
  const queue = context.queue({ name: protection.queue });
  /** Keys of objects that are being deleted and were in use when last checked. */
  const keysInUse = new Set<string>();
  const enqueue = (object: ApiObject<Body>): void => {
    if (reconcileFinalizer(object, finalizer).type !== 'none') queue.add(keyOf(object));
  };
  const removeHandlers = [
    objects.handle({
      added: enqueue,
      updated: (_, object) => enqueue(object),
      deleted: (object) => keysInUse.delete(keyOf(object)),
    }),
  ];
  if (users !== undefined) {
    const enqueueNamespace = ({ namespace }: ApiObject): void => {
      for (const key of keysInUse) if (key.startsWith(`${namespace}/`)) queue.add(key);
    };
    removeHandlers.push(users.handle({ deleted: enqueueNamespace }));
  }
  const work = async (key: string): Promise<WorkOutcome> => {
    const object = objects.byKey(key);
    if (object === undefined) return DONE;
    const action = reconcileFinalizer(object, finalizer);
    if (action.type === 'none') return DONE;
    if (isBeingDeleted(object)) {
      // Added before the check, so that a user that is deleted during the check enqueues the object again.
      keysInUse.add(key);
      if (await protection.isInUse(object)) return DONE;
      keysInUse.delete(key);
    }
    await client.of(resource).namespace(object.namespace).update(action.body, { signal }).catch(ignoreNotFoundOrConflict);
    return DONE;
  };
  if (await waitForSync(users === undefined ? [objects] : [objects, users], signal)) {
    await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  }
  for (const remove of removeHandlers) remove();
}

/** Reads the pods of the namespace from the API server. */
async function isUsedByPod(
  client: RestClient,
  { namespace, name }: ApiObject<CoreV1PersistentVolumeClaim>,
  signal: AbortSignal,
): Promise<boolean> {
  let token: string | undefined;
  do {
    const page: ObjectList<CoreV1Pod> = await client
      .of(PODS)
      .namespace(namespace)
      .list({ limit: PAGE_SIZE, signal, ...(token === undefined ? {} : { continue: token }) });
    if (page.items.some((pod) => podUsesClaim(pod, name))) return true;
    token = page.continue;
  } while (token !== undefined);
  return false;
}
