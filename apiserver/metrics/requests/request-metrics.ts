/**
 * Metrics of requests under upstream's names: counts, durations, and sizes of request and response bodies. Called once
 * at the end of every request, with the request itself instead of a copy of its members. Labels are chosen by
 * request-labels.ts.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { DURATION_BUCKETS, SIZE_BUCKETS, SLI_BUCKETS } from '../registry/buckets';
import { familyHeader, Histogram, formatLabels, type ExpositionChunks, type HistogramSeries } from '../registry/histogram';
import { NumberSeries, type Meters, type Observer } from '../registry/meters';
import { RequestLabelSets, type DescribedRequest, type RequestLabels } from './request-labels';

/** A completed or aborted request. */
export interface CompletedRequest extends DescribedRequest {
  /** Clock.monotonic at arrival, in milliseconds. */
  readonly startedAt: number;
  readonly progress: {
    /** 0 when nothing was sent. */
    readonly status: number;
    readonly sentBytes: number;
    /** `undefined` when no body was read. */
    readonly bodyBytes: number | undefined;
    /** Milliseconds of its duration that the SLI leaves out. */
    readonly excludedMs: number;
    /** Whether the server ended the request to protect itself. */
    readonly isTerminated: boolean;
  };
}

/** The series of one set of labels; those that its verb does not have are undefined. */
interface RequestSeries {
  readonly durations: HistogramSeries;
  readonly slis: HistogramSeries | undefined;
  readonly sizes: HistogramSeries | undefined;
  readonly bodies: Observer | undefined;
  /** Number of requests by status code. */
  readonly byCode: Map<number, number>;
}

const TOTAL = 'apiserver_request_total';
const LONG_RUNNING = 'apiserver_longrunning_requests';
/** Upstream's labels of requests; metrics other than counts and durations have no label `dry_run`. */
const LABELS = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const SHORT_LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

/** The verb label of request bodies, by the verb label of requests. */
const BODY_VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['APPLY', 'patch'],
  ['DELETE', 'delete'],
]);
/** The verbs with observed sizes of responses. */
const VERBS_WITH_SIZES: ReadonlySet<string> = new Set(['GET', 'LIST', 'WATCH']);

/** The verbs with a `fieldValidation` parameter, and its values. */
const VERBS_WITH_VALIDATION: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'APPLY']);
const FIELD_VALIDATIONS: ReadonlySet<string> = new Set(['Strict', 'Warn', 'Ignore']);

