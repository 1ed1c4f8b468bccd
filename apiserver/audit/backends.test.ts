/**
 * Audit backends: when events are written or sent, and what happens to events that cannot be. The targets of lines and the
 * transport of the webhook are fakes; the clock is a manual one.
 */
import { PassThrough } from 'node:stream';
import { errorMessage } from '../../shared/runtime/error-message';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import { auditEvent } from '../../test/support/objects/audit-event';
import { BackOff } from '../../shared/client/back-off';
import type { TransportRequest } from '../../shared/client/transport/transport';
import { useForEachTest } from '../../test/support/use-resource';
import type { AuditEvent } from './event';
import { BatchBackend, type BatchOptions, type DeliverBatch } from './batch-backend';
import { LogBackend, createStreamTarget, type LineTarget } from './log-backend';
import type { OnEventsLost } from './audit-backend';
import { createWebhookDelivery } from './webhook-delivery';

const encoding = { format: 'json', dialect: 'platform', maxEventBytes: undefined } as const;
/** The audit IDs of encoded events. */
const idsIn = (texts: readonly string[]): readonly string[] => texts.map((text) => /"auditID":"([^"]*)"/.exec(text)?.[1] ?? '');
/** The reported losses of the current test. */
const losses: { readonly backend: string; readonly events: number; readonly reason: string }[] = [];
const onEventsLost: OnEventsLost = (backend, events, reason) => void losses.push({ backend, events, reason: errorMessage(reason) });
beforeEach(() => (losses.length = 0));

describe('LogBackend', () => {
  /** A target that is full when a test sets `isFull`, and the text of each call of `append`. */
  interface FakeTarget extends LineTarget {
    readonly appended: string[];
    isFull: boolean;
  }

  function createTarget(): FakeTarget {
    const appended: string[] = [];
    return {
      appended,
      isFull: false,
      append(lines) {
        if (this.isFull) throw new Error('ENOSPC');
        appended.push(lines.toString());
      },
      close: () => Promise.resolve(),
    };
  }

  const target = useForEachTest(createTarget);
  const clock = new ManualClock();
  const open = ({ isStrict } = { isStrict: false }): LogBackend =>
    new LogBackend({ target: target(), encoding, isStrict, clock, onEventsLost });
  /** The audit IDs of the events in each call of `append`. */
  const appendedIds = (): readonly (readonly string[])[] => target().appended.map((lines) => idsIn(lines.trimEnd().split('\n')));
  /** An event of a request that changes objects; `auditEvent` is one of a request that reads. */
  const createEvent = (id: string): AuditEvent => auditEvent(id, { subject: { ...auditEvent(id).subject, verb: 'create' } });

  it('writes events of read requests in one batch after 10 ms', () => {
    const backend = open();
    expect(backend.processEvent(auditEvent('1'))).toBe(true);
    expect(backend.processEvent(auditEvent('2'))).toBe(true);
    expect(target().appended).toEqual([]);
    clock.advance(10);
    expect(appendedIds()).toEqual([['1', '2']]);
  });

  it('writes the buffered events on close', async () => {
    const backend = open();
    backend.processEvent(auditEvent('1'));
    await backend.close();
    expect(appendedIds()).toEqual([['1']]);
  });

  it('writes buffered events as soon as a write request completes', () => {
    const backend = open();
    backend.processEvent(auditEvent('1'));
    backend.processEvent({ ...createEvent('2'), stage: 'RequestReceived' });
    expect(target().appended).toEqual([]);
    backend.processEvent(createEvent('2'));
    expect(appendedIds()).toEqual([['1', '2', '2']]);
    expect(clock.pending).toBe(0);
  });

  it('writes buffered events when they reach the size limit', () => {
    const backend = open();
    // More than 120 KiB and less than twice as much.
    for (let count = 0; count < 400; count += 1) backend.processEvent(auditEvent('1'));
    expect(target().appended).toHaveLength(1);
  });

  it('writes an event that is longer than its buffer immediately', () => {
    const backend = open();
    backend.processEvent(auditEvent('1', { requestObject: `"${'x'.repeat(200_000)}"` }));
    expect(target().appended).toHaveLength(1);
    expect(target().appended.at(-1)?.length).toBeGreaterThan(200_000);
  });

  it('counts events that it cannot write and does not reject the request', () => {
    const backend = open();
    target().isFull = true;
    expect(backend.processEvent(auditEvent('1'))).toBe(true);
    expect(backend.processEvent(createEvent('2'))).toBe(true);
    expect(losses).toEqual([{ backend: 'log', events: 2, reason: 'ENOSPC' }]);
  });

  it('writes an event before the request in strict mode, and rejects the request when that fails', () => {
    const backend = open({ isStrict: true });
    expect(backend.processEvent(auditEvent('1'))).toBe(true);
    expect(target().appended).toHaveLength(1);
    target().isFull = true;
    expect(backend.processEvent(auditEvent('2'))).toBe(false);
    target().isFull = false;
    expect(backend.processEvent(auditEvent('3'))).toBe(true);
    expect(losses).toEqual([{ backend: 'log', events: 1, reason: 'ENOSPC' }]);
  });
});

describe('createStreamTarget', () => {
  it('throws when more than 16 MiB have not been read', () => {
    const target = createStreamTarget(new PassThrough({ highWaterMark: 1 }));
    const mebibyte = Buffer.alloc(1024 * 1024);
    expect(() => {
      for (let count = 0; count < 40; count += 1) target.append(mebibyte);
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
    // Two fill the batch in flight, five the buffer, and two are lost.
    for (let id = 1; id <= 9; id += 1) backend.processEvent(auditEvent(String(id)));
    const bufferFull = { backend: 'webhook', events: 1, reason: 'too many events are waiting' };
    expect(losses).toEqual([bufferFull, bufferFull]);
    release();
    await flushPromises();
    expect(batches).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    release();
  });

  it('limits a batch to its maximum bytes and sends one batch per second', async () => {
    // Two events have fewer than 1,000 bytes, three have more.
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

describe('createWebhookDelivery', () => {
  const clock = new ManualClock();
  const sent: TransportRequest[] = [];
  /** Delivers to a webhook that responds with the given statuses, one after the other. */
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
  const isRunning = (): boolean => false;
  const isShuttingDown = (): boolean => true;
  beforeEach(() => (sent.length = 0));

  it('sends an EventList, and sends it again after responses 503 and 429', async () => {
    const statuses = [503, 429, 200];
    const delivered = deliverTo(() => statuses.shift() ?? 500)(['{"auditID":"1"}', '{"auditID":"2"}'], isRunning);
    await clock.advanceAsync(1000);
    await delivered;
    expect(sent).toHaveLength(3);
    const [request] = sent;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/audit?x=y',
      headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
    });
    expect(JSON.parse(String(request?.body))).toEqual({
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      metadata: {},
      items: [{ auditID: '1' }, { auditID: '2' }],
    });
  });

  it('rejects after five attempts', async () => {
    const failed = expect(deliverTo(() => 500)(['{}'], isRunning)).rejects.toThrow('the webhook responded with 500');
    await clock.advanceAsync(10_000);
    await failed;
    expect(sent).toHaveLength(5);
  });

  it('rejects after one attempt when the webhook responds with 400', async () => {
    await expect(deliverTo(() => 400)(['{}'], isRunning)).rejects.toThrow('the webhook responded with 400');
    expect(sent).toHaveLength(1);
  });

  it('rejects after one attempt during shutdown', async () => {
    await expect(deliverTo(() => 500)(['{}'], isShuttingDown)).rejects.toThrow('the webhook responded with 500');
    expect(sent).toHaveLength(1);
  });
});
