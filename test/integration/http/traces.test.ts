/** Traces of recorded requests, span by span, and the headers that propagate them. */
import { NO_OVERRIDES } from '../../../apiserver/admission/plugins/plugin-overrides';
import { NO_OPINION, NO_RULES, type Authorizer } from '../../../apiserver/authorization/authorizer';
import { openTracing } from '../../../apiserver/tracing/open-tracing';
import { featureGates } from '../../../shared/cli/feature-gates';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { systemRandom as random } from '../../../shared/runtime/random';
import { readCases, readRecording } from '../../replay/recording';
import { listOf, number, shape, text } from '../../replay/shape';
import type { RequestStep } from '../../replay/requests/request-step';
import { isBackgroundCall, isSpanTree, SPAN_KIND_CLIENT, spanTrees, type SpanTree } from '../../replay/requests/span-tree';
import {
  CLIENT_TRACE_ID,
  OTHER_SERVER,
  otherServerSetup,
  TRACE_STEPS,
  traceContextOf,
  traceReply,
  traceSetup,
} from '../../replay/requests/trace-steps';
import { MemoryStore } from '../../support/store/memory-store';
import { useClosable } from '../../support/use-resource';
import { comparableSpan, DEVIATING_STEPS, isComparedCall } from '../../support/deviations/trace-deviations';
import { startTraceReceiver, type ReceivedSpan } from '../../support/servers/trace-receiver';
import { startWebhookServer, type WebhookRequest } from '../../support/servers/webhook-server';
import { startFixture } from './fixture';
import { serviceAccountOptions } from './fixture-options';

const CALL = shape({ url: text, traceparent: text, tracestate: text, baggage: text });
const RECORDED = readRecording(
  'tracing/spans',
  shape({ resource: listOf(text) }),
  shape({ step: text, code: number, spans: listOf(isSpanTree), calls: listOf(CALL) }),
);

/** An asynchronous authorizer, so that authorization has a span of its own. */
const asynchronous: Authorizer = { authorize: () => Promise.resolve(NO_OPINION), rules: () => NO_RULES };

/** Discovery and OpenAPI of the aggregated API server are read in the background, at any time. */
const isCallOfRequest = ({ url }: WebhookRequest): boolean => url !== '/apis/others.example.com/v1' && !url.startsWith('/openapi');

/** Starts a server that exports traces to a receiver, and sends the steps to it. */
async function startTracedServer(rate: number | undefined, steps: readonly RequestStep[]) {
  const calls: WebhookRequest[] = [];
  const receiver = await startTraceReceiver();
  const webhooks = await startWebhookServer({
    reply(request) {
      calls.push(request);
      return traceReply(request);
    },
  });
  const sampling = rate === undefined ? {} : { samplingRatePerMillion: rate };
  const opened = openTracing({ endpoint: `127.0.0.1:${receiver.port}`, ...sampling }, { clock, random, logger: silentLogger });
  const api = await startFixture(
    {
      serviceAccounts: serviceAccountOptions(),
      naming: 'kubernetes',
      plugins: NO_OVERRIDES,
      gates: featureGates(new Map()),
      authorization: () => ['Node', 'RBAC', asynchronous],
      tracing: opened.tracing,
    },
    { store: opened.wrapStore(new MemoryStore(), { isEtcd: true }) },
  );
  const send = async (step: RequestStep, agent: string): Promise<number> => {
    const length = step.body === undefined ? { 'content-length': '0' } : {};
    return (await api.callStep(step, { ...length, 'user-agent': agent })).status;
  };
  const setup = [...traceSetup(`https://127.0.0.1:${webhooks.port}`, webhooks.caBundle), ...otherServerSetup(webhooks.port)];
  for (const step of setup) expect(await send(step, 'setup')).toBe(201);
  await api.waitUntilServed(OTHER_SERVER);
  await api.waitUntilServed('/apis/traced.example.com/v1/things');
  const results = new Map<string, { readonly code: number; readonly calls: readonly WebhookRequest[] }>();
  for (const [index, step] of steps.entries()) {
    calls.length = 0;
    const code = await send(step, `recorder-${index}`);
    results.set(step.name, { code, calls: calls.filter(isCallOfRequest) });
  }
  await opened.flush();

  /** The spans of one step. */
  const spansOf = (name: string): readonly ReceivedSpan[] => {
    const agent = `recorder-${steps.findIndex((step) => step.name === name)}`;
    const first = receiver.spans.find(({ attributes }) => attributes['user_agent.original'] === agent);
    return receiver.spans.filter(({ traceId }) => traceId === first?.traceId);
  };
  const close = async (): Promise<void> => {
    await api.stop();
    await opened.close();
    await Promise.all([receiver.close(), webhooks.close()]);
  };
  return { api, receiver, opened, results, spansOf, close };
}

