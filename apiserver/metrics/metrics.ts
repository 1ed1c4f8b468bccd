/**
 * The server's metrics under upstream's names, labels and buckets. Series are looked up once per label set and kept;
 * label values that a client could make up are never used.
 */
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import { RELEASE, type Dialect } from '../../shared/names/dialect';
import { CERTIFICATE_EXPIRATION_METRIC } from '../../shared/pki/certificate-expirations';
import type { Clock } from '../../shared/runtime/clock';
import type { FeatureGates } from '../../shared/cli/feature-gates';
import { LOCKED_GATES } from '../../shared/cli/locked-gates';
import type { KindRow } from '../../shared/api/kinds';
import type { UserInfo } from '../../shared/api/identity/user';
import type { CacheStatistics } from '../cache/statistics';
import type { StoreStatus } from '../storage/store';
import type { ServiceAllocator } from '../allocation/service-allocator';
import { publishAllocations } from './storage/allocation-metrics';
import { PRIORITIES, type Priority } from '../../shared/scheduling/event-loop-scheduler';
import { publishCache } from './storage/cache-metrics';
import { publishAudit, type AuditCounts } from './requests/audit-metrics';
import { publishEncryption, type EncryptionGauges, type EncryptionMetrics } from './storage/encryption-metrics';
import { publishConfigurations, type ReloadCounts } from './registry/configuration-metrics';
import type { FlowControl } from '../flow-control/flow-control';
import type { FlowControlMetrics } from './requests/flow-control-metrics';
import { publishConnections, type ConnectionCounts } from './requests/connection-metrics';
import { EVENT_SIZE_BUCKETS } from './registry/buckets';
import { StabilityCounts, renderChunk, type Scrape } from './registry/exposition';
import { Histogram } from './registry/histogram';
import type { Meters } from './registry/meters';
import { PolicyMetrics, type PolicyEvaluationResult } from './policy-metrics';
import { WebhookMetrics, type WebhookCallResult } from './webhook-metrics';
import { publishGrpcCalls } from './storage/grpc-metrics';
import { publishSpans } from './requests/span-metrics';
import type { GrpcCallCounters } from '../storage/grpc-call-counters';
import type { SpanCounts } from '../tracing/span';
import { RequestMetrics } from './requests/request-metrics';

/** Values that are collected at scrape time. */
export interface MetricSources {
  /** Number of objects per resource (`leases.coordination.platform.io`). */
  storageObjects(): Iterable<readonly [resource: string, count: number]>;
  /** Undefined when the store does not report it. */
  storage(): Promise<StoreStatus | undefined>;
  inFlight(): { readonly readOnly: number; readonly mutating: number };
  /** Undefined when API Priority and Fairness is off. */
  readonly flowControl: { readonly state: FlowControl; readonly counts: FlowControlMetrics } | undefined;
  /** Admitted requests that wait for earlier ones. */
  readonly scheduler: { waitingCount(priority: Priority): number };
  droppedLines(): number;
  readonly connections: ConnectionCounts;
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
  cache(): CacheStatistics;
  /** The cache's revision. */
  cacheRevision(): number;
  /** The certificates in use, with the Unix time in seconds at which they expire. */
  certificates(): Iterable<readonly [name: string, seconds: number]>;
  /** APIServices with a service, and whether they are available. */
  registrations(): Iterable<readonly [name: string, isAvailable: boolean]>;
}

/** The credentials of a request. */
interface PresentedCredentials {
  readonly hasCredentials: boolean;
  readonly ms: number;
  readonly certificate: { readonly isVerified: boolean; readonly expiresAt?: number } | undefined;
}

/** Records the watch events of one kind. */
export interface WatchEventMeter {
  sent(bytes: number): void;
  waited(ms: number): void;
  tooSlow(): void;
}

/** Limit of kinds, which come and go with CustomResourceDefinitions; further ones are counted together. */
const MAX_KINDS = 2_000;
const OTHER = 'other';
const KIND_LABELS = ['group', 'version', 'kind'] as const;

