/**
 * API Priority and Fairness metrics: dispatched, queued and rejected requests by flow schema and priority level, and
 * the seats of the levels.
 */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FlowControl, FlowMeter } from '../../flow-control/flow-control';
import type { LevelUsage, PriorityLevel } from '../../flow-control/priority-level';
import type { RejectReason } from '../../flow-control/queue-set';
import { familyHeader, Histogram, formatHistogram, type ExpositionChunks, type HistogramSeries } from '../registry/histogram';

const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const LABELS = ['flow_schema', 'priority_level'] as const;
/** Limit of pairs of schemas and levels; further ones are counted together. */
const MAX_PAIRS = 1_000;
const OTHER = 'other';

interface FlowSeries {
  readonly labels: Record<(typeof LABELS)[number], string>;
  readonly meter: FlowMeter;
  dispatched: number;
  readonly refused: Map<RejectReason, number>;
  inQueue: number;
  executing: number;
  executingSeats: number;
  waitingSeats: number;
}

/** Histograms of levels that are weighted by nanoseconds: name, help, and the phase label of each time series. */
const LEVEL_TIMES: readonly (readonly [name: string, help: string, series: Readonly<Partial<Record<keyof LevelUsage, string>>>])[] = [
  ['demand_seats', 'Demanded seats as a fraction of the nominal limit, weighted by nanoseconds.', { demanded: '' }],
  [
    'priority_level_seat_utilization',
    'Occupied seats as a fraction of the nominal limit, weighted by nanoseconds.',
    { seats: 'phase="executing",' },
  ],
  [
    'priority_level_request_utilization',
    'Executing or waiting requests as a fraction of the nominal seats or of the queue capacity, weighted by nanoseconds.',
    { executing: 'phase="executing",', waiting: 'phase="waiting",' },
  ],
];

/** Gauges of levels: name, help and value. */
const LEVEL_GAUGES: readonly (readonly [name: string, help: string, value: (level: PriorityLevel) => number])[] = [
  ['nominal_limit_seats', 'Nominal number of seats of the priority level, by its shares.', ({ limits }) => limits.nominal],
  ['lower_limit_seats', 'Seats of the priority level that are never lent.', ({ limits }) => limits.lower],
  ['upper_limit_seats', 'Maximum number of seats of the priority level, with borrowed ones.', ({ limits }) => limits.upper],
  ['current_limit_seats', 'Current number of seats of the priority level.', ({ currentSeats }) => currentSeats],
  ['target_seats', 'Target of the last adjustment of seats.', ({ targetSeats }) => targetSeats],
  ['demand_seats_high_watermark', 'Maximum of the demanded seats in the last adjustment period.', ({ demand }) => demand.latest.highest],
  ['demand_seats_average', 'Average of the demanded seats in the last adjustment period.', ({ demand }) => demand.latest.average],
  [
    'demand_seats_stdev',
    'Standard deviation of the demanded seats in the last adjustment period.',
    ({ demand }) => demand.latest.deviation,
  ],
  ['demand_seats_smoothed', 'Smoothed demand for seats.', ({ demand }) => demand.latest.smoothed],
];

const TIMES: readonly (keyof LevelUsage)[] = ['demanded', 'seats', 'executing', 'waiting'];

