/**
 * Records the spans that the reference server sends for requests, and what it tells webhooks and other servers of them:
 *   node deploy/scripts/run.mjs test/replay/traces.js files FOLDER
 *   (start the reference on an empty store with --tracing-config-file=FOLDER/tracing.yaml --authentication-token-webhook-config-file=FOLDER/authenticate.yaml
 *   --authorization-webhook-config-file=FOLDER/authorize.yaml --authorization-mode=Node,RBAC,Webhook)
 *   REFERENCE_URL=… node deploy/scripts/run.mjs test/replay/traces.js spans
 *   REFERENCE_URL=… node deploy/scripts/run.mjs test/replay/traces.js background
 * For the recording `tracing/sampling` it is started with the files that `files FOLDER RATE` writes, and recorded with `sampling RATE`, for each rate.
 * test/integration/http/traces.test.ts replays the recordings.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { startTraceReceiver, type ReceivedSpan } from '../support/trace-receiver';
import { startWebhookServer, type WebhookRequest } from '../support/webhook-server';
import { writeRecording } from './recording';
import { ask, hangUp } from './reference';
import { sendStep, type RequestStep } from './request-step';
import { isOwnCall, treesOf } from './span-tree';
import { OTHER_SERVER, otherServerSetup, TRACE, TRACE_STEPS, traceReply, traceSetup } from './trace-steps';

const TRACE_PORT = 17_109;
const WEBHOOK_PORT = 17_108;
/** Batches of spans leave every five seconds. */
const EXPORTED_MS = 8000;
const LOOK_MS = 200;
/** Leases, endpoints and the sizes of the store are looked after within it. */
const IDLE_MS = 75_000;
/** The server asks others for their documents unasked. */
const FOR_REQUESTS = /^\/(?:authenticate|authorize|convert|mutating|validating|apis\/others\.example\.com\/v1\/)/;

function writeFiles(folder: string, rate: string): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: object): void => writeFileSync(path.join(folder, name), JSON.stringify(content));
  write('tracing.yaml', {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'TracingConfiguration',
    endpoint: `127.0.0.1:${TRACE_PORT}`,
    ...(rate === 'none' ? {} : { samplingRatePerMillion: Number(rate) }),
  });
  for (const name of ['authenticate', 'authorize']) {
    const server = `https://127.0.0.1:${WEBHOOK_PORT}/${name}`;
    write(`${name}.yaml`, {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'c',
    });
  }
}

/** What one request led to. */
interface Observed {
  readonly step: RequestStep;
  readonly code: number;
  readonly spans: readonly ReceivedSpan[];
  readonly calls: readonly WebhookRequest[];
}

async function observe(steps: readonly RequestStep[], setUp: boolean): Promise<readonly Observed[]> {
  const receiver = await startTraceReceiver(TRACE_PORT);
  const calls: WebhookRequest[] = [];
  const webhooks = await startWebhookServer({
    names: ['localhost', '127.0.0.1'],
    host: '127.0.0.1',
    port: WEBHOOK_PORT,
    reply(request) {
      if (FOR_REQUESTS.test(request.url)) calls.push(request);
      return traceReply(request);
    },
  });
  if (setUp) {
    const setup = [...traceSetup(`https://127.0.0.1:${webhooks.port}`, webhooks.caBundle), ...otherServerSetup(webhooks.port)];
    for (const one of setup) process.stderr.write(`${one.name}: ${await sendStep(one, { 'user-agent': 'setup' })}\n`);
    while ((await ask('GET', OTHER_SERVER, { authorization: 'Bearer admintoken' })).code !== 200) await systemClock.sleep(LOOK_MS);
  }
  await systemClock.sleep(EXPORTED_MS);
  const sent: { step: RequestStep; code: number; calls: readonly WebhookRequest[] }[] = [];
  for (const [index, step] of steps.entries()) {
    calls.length = 0;
    const code = await sendStep(step, { 'user-agent': `recorder-${index}` });
    sent.push({ step, code, calls: [...calls] });
  }
  await systemClock.sleep(EXPORTED_MS);
  await Promise.all([receiver.close(), webhooks.close()]);
  const tracesOf = (index: number): ReadonlySet<string> =>
    new Set(
      receiver.spans.filter(({ attributes }) => attributes['user_agent.original'] === `recorder-${index}`).map(({ traceId }) => traceId),
    );
  return sent.map((one, index) => {
    const traces = tracesOf(index);
    return { ...one, spans: receiver.spans.filter(({ traceId }) => traces.has(traceId)) };
  });
}

/** What a webhook is told of the trace: by which span, by its name. */
function toldOf({ url, headers }: WebhookRequest, spans: readonly ReceivedSpan[]): object {
  const [, trace = '', parent = '', flags = ''] = (headers['traceparent'] ?? '').split('-');
  const span = spans.find(({ spanId }) => spanId === parent);
  return {
    url: url.split('?', 1)[0],
    traceparent: headers['traceparent'] === undefined ? '' : `${trace === TRACE ? 'given' : 'own'} ${span?.name ?? '-'} ${flags}`,
    tracestate: headers['tracestate'] ?? '',
    baggage: headers['baggage'] ?? '',
  };
}

async function recordSpans(): Promise<void> {
  const observed = await observe(TRACE_STEPS, true);
  const [first] = observed.flatMap(({ spans }) => spans);
  writeRecording('tracing/spans', [
    { resource: Object.keys(first?.resource ?? {}).sort() },
    ...observed.map(({ step, code, spans, calls }) => ({
      step: step.name,
      code,
      spans: treesOf(spans, TRACE),
      calls: calls.map((call) => toldOf(call, spans)),
    })),
  ]);
}

/** Only how many of the spans of each request are sent. */
async function recordSampling(rate: string): Promise<void> {
  const steps = TRACE_STEPS.filter(({ name }) => name === 'a path' || name.includes('in a trace'));
  const observed = await observe(steps, false);
  writeRecording(
    `tracing/sampling-${rate}`,
    observed.map(({ step, spans, calls }) => ({ step: step.name, spans: spans.length, calls: calls.map((call) => toldOf(call, spans)) })),
  );
}

/** Of the server's own calls, for no request of a client: what they are called and what is said of them. */
async function recordBackground(): Promise<void> {
  const receiver = await startTraceReceiver(TRACE_PORT);
  await systemClock.sleep(IDLE_MS + EXPORTED_MS);
  await receiver.close();
  const calls = receiver.spans
    .filter(isOwnCall)
    .map(({ name, kind, attributes }) => ({ name, kind, attributes: Object.keys(attributes).sort() }));
  const told = new Map(calls.map((one) => [JSON.stringify(one), one] as const));
  writeRecording(
    'tracing/background',
    [...told].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one),
  );
}

const [what, argument = '', rate = '1000000'] = process.argv.slice(2);
if (what === 'files') writeFiles(argument, rate);
else if (what === 'background') void recordBackground();
else void (what === 'spans' ? recordSpans() : recordSampling(argument)).finally(hangUp);
