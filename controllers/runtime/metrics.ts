/**
 * The metrics of the controllers' process, under upstream's names: queues, requests, leadership, informers, certificates
 * and what controllers add. Gauges of queues, informers and the process are computed when the metrics are read. Serving
 * them is left to `controllers/serving`.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { LabelledValue, MetricMaker } from './controller';
import type { InformerPool } from '../../shared/client/informer/informer-pool';
import type { RequestOutcome } from '../../shared/client/transport/metered-transport';
import type { QueueMetrics, WorkQueue } from '../../shared/client/work-queue/work-queue';
import {
  CERTIFICATE_EXPIRATION_HELP,
  CERTIFICATE_EXPIRATION_METRIC,
  type CertificateExpirations,
} from '../../shared/pki/certificate-expirations';
import type { Clock } from '../../shared/runtime/clock';

/** Upstream's buckets in seconds. */
const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];
/** Upstream's buckets in seconds. */
const REQUEST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** The metrics of one process. Controllers register theirs through {@link MetricMaker}. */
export class ControllerMetrics implements MetricMaker {
  private readonly registry = new Registry();
  private readonly queues = new Map<string, WorkQueue>();
  /** The sources of gauges, by the name of the metric. */
  private readonly collectors = new Map<string, () => Iterable<LabelledValue>>();
  private readonly adds = this.newCounter('workqueue_adds_total', 'Items added to a queue.', ['name']);
  private readonly retries = this.newCounter('workqueue_retries_total', 'Items requeued after a failure.', ['name']);
  private readonly queueSeconds = this.newHistogram(
    'workqueue_queue_duration_seconds',
    'Time that items waited in the queue.',
    ['name'],
    QUEUE_BUCKETS,
  );
  private readonly workSeconds = this.newHistogram('workqueue_work_duration_seconds', 'Time to process an item.', ['name'], QUEUE_BUCKETS);
  private readonly requests = this.newCounter('rest_client_requests_total', 'Requests by method and status code.', [
    'code',
    'host',
    'method',
  ]);
  private readonly requestSeconds = this.newHistogram(
    'rest_client_request_duration_seconds',
    'Latency of requests.',
    ['host', 'verb'],
    REQUEST_BUCKETS,
  );
  private readonly leading = this.newGauge('leader_election_master_status', '1 when this process holds the lease, else 0.', ['name']);

  constructor(
    private readonly clock: Clock,
    informers: InformerPool,
    certificates: CertificateExpirations,
  ) {
    const { registry } = this;
    this.addCollectedGauge('workqueue_depth', 'Items that wait in the queue.', ['name'], (gauge) => {
      for (const [name, queue] of this.queues) gauge.set({ name }, queue.length);
    });
    this.addCollectedGauge('workqueue_unfinished_work_seconds', 'Total time that the items in progress have taken.', ['name'], (gauge) => {
      for (const [name, queue] of this.queues) gauge.set({ name }, sum(this.workAges(queue)));
    });
    this.addCollectedGauge(
      'workqueue_longest_running_processor_seconds',
      'Time that the longest-running item in progress has taken.',
      ['name'],
      (gauge) => {
        for (const [name, queue] of this.queues) gauge.set({ name }, Math.max(0, ...this.workAges(queue)));
      },
    );
    this.addCollectedGauge('informer_objects', 'Objects in the stores of informers.', ['resource'], (gauge) => {
      for (const informer of informers.started) gauge.set({ resource: informer.resource.resource }, informer.list().length);
    });
    this.addCollectedGauge(CERTIFICATE_EXPIRATION_METRIC, CERTIFICATE_EXPIRATION_HELP, ['certificate'], (gauge) => {
      for (const [certificate, seconds] of certificates.entries()) gauge.set({ certificate }, seconds);
    });
    this.addCollectedGauge('process_resident_memory_bytes', 'Resident memory.', [], (gauge) => gauge.set(process.memoryUsage.rss()));
    const startSeconds = clock.now() / 1000 - process.uptime();
    this.addCollectedGauge('process_start_time_seconds', 'Start time of the process since the Unix epoch.', [], (gauge) =>
      gauge.set(startSeconds),
    );
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'User and system CPU time.',
      registers: [registry],
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    });
  }

  /** The media type of {@link text}. */
  readonly contentType = this.registry.contentType;

  /** The metrics in the text format of Prometheus. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Metrics for the constructor of a queue. The created queue must be passed to {@link registerQueue}. */
  queue(name: string): QueueMetrics {
    return {
      added: () => this.adds.inc({ name }),
      retried: () => this.retries.inc({ name }),
      dequeued: (ms) => this.queueSeconds.observe({ name }, ms / 1000),
      finished: (ms) => this.workSeconds.observe({ name }, ms / 1000),
    };
  }

  /** Adds the queue to the gauges. A controller that starts again registers a new queue in place of the one with its name. */
  registerQueue(name: string, queue: WorkQueue): void {
    this.queues.set(name, queue);
  }

  /** `code` is 0 for a request without a response. */
  observeRequest({ host, method, code, ms }: RequestOutcome): void {
    this.requests.inc({ code: code === 0 ? '<error>' : String(code), host, method });
    this.requestSeconds.observe({ host, verb: method }, ms / 1000);
  }

  /** `name`: of the lease. */
  setLeading(name: string, isLeading: boolean): void {
    this.leading.set({ name }, isLeading ? 1 : 0);
  }

  /** For how long each item in progress has been processed. Seconds. */
  private workAges(queue: WorkQueue): number[] {
    const now = this.clock.monotonic();
    return [...queue.unfinished].map((since) => (now - since) / 1000);
  }

  counter(name: string, help: string, labelNames: readonly string[] = []): ReturnType<MetricMaker['counter']> {
    const existing = this.registry.getSingleMetric(name);
    const counter = existing instanceof Counter ? existing : this.newCounter(name, help, [...labelNames]);
    return (labels = {}, by = 1) => counter.inc({ ...labels }, by);
  }

  gauge(name: string, help: string, labelNames: readonly string[] = []): ReturnType<MetricMaker['gauge']> {
    const existing = this.registry.getSingleMetric(name);
    const gauge = existing instanceof Gauge ? existing : this.newGauge(name, help, [...labelNames]);
    return (value, labels = {}) => gauge.set({ ...labels }, value);
  }

  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly string[] = [],
  ): ReturnType<MetricMaker['histogram']> {
    const existing = this.registry.getSingleMetric(name);
    const histogram = existing instanceof Histogram ? existing : this.newHistogram(name, help, [...labelNames], [...buckets]);
    return (value, labels = {}) => histogram.observe({ ...labels }, value);
  }

  collectedGauge(name: string, help: string, labelNames: readonly string[], collect: () => Iterable<LabelledValue>): () => void {
    const isNew = !this.collectors.has(name);
    this.collectors.set(name, collect);
    if (isNew) {
      this.addCollectedGauge(name, help, [...labelNames], (gauge) => {
        gauge.reset();
        for (const { labels, value } of this.collectors.get(name)?.() ?? []) gauge.set({ ...labels }, value);
      });
    }
    return () => {
      if (this.collectors.get(name) === collect) this.collectors.set(name, () => []);
    };
  }

  private newCounter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private newGauge(name: string, help: string, labelNames: string[]): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  private newHistogram(name: string, help: string, labelNames: string[], buckets: number[]): Histogram {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** A gauge with values that are computed at each scrape. */
  private addCollectedGauge(name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => void): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        collect(this);
      },
    });
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
