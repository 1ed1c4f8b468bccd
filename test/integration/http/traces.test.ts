/** The traces of the same requests as the reference server's, span by span, and what others are told of them. */
import { AS_THE_TABLE_SAYS } from '../../../apiserver/admission/switches';
import { NO_OPINION, NO_RULES, type Authorizer } from '../../../apiserver/authorization/authorizer';
import { openTracing, type OpenedTracing } from '../../../apiserver/tracing/open';
import { featureGates } from '../../../shared/runtime/feature-gates';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { systemRandom as random } from '../../../shared/runtime/random';
import { casesOf, recordingOf } from '../../replay/recording';
import { listOf, number, shape, text } from '../../replay/shape';
import type { RequestStep } from '../../replay/request-step';
import { isOwnCall, isSpanTree, treesOf, type SpanTree } from '../../replay/span-tree';
import { OTHER_SERVER, otherServerSetup, TRACE, TRACE_STEPS, traceReply, traceSetup } from '../../replay/trace-steps';
import { MemoryStore } from '../../support/memory-store';
import { comparable, DEVIATIONS, isTold } from '../../support/trace-deviations';
import { startTraceReceiver, type ReceivedSpan, type TraceReceiver } from '../../support/trace-receiver';
import { startWebhookServer, type WebhookRequest, type WebhookServer } from '../../support/webhook-server';
import { type Fixture, issuingAccounts, startFixture } from './fixture';

const CALL = shape({ url: text, traceparent: text, tracestate: text, baggage: text });
const RECORDED = recordingOf(
  'tracing/spans',
  shape({ resource: listOf(text) }),
  shape({ step: text, code: number, spans: listOf(isSpanTree), calls: listOf(CALL) }),
);

let api: Fixture;
let receiver: TraceReceiver;
let webhooks: WebhookServer;
let opened: OpenedTracing;
const calls: WebhookRequest[] = [];
const seen = new Map<string, { readonly code: number; readonly calls: readonly WebhookRequest[] }>();

/** Another server decides, which takes a while. */
const slow: Authorizer = { authorize: () => Promise.resolve(NO_OPINION), rules: () => NO_RULES };

async function send(step: RequestStep, agent: string): Promise<number> {
  const length = step.body === undefined ? { 'content-length': '0' } : {};
  return (await api.callStep(step, { ...length, 'user-agent': agent })).status;
}

async function start(rate: number | undefined): Promise<void> {
  receiver = await startTraceReceiver();
  webhooks = await startWebhookServer({
    names: ['localhost', '127.0.0.1'],
    host: '127.0.0.1',
    reply(request) {
      calls.push(request);
      return traceReply(request);
    },
  });
  const sampling = rate === undefined ? {} : { samplingRatePerMillion: rate };
  opened = openTracing({ endpoint: `127.0.0.1:${receiver.port}`, ...sampling }, { clock, random, logger: silentLogger });
  api = await startFixture(
    {
      serviceAccounts: issuingAccounts(),
      naming: 'kubernetes',
      plugins: AS_THE_TABLE_SAYS,
      gates: featureGates(new Map()),
      authorization: () => ['Node', 'RBAC', slow],
      tracing: opened.tracing,
    },
    opened.over(new MemoryStore(), true),
  );
  for (const step of traceSetup(`https://127.0.0.1:${webhooks.port}`, webhooks.caBundle)) expect(await send(step, 'setup')).toBe(201);
  for (const step of otherServerSetup(webhooks.port)) expect(await send(step, 'setup')).toBe(201);
  await api.served(OTHER_SERVER);
  await api.served('/apis/traced.example.com/v1/things');
}

async function stop(): Promise<void> {
  await api.stop();
  await opened.close();
  await Promise.all([receiver.close(), webhooks.close()]);
}

const isAsked = ({ url }: WebhookRequest): boolean => url !== '/apis/others.example.com/v1' && !url.startsWith('/openapi');

async function run(steps: readonly RequestStep[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    calls.length = 0;
    const code = await send(step, `recorder-${index}`);
    seen.set(step.name, { code, calls: calls.filter(isAsked) });
  }
  await opened.flush();
}

/** The spans of one step. */
function spansOf(steps: readonly RequestStep[], name: string): readonly ReceivedSpan[] {
  const agent = `recorder-${steps.findIndex((step) => step.name === name)}`;
  const first = receiver.spans.find(({ attributes }) => attributes['user_agent.original'] === agent);
  return receiver.spans.filter(({ traceId }) => traceId === first?.traceId);
}

