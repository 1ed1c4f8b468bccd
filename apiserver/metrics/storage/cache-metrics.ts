/**
 * Metrics of the watch cache, under upstream's names where it has them. The cache counts; its statistics are read at
 * scrape time.
 */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { CacheStatistics } from '../../cache/statistics';

/** Where the values are read from at scrape time. */
export interface CacheSources {
  /** The counters and gauges of the cache. */
  cache(): CacheStatistics;
  /** The cache's revision. */
  cacheRevision(): number;
}

/** A metric with at most one label. */
interface CacheMetric {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  /** Absent for a series without labels. */
  readonly label?: string;
  /** The value for each value of the label; without a label, one pair. */
  readonly values: (statistics: CacheStatistics) => Iterable<readonly [label: string, value: number]>;
}

/** The value of a metric without a label. */
const unlabelled = (value: number): Iterable<readonly [string, number]> => [['', value]];

const CACHE_METRICS: readonly CacheMetric[] = [
  {
    type: 'counter',
    name: 'apiserver_watch_cache_events_received_total',
    help: 'Changes that the watch cache received.',
    label: 'resource',
    values: (statistics) => statistics.eventsReceived,
  },
  {
    type: 'gauge',
    name: 'apiserver_registered_watchers',
    help: 'Open watches on the watch cache.',
    label: 'resource',
    values: (statistics) => statistics.watchers,
  },
  {
    type: 'counter',
    name: 'apiserver_storage_events_received_total',
    help: 'Changes received from the store.',
    label: 'resource',
    values: (statistics) => statistics.eventsReceived,
  },
  {
    type: 'counter',
    name: 'apiserver_watch_cache_events_dispatched_total',
    help: 'Changes dispatched to the watches of their type.',
    label: 'resource',
    // Every change that is received is dispatched.
    values: (statistics) => statistics.eventsReceived,
  },
  {
    type: 'counter',
    name: 'apiserver_storage_decode_errors_total',
    help: 'Stored values that could not be decoded.',
    label: 'resource',
    values: (statistics) => statistics.unreadableValues,
  },
  {
    type: 'counter',
    name: 'apiserver_watch_cache_initializations_total',
    help: 'Initializations of the watch cache: reads of all objects from the store.',
    label: 'resource',
    values: (statistics) => statistics.loads,
  },
  {
    type: 'counter',
    name: 'apiserver_init_events_total',
    help: 'Initial events that were sent at the start of watches.',
    label: 'resource',
    values: (statistics) => statistics.initialEvents,
  },
  {
    type: 'counter',
    name: 'watch_cache_consistent_reads_total',
    help: 'Consistent reads, by whether the watch cache could serve them.',
    label: 'success',
    values: (statistics) => [
      ['true', statistics.consistentReads],
      ['false', statistics.consistentReadFallbacks],
    ],
  },
  {
    type: 'gauge',
    name: 'watch_cache_window_capacity_bytes',
    help: 'Maximum size of the window of recent changes in bytes.',
    values: ({ windowCapacityBytes }) => unlabelled(windowCapacityBytes),
  },
  {
    type: 'gauge',
    name: 'watch_cache_window_bytes',
    help: 'Size of the window of recent changes in bytes.',
    values: ({ windowBytes }) => unlabelled(windowBytes),
  },
  {
    type: 'counter',
    name: 'watch_cache_resyncs_total',
    help: 'Types that were corrected after they differed from the store.',
    values: ({ resyncs }) => unlabelled(resyncs),
  },
  {
    type: 'counter',
    name: 'watch_cache_differences_total',
    help: 'Keys for which the consistency checker found a difference.',
    values: ({ differences }) => unlabelled(differences),
  },
  {
    type: 'counter',
    name: 'watch_cache_revision_lookups_total',
    help: "Reads of the store's revision for consistent reads.",
    values: ({ revisionLookups }) => unlabelled(revisionLookups),
  },
];

/** Registers the metrics; called once per registry. */
export function publishCache(registry: Registry, sources: CacheSources): void {
  for (const metric of CACHE_METRICS) publishMetric(registry, sources, metric);
  new Gauge({
    name: 'apiserver_watch_cache_resource_version',
    help: 'Revision of the watch cache, the same for all types.',
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      for (const resource of sources.cache().loads.keys()) this.set({ resource }, sources.cacheRevision());
    },
  });
}

function publishMetric(registry: Registry, sources: CacheSources, { type, name, help, label, values }: CacheMetric): void {
  const shared = { name, help, labelNames: label === undefined ? [] : [label], registers: [registry] };
  const labelsOf = (labelValue: string): Record<string, string> => (label === undefined ? {} : { [label]: labelValue });
  switch (type) {
    case 'counter':
      new Counter({
        ...shared,
        collect() {
          this.reset();
          for (const [labelValue, value] of values(sources.cache())) this.inc(labelsOf(labelValue), value);
        },
      });
      return;
    case 'gauge':
      new Gauge({
        ...shared,
        collect() {
          for (const [labelValue, value] of values(sources.cache())) this.set(labelsOf(labelValue), value);
        },
      });
  }
}
