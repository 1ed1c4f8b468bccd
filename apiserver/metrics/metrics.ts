/**
 * The server's metrics under upstream's names, labels and buckets. Children are looked up once per label set and
 * kept; labels that a client could make up are never used. Counting only: nothing here decides anything.
 */
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import { RELEASE, type Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { FeatureGates } from '../../shared/cli/feature-gates';
import { LOCKED_GATES } from '../../shared/cli/locked-gates';
import type { KindRow } from '../../shared/api/kinds';
import type { UserInfo } from '../../shared/api/identity/user';
import type { CacheStatistics } from '../cache/statistics';
import type { StoreStatus } from '../storage/store';
import type { Ledger } from '../allocation/ledger';
import { publishAllocations } from './allocation-metrics';
import { PRIORITIES, type Priority } from '../../shared/scheduling/event-loop-scheduler';
import { publishCache } from './cache-metrics';
import { publishAudit, type AuditCounts } from './audit-metrics';
import { publishEncryption, type EncryptionGauges, type EncryptionMetrics } from './encryption-metrics';
import { publishConfigurations, type ReloadCounts } from './configuration-metrics';
import type { FlowControl } from '../flow-control/flow-control';
import type { FlowControlMetrics } from './flow-control-metrics';
import { publishConnections, type ConnectionCounts } from './connection-metrics';
import { EVENT_SIZE_BUCKETS } from './buckets';
import { PromisedCounts, shown, type Scrape } from './exposition';
import { Histogram } from './histogram';
import type { Meters } from './meters';
import { PolicyMetrics, type CountedJudgement } from './policy-metrics';
import { WebhookMetrics, type CountedWebhookCall } from './webhook-metrics';
import { publishGrpcCalls } from './grpc-metrics';
import { publishSpans } from './span-metrics';
import type { GrpcCalls } from '../storage/grpc-calls';
import type { SpanCounts } from '../tracing/span';
import { RequestMetrics } from './request-metrics';

/** What the cache and the store tell when a scrape asks. */
export interface Gauges {
  /** Objects per resource text (`leases.coordination.platform.io`). */
  storageObjects(): Iterable<readonly [resource: string, count: number]>;
  /** Undefined when it is not known. */
  storage(): Promise<StoreStatus | undefined>;
  inFlight(): { readonly readOnly: number; readonly mutating: number };
  /** Undefined = there is none. */
  readonly flowControl: { readonly state: FlowControl; readonly counts: FlowControlMetrics } | undefined;
  /** Requests that are let in and have others before them. */
  readonly scheduler: { waitingCount(priority: Priority): number };
  droppedLines(): number;
  readonly connections: ConnectionCounts;
  configurations(): readonly ReloadCounts[];
  /** Identifies the replica. */
  readonly server: string;
  /** Undefined = values are stored as they are. */
  readonly encryption: EncryptionGauges | undefined;
  /** Undefined = nothing is recorded. */
  readonly audit: AuditCounts | undefined;
  /** Undefined = no traces are kept. */
  readonly spans: SpanCounts | undefined;
  /** Undefined = the store is no service. */
  readonly storeCalls: GrpcCalls | undefined;
  /** The addresses and node ports of Services. */
  readonly ledger: Ledger;
  /** The cache's own counts. */
  cache(): CacheStatistics;
  /** The revision that the cache has reached. */
  cacheRevision(): number;
  /** Names of APIServices of other servers, and whether those can be asked. */
  registrations(): Iterable<readonly [name: string, isAvailable: boolean]>;
}

/** What somebody has presented to be let in. */
interface Presented {
  readonly hasCredentials: boolean;
  readonly ms: number;
  readonly certificate: { readonly verified: boolean; readonly expiresAt?: number } | undefined;
}

/** Counts the events of one kind. */
export interface EventMeter {
  sent(bytes: number): void;
  waited(ms: number): void;
  tooSlow(): void;
}

/** Kinds come and go with their definitions: beyond so many the new ones are counted together. */
const MOST_KINDS = 2_000;
const OTHER = 'other';
const KIND_LABELS = ['group', 'version', 'kind'] as const;

/** Counters of who was let in: name, help, label, and which count stands under which of its values. */
const IDENTITY_COUNTERS = [
  [
    'authentication_attempts',
    'Requests by the outcome of authentication.',
    'result',
    { success: 'authenticated', error: 'mistaken', failure: 'unauthenticated' },
  ],
  [
    'authorization_attempts_total',
    'Requests by the outcome of authorization.',
    'result',
    { allowed: 'allowed', denied: 'denied', 'no-opinion': 'refused' },
  ],
  ['authenticated_user_requests', 'Requests by user.', 'username', { admin: 'admin', other: 'other' }],
  ['serviceaccount_valid_tokens_total', 'Uses of service account tokens that are not stale.', undefined, { '': 'fresh' }],
  ['serviceaccount_stale_tokens_total', 'Uses of tokens that should have been replaced by newer ones.', undefined, { '': 'stale' }],
  ['serviceaccount_legacy_tokens_total', 'Uses of tokens that name no audience.', undefined, { '': 'implicit' }],
  ['serviceaccount_legacy_auto_token_uses_total', 'Uses of tokens that a controller put into Secrets.', undefined, { '': 'automatic' }],
  ['serviceaccount_legacy_manual_token_uses_total', 'Uses of tokens that were put into Secrets by hand.', undefined, { '': 'manual' }],
  [
    'serviceaccount_invalid_legacy_auto_token_uses_total',
    'Uses of tokens in Secrets that are marked as no longer good.',
    undefined,
    { '': 'invalid' },
  ],
] as const;

const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];
const SLIS = ['kubernetes_healthcheck', 'kubernetes_healthchecks_total', 'process_start_time_seconds'];