/** The series of requests, by interned labels. */
export class RequestMetrics {
  private readonly durations = new Histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Latency from the arrival of a request to the end of its response.',
    labels: LABELS,
    buckets: DURATION_BUCKETS,
  });
  private readonly slis = new Histogram({
    name: 'apiserver_request_sli_duration_seconds',
    help: 'Latency of a request without the time spent in admission webhooks and in the queues of API Priority and Fairness.',
    labels: SHORT_LABELS,
    buckets: SLI_BUCKETS,
  });
  private readonly sizes = new Histogram({
    name: 'apiserver_response_sizes',
    help: 'Size of responses to reads in bytes.',
    labels: SHORT_LABELS,
    buckets: SIZE_BUCKETS,
  });
  private readonly labels = new RequestLabelSets();
  private readonly series = new Map<RequestLabels, RequestSeries>();
  /** Number of open long-running requests, by formatted labels. */
  private readonly longRunning = new Map<string, NumberSeries>();

  constructor(
    private readonly clock: Clock,
    private readonly meters: Meters,
  ) {}

  /** Records a completed or aborted request. */
  recordRequest(request: CompletedRequest): void {
    const labels = this.labels.labelsOf(request);
    const series = this.seriesOf(labels);
    const seconds = (this.clock.monotonic() - request.startedAt) / 1000;
    series.durations.observe(seconds);
    const { status, sentBytes, bodyBytes, excludedMs, isTerminated } = request.progress;
    series.slis?.observe(seconds - excludedMs / 1000);
    series.sizes?.observe(sentBytes);
    if (bodyBytes !== undefined) {
      series.bodies?.observe(bodyBytes);
      this.recordFieldValidation(labels, request, seconds);
    }
    series.byCode.set(status, (series.byCode.get(status) ?? 0) + 1);
    if (isTerminated || status === 0) this.recordAbort(labels, request);
  }

  /** Counts a long-running request as open until the returned function is called. */
  startLongRunning(request: DescribedRequest): () => void {
    const labels = formatLabels(SHORT_LABELS, this.labels.labelsOf(request));
    const open = this.longRunning.get(labels) ?? new NumberSeries();
    this.longRunning.set(labels, open);
    open.add();
    return () => open.add(-1);
  }

  /** All metrics of requests, except those in the catalogue. */
  *expose(): ExpositionChunks {
    yield* this.totals();
    yield familyHeader(LONG_RUNNING, 'Open long-running requests.', 'gauge');
    for (const [labels, { value }] of this.longRunning) yield `${LONG_RUNNING}{${labels}} ${value}\n`;
    for (const histogram of [this.durations, this.slis, this.sizes]) yield* histogram.expose();
  }

  private *totals(): ExpositionChunks {
    yield familyHeader(TOTAL, 'Requests by verb, resource and code.', 'counter');
    for (const [labels, { byCode }] of this.series) {
      const text = formatLabels(LABELS, labels);
      let lines = '';
      for (const [code, count] of byCode) lines += `${TOTAL}{${text},code="${code}"} ${count}\n`;
      yield lines;
    }
  }

  private recordFieldValidation({ verb, resource }: RequestLabels, { query }: CompletedRequest, seconds: number): void {
    if (!VERBS_WITH_VALIDATION.has(verb) || resource === '') return;
    const directive = query.get('fieldValidation') ?? '';
    this.meters.observer('field_validation_request_duration_seconds', FIELD_VALIDATIONS.has(directive) ? directive : '').observe(seconds);
  }

  private recordAbort(labels: RequestLabels, { progress: { status, isTerminated } }: CompletedRequest): void {
    const { verb, group, version, resource, subresource, scope, component } = labels;
    const commonLabels = [verb, group, version, resource, subresource, scope] as const;
    if (isTerminated) this.meters.counter('apiserver_request_terminations_total', ...commonLabels, component, String(status)).add();
    else this.meters.counter('apiserver_request_aborts_total', ...commonLabels).add();
  }

  private seriesOf(labels: RequestLabels): RequestSeries {
    const existing = this.series.get(labels);
    if (existing !== undefined) return existing;
    const { dry_run: _dryRun, ...shortLabels } = labels;
    const { verb } = labels;
    const created: RequestSeries = {
      durations: this.durations.add(labels),
      slis: verb === 'WATCH' ? undefined : this.slis.add(shortLabels),
      sizes: VERBS_WITH_SIZES.has(verb) ? this.sizes.add(shortLabels) : undefined,
      bodies: this.bodyObserver(labels),
      byCode: new Map(),
    };
    this.series.set(labels, created);
    return created;
  }

  /** Observes the sizes of request bodies; `undefined` for verbs without a body. */
  private bodyObserver(labels: RequestLabels): Observer | undefined {
    const verb = bodyVerbOf(labels);
    if (verb === undefined) return undefined;
    const { resource, group } = labels;
    return this.meters.observer('apiserver_request_body_size_bytes', group === '' ? resource : `${resource}.${group}`, verb);
  }
}

/** The verb label of the sizes of request bodies; undefined when they are not observed. */
function bodyVerbOf({ verb, resource, scope }: RequestLabels): string | undefined {
  if (resource === '') return undefined;
  return verb === 'DELETE' && scope !== 'resource' ? 'delete_collection' : BODY_VERBS.get(verb);
}
