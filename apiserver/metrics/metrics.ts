/**
 * The server's metrics under upstream's names, labels and buckets. Children are looked up once per label set and
 * kept; labels that a client could make up are never used. Counting only: nothing here decides anything.
 */
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import { RELEASE } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { FeatureGates } from '../../shared/runtime/feature-gates';
import type { Deprecation, KindRow } from '../../shared/api/kinds';
import type { UserInfo } from '../../shared/api/identity/user';
import type { CacheStatistics } from '../cache/statistics';
import type { StoreStatus } from '../storage/store';
import type { Ledger } from '../allocation/ledger';
import { publishAllocations } from './allocation-metrics';
import { PRIORITIES, type Priority } from '../../shared/runtime/turns';
import { publishCache } from './cache-metrics';
import { publishAudit, type AuditCounts } from './audit-metrics';
import { publishConfigurations, type ReloadCounts } from './configuration-metrics';
import type { FlowControl } from '../flow-control/flow-control';
import type { FlowControlMetrics } from './flow-control-metrics';
import { publishConnections, type ConnectionCounts } from './connection-metrics';
import { DURATION_BUCKETS, EVENT_SIZE_BUCKETS, SIZE_BUCKETS, SLI_BUCKETS } from './buckets';
import { Histogram, type HistogramSeries } from './histogram';
import { PolicyMetrics, type CountedJudgement } from './policy-metrics';
import { WebhookMetrics, type CountedWebhookCall } from './webhook-metrics';
import { describeRequest, type DescribedRequest, type RequestLabels } from './request-labels';

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
  readonly turns: { waiting(priority: Priority): number };
  droppedLines(): number;
  readonly connections: ConnectionCounts;
  configurations(): readonly ReloadCounts[];
  /** Undefined = nothing is recorded. */
  readonly audit: AuditCounts | undefined;
  /** The addresses and node ports of Services. */
  readonly ledger: Ledger;
  /** The cache's own counts. */
  cache(): CacheStatistics;
  /** The revision that the cache has reached. */
  cacheRevision(): number;
}

/** A request whose answer has been handed over or given up. */
export interface MeasuredRequest extends DescribedRequest {
  /** Clock.monotonic at arrival. */
  readonly startedAt: number;
  readonly status: number;
  readonly sentBytes: number;
}

/** Counts the events of one kind. */
export interface EventMeter {
  sent(bytes: number): void;
}

interface Series {
  readonly labels: RequestLabels['values'];
  readonly durations: HistogramSeries;
  readonly slis: HistogramSeries | undefined;
  readonly sizes: HistogramSeries | undefined;
  /** Requests by status code. */
  readonly byCode: Map<number, number>;
}

const REQUEST_LABELS = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const KIND_LABELS = ['group', 'version', 'kind'] as const;
const SHORT_LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