/** Counters of authentication and authorization: name, help, label, and the count for each label value. */
const IDENTITY_COUNTERS = [
  [
    'authentication_attempts',
    'Authentication attempts, by result.',
    'result',
    { success: 'authenticated', error: 'mistaken', failure: 'unauthenticated' },
  ],
  [
    'authorization_attempts_total',
    'Authorization attempts, by result.',
    'result',
    { allowed: 'allowed', denied: 'denied', 'no-opinion': 'refused' },
  ],
  ['authenticated_user_requests', 'Authenticated requests, by user.', 'username', { admin: 'admin', other: 'other' }],
  ['serviceaccount_valid_tokens_total', 'Uses of service account tokens that are not stale.', undefined, { '': 'fresh' }],
  [
    'serviceaccount_stale_tokens_total',
    'Uses of service account tokens past the time at which they should have been refreshed.',
    undefined,
    { '': 'stale' },
  ],
  ['serviceaccount_legacy_tokens_total', 'Uses of service account tokens without an audience.', undefined, { '': 'implicit' }],
  [
    'serviceaccount_legacy_auto_token_uses_total',
    'Uses of auto-generated service account tokens in Secrets.',
    undefined,
    { '': 'automatic' },
  ],
  [
    'serviceaccount_legacy_manual_token_uses_total',
    'Uses of manually created service account tokens in Secrets.',
    undefined,
    { '': 'manual' },
  ],
  [
    'serviceaccount_invalid_legacy_auto_token_uses_total',
    'Uses of service account tokens in Secrets that are marked as invalid.',
    undefined,
    { '': 'invalid' },
  ],
] as const;

const DUPLICATE_METRICS = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];
const SLI_METRICS = ['kubernetes_healthcheck', 'kubernetes_healthchecks_total', 'process_start_time_seconds'];

const AUTHORIZATION_COUNTS = { allow: 'allowed', deny: 'denied', 'no-opinion': 'refused' } as const;

export class Metrics {
  private readonly registry = new Registry();
  readonly requests: RequestMetrics;
  private readonly webhooks = new WebhookMetrics(this.registry);
  private readonly policies = new PolicyMetrics(this.registry);
  private readonly watchSizes = new Histogram({
    name: 'apiserver_watch_events_sizes',
    help: 'Size of watch events in bytes.',
    labels: KIND_LABELS,
    buckets: EVENT_SIZE_BUCKETS,
  });
  /** Counted on the path of every request, and copied to prom-client at scrape time. */
  private readonly counts = {
    authenticated: 0,
    mistaken: 0,
    unauthenticated: 0,
    allowed: 0,
    denied: 0,
    refused: 0,
    admin: 0,
    other: 0,
    fresh: 0,
    stale: 0,
    implicit: 0,
    automatic: 0,
    manual: 0,
    invalid: 0,
  };
  private readonly times: ReturnType<typeof createIdentityObservers>;
  private readonly eventMeters = new Map<
    string,
    WatchEventMeter & { readonly labels: Record<(typeof KIND_LABELS)[number], string>; events: number }
  >();
  private readonly flowControl: FlowControlMetrics | undefined;
  private readonly encryption: EncryptionMetrics | undefined;
  private readonly health: Gauge<string>;
  private readonly healthRuns: Counter<string>;

  constructor(
    private readonly clock: Clock,
    gates: FeatureGates,
    private readonly gauges: MetricSources,
    private readonly naming: Dialect,
    readonly meters: Meters,
  ) {
    const registers = [this.registry];
    this.requests = new RequestMetrics(clock, meters);
    this.times = createIdentityObservers(meters);
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
    this.publishCounters();
    this.publishBuildInfo(gates);
    this.publishGauges(gauges);
    publishCache(this.registry, gauges);
    publishAllocations(this.registry, gauges.allocator);
    publishConnections(this.registry, gauges.connections);
    publishAudit(this.registry, gauges.audit);
    publishSpans(this.registry, gauges.spans);
    publishGrpcCalls(this.registry, gauges.storeCalls);
    publishConfigurations(this.registry, () => gauges.configurations(), gauges.server);
    if (gauges.encryption !== undefined) publishEncryption(this.registry, gauges.encryption);
    if (gauges.flowControl !== undefined) gauges.flowControl.counts.publish(this.registry, gauges.flowControl.state);
    this.flowControl = gauges.flowControl?.counts;
    this.encryption = gauges.encryption?.metrics;
    collectDefaultMetrics({ register: this.registry });
    // The same metrics exist without the suffix `_total`, which is wrong for these gauges.
    for (const name of DUPLICATE_METRICS) this.registry.removeSingleMetric(name);
  }

