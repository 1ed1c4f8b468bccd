/**
 * API Priority and Fairness metrics: dispatched, queued and rejected requests by flow schema and priority level, and
 * the seats of the levels. Requests are counted by the meters that FlowControl calls; the state of levels is read at
 * scrape time.
 */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FlowControl, FlowMeter } from '../../flow-control/flow-control';
import type { LevelUsage, PriorityLevel } from '../../flow-control/priority-level';
import type { RejectReason } from '../../flow-control/queue-set';
import { familyHeader, Histogram, formatHistogram, type ExpositionChunks, type HistogramSeries } from '../registry/histogram';

/** Upper bounds of waits and executions in seconds. */
const DURATION_BUCKETS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const LABELS = ['flow_schema', 'priority_level'] as const;
/** Limit of pairs of schemas and levels; further ones are counted together. */
const MAX_PAIRS = 1_000;
const OTHER = 'other';

/** The series of a pair of flow schema and priority level. */
interface FlowSeries {
  readonly labels: Record<(typeof LABELS)[number], string>;
  /** What FlowControl calls; it updates the other members. */
  readonly meter: FlowMeter;
  dispatched: number;
  readonly rejected: Map<RejectReason, number>;
  inQueue: number;
  executing: number;
  executingSeats: number;
  waitingSeats: number;
}

/** A histogram of priority levels with observations that are weighted by nanoseconds. */
interface LevelHistogram {
  readonly name: string;
  readonly help: string;
  /** The usages that it exposes, with the exposition text of their label `phase`; empty without that label. */
  readonly phases: Readonly<Partial<Record<keyof LevelUsage, string>>>;
}

const LEVEL_HISTOGRAMS: readonly LevelHistogram[] = [
  {
    name: 'demand_seats',
    help: 'Demanded seats as a fraction of the nominal limit, weighted by nanoseconds.',
    phases: { demanded: '' },
  },
  {
    name: 'priority_level_seat_utilization',
    help: 'Occupied seats as a fraction of the nominal limit, weighted by nanoseconds.',
    phases: { seats: 'phase="executing",' },
  },
  {
    name: 'priority_level_request_utilization',
    help: 'Executing or waiting requests as a fraction of the nominal seats or of the queue capacity, weighted by nanoseconds.',
    phases: { executing: 'phase="executing",', waiting: 'phase="waiting",' },
  },
];

/** A gauge of every priority level. */
interface LevelGauge {
  readonly name: string;
  readonly help: string;
  readonly valueOf: (level: PriorityLevel) => number;
}

const LEVEL_GAUGES: readonly LevelGauge[] = [
  {
    name: 'nominal_limit_seats',
    help: 'Nominal number of seats of the priority level, by its shares.',
    valueOf: ({ limits }) => limits.nominal,
  },
  { name: 'lower_limit_seats', help: 'Seats of the priority level that are never lent.', valueOf: ({ limits }) => limits.lower },
  {
    name: 'upper_limit_seats',
    help: 'Maximum number of seats of the priority level, with borrowed ones.',
    valueOf: ({ limits }) => limits.upper,
  },
  { name: 'current_limit_seats', help: 'Current number of seats of the priority level.', valueOf: ({ currentSeats }) => currentSeats },
  { name: 'target_seats', help: 'Target of the last adjustment of seats.', valueOf: ({ targetSeats }) => targetSeats },
  {
    name: 'demand_seats_high_watermark',
    help: 'Maximum of the demanded seats in the last adjustment period.',
    valueOf: ({ demand }) => demand.latest.highest,
  },
  {
    name: 'demand_seats_average',
    help: 'Average of the demanded seats in the last adjustment period.',
    valueOf: ({ demand }) => demand.latest.average,
  },
  {
    name: 'demand_seats_stdev',
    help: 'Standard deviation of the demanded seats in the last adjustment period.',
    valueOf: ({ demand }) => demand.latest.deviation,
  },
  { name: 'demand_seats_smoothed', help: 'Smoothed demand for seats.', valueOf: ({ demand }) => demand.latest.smoothed },
];

const USAGES: readonly (keyof LevelUsage)[] = ['demanded', 'seats', 'executing', 'waiting'];

