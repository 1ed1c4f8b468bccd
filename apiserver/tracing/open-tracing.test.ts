/** Export of traces to a receiver that accepts them, is unreachable, or does not respond. */
import { createLogger } from '../../shared/runtime/logger';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom as random } from '../../shared/runtime/random';
import { startSilentServer } from '../../test/support/servers/silent-server';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { startTraceReceiver } from '../../test/support/servers/trace-receiver';
import { waitUntil } from '../../test/support/programs';
import { openTracing, type OpenedTracing } from './open-tracing';

const INCOMING = { name: 'GET', header: () => undefined };
/** The sampling rate per million at which every request is sampled. */
const ALWAYS = 1_000_000;

/** Traces one request. */
function request({ tracing }: OpenedTracing): void {
  tracing.traceRequest(INCOMING, (trace) => trace?.finish('GET /x', {}, 200, 0));
}

function createDependencies(clock = systemClock): { readonly lines: string[]; readonly dependencies: Parameters<typeof openTracing>[1] } {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', clock, destination: { write: (line) => void lines.push(line) } });
  return { lines, dependencies: { clock, random, logger } };
}

it('tracing exports pending spans when it closes', async () => {
  const receiver = await startTraceReceiver();
  const opened = openTracing({ endpoint: `127.0.0.1:${receiver.port}`, samplingRatePerMillion: ALWAYS }, createDependencies().dependencies);
  request(opened);
  await opened.close();
  expect(receiver.spans.map(({ name }) => name)).toEqual(['GET /x']);
  expect(opened.tracing.counts).toEqual({ exported: 1, failed: 0, dropped: 0 });
  await receiver.close();
});

it('tracing samples requests at the configured rate', async () => {
  const receiver = await startTraceReceiver();
  const opened = openTracing(
    { endpoint: `127.0.0.1:${receiver.port}`, samplingRatePerMillion: ALWAYS / 2 },
    createDependencies().dependencies,
  );
  for (let at = 0; at < 1_000; at += 1) request(opened);
  await opened.close();
  // Six standard deviations of 1,000 samples.
  expect(Math.abs(receiver.spans.length - 500)).toBeLessThan(100);
  await receiver.close();
});

it('tracing logs an unreachable receiver once and counts the failed spans', async () => {
  const closedReceiver = await startTraceReceiver();
  await closedReceiver.close();
  const { lines, dependencies } = createDependencies();
  const limits = { timeoutMs: 200 };
  const opened = openTracing({ endpoint: `127.0.0.1:${closedReceiver.port}`, samplingRatePerMillion: ALWAYS }, { ...dependencies, limits });
  request(opened);
  await opened.flush().catch(() => undefined);
  expect(opened.tracing.counts).toMatchObject({ exported: 0, failed: 1 });
  expect(lines.filter((line) => line.includes('traces cannot be sent'))).toHaveLength(1);
  await opened.close();
});

it('tracing logs once that traces are sent again when the receiver responds after a failure', async () => {
  const receiver = await startTraceReceiver();
  receiver.setSilent(true);
  const { lines, dependencies } = createDependencies();
  const limits = { timeoutMs: 200 };
  const opened = openTracing({ endpoint: `127.0.0.1:${receiver.port}`, samplingRatePerMillion: ALWAYS }, { ...dependencies, limits });
  request(opened);
  await opened.flush().catch(() => undefined);
  receiver.setSilent(false);
  for (let at = 0; at < 2; at += 1) {
    request(opened);
    await opened.flush();
  }
  await opened.close();
  await receiver.close();
  expect(lines.map((line) => /traces (cannot be sent|are sent again)/.exec(line)?.[1])).toEqual(['cannot be sent', 'are sent again']);
});

it('tracing closes within 3 s when the receiver does not respond', async () => {
  const silent = await startSilentServer();
  const clock = new ManualClock();
  const opened = openTracing(
    { endpoint: `127.0.0.1:${silent.port}`, samplingRatePerMillion: ALWAYS },
    { ...createDependencies().dependencies, clock, limits: { timeoutMs: 300 } },
  );
  request(opened);
  let isClosed = false;
  const closed = opened.close().then(() => void (isClosed = true));
  await waitUntil('a connection', () => Promise.resolve(silent.accepted() > 0));
  expect(isClosed).toBe(false);
  clock.advance(3_000);
  await closed;
  await silent.close();
});

it('tracing drops and counts spans over the limit of waiting spans', async () => {
  const receiver = await startTraceReceiver();
  receiver.setSilent(true);
  const limits = { maxQueueSize: 10, maxBatchSize: 5, timeoutMs: 500 };
  const opened = openTracing(
    { endpoint: `127.0.0.1:${receiver.port}`, samplingRatePerMillion: ALWAYS },
    { ...createDependencies().dependencies, limits },
  );
  for (let at = 0; at < 100; at += 1) request(opened);
  expect(opened.tracing.counts.dropped).toBe(90);
  await opened.close();
  expect(opened.tracing.counts).toEqual({ exported: 0, failed: 10, dropped: 90 });
  await receiver.close();
});

it('tracing applies a changed endpoint and sampling rate', async () => {
  const [first, second] = await Promise.all([startTraceReceiver(), startTraceReceiver()]);
  const opened = openTracing({ endpoint: `127.0.0.1:${first.port}`, samplingRatePerMillion: ALWAYS }, createDependencies().dependencies);
  request(opened);
  opened.applyConfiguration({ endpoint: `127.0.0.1:${second.port}`, samplingRatePerMillion: ALWAYS });
  request(opened);
  request(opened);
  await waitUntil('a span at the first receiver', () => Promise.resolve(first.spans.length === 1));
  await opened.flush();
  // Without a rate, no request is sampled.
  opened.applyConfiguration({ endpoint: `127.0.0.1:${second.port}` });
  request(opened);
  await opened.close();
  expect(first.spans).toHaveLength(1);
  expect(second.spans).toHaveLength(2);
  expect(opened.tracing.counts).toEqual({ exported: 3, failed: 0, dropped: 0 });
  await Promise.all([first.close(), second.close()]);
});
