/** The metrics of the pod CIDRs of nodes, under upstream's names (one of which upstream misspells). */
import { formatIpRange } from '../../shared/values/network/ip-address';
import type { MetricMaker } from '../runtime/controller';
import type { CidrSet } from '../runtime/cidr-set';

const LABELS = ['clusterCIDR'];
/** Upstream's buckets: numbers of blocks. */
const TRIES_BUCKETS = [1, 5, 25, 125, 625];

/** Records changes of the sets that were registered. */
export interface CidrSetMetrics {
  /** Call it after each change. `previous`: the number of blocks that were in use before. */
  observeChange(set: CidrSet, previous: number): void;
  /** `tries`: the blocks in use that an allocation passed. */
  observeTries(set: CidrSet, tries: number): void;
}

/**
 * Registers the metrics of all `sets`, labelled by their ranges. Called each time the controller starts, which happens
 * when its process becomes the leader.
 */
export function cidrSetMetrics(metrics: MetricMaker, sets: readonly CidrSet[]): CidrSetMetrics {
  const countAllocations = metrics.counter('node_ipam_controller_cidrset_cidrs_allocations_total', 'CIDRs that came into use.', LABELS);
  const countReleases = metrics.counter('node_ipam_controller_cidrset_cidrs_releases_total', 'CIDRs that were released.', LABELS);
  const setUsage = metrics.gauge('node_ipam_controller_cidrset_usage_cidrs', 'Fraction of the CIDRs that are in use.', LABELS);
  const setCapacity = metrics.gauge('node_ipam_controller_cirdset_max_cidrs', 'CIDRs that can be allocated.', LABELS);
  const observeTries = metrics.histogram(
    'node_ipam_controller_cidrset_allocation_tries_per_request',
    'CIDRs in use that an allocation passed.',
    TRIES_BUCKETS,
    LABELS,
  );
  const labels = new Map(sets.map((set) => [set, { clusterCIDR: formatIpRange(set.range) }]));
  for (const [set, label] of labels) {
    setCapacity(set.capacity, label);
    setUsage(set.used / set.capacity, label);
  }
  return {
    observeChange(set, previous) {
      const label = labels.get(set);
      if (set.used > previous) countAllocations(label, set.used - previous);
      if (set.used < previous) countReleases(label, previous - set.used);
      setUsage(set.used / set.capacity, label);
    },
    observeTries: (set, tries) => observeTries(tries, labels.get(set)),
  };
}
