/**
 * Metrics of calls of admission webhooks under upstream's names: durations, outcomes, and failures with failure policy
 * Ignore. The number of series is bounded. Match conditions are in condition-metrics.ts.
 */
import { Counter, type Registry } from 'prom-client';
import { Histogram, type ExpositionChunks, type HistogramSeries } from './registry/histogram';

/** One call of an admission webhook. */
export interface WebhookCallResult {
  readonly webhook: { readonly name: string; readonly type: 'mutating' | 'validating' };
  readonly operation: string;
  readonly ms: number;
  readonly outcome: 'allowed' | 'denied' | 'failed' | 'failed-open';
  /** Status code of a denial or failure; 0 when there is none. */
  readonly code: number;
}

const LABELS = ['name', 'operation', 'rejected', 'type'] as const;
/** Upper bounds in seconds, as upstream's. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
/** Limit of names, which are chosen by administrators; further ones are counted as `other`. */
const MAX_NAMES = 1_000;
const OTHER = 'other';
/** Webhooks choose the status code of a denial; higher ones are counted as this one. */
const HIGHEST_CODE = 600;

/** The series of calls, which are created at their first observation. */
export class WebhookMetrics {
  private readonly durations = new Histogram({
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    help: 'Latency of admission webhooks.',
    labels: LABELS,
    buckets: BUCKETS,
  });
  /** By the JSON of their labels. */
  private readonly series = new Map<string, HistogramSeries>();
  /** The names that are used as label values. */
  private readonly names = new Set<string>();
  private readonly requests: Counter;
  private readonly rejections: Counter;
  private readonly failedOpen: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.requests = new Counter({
      name: 'apiserver_admission_webhook_request_total',
      help: 'Calls of admission webhooks.',
      labelNames: ['code', ...LABELS],
      registers,
    });
    this.rejections = new Counter({
      name: 'apiserver_admission_webhook_rejection_count',
      help: 'Requests that admission webhooks rejected, and requests that failed because a webhook could not be called.',
      labelNames: ['error_type', 'name', 'operation', 'rejection_code', 'type'],
      registers,
    });
    this.failedOpen = new Counter({
      name: 'apiserver_admission_webhook_fail_open_count',
      help: 'Failed calls of admission webhooks that were ignored because of their failure policy.',
      labelNames: ['name', 'type'],
      registers,
    });
  }

  /** Records a call in all metrics. */
  record({ webhook, operation, ms, outcome, code }: WebhookCallResult): void {
    const name = this.labelOf(webhook.name);
    const type = webhook.type === 'mutating' ? 'admit' : 'validating';
    const rejected = String(outcome === 'denied' || outcome === 'failed');
    const codeLabel = String(Math.min(code, HIGHEST_CODE));
    this.seriesOf({ name, operation, rejected, type }).observe(ms / 1000);
    this.requests.inc({ code: outcome === 'allowed' ? '200' : codeLabel, name, operation, rejected, type });
    if (outcome === 'failed-open') this.failedOpen.inc({ name, type });
    if (outcome === 'denied') this.rejections.inc({ error_type: 'no_error', name, operation, rejection_code: codeLabel, type });
    if (outcome === 'failed' || outcome === 'failed-open') {
      this.rejections.inc({ error_type: 'calling_webhook_error', name, operation, rejection_code: '0', type });
    }
  }

  /** The durations; the numbers of calls are in the registry. */
  expose(): ExpositionChunks {
    return this.durations.expose();
  }

  /** The label value of a webhook's name. */
  private labelOf(name: string): string {
    if (this.names.has(name)) return name;
    if (this.names.size >= MAX_NAMES) return OTHER;
    this.names.add(name);
    return name;
  }

  private seriesOf(labels: Readonly<Record<(typeof LABELS)[number], string>>): HistogramSeries {
    const key = JSON.stringify(labels);
    const existing = this.series.get(key);
    if (existing !== undefined) return existing;
    const created = this.durations.add(labels);
    this.series.set(key, created);
    return created;
  }
}
