/**
 * Metrics of evaluations of validating admission policies, and of the compilation of CEL expressions, under upstream's
 * names. The number of series is bounded, because administrators choose the names of policies.
 */
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../shared/runtime/clock';
import { Histogram, type ExpositionChunks, type HistogramSeries } from './registry/histogram';
import type { Meters } from './registry/meters';

/** One evaluation of a validating admission policy. */
export interface PolicyEvaluationResult {
  readonly policy: string;
  readonly binding: string;
  readonly action: 'allow' | 'deny' | 'warn' | 'audit';
  /** Whether the policy or binding is misconfigured. */
  readonly isError: boolean;
  /** Duration of the evaluation. */
  readonly ms: number;
}

const LABELS = ['enforcement_action', 'error_type', 'policy', 'policy_binding'] as const;
/** Upper bounds in seconds, as upstream's. */
const BUCKETS = [0.0000005, 0.001, 0.01, 0.1, 1];
/** Limit of series, because policy names are chosen by administrators; further ones are counted as `other`. */
const MAX_SERIES = 2_000;
/** The label value that replaces names beyond the limit. */
const OTHER = 'other';

/** The series of evaluations, which are created at their first observation. */
export class PolicyMetrics {
  private readonly durations = new Histogram({
    name: 'apiserver_validating_admission_policy_check_duration_seconds',
    help: 'Latency of admission policies.',
    labels: LABELS,
    buckets: BUCKETS,
  });
  /** By the JSON of their labels. */
  private readonly series = new Map<string, HistogramSeries>();
  private readonly checks: Counter;

  constructor(registry: Registry) {
    this.checks = new Counter({
      name: 'apiserver_validating_admission_policy_check_total',
      help: 'Evaluations of admission policies.',
      labelNames: LABELS,
      registers: [registry],
    });
  }

  /** Records an evaluation in both metrics. */
  record({ policy, binding, action, isError, ms }: PolicyEvaluationResult): void {
    const errorType = isError ? 'invalid_config' : 'no_error';
    const exactLabels = { enforcement_action: action, error_type: errorType, policy, policy_binding: binding };
    const hasOwnSeries = this.series.size < MAX_SERIES || this.series.has(JSON.stringify(exactLabels));
    const labels = hasOwnSeries ? exactLabels : { ...exactLabels, policy: OTHER, policy_binding: OTHER };
    const key = JSON.stringify(labels);
    const series = this.series.get(key) ?? this.durations.add(labels);
    this.series.set(key, series);
    series.observe(ms / 1000);
    this.checks.inc(labels);
  }

  /** The durations; the number of evaluations is in the registry. */
  expose(): ExpositionChunks {
    return this.durations.expose();
  }
}

/**
 * Returns a function that runs `work` and observes its duration as the compilation of an expression, unless it throws.
 */
export function createCompilationTimer(meters: Meters, clock: Pick<Clock, 'monotonic'>): <T>(work: () => T) => T {
  const times = meters.observer('apiserver_cel_compilation_duration_seconds');
  return (work) => {
    const startedAt = clock.monotonic();
    const result = work();
    times.observe((clock.monotonic() - startedAt) / 1000);
    return result;
  };
}
