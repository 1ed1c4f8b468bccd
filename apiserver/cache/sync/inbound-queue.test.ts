/** The order, yields and back pressure of the queue before the cache. */
import type { Revision, Watch, StoreEvent } from '../../storage/store';
import { flushPromises } from '../../../test/support/clock/manual-clock';
import { InboundQueue, type InboundQueueHandler } from './inbound-queue';
import { TimeSlice } from '../../../shared/scheduling/yielding';

const MEBIBYTE = 1024 * 1024;

/** An event with a value of so many bytes. */
const put = (revision: Revision, size = 10): StoreEvent => ({ type: 'put', key: 'k', value: Buffer.alloc(size), revision, created: true });

/**
 * A time slice with a clock that advances 10 ms per reading, so that a yield is due whenever the clock is read: after
 * every 16 steps.
 */
function shortSlice(yieldNow: () => Promise<void>): TimeSlice {
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
  return new TimeSlice(clock, { yieldNow });
}

/**
 * A queue with logs of its calls: `log` of its handler (`2x3` for three events of revision 2), `watchCalls` of its store
 * watch. `finishResync` ends the resync after a compaction.
 */
function createFixture(yieldNow: () => Promise<void> = () => Promise.resolve()) {
  const log: string[] = [];
  const watchCalls: string[] = [];
  let endResync: () => void = () => undefined;
  const handler: InboundQueueHandler = {
    apply: (revision, events) => log.push(`${revision}x${events.length}`),
    onProgress: (revision) => log.push(`through ${revision}`),
    onIdle: () => undefined,
    resyncAfterCompaction: (revision) => {
      log.push(`gap ${revision}`);
      return new Promise((resolve) => {
        endResync = resolve;
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
  const inbound = new InboundQueue(handler, () => shortSlice(yieldNow));
  inbound.attach(watch);
  return { inbound, log, watchCalls, finishResync: () => endResync() };
}

/** The applied revisions with one event. */
const appliedRevisions = (log: readonly string[]): readonly string[] => log.filter((line) => line.endsWith('x1'));

describe('InboundQueue', () => {
  it('applies whole revisions immediately and then reports its progress', () => {
    const { inbound, log } = createFixture();
    inbound.events([put(2), put(2), put(3)], 5);
    inbound.progress(7);
    expect(log).toEqual(['2x2', '3x1', 'through 5', 'through 7']);
  });

  it('yields in a long batch without changing the order, and pauses the stream while too many bytes are queued', async () => {
    let resume: () => void = () => undefined;
    const { inbound, log, watchCalls } = createFixture(
      () =>
        new Promise((resolve) => {
          resume = resolve;
        }),
    );
    // 40 MiB in revisions of one event; more than 4 MiB are too many.
    const events = Array.from({ length: 40 }, (_, index) => put(index + 1, MEBIBYTE));
    inbound.events(events, 40);
    // The number of steps between two readings of the clock.
    expect(appliedRevisions(log)).toHaveLength(16);
    expect(watchCalls).toEqual(['pause']);
    inbound.events([put(41)], 41);
    expect(log).not.toContain('41x1');
    for (let turn = 0; turn < 4; turn += 1) {
      resume();
      await flushPromises();
    }
    expect(appliedRevisions(log)).toEqual(Array.from({ length: 41 }, (_, index) => `${index + 1}x1`));
    expect(log.at(-1)).toBe('through 41');
    expect(watchCalls).toEqual(['pause', 'resume']);
  });

  it('applies nothing while it resyncs after a compaction', async () => {
    const { inbound, log, finishResync } = createFixture();
    inbound.compacted(100);
    inbound.events([put(101)], 101);
    await flushPromises();
    expect(log).toEqual(['gap 100']);
    finishResync();
    await flushPromises();
    expect(log).toEqual(['gap 100', '101x1', 'through 101']);
  });

  it('ignores events after close', () => {
    const { inbound, log } = createFixture();
    inbound.close();
    inbound.events([put(1)], 1);
    inbound.connection('connected');
    expect(log).toEqual([]);
  });
});