function told(
  { url, headers }: WebhookRequest,
  spans: readonly ReceivedSpan[],
): { readonly url: string; readonly [member: string]: string } {
  const [, trace = '', parent = '', flags = ''] = (headers['traceparent'] ?? '').split('-');
  const span = spans.find(({ spanId }) => spanId === parent);
  return {
    url: url.split('?', 1)[0] ?? '',
    traceparent: headers['traceparent'] === undefined ? '' : `${trace === TRACE ? 'given' : 'own'} ${span?.name ?? '-'} ${flags}`,
    tracestate: headers['tracestate'] ?? '',
    baggage: headers['baggage'] ?? '',
  };
}

describe('all are kept', () => {
  beforeAll(async () => {
    await start(1_000_000);
    await run(TRACE_STEPS);
  });
  afterAll(stop);

  test.each(RECORDED.cases.map((one) => [one.step, one] as const))('%s', (name, recorded) => {
    const spans = spansOf(TRACE_STEPS, name);
    const ours: readonly SpanTree[] = treesOf(spans, TRACE);
    expect(seen.get(name)?.code).toBe(recorded.code);
    expect(ours.map((tree) => comparable(tree, 'ours', name))).toEqual(recorded.spans.map((tree) => comparable(tree, 'recorded', name)));
    const asked = (seen.get(name)?.calls ?? []).map((one) => told(one, spans));
    expect(asked.filter(isTold)).toEqual(recorded.calls.filter(isTold));
  });

  test('every deviation is one', () => {
    const names = new Set(TRACE_STEPS.map(({ name }) => name));
    expect(Object.keys(DEVIATIONS).filter((name) => !names.has(name))).toEqual([]);
  });

  test('a conversion is told of the request that waits for it', () => {
    const name = 'a custom object in another version';
    const spans = spansOf(TRACE_STEPS, name);
    const asked = (seen.get(name)?.calls ?? []).map((one) => told(one, spans));
    expect(asked).toEqual([{ url: '/convert', traceparent: 'own HTTP POST 01', tracestate: '', baggage: '' }]);
  });

  test('a read asks the store, and so it is told', () => {
    const names = spansOf(TRACE_STEPS, 'a get').map(({ name, kind }) => [name, kind]);
    expect(names).toContainEqual(['etcdserverpb.KV/Range', 3]);
  });

  test('a filter that another server has to be waited for in is told', () => {
    const names = spansOf(TRACE_STEPS, 'forbidden').map(({ name }) => name);
    expect(names).toContain('authorization');
  });

  test('what the server asks for no request is told under the recorded names', async () => {
    const recorded = casesOf('tracing/background', shape({ name: text, kind: number, attributes: listOf(text) }));
    await opened.flush();
    const own = receiver.spans.filter(isOwnCall);
    for (const { name, kind, attributes } of own.filter(({ name }) => name.startsWith('etcdserverpb.'))) {
      expect(recorded).toContainEqual({ name, kind, attributes: Object.keys(attributes).sort() });
    }
    // `HTTP GET` and others are upstream's requests to itself, which are not made here.
    expect(own.map(({ name }) => name)).toEqual(expect.arrayContaining(['etcdserverpb.KV/Range', 'etcdserverpb.KV/Txn']));
  });

  test('what becomes of spans is counted', async () => {
    const { exported, failed, dropped } = opened.tracing.counts;
    expect([exported <= receiver.spans.length, failed, dropped]).toEqual([true, 0, 0]);
    await opened.flush();
    const { text: shown } = await api.get('/metrics');
    const count = Number(/^apiserver_tracing_spans_total\{outcome="exported"\} (\d+)$/m.exec(shown)?.[1]);
    expect([count >= exported, count <= receiver.spans.length]).toEqual([true, true]);
  });

  test('the process says who it is', () => {
    const [first] = receiver.spans;
    expect(Object.keys(first?.resource ?? {}).sort()).toEqual(RECORDED.head.resource);
    expect(first?.resource['service.name']).toBe('apiserver');
  });
});

describe.each(['none', '0'])('none is kept: %s', (rate) => {
  const STEP = shape({ step: text, spans: number, calls: listOf(CALL) });
  const steps = TRACE_STEPS.filter(({ name }) => name === 'a path' || name.includes('in a trace'));
  const recorded = casesOf(`tracing/sampling-${rate}`, STEP).filter(({ step }) => steps.some(({ name }) => name === step));

  beforeAll(async () => {
    await start(rate === 'none' ? undefined : Number(rate));
    await run(steps);
  });
  afterAll(stop);

  test.each(recorded.map((one) => [one.step, one] as const))('%s', (name, { spans, calls: asked }) => {
    expect(receiver.spans).toHaveLength(spans);
    expect((seen.get(name)?.calls ?? []).filter(({ url }) => url === OTHER_SERVER).map((one) => told(one, []))).toEqual(asked);
  });
});
