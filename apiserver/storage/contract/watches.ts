/**
 * Contract: watches. A watch delivers every change of its range once, in order and from its start revision. The
 * recorder also checks that the calls of the sink keep the contract of `WatchSink`. Runs with every store.
 *
 * A line of the recorder's log is `put KEY@REVISION VALUE`, with `+` after the revision of a creation, or
 * `delete KEY@REVISION`.
 */
import { prefixRange, singleKey, type KeyRange, type Revision, type Watch } from '../store';
import { failureOf, put, remove } from '../../../test/support/store/store-helpers';
import { StoreEventRecorder } from '../../../test/support/store/store-recorder';
import { stopAfterTest } from '../../../test/support/use-resource';
import type { StoreTestContext } from './store-test-context';

interface StartedWatch {
  readonly watch: Watch;
  /** The sink of the watch. */
  readonly recorder: StoreEventRecorder;
}

/** Defines the tests of watches; they share the store of `context`. */
export function describeWatches(context: StoreTestContext): void {
  describe('watches', () => {
    const closeAfterTest = stopAfterTest(({ watch, recorder }: StartedWatch) => {
      watch.close();
      expect(recorder.breaches).toEqual([]);
    });
    /** Starts a watch, which is closed after the test; its sink calls must have kept the contract. */
    const start = (range: KeyRange, from: Revision): StartedWatch => {
      const recorder = new StoreEventRecorder();
      return closeAfterTest({ recorder, watch: context.store().watch(range, from, recorder) });
    };
    const everything = (): KeyRange => prefixRange(context.prefix());
    const logWithoutPrefix = (recorder: StoreEventRecorder): string[] => recorder.log.map((line) => line.replace(context.prefix(), ''));
    const keysWithoutPrefix = (recorder: StoreEventRecorder): string[] =>
      recorder.allEvents.map(({ key }) => key.slice(context.prefix().length));
    const revisionsOf = (recorder: StoreEventRecorder): readonly Revision[] => recorder.allEvents.map(({ revision }) => revision);

    it('deliver creations, changes and deletions in order', async () => {
      const from = (await context.store().revision()) + 1;
      const { recorder } = start(everything(), from);
      await recorder.connected();
      const key = `${context.prefix()}a`;
      await put(context.store(), key, '1');
      await put(context.store(), key, '2');
      await remove(context.store(), key);
      await put(context.store(), key, '3');
      await recorder.count(4);
      expect(logWithoutPrefix(recorder)).toEqual([
        `put a@${from}+ 1`,
        `put a@${from + 1} 2`,
        `delete a@${from + 2}`,
        `put a@${from + 3}+ 3`,
      ]);
    });

    it('make no sink call before `watch` has returned', async () => {
      const recorder = new StoreEventRecorder();
      const watch = context.store().watch(everything(), 1, recorder);
      expect(recorder.connections).toEqual([]);
      await recorder.connected();
      watch.close();
    });

    it('deliver only keys in their range', async () => {
      const from = (await context.store().revision()) + 1;
      const single = start(singleKey(`${context.prefix()}a`), from);
      const prefixed = start(prefixRange(`${context.prefix()}a/`), from);
      for (const name of ['a', 'a!', 'a/', 'a/x', 'a0', 'b', '\u{1f600}']) await put(context.store(), `${context.prefix()}${name}`, '');
      await put(context.store(), `${context.prefix()}a`, 'end');
      await put(context.store(), `${context.prefix()}a/end`, 'end');
      await single.recorder.count(2);
      await prefixed.recorder.count(3);
      expect(keysWithoutPrefix(single.recorder)).toEqual(['a', 'a']);
      expect(keysWithoutPrefix(prefixed.recorder)).toEqual(['a/', 'a/x', 'a/end']);
    });

    it('deliver keys beyond the basic multilingual plane in their range', async () => {
      const from = (await context.store().revision()) + 1;
      const { recorder } = start({ start: `${context.prefix()}\u{ff00}`, end: `${context.prefix()}\u{1f601}` }, from);
      for (const name of ['\u{e9}', '\u{ff5e}', '\u{1f600}', '\u{1f602}', '\u{ff5f}'])
        await put(context.store(), `${context.prefix()}${name}`, '');
      await recorder.count(3);
      expect(keysWithoutPrefix(recorder)).toEqual(['\u{ff5e}', '\u{1f600}', '\u{ff5f}']);
    });

    it('replay history from a revision and continue live without a gap', async () => {
      const key = `${context.prefix()}a`;
      const first = await put(context.store(), key, '0');
      for (let value = 1; value < 40; value++) await put(context.store(), key, String(value));
      const { recorder } = start(everything(), first + 10);
      const writing = (async () => {
        for (let value = 40; value < 80; value++) await put(context.store(), key, String(value));
      })();
      await recorder.count(70);
      await writing;
      expect(revisionsOf(recorder)).toEqual(revisionsFrom(first + 10, 70));
    });

    it('replay thousands of revisions exactly once', async () => {
      const first = (await context.store().revision()) + 1;
      await Promise.all(
        Array.from({ length: 1_500 }, (_, index) => put(context.store(), `${context.prefix()}${index % 7}`, String(index))),
      );
      const { recorder } = start(everything(), first);
      await recorder.count(1_500);
      expect(revisionsOf(recorder)).toEqual(revisionsFrom(first, 1_500));
    });

    it('wait for a future revision', async () => {
      const key = `${context.prefix()}a`;
      const now = await context.store().revision();
      const { recorder } = start(everything(), now + 3);
      await recorder.connected();
      for (const value of ['1', '2', '3', '4']) await put(context.store(), key, value);
      await recorder.count(2);
      expect(logWithoutPrefix(recorder)).toEqual([`put a@${now + 3} 3`, `put a@${now + 4} 4`]);
    });

    it('deliver the events of one revision in one call', async () => {
      const from = (await context.store().revision()) + 1;
      const live = start(everything(), from);
      const operations = Array.from({ length: 600 }, (_, index) => ({
        type: 'put' as const,
        key: `${context.prefix()}${String(index).padStart(3, '0')}`,
        value: Buffer.alloc(5_000, 'x'),
      }));
      await context.store().transact({ compare: [], operations });
      await put(context.store(), `${context.prefix()}end`, '');
      const past = start(everything(), from);
      for (const { recorder } of [live, past]) {
        await recorder.count(601);
        const eventsPerCall = recorder.batches.map((batch) => batch.filter(({ revision }) => revision === from).length);
        expect(eventsPerCall.filter((count) => count > 0)).toEqual([600]);
      }
    });

    it('deliver every operation of a transaction, including deletions', async () => {
      await put(context.store(), `${context.prefix()}gone`, '1');
      const from = (await context.store().revision()) + 1;
      const { recorder } = start(everything(), from);
      await context.store().transact({
        compare: [],
        operations: [
          { type: 'put', key: `${context.prefix()}new`, value: Buffer.from('n') },
          { type: 'delete', key: `${context.prefix()}gone` },
          { type: 'delete', key: `${context.prefix()}never` },
        ],
      });
      await recorder.count(2);
      expect(logWithoutPrefix(recorder).sort()).toEqual([`delete gone@${from}`, `put new@${from}+ n`]);
      expect(recorder.batches).toHaveLength(1);
    });

    it('deliver the same events to many watchers', async () => {
      const from = (await context.store().revision()) + 1;
      const many = Array.from({ length: 20 }, () => start(everything(), from));
      await Promise.all(Array.from({ length: 50 }, (_, index) => put(context.store(), `${context.prefix()}${index}`, String(index))));
      await Promise.all(many.map(({ recorder }) => recorder.count(50)));
      const [first, ...otherLogs] = many.map(({ recorder }) => recorder.log);
      for (const log of otherLogs) expect(log).toEqual(first);
    });

    it('hold events back while paused and deliver each of them once after they resume', async () => {
      const from = (await context.store().revision()) + 1;
      const { watch, recorder } = start(everything(), from);
      const witness = start(everything(), from);
      await put(context.store(), `${context.prefix()}a`, '0');
      await recorder.count(1);
      watch.pause();
      // Events that are already buffered may still arrive.
      for (let value = 1; value <= 300; value++) await put(context.store(), `${context.prefix()}a`, 'x'.repeat(10_000) + String(value));
      await witness.recorder.count(301);
      expect(recorder.allEvents.length).toBeLessThan(301);
      watch.resume();
      await recorder.count(301);
      expect(revisionsOf(recorder)).toEqual(revisionsFrom(from, 301));
    });

    it('continue after `reopen` without loss or repetition', async () => {
      const from = (await context.store().revision()) + 1;
      const { watch, recorder } = start(everything(), from);
      for (let value = 0; value < 60; value++) {
        await put(context.store(), `${context.prefix()}a`, String(value));
        if (value % 20 === 10) watch.reopen();
      }
      await recorder.count(60);
      expect(revisionsOf(recorder)).toEqual(revisionsFrom(from, 60));
    });

    it('report progress on request, never ahead of events', async () => {
      const from = (await context.store().revision()) + 1;
      const { watch, recorder } = start(everything(), from);
      await recorder.connected();
      const last = await put(context.store(), `${context.prefix()}a`, '1');
      if (!watch.requestProgress()) return;
      await recorder.until(() => recorder.progressRevisions.length > 0);
      // The response may precede the event of the put, and then it names an earlier revision.
      const progress = recorder.progressRevisions[0] ?? 0;
      expect(progress).toBeGreaterThanOrEqual(last - 1);
      if (progress >= last) expect(recorder.allEvents).toHaveLength(1);
    });

    it('make no sink call after close', async () => {
      const from = (await context.store().revision()) + 1;
      const { watch, recorder } = start(everything(), from);
      const witness = start(everything(), from);
      await put(context.store(), `${context.prefix()}a`, '1');
      await recorder.count(1);
      watch.close();
      watch.close();
      await put(context.store(), `${context.prefix()}a`, '2');
      await witness.recorder.count(2);
      expect(recorder.allEvents).toHaveLength(1);
    });

    it('refuse to start before revision 1', async () => {
      expect(await failureOf((async () => context.store().watch(everything(), 0, new StoreEventRecorder()))())).toMatchObject({
        failure: 'internal',
      });
    });
  });
}

const revisionsFrom = (first: Revision, count: number): readonly Revision[] => Array.from({ length: count }, (_, index) => first + index);
