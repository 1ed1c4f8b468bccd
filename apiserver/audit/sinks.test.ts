import { PassThrough } from 'node:stream';
import { errorMessage } from '../../shared/runtime/error-message';
import { ManualClock, settle } from '../../test/support/manual-clock';
import { auditEvent } from '../../test/support/audit-event';
import { BackOff } from '../../shared/client/back-off';
import type { TransportRequest } from '../../shared/client/transport/transport';
import type { AuditEvent } from './event';
import { BatchSink, type BatchOptions, type Deliver } from './batch-sink';
import { LogSink, readerTarget, type LineTarget } from './log-sink';
import type { Lost } from './sink';
import { webhookDelivery } from './webhook';

const wording = { format: 'json', dialect: 'platform', longestEvent: undefined } as const;
const idsIn = (texts: readonly string[]): readonly string[] => texts.map((text) => /"auditID":"([^"]*)"/.exec(text)?.[1] ?? '');
const lostEvents: [string, number, string][] = [];
const lost: Lost = (sink, events, reason) => void lostEvents.push([sink, events, errorMessage(reason)]);
beforeEach(() => (lostEvents.length = 0));

describe('LogSink', () => {
  const written: string[] = [];
  let full = false;
  const target: LineTarget = {
    append(lines) {
      if (full) throw new Error('ENOSPC');
      written.push(lines.toString());
    },
    close: () => Promise.resolve(),
  };
  beforeEach(() => {
    written.length = 0;
    full = false;
  });

  const clock = new ManualClock();
  const changed = (id: string): AuditEvent => auditEvent(id, { subject: { ...auditEvent(id).subject, verb: 'create' } });

  it('writes events of read requests in one batch after 10 ms', async () => {
    const sink = new LogSink(target, wording, false, clock, lost);
    expect([sink.take(auditEvent('1')), sink.take(auditEvent('2'))]).toEqual([true, true]);
    expect(written).toEqual([]);
    clock.advance(10);
    expect(written.map((lines) => idsIn(lines.trimEnd().split('\n')))).toEqual([['1', '2']]);
    sink.take(auditEvent('3'));
    await sink.close();
    expect(written).toHaveLength(2);
  });

  it('writes buffered events as soon as a write request completes', () => {
    const sink = new LogSink(target, wording, false, clock, lost);
    sink.take(auditEvent('1'));
    sink.take({ ...changed('2'), stage: 'RequestReceived' });
    expect(written).toEqual([]);
    sink.take(changed('2'));
    expect(written.map((lines) => idsIn(lines.trimEnd().split('\n')))).toEqual([['1', '2', '2']]);
    expect(clock.pending).toBe(0);
  });

  it('writes buffered events when they reach the size limit', () => {
    const sink = new LogSink(target, wording, false, clock, lost);
    for (let count = 0; count < 400; count += 1) sink.take(auditEvent('1'));
    expect(written).toHaveLength(1);
    const long = auditEvent('2', { requestObject: `"${'x'.repeat(200_000)}"` });
    sink.take(long);
    expect(written.map((lines) => lines.length > 200_000)).toEqual([false, true]);
  });

  it('counts events that it cannot write and does not reject the request', () => {
    const sink = new LogSink(target, wording, false, clock, lost);
    full = true;
    expect([sink.take(auditEvent('1')), sink.take(changed('2'))]).toEqual([true, true]);
    expect(lostEvents).toEqual([['log', 2, 'ENOSPC']]);
  });

  it('writes an event before the request in blocking-strict mode and rejects the request when that fails', () => {
    const sink = new LogSink(target, wording, true, clock, lost);
    expect([sink.take(auditEvent('1')), written.length]).toEqual([true, 1]);
    full = true;
    expect(sink.take(auditEvent('2'))).toBe(false);
    full = false;
    expect(sink.take(auditEvent('3'))).toBe(true);
    expect(lostEvents).toEqual([['log', 1, 'ENOSPC']]);
  });

  it('drops events over the buffer limit when the reader of its stream stops', () => {
    const reader = readerTarget(new PassThrough({ highWaterMark: 1 }));
    const long = Buffer.alloc(1024 * 1024);
    expect(() => {
      for (let count = 0; count < 40; count += 1) reader.append(long);
    }).toThrow('nobody reads');
  });
});