const OUTCOMES = { allow: 'allowed', deny: 'denied', 'no-opinion': 'refused' } as const;

export class Metrics {
  private readonly registry = new Registry();
  readonly requests: RequestMetrics;
  private readonly webhooks = new WebhookMetrics(this.registry);
  private readonly policies = new PolicyMetrics(this.registry);
  private readonly watchSizes = new Histogram({
    name: 'apiserver_watch_events_sizes',
    help: 'Bytes of events sent to watches.',
    labels: KIND_LABELS,
    buckets: EVENT_SIZE_BUCKETS,
  });
  /** What is counted on the path of every request; prom-client is told when someone scrapes. */
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
  private readonly times: ReturnType<typeof identityTimes>;
  private readonly eventMeters = new Map<
    string,
    EventMeter & { readonly labels: Record<(typeof KIND_LABELS)[number], string>; events: number }
  >();
  private readonly flowControl: FlowControlMetrics | undefined;
  private readonly encryption: EncryptionMetrics | undefined;
  private readonly health: Gauge<string>;
  private readonly healthRuns: Counter<string>;

  constructor(
    private readonly clock: Clock,
    gates: FeatureGates,
    gauges: Gauges,
    private readonly naming: Dialect,
    readonly meters: Meters,
  ) {
    const registers = [this.registry];
    this.requests = new RequestMetrics(clock, meters);
    this.times = identityTimes(meters);
    // What is looked for is there before anything has happened.
    meters.observer('apiserver_cel_compilation_duration_seconds');
    meters.observer('apiserver_cel_evaluation_duration_seconds');
    meters.observer('apiserver_client_certificate_expiration_seconds');
    meters.count('cardinality_enforcement_unexpected_categorizations_total');
    this.health = new Gauge({
      name: 'kubernetes_healthcheck',
      help: 'Result of the last run of a health check.',
      labelNames: ['name', 'type'],
      registers,
    });
    this.healthRuns = new Counter({
      name: 'kubernetes_healthchecks_total',
      help: 'Runs of health checks by result.',
      labelNames: ['name', 'type', 'status'],
      registers,
    });
    this.publishCounts();
    this.describe(gates);
    this.ask(gauges);
    publishCache(this.registry, gauges);
    publishAllocations(this.registry, gauges.ledger);
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
    // The same as the ones without the ending, which says of a counter what these are not.
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
  }

