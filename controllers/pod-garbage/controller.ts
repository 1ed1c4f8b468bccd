/**
 * Removes pods that nobody runs: of nodes that are gone or out of service, those that are deleted before they have a node, and finished ones when there are too many.
 * Looks at all of them every so often; a node that is not seen gets time to come back.
 */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { pause } from '../../shared/client/signals';
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import {
  failedStatus,
  isForced,
  MissingNodes,
  outOfService,
  overThreshold,
  unscheduled,
  withoutNode,
  type PodGarbageReason,
} from './reconcile';

const PODS = resourceOf('core.v1.Pod');
const NODES = resourceOf('core.v1.Node');
const LOOK_MS = 20_000;
/** A node that is away so long is asked for, and its pods go when it is not there. */
const AWAY_MS = 40_000;
const AT_A_TIME = 10;

export const podGarbageController: Controller = {
  name: 'pod-garbage-collector',
  aliases: ['pod-garbage-collector-controller', 'podgc'],
  description: 'removes pods that nobody runs, and finished ones when there are too many',
  isOnByDefault: true,
  account: 'pod-garbage-collector',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { informers, clock, logger, signal } = context;
  const [pods, nodes] = [informers.of(PODS), informers.of(NODES)];
  const collection = new PodCollection(context);
  if (!(await waitForSync([pods, nodes], signal))) return;
  do {
    try {
      await collection.look(pods.list(), nodes.list());
    } catch (error) {
      if (!signal.aborted) logger.warn('pods that nobody runs cannot be removed, trying again', { error });
    }
  } while (await pause(clock, LOOK_MS, signal));
}

/** Exported for tests. */
export class PodCollection {
  private readonly missing = new MissingNodes();
  private readonly count: ReturnType<ControllerContext['metrics']['counter']>;
  private readonly fault: ReturnType<ControllerContext['metrics']['counter']>;

  constructor(private readonly context: Pick<ControllerContext, 'client' | 'clock' | 'logger' | 'settings' | 'metrics' | 'signal'>) {
    const labels = ['namespace', 'reason'];
    const { metrics } = context;
    this.count = metrics.counter('pod_gc_collector_force_delete_pods_total', 'Pods that were removed because nobody runs them.', labels);
    this.fault = metrics.counter('pod_gc_collector_force_delete_pod_errors_total', 'Pods that could not be removed.', labels);
  }

  async look(pods: readonly ApiObject[], nodes: readonly ApiObject[]): Promise<void> {
    const { clock, settings } = this.context;
    await this.removeAll(overThreshold(pods, settings.terminatedPodThreshold), 'terminated');
    await this.removeAll(outOfService(pods, nodes), 'out-of-service');
    const lost = withoutNode(pods, new Set(nodes.map(({ name }) => name)));
    for (const node of this.missing.after(AWAY_MS, lost.keys(), clock.monotonic())) {
      if (!(await this.isThere(node))) await this.removeAll(lost.get(node) ?? [], 'orphaned');
    }
    await this.removeAll(unscheduled(pods), 'unscheduled');
  }

  private async isThere(name: string): Promise<boolean> {
    const { client, signal } = this.context;
    try {
      await client.get(NODES, { name }, { signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  private async removeAll(pods: readonly ApiObject[], reason: PodGarbageReason): Promise<void> {
    await withConcurrencyLimit(AT_A_TIME, pods, async (pod) => {
      const { logger, signal } = this.context;
      try {
        await this.remove(pod, reason);
      } catch (error) {
        signal.throwIfAborted();
        this.fault({ namespace: pod.namespace, reason });
        logger.warn('a pod that nobody runs cannot be removed', { namespace: pod.namespace, name: pod.name, reason, error });
      }
    });
  }

  private async remove(pod: ApiObject, reason: PodGarbageReason): Promise<void> {
    const { client, clock, signal } = this.context;
    const { namespace, name, uid, resourceVersion } = pod;
    const status = failedStatus(pod, reason, clock.now());
    // Others keep it: there is nothing left to do.
    if (status === undefined && isForced(pod)) return;
    try {
      if (status !== undefined) {
        const place = { namespace, name, subresource: 'status' };
        await client.patch(PODS, place, 'merge', { metadata: { uid, resourceVersion }, status }, { signal });
      }
      await client.delete(PODS, { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
      this.count({ namespace, reason });
    } catch (error) {
      // It is gone, or it has changed and is seen so the next time.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}