describe('BatchSink', () => {
  const clock = new ManualClock();
  const batches: (readonly string[])[] = [];
  beforeEach(() => (batches.length = 0));
  const usual: BatchOptions = { bufferSize: 5, maxSize: 2, maxWaitMs: 1000, throttle: undefined, maxBytes: undefined };
  const open = (options: Partial<BatchOptions>, deliver: Deliver = async (events) => void batches.push(idsIn(events))): BatchSink =>
    new BatchSink({ name: 'webhook', options: { ...usual, ...options }, wording, clock, deliver, lost, ended: () => Promise.resolve() });

  it('sends a batch when it is full or reaches its maximum wait', async () => {
    const sink = open({});
    for (const id of ['1', '2', '3']) sink.take(auditEvent(id));
    await settle();
    expect(batches).toEqual([['1', '2']]);
    await clock.advanceAsync(999);
    expect(batches).toHaveLength(1);
    await clock.advanceAsync(1);
    expect(batches).toEqual([['1', '2'], ['3']]);
  });

  it('buffers a limited number of events while a batch is in flight', async () => {
    let release: () => void = () => undefined;
    const sink = open({}, async (events) => {
      batches.push(idsIn(events));
      await new Promise<void>((resolve) => (release = resolve));
    });
    for (let id = 1; id <= 9; id += 1) sink.take(auditEvent(String(id)));
    expect(lostEvents).toEqual([
      ['webhook', 1, 'too many events wait'],
      ['webhook', 1, 'too many events wait'],
    ]);
    release();
    await settle();
    expect(batches).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    release();
  });

  it('limits batches in bytes and rate', async () => {
    const sink = open({ maxSize: 3, maxBytes: 1000, throttle: { perSecond: 1, burst: 1 } });
    for (const id of ['1', '2', '3']) sink.take(auditEvent(id));
    await settle();
    expect(batches).toEqual([['1', '2']]);
    await clock.advanceAsync(1000);
    expect(batches).toEqual([['1', '2'], ['3']]);
  });

  it('sends the pending batch on close', async () => {
    const sink = open({});
    sink.take(auditEvent('1'));
    await sink.close();
    expect(batches).toEqual([['1']]);
  });
});

describe('audit webhook', () => {
  const clock = new ManualClock();
  const sent: TransportRequest[] = [];
  const deliverTo = (answer: () => number): Deliver =>
    webhookDelivery({
      address: () => ({
        transport: {
          async send(request) {
            sent.push(request);
            return { status: answer(), header: () => undefined, body: (async function* () {})() };
          },
          close: () => undefined,
        },
        path: '/audit?x=y',
        authorization: () => 'Bearer t',
      }),
      dialect: 'kubernetes',
      clock,
      backOff: () => new BackOff({ float: () => 0, uuid: () => '', string: () => '' }, { firstMs: 100, longestMs: 1000 }),
    });
  beforeEach(() => (sent.length = 0));

  it('receives an EventList, and again after responses 503 and 429', async () => {
    const answers = [503, 429, 200];
    const delivered = deliverTo(() => answers.shift() ?? 500)(['{"auditID":"1"}', '{"auditID":"2"}'], () => false);
    await clock.advanceAsync(1000);
    await delivered;
    expect(sent).toHaveLength(3);
    expect(sent[0]).toMatchObject({
      method: 'POST',
      path: '/audit?x=y',
      headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
    });
    expect(JSON.parse(String(sent[0]?.body))).toEqual({
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      metadata: {},
      items: [{ auditID: '1' }, { auditID: '2' }],
    });
  });

  it('is abandoned after five attempts, or immediately after a 400 response or during shutdown', async () => {
    const failed = expect(deliverTo(() => 500)(['{}'], () => false)).rejects.toThrow('the webhook answered 500');
    await clock.advanceAsync(10_000);
    await failed;
    expect(sent).toHaveLength(5);
    await expect(deliverTo(() => 400)(['{}'], () => false)).rejects.toThrow('the webhook answered 400');
    await expect(deliverTo(() => 500)(['{}'], () => true)).rejects.toThrow('the webhook answered 500');
    expect(sent).toHaveLength(7);
  });
});
