/** The trace of one request: its spans and events, what it leaves out, and where it ends. */
import { SpanStatusCode } from '@opentelemetry/api';
import { AlwaysOffSampler, InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { ManualClock } from '../../test/support/manual-clock';
import { MemoryStore } from '../../test/support/memory-store';
import { RequestTracing } from './request-tracing';
import type { RequestTrace } from './span';
import { TracedStore } from './traced-store';

const COUNTS = { exported: 0, failed: 0, dropped: 0 };
const ASKED = { name: 'GET', header: () => undefined };

function opened(kept = true) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
    ...(kept ? {} : { sampler: new AlwaysOffSampler() }),
  });
  const clock = new ManualClock();
  const tracing = new RequestTracing(provider.getTracer('test'), COUNTS, clock);
  /** What was sent: each span below which, and its events. */
  const told = (): readonly (readonly [name: string, parent: string, ...events: string[]])[] => {
    const spans = exporter.getFinishedSpans();
    const nameOf = (id: string | undefined): string => spans.find((span) => span.spanContext().spanId === id)?.name ?? '';
    return spans.map(({ name, parentSpanContext, events }) => [
      name,
      nameOf(parentSpanContext?.spanId),
      ...events.map((event) => event.name),
    ]);
  };
  return { exporter, clock, tracing, told };
}

/** The trace of a request, while `work` lasts, and after it. */
function request(tracing: RequestTracing, work: (trace: RequestTrace) => void | Promise<void>): Promise<RequestTrace> {
  return new Promise((resolve, reject) => {
    tracing.begin(ASKED, (trace) => {
      if (trace === undefined) throw new Error('not kept');
      Promise.resolve(work(trace)).then(() => resolve(trace), reject);
    });
  });
}

it('a trace nests later spans below the opening filter, and store calls below the handler', async () => {
  const { tracing, told } = opened();
  const store = new TracedStore(new MemoryStore(), tracing, false);
  const trace = await request(tracing, async (one) => {
    void one.opened('authentication', () => true);
    await one.handled('Get', {}, async () => {
      one.event('begun');
      await Promise.resolve();
      await store.revision();
      await one.part('step', {}, async (part) => {
        part.event('inside');
        await store.range({ start: 'a', end: 'b' });
      });
    });
    one.answering({});
    one.writing(3);
  });
  trace.finished('GET /x', {}, 200, 3);
  expect([...told()].sort()).toEqual(
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
  const { tracing, clock, exporter } = opened();
  const trace = await request(tracing, (one) => {
    clock.advance(1_000);
    return one.handled('Get', {}, async () => {
      one.event('begun');
      clock.advance(500);
    });
  });
  trace.finished('GET', {}, 200, 0);
  const [handler, whole] = exporter.getFinishedSpans();
  expect([handler?.duration, whole?.duration]).toEqual([
    [0, 500_000_000],
    [1, 500_000_000],
  ]);
});

it('a handler without events has no span', async () => {
  const { tracing, told } = opened();
  const refused = new Error('405');
  const trace = await request(tracing, (one) =>
    expect(
      one.handled('Get', {}, () => {
        throw refused;
      }),
    ).rejects.toBe(refused),
  );
  trace.finished('GET', {}, 405, 0);
  expect(told()).toEqual([['GET', '']]);
});

it('the failure of an attempt has the error as an attribute, unless another event follows the attempt', async () => {
  const { tracing, exporter } = opened();
  const attempt = (one: RequestTrace): void => one.attempt('trying', 'failed', { len: 2 });
  await request(tracing, async (one) => {
    await expect(one.handled('Create', {}, async () => Promise.reject((attempt(one), new Error('taken'))))).rejects.toThrow('taken');
    await expect(
      one.handled('Create', {}, async () => {
        attempt(one);
        one.event('stored');
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

it('only filters that return a promise have a span', async () => {
  const { tracing, told } = opened();
  const trace = await request(tracing, async (one) => {
    void one.waited('audit', () => true);
    await one.waited('authorization', () => Promise.resolve(true));
  });
  trace.finished('GET', {}, 200, 0);
  expect(told()).toEqual([
    ['authorization', 'GET'],
    ['GET', ''],
  ]);
});

it('a store call after the end of a request starts another trace', async () => {
  const { tracing, told } = opened();
  const store = new TracedStore(new MemoryStore(), tracing, true);
  let goOn: () => void = () => undefined;
  let later: Promise<unknown> = Promise.resolve();
  const trace = await request(tracing, () => {
    later = new Promise<void>((resolve) => (goOn = resolve)).then(() => store.revision());
  });
  trace.finished('GET', {}, 200, 0);
  goOn();
  await later;
  expect(told()).toEqual([
    ['GET', ''],
    ['etcdserverpb.KV/Range', ''],
  ]);
});

it.each([
  [200, SpanStatusCode.UNSET],
  [404, SpanStatusCode.UNSET],
  [500, SpanStatusCode.ERROR],
])('the span of a response with %d has the status code %d', async (status, expected) => {
  const { tracing, exporter } = opened();
  const trace = await request(tracing, () => undefined);
  trace.finished('GET', {}, status, 0);
  expect(exporter.getFinishedSpans()[0]?.status.code).toBe(expected);
});

it('an unsampled request has no trace but sends an unsampled traceparent header', async () => {
  const { tracing, exporter } = opened(false);
  const sent: Readonly<Record<string, string>>[] = [];
  await new Promise<void>((resolve, reject) => {
    tracing.begin(ASKED, (trace) => {
      expect(trace).toBeUndefined();
      const send = async (headers: Readonly<Record<string, string>>): Promise<number> => sent.push(headers);
      tracing.asked({ method: 'POST', attributes: {} }, send, () => 200).then(() => resolve(), reject);
    });
  });
  expect(sent).toEqual([{ traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/) }]);
  expect(exporter.getFinishedSpans()).toEqual([]);
});

const ANSWERS: readonly (readonly [what: string, send: () => Promise<number | undefined>, status: SpanStatusCode])[] = [
  ['succeeds', () => Promise.resolve(200), SpanStatusCode.UNSET],
  ['is rejected', () => Promise.resolve(403), SpanStatusCode.ERROR],
  ['has no response', () => Promise.resolve(undefined), SpanStatusCode.ERROR],
  ['fails', () => Promise.reject(new Error('cut')), SpanStatusCode.ERROR],
];

it.each(ANSWERS)('an outgoing request is a span with the right status when it %s', async (_what, send, expected) => {
  const { tracing, exporter } = opened();
  await request(tracing, async () => {
    await tracing.asked({ method: 'POST', attributes: {} }, send, (status) => status).catch(() => undefined);
  });
  expect(exporter.getFinishedSpans().map(({ name, status }) => [name, status.code])).toEqual([['HTTP POST', expected]]);
});

it('each store call and outgoing request outside a request starts its own trace', async () => {
  const { tracing, clock, exporter, told } = opened();
  const store = new TracedStore(new MemoryStore(), tracing, true);
  const sent: object[] = [];
  await tracing.asked(
    { method: 'POST', attributes: {} },
    async (headers) => {
      clock.advance(500);
      return sent.push(headers);
    },
    () => 200,
  );
  await store.status();
  await store.range({ start: 'a', end: 'b' });
  expect(told()).toEqual([
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
  const { tracing, exporter } = opened(false);
  await new TracedStore(new MemoryStore(), tracing, true).revision();
  expect(exporter.getFinishedSpans()).toEqual([]);
});
