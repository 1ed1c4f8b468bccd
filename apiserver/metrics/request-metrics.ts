/** Requests: how many there are, how long they take, what they bring and what they are answered with, under upstream's names. Counting only. */
import type { Clock } from '../../shared/runtime/clock';
import { DURATION_BUCKETS, SIZE_BUCKETS, SLI_BUCKETS } from './buckets';
import { familyHead, Histogram, labelText, type ExposedPieces, type HistogramSeries } from './histogram';
import { Count, type Meters, type Observer } from './meters';
import { KnownLabels, type DescribedRequest, type RequestLabels } from './request-labels';

/** A request whose answer has been handed over or given up. */
export interface MeasuredRequest extends DescribedRequest {
  /** Clock.monotonic at arrival. */
  readonly startedAt: number;
  readonly progress: {
    /** 0 when nothing was sent. */
    readonly status: number;
    readonly sentBytes: number;
    /** `undefined` when no body was read. */
    readonly bodyBytes: number | undefined;
    /** True when the server ended the request to protect itself. */
    readonly isTerminated: boolean;
  };
}

interface Series {
  readonly durations: HistogramSeries;
  readonly slis: HistogramSeries | undefined;
  readonly sizes: HistogramSeries | undefined;
  readonly bodies: Observer | undefined;
  /** Requests by status code. */
  readonly byCode: Map<number, number>;
}

const TOTAL = 'apiserver_request_total';
const LONG_RUNNING = 'apiserver_longrunning_requests';
const LABELS = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const SHORT_LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

/** What bodies of each method are for. */
const BODY_VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['APPLY', 'patch'],
  ['DELETE', 'delete'],
]);
const SIZED: ReadonlySet<string> = new Set(['GET', 'LIST', 'WATCH']);

export class RequestMetrics {
  private readonly durations = new Histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Time from arrival to answer.',
    labels: LABELS,
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
  private readonly labels = new KnownLabels();
  private readonly series = new Map<RequestLabels, Series>();
  /** The number of open long-running requests by label text. */
  private readonly longRunning = new Map<string, Count>();

  constructor(
    private readonly clock: Clock,
    private readonly meters: Meters,
  ) {}

  /** Counts a request whose answer has been handed over or given up. */
  finished(request: MeasuredRequest): void {
    const labels = this.labels.of(request);
    const series = this.seriesOf(labels);
    const seconds = (this.clock.monotonic() - request.startedAt) / 1000;
    series.durations.observe(seconds);
    series.slis?.observe(seconds);
    const { status, sentBytes, bodyBytes, isTerminated } = request.progress;
    series.sizes?.observe(sentBytes);
    if (bodyBytes !== undefined) this.bodyCame(labels, series, request, seconds, bodyBytes);
    series.byCode.set(status, (series.byCode.get(status) ?? 0) + 1);
    if (isTerminated || status === 0) this.cutShort(labels, request);
  }

  /** Counts a long-running request as open until the returned function is called. */
  longRunningStarted(request: DescribedRequest): () => void {
    const labels = labelText(SHORT_LABELS, this.labels.of(request));
    const open = this.longRunning.get(labels) ?? new Count();
    this.longRunning.set(labels, open);
    open.add();
    return () => open.add(-1);
  }

  *exposed(): ExposedPieces {
    yield* this.totals();
    yield familyHead(LONG_RUNNING, 'Long-running requests that are open.', 'gauge');
    for (const [labels, { value }] of this.longRunning) yield `${LONG_RUNNING}{${labels}} ${value}\n`;
    for (const histogram of [this.durations, this.slis, this.sizes]) yield* histogram.exposed();
  }

  private *totals(): ExposedPieces {
    yield familyHead(TOTAL, 'Requests by verb, resource and code.', 'counter');
    for (const [labels, { byCode }] of this.series) {
      const text = labelText(LABELS, labels);
      let lines = '';
      for (const [code, count] of byCode) lines += `${TOTAL}{${text},code="${code}"} ${count}\n`;
      yield lines;
    }
  }

  private bodyCame({ verb, resource }: RequestLabels, series: Series, { query }: MeasuredRequest, seconds: number, bytes: number): void {
    series.bodies?.observe(bytes);
    if (VALIDATED.has(verb) && resource !== '') {
      const asked = query.get('fieldValidation') ?? '';
      this.meters.observer('field_validation_request_duration_seconds', VALIDATIONS.has(asked) ? asked : '').observe(seconds);
    }
  }

  private cutShort(labels: RequestLabels, { progress: { status, isTerminated } }: MeasuredRequest): void {
    const { verb, group, version, resource, subresource, scope, component } = labels;
    const common = [verb, group, version, resource, subresource, scope] as const;
    if (isTerminated) this.meters.count('apiserver_request_terminations_total', ...common, component, String(status)).add();
    else this.meters.count('apiserver_request_aborts_total', ...common).add();
  }

  private seriesOf(labels: RequestLabels): Series {
    const found = this.series.get(labels);
    if (found !== undefined) return found;
    const { dry_run: _dryRun, ...short } = labels;
    const { verb, resource, group } = short;
    const bodyVerb =
      resource === '' ? undefined : verb === 'DELETE' && short.scope !== 'resource' ? 'delete_collection' : BODY_VERBS.get(verb);
    const made: Series = {
      durations: this.durations.add(labels),
      slis: verb === 'WATCH' ? undefined : this.slis.add(short),
      sizes: SIZED.has(verb) ? this.sizes.add(short) : undefined,
      bodies:
        bodyVerb === undefined
          ? undefined
          : this.meters.observer('apiserver_request_body_size_bytes', group === '' ? resource : `${resource}.${group}`, bodyVerb),
      byCode: new Map(),
    };
    this.series.set(labels, made);
    return made;
  }
}

const VALIDATED: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'APPLY']);
const VALIDATIONS: ReadonlySet<string> = new Set(['Strict', 'Warn', 'Ignore']);
