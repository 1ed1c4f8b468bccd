import type { Revision, Watch, StoreEvent } from '../../storage/store';
import { settle } from '../../../test/support/manual-clock';
import { Inbound, type InboundHandler } from './inbound';
import { TimeSlice } from '../../../shared/scheduling/yielding';

const put = (revision: Revision, size = 10): StoreEvent => ({ type: 'put', key: 'k', value: Buffer.alloc(size), revision, created: true });

/** By a clock on which every look takes 10 ms, so that a yield is due as often as it can be. */
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
  return new TimeSlice(clock, { yieldNow: () => release() });
}

let release: () => Promise<void>;
let log: string[];
let watchCalls: string[];
let inbound: Inbound;
let finishGap: () => void;

beforeEach(() => {
  log = [];
  watchCalls = [];
  release = () => Promise.resolve();
  const handler: InboundHandler = {
    apply: (revision, events) => log.push(`${revision}x${events.length}`),
    through: (revision) => log.push(`through ${revision}`),
    settled: () => undefined,
    gap: (revision) => {
      log.push(`gap ${revision}`);
      return new Promise((resolve) => {
        finishGap = resolve;
      });
    },
    connection: (connected) => log.push(String(connected)),
    paused: () => log.push('paused'),
  };
  const watch: Watch = {
    requestProgress: () => false,
    reopen: () => undefined,
    pause: () => watchCalls.push('pause'),
    resume: () => watchCalls.push('resume'),
    close: () => undefined,
  };
  inbound = new Inbound(handler, shortSlice);
  inbound.attach(watch);
});

describe('the inbound queue', () => {
  it('hands on whole revisions at once, and then how far it got', () => {
    inbound.events([put(2), put(2), put(3)], 5);
    inbound.progress(7);
    expect(log).toEqual(['2x2', '3x1', 'through 5', 'through 7']);
  });

  it('yields in a long batch without changing the order, and pauses the stream while too many bytes wait', async () => {
    let go: () => void = () => undefined;
    release = () =>
      new Promise((resolve) => {
        go = resolve;
      });
    const many = Array.from({ length: 40 }, (_, i) => put(i + 1, 1024 * 1024));
    inbound.events(many, 40);
    expect(log.filter((line) => line.endsWith('x1'))).toHaveLength(16);
    expect(watchCalls).toEqual(['pause']);
    inbound.events([put(41)], 41);
    expect(log).not.toContain('41x1');
    for (let i = 0; i < 4; i += 1) {
      go();
      await settle();
    }
    expect(log.filter((line) => line.endsWith('x1'))).toEqual(Array.from({ length: 41 }, (_, i) => `${i + 1}x1`));
    expect(log.at(-1)).toBe('through 41');
    expect(watchCalls).toEqual(['pause', 'resume']);
  });

  it('hands on nothing while a gap is being closed', async () => {
    inbound.compacted(100);
    inbound.events([put(101)], 101);
    await settle();
    expect(log).toEqual(['gap 100']);
    finishGap();
    await settle();
    expect(log).toEqual(['gap 100', '101x1', 'through 101']);
  });

  it('is silent once closed', () => {
    inbound.close();
    inbound.events([put(1)], 1);
    inbound.connection('connected');
    expect(log).toEqual([]);
  });
});
