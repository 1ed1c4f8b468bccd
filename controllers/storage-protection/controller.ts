/**
 * Volumes that are bound and claims that pods use are not removed before they are free: a finalizer keeps them, which the server gives them at
 * their creation and these controllers take away, or bring back where somebody else took it.
 */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import type { CoreV1Pod } from '../../shared/api/types/generated/members';
import { metadataOf, resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { ObjectList, RestClient } from '../../shared/client/rest/rest-client';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { decide, isBound, usesClaim } from './reconcile';

const VOLUMES = resourceOf('core.v1.PersistentVolume');
const CLAIMS = resourceOf('core.v1.PersistentVolumeClaim');
const PODS = resourceOf('core.v1.Pod');
const CONCURRENCY = 4;
const PAGE_SIZE = 500;

export const claimProtectionController: Controller = {
  name: 'persistentvolumeclaim-protection',
  aliases: ['persistentvolumeclaim-protection-controller', 'pvc-protection'],
  description: 'keeps claims that are deleted until no pod uses them',
  isOnByDefault: true,
  account: 'pvc-protection-controller',
  run: protectClaims,
};

export const volumeProtectionController: Controller = {
  name: 'persistentvolume-protection',
  aliases: ['persistentvolume-protection-controller', 'pv-protection'],
  description: 'keeps volumes that are deleted until they are not bound any more',
  isOnByDefault: true,
  account: 'pv-protection-controller',
  run: (context) =>
    protect(context, {
      resource: VOLUMES,
      queue: 'pvprotection',
      finalizer: 'pv-protection',
      inUse: (volume) => Promise.resolve(isBound(volume)),
    }),
};

interface Protection {
  readonly resource: Resource;
  /** Its queue's name. */
  readonly queue: string;
  /** After the product's prefix. */
  readonly finalizer: string;
  /** Asked for objects that are being deleted. */
  inUse(object: ApiObject): Promise<boolean>;
}

async function protectClaims(context: ControllerContext): Promise<void> {
  const { client, signal } = context;
  // Only their going matters here; whether one uses a claim is asked of the server, which knows of pods that have just got their node.
  const pods = context.informers.of(metadataOf(PODS));
  const inUse = (claim: ApiObject): Promise<boolean> => isUsed(client, claim, signal);
  await protect(context, { resource: CLAIMS, queue: 'pvcprotection', finalizer: 'pvc-protection', inUse }, pods);
}

/** `users`: what uses the objects of its namespace; they are looked at again when one of them goes. */
async function protect(context: ControllerContext, protection: Protection, users?: Informer): Promise<void> {
  const { client, informers, logger, names, signal } = context;
  const { resource } = protection;
  const finalizer = `${names.prefix}/${protection.finalizer}`;
  const objects = informers.of(resource);
  const queue = context.queue({ name: protection.queue });
  /** Keys of objects that were in use when they were to go. */
  const held = new Set<string>();
  const look = (object: ApiObject): void => {
    if (decide(object, finalizer).type !== 'none') queue.add(keyOf(object));
  };
  const unhandle = [objects.handle({ added: look, updated: (_, object) => look(object), deleted: (object) => held.delete(keyOf(object)) })];
  if (users !== undefined) {
    const free = ({ namespace }: ApiObject): void => {
      for (const key of held) if (key.startsWith(`${namespace}/`)) queue.add(key);
    };
    unhandle.push(users.handle({ deleted: free }));
  }
  const work = async (key: string): Promise<WorkOutcome> => {
    const object = objects.byKey(key);
    const decision = decide(object, finalizer);
    if (object === undefined || decision.type === 'none') return DONE;
    if (isBeingDeleted(object)) {
      // Before the question, so that whoever goes meanwhile brings it back.
      held.add(key);
      if (await protection.inUse(object)) return DONE;
      held.delete(key);
    }
    await client.update(resource, decision.object, { signal }).catch(unlessOvertaken);
    return DONE;
  };
  if (await waitForSync(users === undefined ? [objects] : [objects, users], signal)) {
    await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  }
  for (const remove of unhandle) remove();
}

async function isUsed(client: RestClient, claim: ApiObject, signal: AbortSignal): Promise<boolean> {
  const { namespace, name } = claim;
  for (let next: string | undefined = ''; next !== undefined;) {
    const page: ObjectList<CoreV1Pod> = await client.list(PODS, {
      namespace,
      limit: PAGE_SIZE,
      ...(next === '' ? {} : { continue: next }),
      signal,
    });
    if (page.items.some((pod) => usesClaim(pod, name))) return true;
    next = page.continue;
  }
  return false;
}

/** What is gone or has changed is told by its own event. */
function unlessOvertaken(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
