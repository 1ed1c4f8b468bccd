/** The trace of one request: its spans and events, what it omits, and where it ends. */
import { SpanStatusCode } from '@opentelemetry/api';
import { AlwaysOffSampler, InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { MemoryStore } from '../../test/support/store/memory-store';
import { RequestTracing } from './request-tracing';
import type { RequestTrace } from './span';
import { TracedStore } from './traced-store';

const COUNTS = { exported: 0, failed: 0, dropped: 0 };
const INCOMING = { name: 'GET', header: () => undefined };

function createFixture({ isSampled = true } = {}) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
    ...(isSampled ? {} : { sampler: new AlwaysOffSampler() }),
  });
  const clock = new ManualClock();
  const tracing = new RequestTracing(provider.getTracer('test'), COUNTS, clock);
  /** The exported spans: name, name of the parent, and names of the events. */
  const exportedSpans = (): readonly (readonly [name: string, parent: string, ...events: string[]])[] => {
    const spans = exporter.getFinishedSpans();
    const nameOf = (id: string | undefined): string => spans.find((span) => span.spanContext().spanId === id)?.name ?? '';
    return spans.map(({ name, parentSpanContext, events }) => [
      name,
      nameOf(parentSpanContext?.spanId),
      ...events.map((event) => event.name),
    ]);
  };
  return { exporter, clock, tracing, exportedSpans };
}

/** Runs `work` with the trace of a request; resolves with the trace. */
function request(tracing: RequestTracing, work: (trace: RequestTrace) => void | Promise<void>): Promise<RequestTrace> {
  return new Promise((resolve, reject) => {
    tracing.traceRequest(INCOMING, (trace) => {
      if (trace === undefined) throw new Error('The request is not sampled.');
      Promise.resolve(work(trace)).then(() => resolve(trace), reject);
    });
  });
}

it('a trace contains later spans below the opening filter, and store calls below the handler', async () => {
  const { tracing, exportedSpans } = createFixture();
  const store = new TracedStore(new MemoryStore(), tracing, { isEtcd: false });
  const trace = await request(tracing, async (requestTrace) => {
    void requestTrace.runOpeningFilter('authentication', () => true);
    await requestTrace.runHandler('Get', {}, async () => {
      requestTrace.addEvent('begun');
      await Promise.resolve();
      await store.revision();
      await requestTrace.runInChildSpan('step', {}, async (span) => {
        span.addEvent('inside');
        await store.range({ start: 'a', end: 'b' });
      });
    });
    requestTrace.startResponse({});
    requestTrace.startWriting(3);
  });
  trace.finish('GET /x', {}, 200, 3);
  expect([...exportedSpans()].sort()).toEqual(
    [
      ['authentication', 'GET /x'],
      ['store Range', 'Get'],
      ['store Range', 'step'],
      ['step', 'Get', 'inside'],
      ['Get', 'authentication', 'begun'],
      ['SerializeObject', 'authentication', 'About to start writing response', 'Write call succeeded'],
      ['GET /x', ''],
    ].sort(),
  );
});

it('spans take their durations from the injected clock', async () => {
  const { tracing, clock, exporter } = createFixture();
  const trace = await request(tracing, (requestTrace) => {
    clock.advance(1_000);
    return requestTrace.runHandler('Get', {}, async () => {
      requestTrace.addEvent('begun');
      clock.advance(500);
    });
  });
  trace.finish('GET', {}, 200, 0);
  const [handler, requestSpan] = exporter.getFinishedSpans();
  // Seconds and nanoseconds.
  expect(handler?.duration).toEqual([0, 500_000_000]);
  expect(requestSpan?.duration).toEqual([1, 500_000_000]);
});

it('a handler without events has no span', async () => {
  const { tracing, exportedSpans } = createFixture();
  const refused = new Error('405');
  const trace = await request(tracing, (requestTrace) =>
    expect(
      requestTrace.runHandler('Get', {}, () => {
        throw refused;
      }),
    ).rejects.toBe(refused),
  );
  trace.finish('GET', {}, 405, 0);
  expect(exportedSpans()).toEqual([['GET', '']]);
});

it('a failed attempt has an event with the error, unless another event follows the attempt', async () => {
  const { tracing, exporter } = createFixture();
  const attempt = (requestTrace: RequestTrace): void => requestTrace.addAttempt('trying', 'failed', { len: 2 });
  await request(tracing, async (requestTrace) => {
    await expect(
      requestTrace.runHandler('Create', {}, async () => {
        attempt(requestTrace);
        throw new Error('taken');
      }),
    ).rejects.toThrow('taken');
    await expect(
      requestTrace.runHandler('Create', {}, async () => {
        attempt(requestTrace);
        requestTrace.addEvent('stored');
        throw new Error('later');
      }),
    ).rejects.toThrow('later');
  });
  const events = exporter.getFinishedSpans().map((span) => span.events.map(({ name, attributes }) => [name, attributes]));
  expect(events).toEqual([
    [
      ['trying', {}],
      ['failed', { len: 2, err: 'taken' }],
    ],
    [
      ['trying', {}],
      ['stored', {}],
    ],
  ]);
});

