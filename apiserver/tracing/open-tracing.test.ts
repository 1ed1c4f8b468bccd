/** Export of traces to a receiver that accepts them, is unreachable, or does not respond. */
import { createLogger } from '../../shared/runtime/logger';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom as random } from '../../shared/runtime/random';
import { startSilentServer } from '../../test/support/servers/silent-server';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { startTraceReceiver } from '../../test/support/servers/trace-receiver';
import { waitUntil } from '../../test/support/programs';
import { stopAfterTest } from '../../test/support/use-resource';
import { openTracing, type OpenedTracing, type TracingDependencies } from './open-tracing';

const INCOMING = { name: 'GET', header: () => undefined };
/** The sampling rate per million at which every request is sampled. */
const ALWAYS = 1_000_000;

const closeAfterTest = stopAfterTest((server: { close(): Promise<void> }) => server.close());

async function startReceiver() {
  const receiver = await startTraceReceiver();
  closeAfterTest(receiver);
  return receiver;
}

/** Opens tracing that sends to a port of this machine; `lines` are the lines that it logs. */
function open(
  { port }: { readonly port: number },
  {
    samplingRatePerMillion = ALWAYS,
    clock = systemClock,
    limits = {},
  }: Partial<TracingDependencies> & { samplingRatePerMillion?: number } = {},
) {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', clock, destination: { write: (line) => void lines.push(line) } });
  const opened = openTracing({ endpoint: `127.0.0.1:${port}`, samplingRatePerMillion }, { clock, random, logger, limits });
  return { ...opened, lines };
}

/** Traces one request. */
function traceRequest({ tracing }: Pick<OpenedTracing, 'tracing'>): void {
  tracing.traceRequest(INCOMING, (trace) => trace?.finish('GET /x', {}, 200, 0));
}

it('tracing exports pending spans when it closes', async () => {
  const receiver = await startReceiver();
  const opened = open(receiver);
  traceRequest(opened);
  await opened.close();
  expect(receiver.spans.map(({ name }) => name)).toEqual(['GET /x']);
  expect(opened.tracing.counts).toEqual({ exported: 1, failed: 0, dropped: 0 });
});

it('tracing samples requests at the configured rate', async () => {
  const receiver = await startReceiver();
  const opened = open(receiver, { samplingRatePerMillion: ALWAYS / 2 });
  for (let request = 0; request < 1_000; request += 1) traceRequest(opened);
  await opened.close();
  // Six standard deviations of 1,000 samples.
  expect(Math.abs(receiver.spans.length - 500)).toBeLessThan(100);
});

it('tracing logs an unreachable receiver once and counts the failed spans', async () => {
  const closedReceiver = await startTraceReceiver();
  await closedReceiver.close();
  const opened = open(closedReceiver, { limits: { timeoutMs: 200 } });
  for (let request = 0; request < 2; request += 1) {
    traceRequest(opened);
    await opened.flush().catch(() => undefined);
  }
  expect(opened.tracing.counts).toMatchObject({ exported: 0, failed: 2 });
  expect(opened.lines.filter((line) => line.includes('traces cannot be sent'))).toHaveLength(1);
  await opened.close();
});

it('tracing logs once that traces are sent again when the receiver responds after a failure', async () => {
  const receiver = await startReceiver();
  receiver.setSilent(true);
  const opened = open(receiver, { limits: { timeoutMs: 200 } });
  traceRequest(opened);
  await opened.flush().catch(() => undefined);
  receiver.setSilent(false);
  for (let request = 0; request < 2; request += 1) {
    traceRequest(opened);
    await opened.flush();
  }
  await opened.close();
  expect(opened.lines.map((line) => /traces (cannot be sent|are sent again)/.exec(line)?.[1])).toEqual([
    'cannot be sent',
    'are sent again',
  ]);
});

it('tracing closes within 3 s when the receiver does not respond', async () => {
  const silentServer = await startSilentServer();
  closeAfterTest(silentServer);
  const clock = new ManualClock();
  const opened = open(silentServer, { clock, limits: { timeoutMs: 300 } });
  traceRequest(opened);
  let isClosed = false;
  const closed = opened.close().then(() => void (isClosed = true));
  await waitUntil('a connection', () => Promise.resolve(silentServer.accepted() > 0));
  expect(isClosed).toBe(false);
  clock.advance(3_000);
  await closed;
});

it('tracing drops and counts spans over the limit of waiting spans', async () => {
  const receiver = await startReceiver();
  receiver.setSilent(true);
  const opened = open(receiver, { limits: { maxQueueSize: 10, maxBatchSize: 5, timeoutMs: 500 } });
  for (let request = 0; request < 100; request += 1) traceRequest(opened);
  expect(opened.tracing.counts.dropped).toBe(90);
  await opened.close();
  expect(opened.tracing.counts).toEqual({ exported: 0, failed: 10, dropped: 90 });
});

describe('applyConfiguration', () => {
  it('sends later spans to the new endpoint, and spans that have ended to the previous one', async () => {
    const [first, second] = await Promise.all([startReceiver(), startReceiver()]);
    const opened = open(first);
    traceRequest(opened);
    opened.applyConfiguration({ endpoint: `127.0.0.1:${second.port}`, samplingRatePerMillion: ALWAYS });
    traceRequest(opened);
    traceRequest(opened);
    await waitUntil('a span at the first receiver', () => Promise.resolve(first.spans.length === 1));
    await opened.close();
    expect(first.spans).toHaveLength(1);
    expect(second.spans).toHaveLength(2);
    expect(opened.tracing.counts).toEqual({ exported: 3, failed: 0, dropped: 0 });
  });

  it('samples no further requests when the new configuration has no rate', async () => {
    const receiver = await startReceiver();
    const opened = open(receiver);
    traceRequest(opened);
    opened.applyConfiguration({ endpoint: `127.0.0.1:${receiver.port}` });
    traceRequest(opened);
    await waitUntil('the span of the first request', () => Promise.resolve(receiver.spans.length === 1));
    await opened.close();
    expect(receiver.spans).toHaveLength(1);
  });
});