export class FlowControlMetrics {
  private readonly pairs = new Map<string, FlowSeries>();
  private levels: Iterable<PriorityLevel> = [];
  private readonly waits = new Histogram({
    name: 'apiserver_flowcontrol_request_wait_duration_seconds',
    help: 'Time that requests waited in queues.',
    labels: ['execute', ...LABELS],
    buckets: SECONDS,
  });
  private readonly executions = new Histogram({
    name: 'apiserver_flowcontrol_request_execution_seconds',
    help: 'Time that requests occupied their seats.',
    labels: [...LABELS, 'type'],
    buckets: SECONDS,
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

  meterOf(schema: string, level: string): FlowMeter {
    const key = `${schema}\n${level}`;
    const existing = this.pairs.get(key);
    if (existing !== undefined) return existing.meter;
    if (this.pairs.size >= MAX_PAIRS && schema !== OTHER) return this.meterOf(OTHER, OTHER);
    const pair = this.createFlowSeries({ flow_schema: schema, priority_level: level });
    this.pairs.set(key, pair);
    return pair.meter;
  }

  /** Registers the metrics that are collected at scrape time. */
  publish(registry: Registry, flowControl: FlowControl): void {
    const registers = [registry];
    const { pairs } = this;
    this.levels = { [Symbol.iterator]: () => flowControl.priorityLevels[Symbol.iterator]() };
    const gauge = (name: string, help: string, value: (pair: FlowSeries) => number): void =>
      void new Gauge({
        name: `apiserver_flowcontrol_${name}`,
        help,
        labelNames: LABELS,
        registers,
        collect() {
          for (const pair of pairs.values()) this.set(pair.labels, value(pair));
        },
      });
    gauge('current_inqueue_requests', 'Requests that wait in queues.', ({ inQueue }) => inQueue);
    gauge('current_inqueue_seats', 'Seats that waiting requests need.', ({ waitingSeats }) => waitingSeats);
    gauge('current_executing_requests', 'Requests that are executing.', ({ executing }) => executing);
    gauge('current_executing_seats', 'Occupied seats.', ({ executingSeats }) => executingSeats);
    gauge('request_concurrency_in_use', 'Occupied seats.', ({ executingSeats }) => executingSeats);
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
        for (const { labels, refused } of pairs.values()) for (const [reason, count] of refused) this.inc({ ...labels, reason }, count);
      },
    });
    new Gauge({
      name: 'apiserver_flowcontrol_seat_fair_frac',
      help: 'Ratio of assigned to target seats at the last adjustment, which is the same for all levels.',
      registers,
      collect() {
        this.set(flowControl.fairFraction);
      },
    });
    for (const [name, help, value] of LEVEL_GAUGES) {
      new Gauge({
        name: `apiserver_flowcontrol_${name}`,
        help,
        labelNames: ['priority_level'],
        registers,
        collect() {
          this.reset();
          for (const level of flowControl.priorityLevels) this.set({ priority_level: level.spec.name }, value(level));
        },
      });
    }
  }

  *expose(): ExpositionChunks {
    for (const histogram of [this.waits, this.executions, this.lengths, this.seats]) yield* histogram.expose();
    yield* this.times();
  }

  private *times(): ExpositionChunks {
    const levels = [...this.levels].map((level) => {
      level.recordUsage();
      return [level.spec.name, level.usage] as const;
    });
    if (levels.length === 0) return;
    for (const [suffix, help, phases] of LEVEL_TIMES) {
      const name = `apiserver_flowcontrol_${suffix}`;
      yield familyHeader(name, help, 'histogram');
      for (const [level, times] of levels) {
        for (const key of TIMES) {
          const phase = phases[key];
          if (phase !== undefined) yield formatHistogram(name, `${phase}priority_level="${level}"`, times[key].bounds, times[key]);
        }
      }
    }
  }

  private createFlowSeries(labels: FlowSeries['labels']): FlowSeries {
    const waits = { true: this.waits.add({ ...labels, execute: 'true' }), false: this.waits.add({ ...labels, execute: 'false' }) };
    const executions = this.executions.add({ ...labels, type: 'regular' });
    const lengths = this.lengths.add(labels);
    const seatSeries = this.seats.add(labels);
    const observeWait = (waitedMs: number, length: number | undefined, series: HistogramSeries): void => {
      series.observe(waitedMs / 1000);
      if (length === undefined) return;
      lengths.observe(length);
    };
    const leaveQueue = (seats: number): void => {
      pair.inQueue -= 1;
      pair.waitingSeats -= seats;
    };
    const pair: FlowSeries = {
      labels,
      dispatched: 0,
      refused: new Map(),
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
          observeWait(waitedMs, length, waits.true);
        },
        rejected(reason, seats, waitedMs, length) {
          if (length !== undefined) leaveQueue(seats);
          pair.refused.set(reason, (pair.refused.get(reason) ?? 0) + 1);
          observeWait(waitedMs, length, waits.false);
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