it('a filter has a span only when it returns a promise', async () => {
  const { tracing, exportedSpans } = createFixture();
  const trace = await request(tracing, async (requestTrace) => {
    void requestTrace.runFilter('audit', () => true);
    await requestTrace.runFilter('authorization', () => Promise.resolve(true));
  });
  trace.finish('GET', {}, 200, 0);
  expect(exportedSpans()).toEqual([
    ['authorization', 'GET'],
    ['GET', ''],
  ]);
});

it('a store call after the end of a request starts another trace', async () => {
  const { tracing, exportedSpans } = createFixture();
  const store = new TracedStore(new MemoryStore(), tracing, { isEtcd: true });
  let resume: () => void = () => undefined;
  let lateWork: Promise<unknown> = Promise.resolve();
  const trace = await request(tracing, () => {
    lateWork = new Promise<void>((resolve) => (resume = resolve)).then(() => store.revision());
  });
  trace.finish('GET', {}, 200, 0);
  resume();
  await lateWork;
  expect(exportedSpans()).toEqual([
    ['GET', ''],
    ['etcdserverpb.KV/Range', ''],
  ]);
});

it.each([
  [200, SpanStatusCode.UNSET],
  [404, SpanStatusCode.UNSET],
  [500, SpanStatusCode.ERROR],
])('the span of a response with %d has the status code %d', async (status, expected) => {
  const { tracing, exporter } = createFixture();
  const trace = await request(tracing, () => undefined);
  trace.finish('GET', {}, status, 0);
  expect(exporter.getFinishedSpans()[0]?.status.code).toBe(expected);
});

it('an unsampled request has no trace but sends an unsampled traceparent header', async () => {
  const { tracing, exporter } = createFixture({ isSampled: false });
  const sent: Readonly<Record<string, string>>[] = [];
  await new Promise<void>((resolve, reject) => {
    tracing.traceRequest(INCOMING, (trace) => {
      expect(trace).toBeUndefined();
      const send = async (headers: Readonly<Record<string, string>>): Promise<number> => sent.push(headers);
      tracing.traceOutgoing({ method: 'POST', attributes: {} }, send, () => 200).then(() => resolve(), reject);
    });
  });
  expect(sent).toEqual([{ traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/) }]);
  expect(exporter.getFinishedSpans()).toEqual([]);
});

const OUTCOMES: readonly (readonly [title: string, send: () => Promise<number | undefined>, status: SpanStatusCode])[] = [
  ['succeeds', () => Promise.resolve(200), SpanStatusCode.UNSET],
  ['is rejected', () => Promise.resolve(403), SpanStatusCode.ERROR],
  ['has no response', () => Promise.resolve(undefined), SpanStatusCode.ERROR],
  ['fails', () => Promise.reject(new Error('cut')), SpanStatusCode.ERROR],
];

it.each(OUTCOMES)('an outgoing request is a span with the right status when it %s', async (_title, send, expected) => {
  const { tracing, exporter } = createFixture();
  await request(tracing, async () => {
    await tracing.traceOutgoing({ method: 'POST', attributes: {} }, send, (status) => status).catch(() => undefined);
  });
  expect(exporter.getFinishedSpans().map(({ name, status }) => [name, status.code])).toEqual([['HTTP POST', expected]]);
});

it('each store call and outgoing request outside a request starts its own trace', async () => {
  const { tracing, clock, exporter, exportedSpans } = createFixture();
  const store = new TracedStore(new MemoryStore(), tracing, { isEtcd: true });
  const sent: object[] = [];
  await tracing.traceOutgoing(
    { method: 'POST', attributes: {} },
    async (headers) => {
      clock.advance(500);
      return sent.push(headers);
    },
    () => 200,
  );
  await store.status();
  await store.range({ start: 'a', end: 'b' });
  expect(exportedSpans()).toEqual([
    ['HTTP POST', ''],
    ['etcdserverpb.Maintenance/Status', ''],
    ['etcdserverpb.KV/Range', ''],
  ]);
  const [post, ...calls] = exporter.getFinishedSpans();
  expect(sent).toEqual([{ traceparent: `00-${post?.spanContext().traceId}-${post?.spanContext().spanId}-01` }]);
  expect(post?.duration).toEqual([0, 500_000_000]);
  expect(new Set([post, ...calls].map((span) => span?.spanContext().traceId)).size).toBe(3);
});

it('the sampler applies to store calls outside a request', async () => {
  const { tracing, exporter } = createFixture({ isSampled: false });
  await new TracedStore(new MemoryStore(), tracing, { isEtcd: true }).revision();
  expect(exporter.getFinishedSpans()).toEqual([]);
});
