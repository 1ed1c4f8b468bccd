/** Export of traces to a receiver that accepts them, is unreachable, or does not answer. */
import { createLogger } from '../../shared/runtime/logger';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom as random } from '../../shared/runtime/random';
import { startSilentServer } from '../../test/support/silent-server';
import { ManualClock } from '../../test/support/manual-clock';
import { startTraceReceiver } from '../../test/support/trace-receiver';
import { waitUntil } from '../../test/support/programs';
import { openTracing, type OpenedTracing } from './open';

const ASKED = { name: 'GET', header: () => undefined };
const ALL = 1_000_000;

function request({ tracing }: OpenedTracing): void {
  tracing.begin(ASKED, (trace) => trace?.finished('GET /x', {}, 200, 0));
}

function surroundings(clock = systemClock): { readonly lines: string[]; readonly parts: Parameters<typeof openTracing>[1] } {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', clock, destination: { write: (line) => void lines.push(line) } });
  return { lines, parts: { clock, random, logger } };
}

it('tracing exports pending spans when it closes', async () => {
  const receiver = await startTraceReceiver();
  const opened = openTracing({ endpoint: `127.0.0.1:${receiver.port}`, samplingRatePerMillion: ALL }, surroundings().parts);
  request(opened);
  await opened.close();
  expect(receiver.spans.map(({ name }) => name)).toEqual(['GET /x']);
  expect(opened.tracing.counts).toEqual({ exported: 1, failed: 0, dropped: 0 });
  await receiver.close();
});

it('tracing samples requests at the configured rate', async () => {
  const receiver = await startTraceReceiver();
  const opened = openTracing({ endpoint: `127.0.0.1:${receiver.port}`, samplingRatePerMillion: ALL / 2 }, surroundings().parts);
  for (let at = 0; at < 1_000; at += 1) request(opened);
  await opened.close();
  // Six deviations of one in a thousand tosses.
  expect(Math.abs(receiver.spans.length - 500)).toBeLessThan(100);
  await receiver.close();
});

it('tracing logs an unreachable receiver once and counts the failed spans', async () => {
  const gone = await startTraceReceiver();
  await gone.close();
  const { lines, parts } = surroundings();
  const limits = { timeoutMs: 200 };
  const opened = openTracing({ endpoint: `127.0.0.1:${gone.port}`, samplingRatePerMillion: ALL }, { ...parts, limits });
  request(opened);
  await opened.flush().catch(() => undefined);
  expect(opened.tracing.counts).toMatchObject({ exported: 0, failed: 1 });
  expect(lines.filter((line) => line.includes('traces cannot be sent'))).toHaveLength(1);
  await opened.close();
});

it('logs once that traces are sent again when the receiver answers after a failure', async () => {
  const receiver = await startTraceReceiver();
  receiver.silence(true);
  const { lines, parts } = surroundings();
  const limits = { timeoutMs: 200 };
  const opened = openTracing({ endpoint: `127.0.0.1:${receiver.port}`, samplingRatePerMillion: ALL }, { ...parts, limits });
  request(opened);
  await opened.flush().catch(() => undefined);
  receiver.silence(false);
  for (let at = 0; at < 2; at += 1) {
    request(opened);
    await opened.flush();
  }
  await opened.close();
  await receiver.close();
  expect(lines.map((line) => /traces (cannot be sent|are sent again)/.exec(line)?.[1])).toEqual(['cannot be sent', 'are sent again']);
});

it('tracing closes within 3 s when the receiver does not answer', async () => {
  const silent = await startSilentServer();
  const clock = new ManualClock();
  const opened = openTracing(
    { endpoint: `127.0.0.1:${silent.port}`, samplingRatePerMillion: ALL },
    { ...surroundings().parts, clock, limits: { timeoutMs: 300 } },
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
  receiver.silence(true);
  const limits = { waiting: 10, batch: 5, timeoutMs: 500 };
  const opened = openTracing({ endpoint: `127.0.0.1:${receiver.port}`, samplingRatePerMillion: ALL }, { ...surroundings().parts, limits });
  for (let at = 0; at < 100; at += 1) request(opened);
  expect(opened.tracing.counts.dropped).toBe(90);
  await opened.close();
  expect(opened.tracing.counts).toEqual({ exported: 0, failed: 10, dropped: 90 });
  await receiver.close();
});

it('tracing applies a changed endpoint and sampling rate', async () => {
  const [one, other] = await Promise.all([startTraceReceiver(), startTraceReceiver()]);
  const opened = openTracing({ endpoint: `127.0.0.1:${one.port}`, samplingRatePerMillion: ALL }, surroundings().parts);
  request(opened);
  opened.use({ endpoint: `127.0.0.1:${other.port}`, samplingRatePerMillion: ALL });
  request(opened);
  request(opened);
  await waitUntil('the first one', () => Promise.resolve(one.spans.length === 1));
  await opened.flush();
  opened.use({ endpoint: `127.0.0.1:${other.port}` });
  request(opened);
  await opened.close();
  expect([one.spans.length, other.spans.length]).toEqual([1, 2]);
  expect(opened.tracing.counts).toEqual({ exported: 3, failed: 0, dropped: 0 });
  await Promise.all([one.close(), other.close()]);
});
