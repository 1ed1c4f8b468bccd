/**
 * A stand-in for kubelets in tests of controllers: every new pod is marked as ready immediately, and the pods of Jobs
 * as succeeded. It runs no container and needs no nodes.
 */
import { Informer } from '../../../shared/client/informer/informer';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { isPodReady, labelsOf } from '../../../controllers/runtime/pods';
import { useResource } from '../../support/use-resource';

const PODS = resourceOf('core.v1.Pod');
/** The autoscaler ignores the metrics of pods that have become ready a short time ago. */
const AN_HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();
const READY = { type: 'Ready', status: 'True', lastTransitionTime: AN_HOUR_AGO };
const RUNNING_STATUS = { phase: 'Running', startTime: AN_HOUR_AGO, conditions: [READY] };
const SUCCEEDED_STATUS = { phase: 'Succeeded' };

/** Runs during the tests of a file or block. `client` may be used once the resources that were declared before are started. */
export function usePodRunner(client: () => RestClient): void {
  useResource(
    () => {
      const stop = new AbortController();
      return { stop, running: runPods(client(), stop.signal) };
    },
    ({ stop, running }) => {
      stop.abort();
      return running;
    },
  );
}

/** Writes the status of each new pod, until the signal. */
async function runPods(client: RestClient, signal: AbortSignal): Promise<void> {
  const pods = new Informer({ client, resource: PODS, clock: systemClock, random: systemRandom, logger: silentLogger });
  pods.handle({
    added(pod) {
      if (isPodReady(pod)) return;
      const isOfJob = labelsOf(pod)['job-name'] !== undefined;
      const status = isOfJob ? SUCCEEDED_STATUS : RUNNING_STATUS;
      // A pod that is deleted in the meantime has no status to write.
      client
        .of(PODS)
        .namespace(pod.namespace)
        .patch(pod.name, 'merge', { status }, { subresource: 'status', signal })
        .catch(() => undefined);
    },
  });
  await pods.run(signal);
}
