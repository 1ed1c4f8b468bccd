/** Judgements of admission policies under upstream's names: how long they take and what comes of them. Counting only. */
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../shared/runtime/clock';
import { Histogram, type ExposedPieces, type HistogramSeries } from './histogram';
import type { Meters } from './meters';

export interface CountedJudgement {
  readonly policy: string;
  readonly binding: string;
  readonly action: 'allow' | 'deny' | 'warn' | 'audit';
  /** Whether there was nothing to be judged by. */
  readonly isFault: boolean;
  readonly ms: number;
}

const LABELS = ['enforcement_action', 'error_type', 'policy', 'policy_binding'] as const;
const BUCKETS = [0.0000005, 0.001, 0.01, 0.1, 1];
/** Names are whatever administrators call their policies; those beyond are counted as one. */
const MOST_SERIES = 2_000;
const OTHERS = 'other';

export class PolicyMetrics {
  private readonly durations = new Histogram({
    name: 'apiserver_validating_admission_policy_check_duration_seconds',
    help: 'Time that admission policies take.',
    labels: LABELS,
    buckets: BUCKETS,
  });
  private readonly series = new Map<string, HistogramSeries>();
  private readonly checks: Counter;

  constructor(registry: Registry) {
    this.checks = new Counter({
      name: 'apiserver_validating_admission_policy_check_total',
      help: 'Judgements of admission policies.',
      labelNames: LABELS,
      registers: [registry],
    });
  }

  judged({ policy, binding, action, isFault, ms }: CountedJudgement): void {
    const errorType = isFault ? 'invalid_config' : 'no_error';
    const own = { enforcement_action: action, error_type: errorType, policy, policy_binding: binding };
    const isKnown = this.series.size < MOST_SERIES || this.series.has(JSON.stringify(own));
    const labels = isKnown ? own : { ...own, policy: OTHERS, policy_binding: OTHERS };
    const key = JSON.stringify(labels);
    let series = this.series.get(key);
    if (series === undefined) this.series.set(key, (series = this.durations.add(labels)));
    series.observe(ms / 1000);
    this.checks.inc(labels);
  }

  exposed(): ExposedPieces {
    return this.durations.exposed();
  }
}

/** Does what it is given, and observes how long it takes to make an expression ready. */
export function compilationTimes(meters: Meters, clock: Pick<Clock, 'monotonic'>): <T>(work: () => T) => T {
  const times = meters.observer('apiserver_cel_compilation_duration_seconds');
  return (work) => {
    const from = clock.monotonic();
    const made = work();
    times.observe((clock.monotonic() - from) / 1000);
    return made;
  };
}
