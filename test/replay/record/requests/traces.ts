/**
 * Records the spans that the server exports for requests, and the trace context in its calls to webhooks and to another
 * API server (format `trace-requests`). The requests stay as they are; the spans are recordings beside them. The server
 * is a new one.
 */
import { systemClock } from '../../../../shared/runtime/clock';
import { kubeconfigOf } from '../../../support/kubeconfig';
import { waitUntil } from '../../../support/programs';
import { startTraceReceiver, type ReceivedSpan, type TraceReceiver } from '../../../support/servers/trace-receiver';
import { startWebhookServer, type WebhookRequest, type WebhookServer } from '../../../support/servers/webhook-server';
import { writeRecording } from '../../recording';
import { requestSteps, type RequestStep } from '../../requests/request-step';
import { isBackgroundCall, spanTrees } from '../../requests/span-tree';
import { CLIENT_TRACE_ID, OTHER_SERVER, otherServerSetup, traceContextOf, traceReply, traceSetup } from '../../requests/trace-steps';
import { fromEnvironment, waitForServer, writeRecordFiles } from '../environment';
import type { ReferenceServer } from '../reference-server';
import { sendStep } from './request-steps';

/** The port that the tracing configuration names. */
const TRACE_PORT = 17_109;
/** After this time the spans of earlier requests have been exported, which happens every five seconds. */
const EXPORT_MS = 8_000;
/** How long the server needs to renew its Leases and endpoints and to measure its store. */
const IDLE_MS = 75_000;
/** Calls that the server makes for a request. It also fetches documents of other servers on its own. */
const CALLS_FOR_REQUESTS = /^\/(?:authenticate|authorize|convert|mutating|validating|apis\/others\.example\.com\/v1\/)/;

/** The outcome of one request. */
interface Outcome {
  readonly step: RequestStep;
  readonly code: number;
  readonly spans: readonly ReceivedSpan[];
  readonly calls: readonly WebhookRequest[];
}

/**
 * Writes the files for `--tracing-config-file`, `--authentication-token-webhook-config-file` and
 * `--authorization-webhook-config-file`; the server runs with `--authorization-mode=Node,RBAC,Webhook`. `SAMPLING_RATE`
 * (per million, or `none`) records `tracing/sampling-RATE` instead of the spans.
 */
export async function recordTraces(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { steps, lines } = requestSteps(recording);
  const rate = process.env['SAMPLING_RATE'];
  const port = Number(fromEnvironment('WEBHOOK_PORT'));
  const receiver = await startTraceReceiver(TRACE_PORT);
  const calls: WebhookRequest[] = [];
  const reply = (request: WebhookRequest) => {
    if (CALLS_FOR_REQUESTS.test(request.url)) calls.push(request);
    return traceReply(request);
  };
  const webhooks = await startWebhookServer({ port, reply });
  try {
    await waitForServer(server, writeRecordFiles(configurationOf(port, rate ?? '1000000')));
    const record = (selectedSteps: readonly RequestStep[]) => outcomesOf(server, selectedSteps, receiver, calls);
    if (rate === undefined) {
      await setUp(server, webhooks);
      writeSpans(await record(steps));
      await writeBackground(receiver);
    } else {
      writeSampling(rate, await record(steps.filter(({ name }) => name === 'a path' || name.includes('in a trace'))));
    }
  } finally {
    await Promise.all([receiver.close(), webhooks.close()]);
  }
  return lines;
}

/** The configuration files of the server, by name. */
function configurationOf(webhookPort: number, rate: string): Readonly<Record<string, object>> {
  const kubeconfig = (name: string): object =>
    kubeconfigOf({ cluster: { server: `https://127.0.0.1:${webhookPort}/${name}`, 'insecure-skip-tls-verify': true }, user: {} });
  const tracing = {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'TracingConfiguration',
    endpoint: `127.0.0.1:${TRACE_PORT}`,
    ...(rate === 'none' ? {} : { samplingRatePerMillion: Number(rate) }),
  };
  return { 'tracing.yaml': tracing, 'authenticate.yaml': kubeconfig('authenticate'), 'authorize.yaml': kubeconfig('authorize') };
}

/** Registers the webhooks and the other API server, and waits until that is connected. */
async function setUp(server: ReferenceServer, webhooks: WebhookServer): Promise<void> {
  const requests = [...traceSetup(`https://127.0.0.1:${webhooks.port}`, webhooks.caBundle), ...otherServerSetup(webhooks.port)];
  for (const request of requests) {
    const code = await sendStep(server, request, { 'user-agent': 'setup' });
    if (code !== 201) throw new Error(`${request.name} returned ${code}`);
  }
  await waitUntil(
    'the other API server to be connected',
    async () => (await server.send({ method: 'GET', path: OTHER_SERVER })).code === 200,
  );
}

/** Sends the steps, one after the other, and assigns the spans to them by the user agent of each request. */
async function outcomesOf(
  server: ReferenceServer,
  steps: readonly RequestStep[],
  receiver: TraceReceiver,
  calls: WebhookRequest[],
): Promise<readonly Outcome[]> {
  await systemClock.sleep(EXPORT_MS);
  const sent: Omit<Outcome, 'spans'>[] = [];
  for (const [index, step] of steps.entries()) {
    calls.length = 0;
    const code = await sendStep(server, step, { 'user-agent': `recorder-${index}` });
    sent.push({ step, code, calls: [...calls] });
  }
  await systemClock.sleep(EXPORT_MS);
  return sent.map((outcome, index) => {
    const own = receiver.spans.filter(({ attributes }) => attributes['user_agent.original'] === `recorder-${index}`);
    const traces = new Set(own.map(({ traceId }) => traceId));
    return { ...outcome, spans: receiver.spans.filter(({ traceId }) => traces.has(traceId)) };
  });
}

/** Writes `tracing/spans`: the span trees and the calls of each request. */
function writeSpans(outcomes: readonly Outcome[]): void {
  const [first] = outcomes.flatMap(({ spans }) => spans);
  const lines = outcomes.map(({ step, code, spans, calls }) => ({
    step: step.name,
    code,
    spans: spanTrees(spans, CLIENT_TRACE_ID),
    calls: calls.map((call) => traceContextOf(call, spans)),
  }));
  writeRecording('tracing/spans', [{ resource: Object.keys(first?.resource ?? {}).sort() }, ...lines]);
}

/** Records only the number of exported spans of each request. */
function writeSampling(rate: string, outcomes: readonly Outcome[]): void {
  const lines = outcomes.map(({ step, spans, calls }) => ({
    step: step.name,
    spans: spans.length,
    calls: calls.map((call) => traceContextOf(call, spans)),
  }));
  writeRecording(`tracing/sampling-${rate}`, lines);
}

/** The names and attributes of the server's own calls, which belong to no request of a client. */
async function writeBackground(receiver: TraceReceiver): Promise<void> {
  const spansBefore = receiver.spans.length;
  await systemClock.sleep(IDLE_MS + EXPORT_MS);
  const calls = receiver.spans
    .slice(spansBefore)
    .filter(isBackgroundCall)
    .map(({ name, kind, attributes }) => ({ name, kind, attributes: Object.keys(attributes).sort() }));
  const distinct = new Map(calls.map((call) => [JSON.stringify(call), call] as const));
  writeRecording(
    'tracing/background',
    [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, call]) => call),
  );
}