/** The meters of all flow schemas, and the metrics of the levels once they are published. */
export class FlowControlMetrics {
  private readonly pairs = new Map<string, FlowSeries>();
  private levels: Iterable<PriorityLevel> = [];
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
    if (existing !== undefined) return existing.meter;
    if (this.pairs.size >= MAX_PAIRS && schema !== OTHER) return this.meterOf(OTHER, OTHER);
    const pair = this.createFlowSeries({ flow_schema: schema, priority_level: level });
    this.pairs.set(key, pair);
    return pair.meter;
  }

  /** Registers the metrics that are collected at scrape time. Called once. */
  publish(registry: Registry, flowControl: FlowControl): void {
    // Levels come and go, so every iteration starts from the current ones.
    this.levels = { [Symbol.iterator]: () => flowControl.priorityLevels[Symbol.iterator]() };
    this.publishPairs(registry);
    publishLevels(registry, flowControl);
  }

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
          for (const pair of pairs.values()) this.set(pair.labels, valueOf(pair));
        },
      });
    };
    publishGauge('current_inqueue_requests', 'Requests that wait in queues.', ({ inQueue }) => inQueue);
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
        for (const { labels, dispatched } of pairs.values()) this.inc(labels, dispatched);
      },
    });
    new Counter({
      name: 'apiserver_flowcontrol_rejected_requests_total',
      help: 'Requests that were rejected, by reason.',
      labelNames: [...LABELS, 'reason'],
      registers,
      collect() {
        this.reset();
        for (const { labels, rejected } of pairs.values()) for (const [reason, count] of rejected) this.inc({ ...labels, reason }, count);
      },
    });
  }

  /** The histograms; the other metrics are in the registry. */
  *expose(): ExpositionChunks {
    for (const histogram of [this.waits, this.executions, this.lengths, this.seats]) yield* histogram.expose();
    yield* this.exposeLevels();
  }

  private *exposeLevels(): ExpositionChunks {
    const levels = [...this.levels];
    if (levels.length === 0) return;
    // Usages are weighted by their duration: adds the time since the last change of each.
    for (const level of levels) level.recordUsage();
    for (const { name: suffix, help, phases } of LEVEL_HISTOGRAMS) {
      const name = `apiserver_flowcontrol_${suffix}`;
      yield familyHeader(name, help, 'histogram');
      for (const { spec, usage } of levels) {
        for (const key of USAGES) {
          const phase = phases[key];
          if (phase !== undefined) yield formatHistogram(name, `${phase}priority_level="${spec.name}"`, usage[key].bounds, usage[key]);
        }
      }
    }
  }

  private createFlowSeries(labels: FlowSeries['labels']): FlowSeries {
    const executedWaits = this.waits.add({ ...labels, execute: 'true' });
    const rejectedWaits = this.waits.add({ ...labels, execute: 'false' });
    const executions = this.executions.add({ ...labels, type: 'regular' });
    const lengths = this.lengths.add(labels);
    const seatSeries = this.seats.add(labels);
    const observeWait = (series: HistogramSeries, waitedMs: number, queueLength: number | undefined): void => {
      series.observe(waitedMs / 1000);
      if (queueLength !== undefined) lengths.observe(queueLength);
    };
    const leaveQueue = (seats: number): void => {
      pair.inQueue -= 1;
      pair.waitingSeats -= seats;
    };
    const pair: FlowSeries = {
      labels,
      dispatched: 0,
      rejected: new Map(),
      inQueue: 0,
      executing: 0,
      executingSeats: 0,
      waitingSeats: 0,
      meter: {
        queued(seats) {
          pair.inQueue += 1;
          pair.waitingSeats += seats;
        },
        dispatched(seats, waitedMs, length) {
          if (length !== undefined) leaveQueue(seats);
          pair.dispatched += 1;
          pair.executing += 1;
          pair.executingSeats += seats;
          seatSeries.observe(seats);
          observeWait(executedWaits, waitedMs, length);
        },
        rejected(reason, seats, waitedMs, length) {
          if (length !== undefined) leaveQueue(seats);
          pair.rejected.set(reason, (pair.rejected.get(reason) ?? 0) + 1);
          observeWait(rejectedWaits, waitedMs, length);
        },
        finished(seats, ms) {
          pair.executing -= 1;
          pair.executingSeats -= seats;
          executions.observe(ms / 1000);
        },
      },
    };
    return pair;
  }
}

function publishLevels(registry: Registry, flowControl: FlowControl): void {
  const registers = [registry];
  new Gauge({
    name: 'apiserver_flowcontrol_seat_fair_frac',
    help: 'Ratio of assigned to target seats at the last adjustment, which is the same for all levels.',
    registers,
    collect() {
      this.set(flowControl.fairFraction);
    },
  });
  for (const { name, help, valueOf } of LEVEL_GAUGES) {
    new Gauge({
      name: `apiserver_flowcontrol_${name}`,
      help,
      labelNames: ['priority_level'],
      registers,
      collect() {
        this.reset();
        for (const level of flowControl.priorityLevels) this.set({ priority_level: level.spec.name }, valueOf(level));
      },
    });
  }
}