  recordAuthentication(user: UserInfo | undefined, { hasCredentials, certificate, ms }: PresentedCredentials): void {
    const { counts, times } = this;
    const outcome = user !== undefined ? 'success' : hasCredentials ? 'error' : 'failure';
    times.authentication[outcome].observe(ms / 1000);
    if (certificate?.expiresAt !== undefined && certificate.isVerified) {
      const remainingSeconds = (certificate.expiresAt - this.clock.now()) / 1000;
      this.meters.observer('apiserver_client_certificate_expiration_seconds').observe(remainingSeconds);
    }
    if (user === undefined) {
      if (hasCredentials) counts.mistaken += 1;
      else counts.unauthenticated += 1;
      return;
    }
    counts.authenticated += 1;
    if (user.name === 'admin') counts.admin += 1;
    else counts.other += 1;
  }

  /** Records the use of a service account token. */
  recordTokenUse(use: 'fresh' | 'stale' | 'implicit' | 'automatic' | 'manual' | 'invalid'): void {
    this.counts[use] += 1;
  }

  recordWebhookCall(call: WebhookCallResult): void {
    this.webhooks.record(call);
  }

  recordPolicyEvaluation(evaluation: PolicyEvaluationResult): void {
    this.meters.observer('apiserver_cel_evaluation_duration_seconds').observe(evaluation.ms / 1000);
    this.policies.record(evaluation);
  }

  recordAuthorization(type: 'allow' | 'deny' | 'no-opinion', ms: number): void {
    this.counts[AUTHORIZATION_COUNTS[type]] += 1;
    this.times.authorization[type].observe(ms / 1000);
  }

  recordHealthCheck(endpoint: string, name: string, healthy: boolean): void {
    this.health.set({ name, type: endpoint }, healthy ? 1 : 0);
    this.healthRuns.inc({ name, type: endpoint, status: healthy ? 'success' : 'error' });
  }

  /** Yields prom-client's metrics first, one by one. */
  private async *expose(): AsyncIterable<string> {
    for (const { name } of this.registry.getMetricsAsArray()) yield this.exposeFamily(name);
    for (const [name, seconds] of this.gauges.certificates()) this.meters.counter(CERTIFICATE_EXPIRATION_METRIC, name).value = seconds;
    const ownMetrics = [this.requests, this.watchSizes, this.meters, this.webhooks, this.policies, this.flowControl, this.encryption];
    for (const counts of ownMetrics) if (counts !== undefined) yield* counts.expose();
  }

  private async exposeFamily(name: string): Promise<string> {
    return `${await this.registry.getSingleMetricAsString(name)}\n`;
  }

  watchMeter(group: string, version: string, kind: string, resource: string): WatchEventMeter {
    const key = `${group}/${version}/${kind}`;
    const existing = this.eventMeters.get(key);
    if (existing !== undefined) return existing;
    if (this.eventMeters.size >= MAX_KINDS && group !== OTHER) return this.watchMeter(OTHER, OTHER, OTHER, OTHER);
    const labels = { group, version, kind };
    const { meters } = this;
    const sizes = this.watchSizes.add(labels);
    const lags = meters.observer('apiserver_watch_event_lag_seconds', group, version, kind);
    const meter = {
      labels,
      events: 0,
      sent(bytes: number): void {
        meter.events += 1;
        sizes.observe(bytes);
      },
      waited: (ms: number): void => lags.observe(ms / 1000),
      tooSlow: (): void => meters.counter('apiserver_terminated_watchers_total', resource).add(),
    };
    this.eventMeters.set(key, meter);
    return meter;
  }

  /** Records a request for a deprecated version. */
  recordDeprecatedRequest({ group, version, resource }: KindRow, removed: string | undefined, subresource: string): void {
    this.meters.counter('apiserver_requested_deprecated_apis', group, version, resource, subresource, removed ?? '').value = 1;
  }

  /** The metrics for service level indicators: health check results and the process start time. */
  async *scrapeSlis(): Scrape {
    for (const name of SLI_METRICS) yield renderChunk(await this.exposeFamily(name), this.naming);
  }

  async *scrape(): Scrape {
    const stabilities = new StabilityCounts();
    for await (const chunk of this.expose()) yield renderChunk(chunk, this.naming, stabilities);
    yield renderChunk(stabilities.text(), this.naming);
  }

