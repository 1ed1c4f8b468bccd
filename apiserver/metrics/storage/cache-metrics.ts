/** Publishes the statistics of the cache as metrics. Collected at scrape time. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { CacheStatistics } from '../../cache/statistics';

export interface CacheGauges {
  cache(): CacheStatistics;
  cacheRevision(): number;
}

interface Row {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly values: (statistics: CacheStatistics) => Iterable<readonly [label: string, value: number]>;
}

const unlabelled = (value: number): Iterable<readonly [string, number]> => [['', value]];

const ROWS: readonly Row[] = [
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
    values: (s) => unlabelled(s.windowCapacityBytes),
  },
  {
    type: 'gauge',
    name: 'watch_cache_window_bytes',
    help: 'Size of the window of recent changes in bytes.',
    values: (s) => unlabelled(s.windowBytes),
  },
  {
    type: 'counter',
    name: 'watch_cache_resyncs_total',
    help: 'Types that were corrected after they differed from the store.',
    values: (s) => unlabelled(s.resyncs),
  },
  {
    type: 'counter',
    name: 'watch_cache_differences_total',
    help: 'Keys for which the consistency checker found a difference.',
    values: (s) => unlabelled(s.differences),
  },
  {
    type: 'counter',
    name: 'watch_cache_revision_lookups_total',
    help: "Reads of the store's revision for consistent reads.",
    values: (s) => unlabelled(s.revisionLookups),
  },
];

export function publishCache(registry: Registry, gauges: CacheGauges): void {
  for (const row of ROWS) publishRow(registry, gauges, row);
  new Gauge({
    name: 'apiserver_watch_cache_resource_version',
    help: 'Revision of the watch cache, the same for all types.',
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      for (const resource of gauges.cache().loads.keys()) this.set({ resource }, gauges.cacheRevision());
    },
  });
}

function publishRow(registry: Registry, gauges: CacheGauges, { type, name, help, label, values }: Row): void {
  const shared = { name, help, labelNames: label === undefined ? [] : [label], registers: [registry] };
  const labels = (key: string): Record<string, string> => (label === undefined ? {} : { [label]: key });
  switch (type) {
    case 'counter':
      new Counter({
        ...shared,
        collect() {
          this.reset();
          for (const [key, value] of values(gauges.cache())) this.inc(labels(key), value);
        },
      });
      return;
    case 'gauge':
      new Gauge({
        ...shared,
        collect() {
          for (const [key, value] of values(gauges.cache())) this.set(labels(key), value);
        },
      });
  }
}
