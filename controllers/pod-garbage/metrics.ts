/** The metrics of the pod garbage collector, under upstream's names. */
import type { MetricMaker } from '../runtime/controller';
import type { PodGarbageReason } from './reconcile';

type Count = (labels: { namespace: string; reason: PodGarbageReason }) => void;

/** Each function is called once for each pod. */
export interface PodGarbageMetrics {
  readonly countDeletion: Count;
  readonly countError: Count;
}

/** Registers the metrics. Called each time the controller starts, which happens when its process becomes the leader. */
export function podGarbageMetrics(metrics: Pick<MetricMaker, 'counter'>): PodGarbageMetrics {
  const labels = ['namespace', 'reason'];
  return {
    countDeletion: metrics.counter('pod_gc_collector_force_delete_pods_total', 'Deleted orphaned and terminated pods.', labels),
    countError: metrics.counter('pod_gc_collector_force_delete_pod_errors_total', 'Pods that could not be deleted.', labels),
  };
}
