import type { Revision, Watch, StoreEvent } from '../../storage/store';
import { flushPromises } from '../../../test/support/clock/manual-clock';
import { InboundQueue, type InboundQueueHandler } from './inbound-queue';
import { TimeSlice } from '../../../shared/scheduling/yielding';

const put = (revision: Revision, size = 10): StoreEvent => ({ type: 'put', key: 'k', value: Buffer.alloc(size), revision, created: true });

/** A time slice with a clock that advances 10 ms per reading, so that a yield is due as often as possible. */
function shortSlice(): TimeSlice {
  let now = 0;
  const clock = {
    now: () => now,
    monotonic: () => {
      now += 10;
      return now;
    },
    after: () => ({ cancel: () => undefined }),
    sleep: () => Promise.resolve(),
  };
  return new TimeSlice(clock, { yieldNow: () => yieldNow() });
}

let yieldNow: () => Promise<void>;
let log: string[];
let watchCalls: string[];
let inbound: InboundQueue;
let finishResync: () => void;

beforeEach(() => {
  log = [];
  watchCalls = [];
  yieldNow = () => Promise.resolve();
  const handler: InboundQueueHandler = {
    apply: (revision, events) => log.push(`${revision}x${events.length}`),
    onProgress: (revision) => log.push(`through ${revision}`),
    onIdle: () => undefined,
    resyncAfterCompaction: (revision) => {
      log.push(`gap ${revision}`);
      return new Promise((resolve) => {
        finishResync = resolve;
      });
    },
    onConnectionChange: (connected) => log.push(String(connected)),
    onPause: () => log.push('paused'),
  };
  const watch: Watch = {
    requestProgress: () => false,
    reopen: () => undefined,
    pause: () => watchCalls.push('pause'),
    resume: () => watchCalls.push('resume'),
    close: () => undefined,
  };
  inbound = new InboundQueue(handler, shortSlice);
  inbound.attach(watch);
});

describe('InboundQueue', () => {
  it('applies whole revisions immediately and then reports its progress', () => {
    inbound.events([put(2), put(2), put(3)], 5);
    inbound.progress(7);
    expect(log).toEqual(['2x2', '3x1', 'through 5', 'through 7']);
  });

  it('yields in a long batch without changing the order, and pauses the stream while too many bytes are queued', async () => {
    let resume: () => void = () => undefined;
    yieldNow = () =>
      new Promise((resolve) => {
        resume = resolve;
      });
    const many = Array.from({ length: 40 }, (_, i) => put(i + 1, 1024 * 1024));
    inbound.events(many, 40);
    expect(log.filter((line) => line.endsWith('x1'))).toHaveLength(16);
    expect(watchCalls).toEqual(['pause']);
    inbound.events([put(41)], 41);
    expect(log).not.toContain('41x1');
    for (let i = 0; i < 4; i += 1) {
      resume();
      await flushPromises();
    }
    expect(log.filter((line) => line.endsWith('x1'))).toEqual(Array.from({ length: 41 }, (_, i) => `${i + 1}x1`));
    expect(log.at(-1)).toBe('through 41');
    expect(watchCalls).toEqual(['pause', 'resume']);
  });

  it('applies nothing while it resyncs after a compaction', async () => {
    inbound.compacted(100);
    inbound.events([put(101)], 101);
    await flushPromises();
    expect(log).toEqual(['gap 100']);
    finishResync();
    await flushPromises();
    expect(log).toEqual(['gap 100', '101x1', 'through 101']);
  });

  it('ignores events after close', () => {
    inbound.close();
    inbound.events([put(1)], 1);
    inbound.connection('connected');
    expect(log).toEqual([]);
  });
});
