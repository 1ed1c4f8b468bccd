import { convertedRows, storedWidget } from '../../../test/support/objects/converted-kind';
import type { Change, ChangeSink, Entry, WatchEnd } from '../../cache/cache';
import type { Conversions } from '../conversions';
import { ConvertedWatch } from './converted-watch';

const [FIRST, SECOND] = convertedRows();
const MIB = 1024 * 1024;

/** Completes conversions on demand. Converted entries are marked with a field. */
class HeldConversions implements Conversions {
  readonly batchSizes: number[] = [];
  private pending: {
    readonly entries: readonly Entry[];
    readonly resolve: (converted: readonly Entry[]) => void;
    readonly reject: (error: Error) => void;
  }[] = [];

  convertEntries(_row: unknown, entries: readonly Entry[]): Promise<readonly Entry[]> {
    this.batchSizes.push(entries.length);
    return new Promise((resolve, reject) => this.pending.push({ entries, resolve, reject }));
  }

  convertObject(): never {
    throw new Error('no single objects');
  }

  async answer(change: (entry: Entry) => Entry = (entry) => entry): Promise<void> {
    await runTurns();
    for (const { entries, resolve } of this.pending.splice(0))
      resolve(entries.map((entry) => ({ ...change(entry), fields: { shown: '' } })));
    await runTurns();
  }

  async fail(): Promise<void> {
    await runTurns();
    for (const { reject } of this.pending.splice(0)) reject(new Error('no way'));
    await runTurns();
  }
}

