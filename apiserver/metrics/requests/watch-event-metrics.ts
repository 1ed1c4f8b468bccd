/**
 * Metrics of watch events by kind: number, size and lag, and watches that were terminated because their client was
 * slow.
 */
import { Counter, type Registry } from 'prom-client';
import { EVENT_SIZE_BUCKETS } from '../registry/buckets';
import { Histogram, type ExpositionChunks } from '../registry/histogram';
import type { Meters } from '../registry/meters';

/** Records the watch events of one kind. */
export interface WatchEventMeter {
  /** One event of this size was written. */
  sent(bytes: number): void;
  /** An event waited this long in the process before it was written. */
  waited(ms: number): void;
  /** A watch was terminated because its client reads too slowly. */
  tooSlow(): void;
}

/** Limit of kinds, which come and go with CustomResourceDefinitions; further ones are counted together. */
const MAX_KINDS = 2_000;
/** The label value of kinds beyond the limit. */
const OTHER = 'other';
const KIND_LABELS = ['group', 'version', 'kind'] as const;

/** The meter of a kind with its labels and the number of its events. */
interface CountedMeter extends WatchEventMeter {
  readonly labels: Record<(typeof KIND_LABELS)[number], string>;
  events: number;
}

/** The meters of all kinds. */
export class WatchEventMetrics {
  private readonly sizes = new Histogram({
    name: 'apiserver_watch_events_sizes',
    help: 'Size of watch events in bytes.',
    labels: KIND_LABELS,
    buckets: EVENT_SIZE_BUCKETS,
  });
  private readonly eventMeters = new Map<string, CountedMeter>();

  constructor(private readonly meters: Meters) {}

  /**
   * The meter of a kind; the same one for every call, that of `other` beyond the limit. `resource` labels the watches that
   * were terminated.
   */
  meterFor(group: string, version: string, kind: string, resource: string): WatchEventMeter {
    const key = `${group}/${version}/${kind}`;
    const existing = this.eventMeters.get(key);
    if (existing !== undefined) return existing;
    if (this.eventMeters.size >= MAX_KINDS && group !== OTHER) return this.meterFor(OTHER, OTHER, OTHER, OTHER);
    const labels = { group, version, kind };
    const { meters } = this;
    const sizes = this.sizes.add(labels);
    const lags = meters.observer('apiserver_watch_event_lag_seconds', group, version, kind);
    const meter = {
      labels,
      events: 0,
      sent(bytes: number): void {
        meter.events += 1;
        sizes.observe(bytes);
      },
      waited: (ms: number): void => lags.observe(ms / 1000),
      tooSlow: (): void => meters.counter('apiserver_terminated_watchers_total', resource).add(),
    };
    this.eventMeters.set(key, meter);
    return meter;
  }

  /** Registers the counter of events, which is collected at scrape time. Called once. */
  publish(registry: Registry): void {
    const { eventMeters } = this;
    new Counter({
      name: 'apiserver_watch_events_total',
      help: 'Events sent to watches.',
      labelNames: KIND_LABELS,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, events } of eventMeters.values()) this.inc(labels, events);
      },
    });
  }

  /** The sizes of events; the other metrics are in the registry and the catalogue. */
  expose(): ExpositionChunks {
    return this.sizes.expose();
  }
}
