/** The cache's counts as metrics, read when someone scrapes. */
import { Gauge, type Registry } from 'prom-client';
import type { CacheStatistics } from '../cache/statistics';

export interface CacheGauges {
  cache(): CacheStatistics;
  cacheRevision(): number;
}

interface Row {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly values: (statistics: CacheStatistics) => Iterable<readonly [label: string, value: number]>;
}

const one = (value: number): Iterable<readonly [string, number]> => [['', value]];

const ROWS: readonly Row[] = [
  {
    name: 'apiserver_watch_cache_events_received_total',
    help: 'Changes that the cache received.',
    label: 'resource',
    values: (statistics) => statistics.eventsReceived,
  },
  {
    name: 'apiserver_registered_watchers',
    help: 'Watches that the cache serves.',
    label: 'resource',
    values: (statistics) => statistics.watchers,
  },
  {
    name: 'apiserver_watch_cache_consistent_read_total',
    help: 'Consistent reads by whether the cache could answer them.',
    label: 'success',
    values: (statistics) => [
      ['true', statistics.consistentReads],
      ['false', statistics.consistentReadFallbacks],
    ],
  },
  { name: 'watch_cache_capacity', help: 'Bytes of recent changes that the cache may keep.', values: (s) => one(s.windowCapacityBytes) },
  { name: 'watch_cache_window_bytes', help: 'Bytes of recent changes that the cache keeps.', values: (s) => one(s.windowBytes) },
  {
    name: 'watch_cache_resyncs_total',
    help: 'Types that were set right after they differed from the store.',
    values: (s) => one(s.resyncs),
  },
  { name: 'watch_cache_differences_total', help: 'Keys that the consistency checker found different.', values: (s) => one(s.differences) },
  {
    name: 'watch_cache_revision_lookups_total',
    help: 'Store revisions looked up for consistent reads.',
    values: (s) => one(s.revisionLookups),
  },
];

export function publishCache(registry: Registry, gauges: CacheGauges): void {
  for (const { name, help, label, values } of ROWS) {
    new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      collect() {
        for (const [key, value] of values(gauges.cache())) this.set(label === undefined ? {} : { [label]: key }, value);
      },
    });
  }
  new Gauge({
    name: 'apiserver_watch_cache_resource_version',
    help: 'The revision that the cache has reached.',
    registers: [registry],
    collect() {
      this.set(gauges.cacheRevision());
    },
  });
}
