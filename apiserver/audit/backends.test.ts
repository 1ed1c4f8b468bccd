/**
 * Audit backends: when events are written or sent, and what happens to events that cannot be. Files are real; the
 * webhook is a server of this process.
 */
import { PassThrough } from 'node:stream';
import { errorMessage } from '../../shared/runtime/error-message';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import { auditEvent } from '../../test/support/objects/audit-event';
import { BackOff } from '../../shared/client/back-off';
import type { TransportRequest } from '../../shared/client/transport/transport';
import type { AuditEvent } from './event';
import { BatchBackend, type BatchOptions, type DeliverBatch } from './batch-backend';
import { LogBackend, createStreamTarget, type LineTarget } from './log-backend';
import type { OnEventsLost } from './audit-backend';
import { createWebhookDelivery } from './webhook-delivery';

const encoding = { format: 'json', dialect: 'platform', maxEventBytes: undefined } as const;
const idsIn = (texts: readonly string[]): readonly string[] => texts.map((text) => /"auditID":"([^"]*)"/.exec(text)?.[1] ?? '');
const lostEvents: [backend: string, events: number, reason: string][] = [];
const onEventsLost: OnEventsLost = (backend, events, reason) => void lostEvents.push([backend, events, errorMessage(reason)]);
beforeEach(() => (lostEvents.length = 0));

describe('LogBackend', () => {
  const written: string[] = [];
  let isFull = false;
  const target: LineTarget = {
    append(lines) {
      if (isFull) throw new Error('ENOSPC');
      written.push(lines.toString());
    },
    close: () => Promise.resolve(),
  };
  beforeEach(() => {
    written.length = 0;
    isFull = false;
  });

  const clock = new ManualClock();
  const writeEvent = (id: string): AuditEvent => auditEvent(id, { subject: { ...auditEvent(id).subject, verb: 'create' } });

  it('writes events of read requests in one batch after 10 ms', async () => {
    const backend = new LogBackend({ target, encoding, isStrict: false, clock, onEventsLost });
    expect(backend.processEvent(auditEvent('1'))).toBe(true);
    expect(backend.processEvent(auditEvent('2'))).toBe(true);
    expect(written).toEqual([]);
    clock.advance(10);
    expect(written.map((lines) => idsIn(lines.trimEnd().split('\n')))).toEqual([['1', '2']]);
    backend.processEvent(auditEvent('3'));
    await backend.close();
    expect(written).toHaveLength(2);
  });

  it('writes buffered events as soon as a write request completes', () => {
    const backend = new LogBackend({ target, encoding, isStrict: false, clock, onEventsLost });
    backend.processEvent(auditEvent('1'));
    backend.processEvent({ ...writeEvent('2'), stage: 'RequestReceived' });
    expect(written).toEqual([]);
    backend.processEvent(writeEvent('2'));
    expect(written.map((lines) => idsIn(lines.trimEnd().split('\n')))).toEqual([['1', '2', '2']]);
    expect(clock.pending).toBe(0);
  });

  it('writes buffered events when they reach the size limit', () => {
    const backend = new LogBackend({ target, encoding, isStrict: false, clock, onEventsLost });
    // More than 120 KiB and less than twice as much.
    for (let count = 0; count < 400; count += 1) backend.processEvent(auditEvent('1'));
    expect(written).toHaveLength(1);
    const long = auditEvent('2', { requestObject: `"${'x'.repeat(200_000)}"` });
    backend.processEvent(long);
    expect(written).toHaveLength(2);
    expect(written[1]?.length).toBeGreaterThan(200_000);
  });

  it('counts events that it cannot write and does not reject the request', () => {
    const backend = new LogBackend({ target, encoding, isStrict: false, clock, onEventsLost });
    isFull = true;
    expect(backend.processEvent(auditEvent('1'))).toBe(true);
    expect(backend.processEvent(writeEvent('2'))).toBe(true);
    expect(lostEvents).toEqual([['log', 2, 'ENOSPC']]);
  });

  it('writes an event before the request in strict mode, and rejects the request when that fails', () => {
    const backend = new LogBackend({ target, encoding, isStrict: true, clock, onEventsLost });
    expect(backend.processEvent(auditEvent('1'))).toBe(true);
    expect(written).toHaveLength(1);
    isFull = true;
    expect(backend.processEvent(auditEvent('2'))).toBe(false);
    isFull = false;
    expect(backend.processEvent(auditEvent('3'))).toBe(true);
    expect(lostEvents).toEqual([['log', 1, 'ENOSPC']]);
  });

  it('cannot append to a stream with more unread bytes than the limit', () => {
    const reader = createStreamTarget(new PassThrough({ highWaterMark: 1 }));
    const long = Buffer.alloc(1024 * 1024);
    expect(() => {
      for (let count = 0; count < 40; count += 1) reader.append(long);
    }).toThrow('have not been read');
  });
});