/** Counters of who was let in: name, help, label, and which count stands under which of its values. */
const IDENTITY_COUNTERS = [
  [
    'authentication_attempts',
    'Requests by the outcome of authentication.',
    'result',
    { success: 'authenticated', failure: 'unauthenticated' },
  ],
  ['authorization_attempts_total', 'Requests by the outcome of authorization.', 'result', { allowed: 'allowed', 'no-opinion': 'refused' }],
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

export class Metrics {
  private readonly registry = new Registry();
  private readonly webhooks = new WebhookMetrics(this.registry);
  private readonly policies = new PolicyMetrics(this.registry);
  private readonly durations = new Histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Time from arrival to answer.',
    labels: REQUEST_LABELS,
    buckets: DURATION_BUCKETS,
  });
  private readonly slis = new Histogram({
    name: 'apiserver_request_sli_duration_seconds',
    help: 'Time that the server itself is answerable for.',
    labels: SHORT_LABELS,
    buckets: SLI_BUCKETS,
  });
  private readonly sizes = new Histogram({
    name: 'apiserver_response_sizes',
    help: 'Bytes of answers to reads.',
    labels: SHORT_LABELS,
    buckets: SIZE_BUCKETS,
  });
  private readonly watchSizes = new Histogram({
    name: 'apiserver_watch_events_sizes',
    help: 'Bytes of events sent to watches.',
    labels: KIND_LABELS,
    buckets: EVENT_SIZE_BUCKETS,
  });
  private readonly longRunning: Gauge<string>;
  /** What is counted on the path of every request; prom-client is told when someone scrapes. */
  private readonly counts = {
    authenticated: 0,
    unauthenticated: 0,
    allowed: 0,
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
  private readonly series = new Map<string, Series>();
  private readonly meters = new Map<
    string,
    EventMeter & { readonly labels: Record<(typeof KIND_LABELS)[number], string>; events: number }
  >();
  private readonly flowControl: FlowControlMetrics | undefined;
  private readonly deprecated: Gauge<string>;
  private readonly health: Gauge<string>;
  private readonly healthRuns: Counter<string>;

  constructor(
    private readonly clock: Clock,
    gates: FeatureGates,
    gauges: Gauges,
  ) {
    const registers = [this.registry];
    this.longRunning = new Gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches that are open.',
      labelNames: SHORT_LABELS,
      registers,
    });
    this.deprecated = new Gauge({
      name: 'apiserver_requested_deprecated_apis',
      help: 'Versions that are going away and were asked for.',
      labelNames: ['group', 'version', 'resource', 'subresource', 'removed_release'],
      registers,
    });
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
    publishConfigurations(this.registry, () => gauges.configurations());
    if (gauges.flowControl !== undefined) gauges.flowControl.counts.publish(this.registry, gauges.flowControl.state);
    this.flowControl = gauges.flowControl?.counts;
    collectDefaultMetrics({ register: this.registry });
  }

  /** Counts a request whose answer has been handed over or given up. */
  finished(request: MeasuredRequest): void {
    const labels = describeRequest(request);
    const series = this.seriesOf(labels);
    const seconds = (this.clock.monotonic() - request.startedAt) / 1000;
    series.durations.observe(seconds);
    series.slis?.observe(seconds);
    series.sizes?.observe(request.sentBytes);
    series.byCode.set(request.status, (series.byCode.get(request.status) ?? 0) + 1);
  }

  authenticated(user: UserInfo | undefined): void {
    const { counts } = this;
    if (user === undefined) {
      counts.unauthenticated += 1;
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
    this.policies.judged(judgement);
  }

  authorized(allowed: boolean): void {
    if (allowed) this.counts.allowed += 1;
    else this.counts.refused += 1;
  }

  healthCheck(endpoint: string, name: string, healthy: boolean): void {
    this.health.set({ name, type: endpoint }, healthy ? 1 : 0);
    this.healthRuns.inc({ name, type: endpoint, status: healthy ? 'success' : 'error' });
  }

  private histograms(): readonly string[] {
    const own = [this.durations, this.slis, this.sizes, this.watchSizes].map((histogram) => histogram.text());
    return this.flowControl === undefined ? own : [...own, this.flowControl.text()];
  }

  watchMeter(group: string, version: string, kind: string): EventMeter {
    const key = `${group}/${version}/${kind}`;
    const found = this.meters.get(key);
    if (found !== undefined) return found;
    const labels = { group, version, kind };
    const sizes = this.watchSizes.add(labels);
    const meter = {
      labels,
      events: 0,
      sent(bytes: number): void {
        meter.events += 1;
        sizes.observe(bytes);
      },
    };
    this.meters.set(key, meter);
    return meter;
  }

  /** A request has come for a version that is going away. */
  deprecatedRequested({ group, version, resource }: KindRow, { removed }: Deprecation, subresource: string): void {
    this.deprecated.set({ group, version, resource, subresource, removed_release: removed ?? '' }, 1);
  }

  /** A watch has begun; the returned function counts its end. */
  watchStarted(request: DescribedRequest): () => void {
    const { dry_run: _dryRun, ...labels } = describeRequest(request).values;
    const gauge = this.longRunning.labels(labels);
    gauge.inc();
    return () => gauge.dec();
  }

  async scrape(): Promise<{ readonly contentType: string; readonly text: string }> {
    const histograms = this.histograms();
    const text = `${await this.registry.metrics()}${histograms.join('')}${this.webhooks.text()}${this.policies.text()}`;
    return { contentType: 'text/plain; version=0.0.4; charset=utf-8', text };
  }

  private seriesOf(labels: RequestLabels): Series {
    const found = this.series.get(labels.key);
    if (found !== undefined) return found;
    const { dry_run: _dryRun, ...short } = labels.values;
    const isWatch = short.verb === 'WATCH';
    const made: Series = {
      labels: labels.values,
      durations: this.durations.add(labels.values),
      slis: isWatch ? undefined : this.slis.add(short),
      sizes: short.verb === 'GET' || short.verb === 'LIST' ? this.sizes.add(short) : undefined,
      byCode: new Map(),
    };
    this.series.set(labels.key, made);
    return made;
  }

  /** Counters whose values are kept elsewhere. */
  private publishCounts(): void {
    const registers = [this.registry];
    const { series, meters, counts } = this;
    new Counter({
      name: 'apiserver_request_total',
      help: 'Requests by verb, resource and code.',
      labelNames: [...REQUEST_LABELS, 'code'],
      registers,
      collect() {
        this.reset();
        for (const { labels, byCode } of series.values())
          for (const [code, count] of byCode) this.inc({ ...labels, code: String(code) }, count);
      },
    });
    new Counter({
      name: 'apiserver_watch_events_total',
      help: 'Events sent to watches.',
      labelNames: KIND_LABELS,
      registers,
      collect() {
        this.reset();
        for (const { labels, events } of meters.values()) this.inc(labels, events);
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
      labelNames: ['major', 'minor', 'git_version', 'platform'],
      registers,
    });
    build.set(
      { major: RELEASE.major, minor: RELEASE.minor, git_version: RELEASE.gitVersion, platform: `${process.platform}/${process.arch}` },
      1,
    );
    const features = new Gauge({ name: 'kubernetes_feature_enabled', help: 'Feature gates.', labelNames: ['name', 'stage'], registers });
    for (const { name, stage, enabled } of gates.all())
      features.set({ name, stage: stage === 'ga' ? '' : stage.toUpperCase() }, enabled ? 1 : 0);
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
        for (const priority of PRIORITIES) this.set({ priority }, gauges.turns.waiting(priority));
      },
    });
  }
}
