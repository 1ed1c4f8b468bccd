/**
 * The server's metrics under upstream's names, labels and buckets: joins the recorders of this folder, and renders all
 * of them for a scrape. Series are looked up once per label set and kept; label values that a client could make up are
 * never used. What is measured, and when, is left to the callers.
 */
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Dialect } from '../../shared/names/dialect';
import { CERTIFICATE_EXPIRATION_METRIC } from '../../shared/pki/certificate-expirations';
import type { Clock } from '../../shared/runtime/clock';
import type { FeatureGates } from '../../shared/cli/feature-gates';
import type { KindRow } from '../../shared/api/kinds';
import type { CacheStatistics } from '../cache/statistics';
import type { ServiceAllocator } from '../allocation/service-allocator';
import { publishAllocations } from './storage/allocation-metrics';
import { publishCache } from './storage/cache-metrics';
import { publishAudit, type AuditCounts } from './requests/audit-metrics';
import { publishEncryption, type EncryptionGauges, type EncryptionMetrics } from './storage/encryption-metrics';
import { publishConfigurations, type ReloadCounts } from './registry/configuration-metrics';
import type { FlowControl } from '../flow-control/flow-control';
import type { FlowControlMetrics } from './requests/flow-control-metrics';
import { publishConnections, type ConnectionCounts } from './requests/connection-metrics';
import { StabilityCounts, renderChunk, type Scrape } from './registry/exposition';
import type { Meters } from './registry/meters';
import { PolicyMetrics, type PolicyEvaluationResult } from './policy-metrics';
import { WebhookMetrics, type WebhookCallResult } from './webhook-metrics';
import { publishGrpcCalls } from './storage/grpc-metrics';
import { publishSpans } from './requests/span-metrics';
import type { GrpcCallCounters } from '../storage/grpc-call-counters';
import type { SpanCounts } from '../tracing/span';
import { IdentityMetrics } from './requests/identity-metrics';
import { RequestMetrics } from './requests/request-metrics';
import { WatchEventMetrics } from './requests/watch-event-metrics';
import { publishBuildInfo, publishServerState, type ServerStateSources } from './server-state-metrics';

/** Values that are collected at scrape time. */
export interface MetricSources extends ServerStateSources {
  /** Undefined when API Priority and Fairness is off. */
  readonly flowControl: { readonly state: FlowControl; readonly counts: FlowControlMetrics } | undefined;
  readonly connections: ConnectionCounts;
  /** The configuration files in use, with the counts of their reloads. */
  configurations(): readonly ReloadCounts[];
  /** Identifies the replica. */
  readonly server: string;
  /** Undefined when encryption at rest is off. */
  readonly encryption: EncryptionGauges | undefined;
  /** Undefined when auditing is off. */
  readonly audit: AuditCounts | undefined;
  /** Undefined when tracing is off. */
  readonly spans: SpanCounts | undefined;
  /** Undefined when the store is not a gRPC service. */
  readonly storeCalls: GrpcCallCounters | undefined;
  /** Allocations of Service IPs and node ports. */
  readonly allocator: ServiceAllocator;
  /** The counters and gauges of the cache. */
  cache(): CacheStatistics;
  /** The cache's revision. */
  cacheRevision(): number;
  /** The certificates in use, with the Unix time in seconds at which they expire. */
  certificates(): Iterable<readonly [name: string, seconds: number]>;
}

/** What the recorders of a server need, besides the sources. */
interface MetricsDependencies {
  readonly clock: Clock;
  readonly gates: FeatureGates;
  /** The names under which the metrics are exposed. */
  readonly naming: Dialect;
  /** The catalogued metrics of the whole server: other components record into them too. */
  readonly meters: Meters;
}

/** One run of a health check by an endpoint. */
interface HealthCheckRun {
  readonly endpoint: string;
  readonly name: string;
  readonly isHealthy: boolean;
}

/** Default metrics of prom-client that it also exposes without the suffix `_total`, which is wrong for gauges. */
const DUPLICATE_METRICS = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];
/** The metrics of `/metrics/slis`. */
const SLI_METRICS = ['kubernetes_healthcheck', 'kubernetes_healthchecks_total', 'process_start_time_seconds'];

/** All metrics of a server. Metrics of prom-client are in `registry`; the other recorders expose their own. */
export class Metrics {
  private readonly registry = new Registry();
  readonly requests: RequestMetrics;
  readonly identity: IdentityMetrics;
  readonly watchEvents: WatchEventMetrics;
  private readonly webhooks = new WebhookMetrics(this.registry);
  private readonly policies = new PolicyMetrics(this.registry);
  private readonly flowControl: FlowControlMetrics | undefined;
  private readonly encryption: EncryptionMetrics | undefined;
  private readonly health: Gauge<string>;
  private readonly healthRuns: Counter<string>;
  private readonly naming: Dialect;
  readonly meters: Meters;

