/**
 * API Priority and Fairness metrics: dispatched, queued and rejected requests by flow schema and priority level, and
 * the seats of the levels. Requests are counted by flow-series.ts; the state of levels is left to
 * priority-level-metrics.ts.
 */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FlowControl, FlowMeter } from '../../flow-control/flow-control';
import { Histogram, type ExpositionChunks } from '../registry/histogram';
import { FlowSeries, type FlowLabels } from './flow-series';
import { exposeLevels, publishLevels } from './priority-level-metrics';

/** Upper bounds of waits and executions in seconds. */
const DURATION_BUCKETS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const LABELS = ['flow_schema', 'priority_level'] as const;
/** Limit of pairs of schemas and levels; further ones are counted together. */
const MAX_PAIRS = 1_000;
/** The schema and level under which pairs beyond the limit are counted. */
const OTHER = 'other';

/** The meters of all flow schemas, and the metrics of the levels once they are published. */
export class FlowControlMetrics {
  /** By schema and level. */
  private readonly pairs = new Map<string, FlowSeries>();
  /** Set when the metrics are published. */
  private flowControl: FlowControl | undefined;
  private readonly waits = new Histogram({
    name: 'apiserver_flowcontrol_request_wait_duration_seconds',
    help: 'Time that requests waited in queues.',
    labels: ['execute', ...LABELS],
    buckets: DURATION_BUCKETS,
  });
  private readonly executions = new Histogram({
    name: 'apiserver_flowcontrol_request_execution_seconds',
    help: 'Time that requests occupied their seats.',
    labels: [...LABELS, 'type'],
    buckets: DURATION_BUCKETS,
  });
  private readonly lengths = new Histogram({
    name: 'apiserver_flowcontrol_request_queue_length_after_enqueue',
    help: 'Length of a queue after a request was added.',
    labels: LABELS,
    buckets: [0, 10, 25, 50, 100, 250, 500, 1000],
  });
  private readonly seats = new Histogram({
    name: 'apiserver_flowcontrol_work_estimated_seats',
    help: 'Seats per request.',
    labels: LABELS,
    buckets: [1, 2, 4, 10],
  });

  /**
   * The meter of requests of a flow schema in its priority level; the same for every call, `other` beyond the limit.
   */
  meterOf(schema: string, level: string): FlowMeter {
    const key = `${schema}\n${level}`;
    const existing = this.pairs.get(key);
    if (existing !== undefined) return existing;
    if (this.pairs.size >= MAX_PAIRS && schema !== OTHER) return this.meterOf(OTHER, OTHER);
    const pair = this.createPair({ flow_schema: schema, priority_level: level });
    this.pairs.set(key, pair);
    return pair;
  }

  /** Registers the metrics that are collected at scrape time. Called once. */
  publish(registry: Registry, flowControl: FlowControl): void {
    this.flowControl = flowControl;
    this.publishPairs(registry);
    publishLevels(registry, flowControl);
  }

  /** Registers the gauges and counters of the pairs. */
  private publishPairs(registry: Registry): void {
    const registers = [registry];
    const { pairs } = this;
    const publishGauge = (name: string, help: string, valueOf: (pair: FlowSeries) => number): void => {
      new Gauge({
        name: `apiserver_flowcontrol_${name}`,
        help,
        labelNames: LABELS,
        registers,
        collect() {
          for (const pair of pairs.values()) this.set({ ...pair.labels }, valueOf(pair));
        },
      });
    };
    publishGauge('current_inqueue_requests', 'Requests that wait in queues.', ({ waiting }) => waiting);
    publishGauge('current_inqueue_seats', 'Seats that waiting requests need.', ({ waitingSeats }) => waitingSeats);
    publishGauge('current_executing_requests', 'Requests that are executing.', ({ executing }) => executing);
    publishGauge('current_executing_seats', 'Occupied seats.', ({ executingSeats }) => executingSeats);
    publishGauge('request_concurrency_in_use', 'Occupied seats.', ({ executingSeats }) => executingSeats);
    new Counter({
      name: 'apiserver_flowcontrol_dispatched_requests_total',
      help: 'Requests that were dispatched.',
      labelNames: LABELS,
      registers,
      collect() {
        this.reset();
        for (const { labels, dispatchedRequests } of pairs.values()) this.inc({ ...labels }, dispatchedRequests);
      },
    });
    new Counter({
      name: 'apiserver_flowcontrol_rejected_requests_total',
      help: 'Requests that were rejected, by reason.',
      labelNames: [...LABELS, 'reason'],
      registers,
      collect() {
        this.reset();
        for (const { labels, rejectedRequests } of pairs.values()) {
          for (const [reason, count] of rejectedRequests) this.inc({ ...labels, reason }, count);
        }
      },
    });
  }

  /** The histograms; the other metrics are in the registry. */
  *expose(): ExpositionChunks {
    for (const histogram of [this.waits, this.executions, this.lengths, this.seats]) yield* histogram.expose();
    if (this.flowControl !== undefined) yield* exposeLevels(this.flowControl);
  }

  private createPair(labels: FlowLabels): FlowSeries {
    return new FlowSeries(labels, {
      dispatchedWaits: this.waits.add({ ...labels, execute: 'true' }),
      rejectedWaits: this.waits.add({ ...labels, execute: 'false' }),
      executions: this.executions.add({ ...labels, type: 'regular' }),
      queueLengths: this.lengths.add(labels),
      seats: this.seats.add(labels),
    });
  }
}