describe('BatchBackend', () => {
  const clock = new ManualClock();
  const batches: (readonly string[])[] = [];
  beforeEach(() => (batches.length = 0));
  const defaults: BatchOptions = { bufferSize: 5, maxSize: 2, maxWaitMs: 1000, throttle: undefined, maxBytes: undefined };
  const open = (options: Partial<BatchOptions>, deliver: DeliverBatch = async (events) => void batches.push(idsIn(events))): BatchBackend =>
    new BatchBackend({
      name: 'webhook',
      batching: { ...defaults, ...options },
      encoding,
      clock,
      deliver,
      onEventsLost,
      onClosed: () => Promise.resolve(),
    });

  it('sends a batch when it is full or reaches its maximum wait', async () => {
    const backend = open({});
    for (const id of ['1', '2', '3']) backend.processEvent(auditEvent(id));
    await flushPromises();
    expect(batches).toEqual([['1', '2']]);
    await clock.advanceAsync(999);
    expect(batches).toHaveLength(1);
    await clock.advanceAsync(1);
    expect(batches).toEqual([['1', '2'], ['3']]);
  });

  it('buffers a limited number of events while a batch is in flight', async () => {
    let release: () => void = () => undefined;
    const backend = open({}, async (events) => {
      batches.push(idsIn(events));
      await new Promise<void>((resolve) => (release = resolve));
    });
    // Two are in flight, five are buffered, two are lost.
    for (let id = 1; id <= 9; id += 1) backend.processEvent(auditEvent(String(id)));
    expect(lostEvents).toEqual([
      ['webhook', 1, 'too many events are waiting'],
      ['webhook', 1, 'too many events are waiting'],
    ]);
    release();
    await flushPromises();
    expect(batches).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    release();
  });

  it('limits batches in bytes and rate', async () => {
    const backend = open({ maxSize: 3, maxBytes: 1000, throttle: { perSecond: 1, burst: 1 } });
    for (const id of ['1', '2', '3']) backend.processEvent(auditEvent(id));
    await flushPromises();
    expect(batches).toEqual([['1', '2']]);
    await clock.advanceAsync(1000);
    expect(batches).toEqual([['1', '2'], ['3']]);
  });

  it('sends the pending batch on close', async () => {
    const backend = open({});
    backend.processEvent(auditEvent('1'));
    await backend.close();
    expect(batches).toEqual([['1']]);
  });
});

describe('audit webhook', () => {
  const clock = new ManualClock();
  const sent: TransportRequest[] = [];
  const deliverTo = (nextStatus: () => number): DeliverBatch =>
    createWebhookDelivery({
      address: () => ({
        transport: {
          async send(request) {
            sent.push(request);
            return { status: nextStatus(), header: () => undefined, body: (async function* () {})() };
          },
          close: () => undefined,
        },
        path: '/audit?x=y',
        authorization: () => 'Bearer t',
      }),
      dialect: 'kubernetes',
      clock,
      backOff: () => new BackOff({ float: () => 0, uuid: () => '', string: () => '' }, { initialMs: 100, maxMs: 1000 }),
    });
  beforeEach(() => (sent.length = 0));

  it('receives an EventList, and again after responses 503 and 429', async () => {
    const statuses = [503, 429, 200];
    const delivered = deliverTo(() => statuses.shift() ?? 500)(['{"auditID":"1"}', '{"auditID":"2"}'], () => false);
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

  it('is given up after five attempts', async () => {
    const failed = expect(deliverTo(() => 500)(['{}'], () => false)).rejects.toThrow('the webhook responded with 500');
    await clock.advanceAsync(10_000);
    await failed;
    expect(sent).toHaveLength(5);
  });

  it('is given up after one attempt after a 400 response', async () => {
    await expect(deliverTo(() => 400)(['{}'], () => false)).rejects.toThrow('the webhook responded with 400');
    expect(sent).toHaveLength(1);
  });

  it('is given up after one attempt during shutdown', async () => {
    await expect(deliverTo(() => 500)(['{}'], () => true)).rejects.toThrow('the webhook responded with 500');
    expect(sent).toHaveLength(1);
  });
});
