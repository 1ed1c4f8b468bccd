/**
 * Metrics of the priority levels of API Priority and Fairness under upstream's names: limits and demand in seats, and
 * histograms of their utilization over time. All are read from the levels at scrape time.
 */
import { Gauge, type Registry } from 'prom-client';
import type { FlowControl } from '../../flow-control/flow-control';
import type { LevelUsage, PriorityLevel } from '../../flow-control/priority-level';
import { familyHeader, formatHistogram, type ExpositionChunks } from '../registry/histogram';

/** A histogram of priority levels with observations that are weighted by nanoseconds. */
interface LevelHistogram {
  readonly name: string;
  readonly help: string;
  /** The usages that it exposes, with the exposition text of their label `phase`; empty without that label. */
  readonly phases: Readonly<Partial<Record<keyof LevelUsage, string>>>;
}

/** The names are without the prefix `apiserver_flowcontrol_`. */
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

/** The names are without the prefix `apiserver_flowcontrol_`. */
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

/** The order in which the usages of a histogram are exposed. */
const USAGES: readonly (keyof LevelUsage)[] = ['demanded', 'seats', 'executing', 'waiting'];

/** Registers the gauges; called once per registry. */
export function publishLevels(registry: Registry, flowControl: FlowControl): void {
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

/** The histograms of all levels. Yields nothing when there is no level. */
export function* exposeLevels(flowControl: FlowControl): ExpositionChunks {
  const levels = [...flowControl.priorityLevels];
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
