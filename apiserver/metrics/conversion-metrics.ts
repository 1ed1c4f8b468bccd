/** Calls of conversion webhooks under upstream's names: how long they take, between which versions, and what is wrong with them. Counting only. */
import { Counter, type Registry } from 'prom-client';
import { Histogram, type HistogramSeries } from './histogram';

export interface CountedConversion {
  readonly definition: string;
  readonly from: string;
  readonly to: string;
  readonly ms: number;
  /** Undefined = it was good. */
  readonly fault: string | undefined;
}

const RESULT = ['failure_type', 'result'] as const;
const WAY = ['crd_name', 'from_version', 'succeeded', 'to_version'] as const;
const BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];
const WAY_BUCKETS = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384];
/** Ways between versions are whatever definitions have; those beyond are not told apart. */
const MOST_WAYS = 1_000;

export class ConversionMetrics {
  private readonly durations = new Histogram({
    name: 'apiserver_conversion_webhook_duration_seconds',
    help: 'Time that conversion webhooks take.',
    labels: RESULT,
    buckets: BUCKETS,
  });
  private readonly ways = new Histogram({
    name: 'apiserver_crd_conversion_webhook_duration_seconds',
    help: 'Time that conversions of custom resources take.',
    labels: WAY,
    buckets: WAY_BUCKETS,
  });
  private readonly series = new Map<string, HistogramSeries>();
  private readonly waySeries = new Map<string, HistogramSeries>();
  private readonly requests: Counter;

  constructor(registry: Registry) {
    this.requests = new Counter({
      name: 'apiserver_conversion_webhook_request_total',
      help: 'Calls of conversion webhooks.',
      labelNames: RESULT,
      registers: [registry],
    });
  }

  called({ definition, from, to, ms, fault }: CountedConversion): void {
    const outcome = { failure_type: fault ?? '', result: fault === undefined ? 'success' : 'failure' };
    seriesOf(this.series, outcome.failure_type, () => this.durations.add(outcome)).observe(ms / 1000);
    this.requests.inc(outcome);
    const way = { crd_name: definition, from_version: from, succeeded: String(fault === undefined), to_version: to };
    const key = JSON.stringify(way);
    const isNew = !this.waySeries.has(key);
    if (isNew && this.waySeries.size >= MOST_WAYS) return;
    seriesOf(this.waySeries, key, () => this.ways.add(way)).observe(ms / 1000);
  }

  text(): string {
    return this.durations.text() + this.ways.text();
  }
}

function seriesOf(known: Map<string, HistogramSeries>, key: string, make: () => HistogramSeries): HistogramSeries {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}
