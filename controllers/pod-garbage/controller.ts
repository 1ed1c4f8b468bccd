/**
 * Deletes pods that no kubelet will end (orphaned, on a node that is out of service, or deleted before they were
 * scheduled), and terminated pods beyond a threshold. Checks all pods of the informers every 20 s, without a queue; the
 * next check repeats a failed deletion. The pods of a node are orphaned when the node has been missing for 40 s and the
 * API server does not have it either. Unlike upstream's, this controller does not repeat the deletion of a pod that only
 * its finalizers retain, after a deletion with a grace period of zero.
 */
import { ignoreNotFoundOrConflict, undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { resourceOf } from '../../shared/client/rest/resource';
import { sleepUnlessAborted } from '../../shared/client/signals';
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import type { Node } from '../runtime/nodes';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { podGarbageMetrics, type PodGarbageMetrics } from './metrics';
import {
  failedPodStatus,
  isForceDeleted,
  MissingNodes,
  podsByMissingNode,
  podsOnOutOfServiceNodes,
  terminatedPodsBeyondThreshold,
  unscheduledTerminatingPods,
  type PodGarbageReason,
} from './reconcile';

const PODS = resourceOf('core.v1.Pod');
const NODES = resourceOf('core.v1.Node');
/** Upstream's gcCheckPeriod. */
const CHECK_PERIOD_MS = 20_000;
/** How long a node must be missing from the informer before it is looked up in the API server. */
const QUARANTINE_MS = 40_000;
/** Deletions of one check that are in flight at the same time. */
const CONCURRENT_DELETIONS = 10;

export const podGarbageController: Controller = {
  name: 'pod-garbage-collector',
  aliases: ['pod-garbage-collector-controller', 'podgc'],
  description: 'deletes orphaned pods, and terminated pods above a threshold',
  isOnByDefault: true,
  account: 'pod-garbage-collector',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { informers, clock, logger, signal } = context;
  const pods = informers.of(PODS);
  const nodes = informers.of(NODES);
  const collector = new PodGarbageCollector(context);
  if (!(await waitForSync([pods, nodes], signal))) return;
  do {
    try {
      await collector.collect(pods.list(), nodes.list());
    } catch (error) {
      if (!signal.aborted) logger.warn('orphaned pods cannot be deleted, trying again', { error });
    }
  } while (await sleepUnlessAborted(clock, CHECK_PERIOD_MS, signal));
}

/** Remembers missing nodes between checks. Exported for tests. */
export class PodGarbageCollector {
  private readonly missingNodes = new MissingNodes();
  private readonly metrics: PodGarbageMetrics;

  constructor(private readonly context: Pick<ControllerContext, 'client' | 'clock' | 'logger' | 'settings' | 'metrics' | 'signal'>) {
    this.metrics = podGarbageMetrics(context.metrics);
  }

  /**
   * One check of all pods. Rejects when a request for a missing node fails. Pods that cannot be deleted are logged.
   */
  async collect(pods: readonly Pod[], nodes: readonly Node[]): Promise<void> {
    const { clock, settings } = this.context;
    await this.deleteAll(terminatedPodsBeyondThreshold(pods, settings.terminatedPodThreshold), 'terminated');
    await this.deleteAll(podsOnOutOfServiceNodes(pods, nodes), 'out-of-service');
    const orphaned = podsByMissingNode(pods, new Set(nodes.map(({ name }) => name)));
    for (const node of this.missingNodes.missingFor(QUARANTINE_MS, orphaned.keys(), clock.monotonic())) {
      if (!(await this.nodeExists(node))) await this.deleteAll(orphaned.get(node) ?? [], 'orphaned');
    }
    await this.deleteAll(unscheduledTerminatingPods(pods), 'unscheduled');
  }

  private async nodeExists(name: string): Promise<boolean> {
    const { client, signal } = this.context;
    return (await undefinedIfNotFound(client.of(NODES).get(name, { signal }))) !== undefined;
  }

  private async deleteAll(pods: readonly Pod[], reason: PodGarbageReason): Promise<void> {
    await withConcurrencyLimit(CONCURRENT_DELETIONS, pods, async (pod) => {
      const { logger, signal } = this.context;
      try {
        await this.markFailedAndDelete(pod, reason);
      } catch (error) {
        signal.throwIfAborted();
        this.metrics.countError({ namespace: pod.namespace, reason });
        logger.warn('an orphaned pod cannot be deleted', { namespace: pod.namespace, name: pod.name, reason, error });
      }
    });
  }

  /** Writes the phase `Failed` to a pod that has not terminated, then deletes it with a grace period of zero. */
  private async markFailedAndDelete(pod: Pod, reason: PodGarbageReason): Promise<void> {
    const { client, clock, signal } = this.context;
    const { namespace, name, uid, resourceVersion } = pod;
    const status = failedPodStatus(pod, reason, clock.now());
    // Only finalizers keep such a pod: another deletion has no effect.
    if (status === undefined && isForceDeleted(pod)) return;
    try {
      if (status !== undefined) {
        const patch = { metadata: { uid, resourceVersion }, status };
        await client.of(PODS).namespace(namespace).patch(name, 'merge', patch, { subresource: 'status', signal });
      }
      await client.of(PODS).namespace(namespace).delete(name, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
      this.metrics.countDeletion({ namespace, reason });
    } catch (error) {
      // The pod was deleted, or it has changed and the next check inspects it again.
      ignoreNotFoundOrConflict(error);
    }
  }
}