  authenticated(user: UserInfo | undefined, { hasCredentials, certificate, ms }: Presented): void {
    const { counts, times } = this;
    const outcome = user !== undefined ? 'success' : hasCredentials ? 'error' : 'failure';
    times.authentication[outcome].observe(ms / 1000);
    if (certificate?.expiresAt !== undefined && certificate.verified) {
      const left = (certificate.expiresAt - this.clock.now()) / 1000;
      this.meters.observer('apiserver_client_certificate_expiration_seconds').observe(left);
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

  /** A service account's token was presented. */
  tokenUsed(use: 'fresh' | 'stale' | 'implicit' | 'automatic' | 'manual' | 'invalid'): void {
    this.counts[use] += 1;
  }

  webhookCalled(call: CountedWebhookCall): void {
    this.webhooks.called(call);
  }

  policyJudged(judgement: CountedJudgement): void {
    this.meters.observer('apiserver_cel_evaluation_duration_seconds').observe(judgement.ms / 1000);
    this.policies.judged(judgement);
  }

  authorized(type: 'allow' | 'deny' | 'no-opinion', ms: number): void {
    this.counts[OUTCOMES[type]] += 1;
    this.times.authorization[type].observe(ms / 1000);
  }

  healthCheck(endpoint: string, name: string, healthy: boolean): void {
    this.health.set({ name, type: endpoint }, healthy ? 1 : 0);
    this.healthRuns.inc({ name, type: endpoint, status: healthy ? 'success' : 'error' });
  }

  /** What prom-client keeps first, one metric after the other. */
  private async *exposed(): AsyncIterable<string> {
    for (const { name } of this.registry.getMetricsAsArray()) yield this.told(name);
    const own = [this.requests, this.watchSizes, this.meters, this.webhooks, this.policies, this.flowControl, this.encryption];
    for (const counts of own) if (counts !== undefined) yield* counts.exposed();
  }

  private async told(name: string): Promise<string> {
    return `${await this.registry.getSingleMetricAsString(name)}\n`;
  }

  watchMeter(group: string, version: string, kind: string, resource: string): EventMeter {
    const key = `${group}/${version}/${kind}`;
    const found = this.eventMeters.get(key);
    if (found !== undefined) return found;
    if (this.eventMeters.size >= MOST_KINDS && group !== OTHER) return this.watchMeter(OTHER, OTHER, OTHER, OTHER);
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
      tooSlow: (): void => meters.count('apiserver_terminated_watchers_total', resource).add(),
    };
    this.eventMeters.set(key, meter);
    return meter;
  }

  /** A request has come for a version that is going away. */
  deprecatedRequested({ group, version, resource }: KindRow, removed: string | undefined, subresource: string): void {
    this.meters.count('apiserver_requested_deprecated_apis', group, version, resource, subresource, removed ?? '').value = 1;
  }

  /** How the health checks go, and since when the process is there: what service levels are counted by. */
  async *scrapeSlis(): Scrape {
    for (const name of SLIS) yield shown(await this.told(name), this.naming);
  }

  async *scrape(): Scrape {
    const promised = new PromisedCounts();
    for await (const piece of this.exposed()) yield shown(piece, this.naming, promised);
    yield shown(promised.text(), this.naming);
  }

  /** Counters whose values are kept elsewhere. */
  private publishCounts(): void {
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

  private describe(gates: FeatureGates): void {
    const registers = [this.registry];
    const build = new Gauge({
      name: 'kubernetes_build_info',
      help: 'What this server is.',
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
        // As `/version` says it.
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

  /** Gauges that are read when someone scrapes. */
  private ask(gauges: Gauges): void {
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
      help: 'Bytes that the store occupies.',
      labelNames: ['storage_cluster_id'],
      registers,
      async collect() {
        const status = await gauges.storage();
        if (status !== undefined) this.set({ storage_cluster_id: 'etcd-0' }, status.size);
      },
    });
    new Counter({
      name: 'apiserver_storage_purge_failures_total',
      help: 'How often the embedded store could not remove from the disk what was compacted.',
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
      help: 'Whether the server of an APIService cannot be asked.',
      labelNames: ['name'],
      registers,
      collect() {
        this.reset();
        for (const [name, isAvailable] of gauges.registrations()) this.set({ name }, isAvailable ? 0 : 1);
      },
    });
    this.askAboutWork(gauges);
  }

  private askAboutWork(gauges: Gauges): void {
    const registers = [this.registry];
    new Gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Requests being worked on.',
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
      help: 'Lines of the log that were not written, because nobody read those before them.',
      registers,
      collect() {
        this.reset();
        this.inc(gauges.droppedLines());
      },
    });
    new Gauge({
      name: 'apiserver_requests_waiting_for_turn',
      help: 'Requests that are let in and wait for others, which share the event loop with them.',
      labelNames: ['priority'],
      registers,
      collect() {
        for (const priority of PRIORITIES) this.set({ priority }, gauges.scheduler.waitingCount(priority));
      },
    });
  }
}

function identityTimes(meters: Meters) {
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
