/**
 * Creates the PersistentVolumeClaims of pods' generic ephemeral volumes. The garbage collector deletes them with their
 * pod, which is their owner. A pod is enqueued when it appears and when the claim of one of its volumes is deleted, and
 * requeued with back-off while another object owns the claim of that name, or the creation fails. Both are reported by
 * an Event.
 */
import type { CoreV1PersistentVolumeClaim } from '../../shared/api/types/generated/members';
import type { Informer } from '../../shared/client/informer/informer';
import { ApiError, isAlreadyExists, isNamespaceTerminating } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { indexInformer } from '../runtime/object-index';
import { podReference } from '../runtime/pods';
import { creationMetrics, type CreationMetrics } from './metrics';
import { ephemeralVolumesOf, reconcileVolume, type EphemeralVolume } from './reconcile';

const PODS = resourceOf('core.v1.Pod');
const CLAIMS = resourceOf('core.v1.PersistentVolumeClaim');
const BY_CLAIM = 'claim';

export const ephemeralVolumeController: Controller = {
  name: 'ephemeral-volume',
  aliases: ['ephemeral-volume-controller'],
  description: 'creates the claims of ephemeral volumes',
  isOnByDefault: true,
  component: 'ephemeral_volume',
  account: 'ephemeral-volume-controller',
  run: createClaims,
};

/** The part of the controller context that this controller uses. */
export type EphemeralVolumeContext = Pick<ControllerContext, 'client' | 'informers' | 'logger' | 'signal' | 'queue' | 'metrics'> & {
  readonly events: Pick<ControllerContext['events'], 'record'>;
  readonly settings: Pick<ControllerContext['settings'], 'concurrentEphemeralVolumeSyncs'>;
};

/** Resolves when the signal of the context is aborted and the syncs in progress have ended. */
export async function createClaims(context: EphemeralVolumeContext): Promise<void> {
  const { informers, logger, signal, settings } = context;
  const pods = informers.of(PODS);
  const claims = informers.of(CLAIMS);
  const queue = context.queue({ name: 'ephemeral_volume' });
  const metrics = creationMetrics(context.metrics);
  const podIndex = indexInformer(pods, {
    [BY_CLAIM]: (pod) => ephemeralVolumesOf(pod).map(({ claimName }) => keyOf({ namespace: pod.namespace, name: claimName })),
  });
  const removeHandlers = [
    pods.handle({
      added: (pod) => {
        if (ephemeralVolumesOf(pod).length > 0) queue.add(keyOf(pod));
      },
    }),
    claims.handle({
      deleted: (claim) => {
        for (const pod of podIndex.find(BY_CLAIM, keyOf(claim))) queue.add(keyOf(pod));
      },
    }),
  ];
  const work = async (key: string): Promise<WorkOutcome> => {
    const pod = pods.byKey(key);
    return pod === undefined ? DONE : syncPod(context, pod, claims, metrics);
  };
  if (await waitForSync([pods, claims], signal)) {
    await runWorkers({ queue, concurrency: settings.concurrentEphemeralVolumeSyncs, logger, signal, work });
  }
  for (const removeHandler of removeHandlers) removeHandler();
  podIndex.end();
}

/** Ends at the first volume without its claim, and waits for the back-off. */
async function syncPod(
  context: EphemeralVolumeContext,
  pod: Pod,
  claims: Informer<CoreV1PersistentVolumeClaim>,
  metrics: CreationMetrics,
): Promise<WorkOutcome> {
  for (const volume of ephemeralVolumesOf(pod)) {
    const outcome = await syncVolume(context, metrics, { pod, volume, existing: claims.get(pod.namespace, volume.claimName) });
    if (outcome.type === 'ready') continue;
    if (outcome.type === 'failed') {
      const message = `ephemeral volume ${volume.name}: ${outcome.problem}`;
      context.events.record({ about: podReference(pod), type: 'Warning', reason: 'FailedBinding', message });
    }
    return { type: 'wait' };
  }
  return DONE;
}

/** The state of one volume after its sync. */
type VolumeOutcome =
  /** It has its claim, or needs none. */
  | { readonly type: 'ready' }
  /** The informer does not show the claim yet; the next attempt checks its owner. */
  | { readonly type: 'behind' }
  | { readonly type: 'failed'; readonly problem: string };

/** An ephemeral volume of a pod, and the claim that it has so far. */
interface ObservedVolume {
  readonly pod: Pod;
  readonly volume: EphemeralVolume;
  /** The claim of the volume's name; undefined when the informer has none. */
  readonly existing: ApiObject<CoreV1PersistentVolumeClaim> | undefined;
}

async function syncVolume(
  { client, signal }: EphemeralVolumeContext,
  { countAttempt, countFailure }: CreationMetrics,
  { pod, volume, existing }: ObservedVolume,
): Promise<VolumeOutcome> {
  const action = reconcileVolume(pod, volume, existing);
  switch (action.type) {
    case 'none':
      return { type: 'ready' };
    case 'conflict':
      return {
        type: 'failed',
        problem: `PVC ${pod.namespace}/${volume.claimName} was not created for pod ${keyOf(pod)} (pod is not owner)`,
      };
    case 'create':
      break;
  }
  countAttempt();
  try {
    await client.of(CLAIMS).namespace(pod.namespace).create(action.claim, { signal });
    return { type: 'ready' };
  } catch (error) {
    if (isNamespaceTerminating(error)) return { type: 'ready' };
    if (isAlreadyExists(error)) return { type: 'behind' };
    countFailure();
    if (!(error instanceof ApiError)) throw error;
    return { type: 'failed', problem: `create PVC ${volume.claimName}: ${error.message}` };
  }
}