/** Enough turns of the event loop for a batch to be converted and delivered. */
async function runTurns(): Promise<void> {
  for (let round = 0; round < 4; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

function fixture(matches?: (entry: Entry) => boolean) {
  const delivered: string[] = [];
  const conversions = new HeldConversions();
  let writable: Promise<void> | undefined;
  let closeCount = 0;
  const sink: ChangeSink = {
    event(type, entry) {
      const isConverted = 'shown' in entry.fields;
      delivered.push(`${type} ${entry.key} ${entry.revision}${isConverted ? '' : ' unconverted'}`);
    },
    bookmark: (revision) => void delivered.push(`BOOKMARK ${revision}`),
    end: (reason: WatchEnd) => void delivered.push(`END ${reason.type}${reason.type === 'failed' ? ` ${reason.message}` : ''}`),
    whenWritable: () => writable,
    onLive: () => void delivered.push('LIVE'),
  };
  const watch = new ConvertedWatch(sink, { conversions, row: SECOND, matches, context: () => ({ deadline: 1_000 }) });
  watch.attachSource({ close: () => void (closeCount += 1), sendBookmark: () => undefined });
  const event = (name: string, revision: number, { size = 0, previous }: EventOptions = {}): Entry => {
    const entry = storedWidget(FIRST, name, revision, { text: 'x'.repeat(size) });
    const change: Change = { revision, key: entry.key, current: entry, previous, frames: new Map() };
    watch.event(previous === undefined ? 'ADDED' : 'MODIFIED', entry, change);
    return entry;
  };
  return {
    delivered,
    conversions,
    watch,
    event,
    closeCount: () => closeCount,
    /** Makes the consumer slow; returns a function that ends that. */
    pauseConsumer: () => {
      let resolveWritable = (): void => undefined;
      writable = new Promise((resolve) => (resolveWritable = resolve));
      return () => {
        writable = undefined;
        resolveWritable();
      };
    },
  };
}

interface EventOptions {
  /** Length of a text in the object. */
  readonly size?: number;
  /** Absent for an event of a new object. */
  readonly previous?: Entry;
}

it('ConvertedWatch converts the events of one event loop turn together and delivers them in order', async () => {
  const { delivered, conversions, watch, event } = fixture();
  event('a', 1);
  watch.bookmark(1, 'end-of-initial-events');
  watch.onLive();
  event('b', 2);
  expect(delivered).toEqual([]);
  await conversions.answer();
  expect(delivered).toEqual(['ADDED n/a 1', 'BOOKMARK 1', 'LIVE', 'ADDED n/b 2']);
  expect(conversions.batchSizes).toEqual([2]);
});

it('ConvertedWatch converts at most 500 events in one request', async () => {
  const { delivered, conversions, event } = fixture();
  for (let index = 0; index < 1_200; index += 1) event(`w${index}`, index + 1);
  await conversions.answer();
  await conversions.answer();
  await conversions.answer();
  expect(conversions.batchSizes).toEqual([500, 500, 200]);
  expect(delivered).toHaveLength(1_200);
});

it('ConvertedWatch pauses the initial state while 1 MiB of it is being converted', async () => {
  const { conversions, watch, event } = fixture();
  event('a', 1, { size: MIB / 2 });
  expect(watch.whenWritable()).toBeUndefined();
  event('b', 2, { size: MIB });
  const ready = watch.whenWritable();
  expect(ready).toBeDefined();
  let isReady = false;
  void ready?.then(() => (isReady = true));
  await runTurns();
  expect(isReady).toBe(false);
  await conversions.answer();
  expect(isReady).toBe(true);
});

it('ConvertedWatch closes a live watch when 16 MiB wait for a webhook that does not respond', async () => {
  const { delivered, conversions, watch, event, closeCount } = fixture();
  watch.onLive();
  for (let index = 0; index < 16; index += 1) event('a', index + 1, { size: MIB - 1_000 });
  expect(delivered).toEqual(['LIVE']);
  event('a', 17, { size: MIB });
  expect(delivered).toEqual(['LIVE', 'END closed']);
  expect(closeCount()).toBe(1);
  await conversions.answer();
  event('a', 18);
  await conversions.answer();
  expect(delivered).toEqual(['LIVE', 'END closed']);
});

it('ConvertedWatch waits for a slow consumer after each event of the initial state', async () => {
  const { delivered, conversions, event, pauseConsumer } = fixture();
  const resumeConsumer = pauseConsumer();
  event('a', 1);
  event('b', 2);
  await conversions.answer();
  expect(delivered).toEqual(['ADDED n/a 1']);
  resumeConsumer();
  await runTurns();
  expect(delivered).toEqual(['ADDED n/a 1', 'ADDED n/b 2']);
});

it('ConvertedWatch ends as failed when the initial state cannot be converted, and as closed when a later event cannot', async () => {
  const initial = fixture();
  initial.event('a', 1);
  await initial.conversions.fail();
  expect(initial.delivered).toEqual(['END failed no way']);
  const live = fixture();
  live.watch.onLive();
  live.event('a', 1);
  await live.conversions.fail();
  expect(live.delivered).toEqual(['LIVE', 'END closed']);
  expect(live.closeCount()).toBe(1);
});

it('ConvertedWatch applies the selector to the converted previous and current states', async () => {
  const { delivered, conversions, event } = fixture((entry) => entry.labels['l'] === 'yes');
  const before = event('a', 1);
  await conversions.answer((entry) => ({ ...entry, labels: { l: 'yes' } }));
  const second = event('a', 2, { previous: before });
  await conversions.answer((entry) => ({ ...entry, labels: { l: entry.revision === 1 ? 'yes' : 'no' } }));
  const third = event('a', 3, { previous: second });
  await conversions.answer((entry) => ({ ...entry, labels: { l: 'no' } }));
  event('a', 4, { previous: third });
  await conversions.answer((entry) => ({ ...entry, labels: { l: entry.revision === 4 ? 'yes' : 'no' } }));
  expect(delivered).toEqual(['ADDED n/a 1', 'DELETED n/a 1', 'ADDED n/a 4']);
});

it('ConvertedWatch delivers nothing after close, and resolves pending waits', async () => {
  const { delivered, conversions, watch, event, closeCount } = fixture();
  event('a', 1, { size: 2 * MIB });
  const ready = watch.whenWritable();
  watch.close();
  await ready;
  await conversions.answer();
  watch.bookmark(2, 'progress');
  expect(delivered).toEqual([]);
  expect(closeCount()).toBe(1);
});