  /** Registers counters with values that are kept elsewhere. */
  private publishCounters(): void {
    const registers = [this.registry];
    const { eventMeters, counts } = this;
    new Counter({
      name: 'apiserver_watch_events_total',
      help: 'Events sent to watches.',
      labelNames: KIND_LABELS,
      registers,
      collect() {
        this.reset();
        for (const { labels, events } of eventMeters.values()) this.inc(labels, events);
      },
    });
    for (const [name, help, label, values] of IDENTITY_COUNTERS) {
      new Counter({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers,
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(values)) this.inc(label === undefined ? {} : { [label]: value }, counts[count]);
        },
      });
    }
  }

  private publishBuildInfo(gates: FeatureGates): void {
    const registers = [this.registry];
    const build = new Gauge({
      name: 'kubernetes_build_info',
      help: 'Version of this server, with the platform that it runs on.',
      labelNames: ['major', 'minor', 'git_version', 'git_commit', 'git_tree_state', 'build_date', 'go_version', 'compiler', 'platform'],
      registers,
    });
    build.set(
      {
        major: RELEASE.major,
        minor: RELEASE.minor,
        git_version: RELEASE.gitVersion,
        git_commit: '',
        git_tree_state: '',
        build_date: '1970-01-01T00:00:00Z',
        // The same as in `/version`.
        go_version: process.version,
        compiler: 'node',
        platform: `${process.platform}/${process.arch}`,
      },
      1,
    );
    const features = new Gauge({ name: 'kubernetes_feature_enabled', help: 'Feature gates.', labelNames: ['name', 'stage'], registers });
    for (const { name, stage, enabled } of gates.list())
      features.set({ name, stage: stage === 'ga' ? '' : stage.toUpperCase() }, enabled ? 1 : 0);
    for (const [name, { stage, enabled }] of LOCKED_GATES) features.set({ name, stage }, enabled ? 1 : 0);
  }

  /** Registers gauges that are collected at scrape time. */
  private publishGauges(gauges: MetricSources): void {
    const registers = [this.registry];
    new Gauge({
      name: 'apiserver_storage_objects',
      help: 'Stored objects.',
      labelNames: ['resource'],
      registers,
      collect() {
        for (const [resource, count] of gauges.storageObjects()) this.set({ resource }, count);
      },
    });
    new Gauge({
      name: 'apiserver_storage_size_bytes',
      help: 'Size of the store in bytes.',
      labelNames: ['storage_cluster_id'],
      registers,
      async collect() {
        const status = await gauges.storage();
        if (status !== undefined) this.set({ storage_cluster_id: 'etcd-0' }, status.size);
      },
    });
    new Counter({
      name: 'apiserver_storage_purge_failures_total',
      help: 'Failed attempts of the embedded store to remove compacted revisions from the disk.',
      registers,
      async collect() {
        const failures = (await gauges.storage())?.purgeFailures;
        if (failures === undefined) return;
        this.reset();
        this.inc(failures);
      },
    });
    new Gauge({
      name: 'aggregator_unavailable_apiservice',
      help: '1 when the server of an APIService is unavailable, else 0.',
      labelNames: ['name'],
      registers,
      collect() {
        this.reset();
        for (const [name, isAvailable] of gauges.registrations()) this.set({ name }, isAvailable ? 0 : 1);
      },
    });
    this.publishRequestGauges(gauges);
  }

  private publishRequestGauges(gauges: MetricSources): void {
    const registers = [this.registry];
    new Gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Requests that are being processed.',
      labelNames: ['request_kind'],
      registers,
      collect() {
        const { readOnly, mutating } = gauges.inFlight();
        this.set({ request_kind: 'readOnly' }, readOnly);
        this.set({ request_kind: 'mutating' }, mutating);
      },
    });
    new Counter({
      name: 'apiserver_log_lines_dropped_total',
      help: 'Log lines that were dropped because the reader of stderr did not keep up.',
      registers,
      collect() {
        this.reset();
        this.inc(gauges.droppedLines());
      },
    });
    new Gauge({
      name: 'apiserver_requests_waiting_for_turn',
      help: 'Admitted requests that wait for their turn on the event loop.',
      labelNames: ['priority'],
      registers,
      collect() {
        for (const priority of PRIORITIES) this.set({ priority }, gauges.scheduler.waitingCount(priority));
      },
    });
  }
}

function createIdentityObservers(meters: Meters) {
  return {
    authentication: {
      success: meters.observer('authentication_duration_seconds', 'success'),
      failure: meters.observer('authentication_duration_seconds', 'failure'),
      error: meters.observer('authentication_duration_seconds', 'error'),
    },
    authorization: {
      allow: meters.observer('authorization_duration_seconds', 'allowed'),
      deny: meters.observer('authorization_duration_seconds', 'denied'),
      'no-opinion': meters.observer('authorization_duration_seconds', 'no-opinion'),
    },
  };
}