describe('a server that samples all requests', () => {
  const server = useClosable(() => startTracedServer(1_000_000, TRACE_STEPS));

  test.each(RECORDED.cases.map((recorded) => [recorded.step, recorded] as const))(
    'has the recorded spans for the step "%s"',
    (name, recorded) => {
      const spans = server().spansOf(name);
      const actual: readonly SpanTree[] = spanTrees(spans, CLIENT_TRACE_ID);
      expect(server().results.get(name)?.code).toBe(recorded.code);
      expect(actual.map((tree) => comparableSpan(tree, 'ours', name))).toEqual(
        recorded.spans.map((tree) => comparableSpan(tree, 'recorded', name)),
      );
      const calls = (server().results.get(name)?.calls ?? []).map((call) => traceContextOf(call, spans));
      expect(calls.filter(isComparedCall)).toEqual(recorded.calls.filter(isComparedCall));
    },
  );

  test('the table of deviations names steps', () => {
    const names = new Set(TRACE_STEPS.map(({ name }) => name));
    expect(DEVIATING_STEPS.filter((name) => !names.has(name))).toEqual([]);
  });

  test('passes the trace on to a conversion webhook', () => {
    const name = 'a custom object in another version';
    const spans = server().spansOf(name);
    const calls = (server().results.get(name)?.calls ?? []).map((call) => traceContextOf(call, spans));
    expect(calls).toEqual([{ url: '/convert', traceparent: 'own HTTP POST 01', tracestate: '', baggage: '' }]);
  });

  test('has a span for the call of the store', () => {
    const names = server()
      .spansOf('a get')
      .map(({ name, kind }) => [name, kind]);
    expect(names).toContainEqual(['etcdserverpb.KV/Range', SPAN_KIND_CLIENT]);
  });

  test('has a span for an authorization that takes a while', () => {
    const names = server()
      .spansOf('forbidden')
      .map(({ name }) => name);
    expect(names).toContain('authorization');
  });

  test('has the recorded spans for calls of the store without a request', async () => {
    const recorded = readCases('tracing/background', shape({ name: text, kind: number, attributes: listOf(text) }));
    await server().opened.flush();
    const own = server().receiver.spans.filter(isBackgroundCall);
    for (const { name, kind, attributes } of own.filter(({ name }) => name.startsWith('etcdserverpb.'))) {
      expect(recorded).toContainEqual({ name, kind, attributes: Object.keys(attributes).sort() });
    }
    // `HTTP GET` and others are requests of the reference server to itself, which this server does not make.
    expect(own.map(({ name }) => name)).toEqual(expect.arrayContaining(['etcdserverpb.KV/Range', 'etcdserverpb.KV/Txn']));
  });

  test('counts exported spans', async () => {
    // Spans of background work are exported at any time. A span counts as exported once the receiver has responded, so the
    // receiver has at least as many.
    const { exported, failed, dropped } = server().opened.tracing.counts;
    expect(exported).toBeLessThanOrEqual(server().receiver.spans.length);
    expect({ failed, dropped }).toEqual({ failed: 0, dropped: 0 });
    await server().opened.flush();
    const { text: shown } = await server().api.get('/metrics');
    const count = Number(/^apiserver_tracing_spans_total\{outcome="exported"\} (\d+)$/m.exec(shown)?.[1]);
    expect(count).toBeGreaterThanOrEqual(exported);
    expect(count).toBeLessThanOrEqual(server().receiver.spans.length);
  });

  test('has the recorded resource attributes', () => {
    const [first] = server().receiver.spans;
    expect(Object.keys(first?.resource ?? {}).sort()).toEqual(RECORDED.head.resource);
    expect(first?.resource['service.name']).toBe('apiserver');
  });
});

describe.each(['none', '0'])('a server with the sampling rate %s', (rate) => {
  const STEP = shape({ step: text, spans: number, calls: listOf(CALL) });
  const steps = TRACE_STEPS.filter(({ name }) => name === 'a path' || name.includes('in a trace'));
  const recorded = readCases(`tracing/sampling-${rate}`, STEP).filter(({ step }) => steps.some(({ name }) => name === step));

  const server = useClosable(() => startTracedServer(rate === 'none' ? undefined : Number(rate), steps));

  test.each(recorded.map((recordedCase) => [recordedCase.step, recordedCase] as const))(
    'exports the recorded number of spans and passes the trace on as recorded for the step "%s"',
    (name, { spans, calls: recordedCalls }) => {
      expect(server().spansOf(name)).toHaveLength(spans);
      expect(
        (server().results.get(name)?.calls ?? []).filter(({ url }) => url === OTHER_SERVER).map((call) => traceContextOf(call, [])),
      ).toEqual(recordedCalls);
    },
  );

  test('exports no spans but those of the steps', () => {
    expect(server().receiver.spans).toHaveLength(recorded.reduce((sum, { spans }) => sum + spans, 0));
  });
});