  constructor(
    { clock, gates, naming, meters }: MetricsDependencies,
    private readonly sources: MetricSources,
  ) {
    this.naming = naming;
    this.meters = meters;
    const registers = [this.registry];
    this.requests = new RequestMetrics(clock, meters);
    this.identity = new IdentityMetrics(clock, meters);
    this.watchEvents = new WatchEventMetrics(meters);
    // Exposed before the first observation.
    meters.observer('apiserver_cel_compilation_duration_seconds');
    meters.observer('apiserver_cel_evaluation_duration_seconds');
    meters.observer('apiserver_client_certificate_expiration_seconds');
    meters.counter('cardinality_enforcement_unexpected_categorizations_total');
    this.health = new Gauge({
      name: 'kubernetes_healthcheck',
      help: 'Result of the last run of a health check.',
      labelNames: ['name', 'type'],
      registers,
    });
    this.healthRuns = new Counter({
      name: 'kubernetes_healthchecks_total',
      help: 'Runs of health checks, by status.',
      labelNames: ['name', 'type', 'status'],
      registers,
    });
    this.flowControl = sources.flowControl?.counts;
    this.encryption = sources.encryption?.metrics;
    this.publishSources(gates);
    collectDefaultMetrics({ register: this.registry });
    for (const name of DUPLICATE_METRICS) this.registry.removeSingleMetric(name);
  }

  /** Registers the metrics that are collected from the sources at scrape time. */
  private publishSources(gates: FeatureGates): void {
    const { sources } = this;
    this.watchEvents.publish(this.registry);
    this.identity.publish(this.registry);
    publishBuildInfo(this.registry, gates);
    publishServerState(this.registry, sources);
    publishCache(this.registry, sources);
    publishAllocations(this.registry, sources.allocator);
    publishConnections(this.registry, sources.connections);
    publishAudit(this.registry, sources.audit);
    publishSpans(this.registry, sources.spans);
    publishGrpcCalls(this.registry, sources.storeCalls);
    publishConfigurations(this.registry, () => sources.configurations(), sources.server);
    if (sources.encryption !== undefined) publishEncryption(this.registry, sources.encryption);
    if (sources.flowControl !== undefined) sources.flowControl.counts.publish(this.registry, sources.flowControl.state);
  }

  /** Records a call of an admission webhook. */
  recordWebhookCall(call: WebhookCallResult): void {
    this.webhooks.record(call);
  }

  /** Records an evaluation of a validating admission policy. */
  recordPolicyEvaluation(evaluation: PolicyEvaluationResult): void {
    this.meters.observer('apiserver_cel_evaluation_duration_seconds').observe(evaluation.ms / 1000);
    this.policies.record(evaluation);
  }

  /** Records one run of a health check; `endpoint` is the path that ran it, such as `livez`. */
  recordHealthCheck({ endpoint, name, isHealthy }: HealthCheckRun): void {
    this.health.set({ name, type: endpoint }, isHealthy ? 1 : 0);
    this.healthRuns.inc({ name, type: endpoint, status: isHealthy ? 'success' : 'error' });
  }

  /** Records a request for a deprecated version; `removed` is the release without it, undefined when not yet known. */
  recordDeprecatedRequest({ group, version, resource }: KindRow, removed: string | undefined, subresource: string): void {
    this.meters.counter('apiserver_requested_deprecated_apis', group, version, resource, subresource, removed ?? '').value = 1;
  }

  /** The metrics for service level indicators: health check results and the process start time. */
  async *scrapeSlis(): Scrape {
    for (const name of SLI_METRICS) yield renderChunk(await this.exposeFamily(name), this.naming);
  }

  /** All metrics. The gauges are read from their sources while the chunks are consumed. */
  async *scrape(): Scrape {
    const stabilities = new StabilityCounts();
    for await (const chunk of this.expose()) yield renderChunk(chunk, this.naming, stabilities);
    yield renderChunk(stabilities.text(), this.naming);
  }

  /** Yields prom-client's metrics first, one by one. */
  private async *expose(): AsyncIterable<string> {
    for (const { name } of this.registry.getMetricsAsArray()) yield this.exposeFamily(name);
    for (const [name, seconds] of this.sources.certificates()) this.meters.counter(CERTIFICATE_EXPIRATION_METRIC, name).value = seconds;
    const recorders = [this.requests, this.watchEvents, this.meters, this.webhooks, this.policies, this.flowControl, this.encryption];
    for (const recorder of recorders) if (recorder !== undefined) yield* recorder.expose();
  }

  /** One metric of the registry. */
  private async exposeFamily(name: string): Promise<string> {
    return `${await this.registry.getSingleMetricAsString(name)}\n`;
  }
}
