/** Contract: watches. */
import { prefixRange, singleKey, type KeyRange, type Revision, type Store, type Watch } from '../store';
import { failureOf, put, remove } from '../../../test/support/store-helpers';
import { Recorder } from '../../../test/support/store-recorder';
import type { Scene } from './subject';

export function watchTests(scene: Scene): void {
  describe('watches', () => {
    let watches: Watch[] = [];
    let recorders: Recorder[] = [];

    const start = (range: KeyRange, from: Revision, store: Store = scene.store()): { watch: Watch; seen: Recorder } => {
      const seen = new Recorder();
      const watch = store.watch(range, from, seen);
      watches.push(watch);
      recorders.push(seen);
      return { watch, seen };
    };
    const all = (): KeyRange => prefixRange(scene.prefix());
    const short = (seen: Recorder): string[] => seen.log.map((line) => line.replace(scene.prefix(), ''));

    afterEach(() => {
      for (const watch of watches) watch.close();
      expect(recorders.flatMap(({ breaches }) => breaches)).toEqual([]);
      watches = [];
      recorders = [];
    });

    it('deliver creations, changes and deletions in order', async () => {
      const from = (await scene.store().revision()) + 1;
      const { seen } = start(all(), from);
      await seen.connected();
      const key = `${scene.prefix()}a`;
      await put(scene.store(), key, '1');
      await put(scene.store(), key, '2');
      await remove(scene.store(), key);
      await put(scene.store(), key, '3');
      await seen.count(4);
      expect(short(seen)).toEqual([`put a@${from}+ 1`, `put a@${from + 1} 2`, `delete a@${from + 2}`, `put a@${from + 3}+ 3`]);
    });

    it('call nothing before `watch` has returned', async () => {
      const seen = new Recorder();
      const watch = scene.store().watch(all(), 1, seen);
      expect(seen.connections).toEqual([]);
      await seen.connected();
      watch.close();
    });

    it('deliver only keys of their range', async () => {
      const from = (await scene.store().revision()) + 1;
      const one = start(singleKey(`${scene.prefix()}a`), from);
      const many = start(prefixRange(`${scene.prefix()}a/`), from);
      for (const name of ['a', 'a!', 'a/', 'a/x', 'a0', 'b', '\u{1f600}']) await put(scene.store(), `${scene.prefix()}${name}`, '');
      await put(scene.store(), `${scene.prefix()}a`, 'end');
      await put(scene.store(), `${scene.prefix()}a/end`, 'end');
      await one.seen.count(2);
      await many.seen.count(3);
      expect(one.seen.all.map(({ key }) => key.slice(scene.prefix().length))).toEqual(['a', 'a']);
      expect(many.seen.all.map(({ key }) => key.slice(scene.prefix().length))).toEqual(['a/', 'a/x', 'a/end']);
    });

    it('find keys beyond the basic plane in their range', async () => {
      const from = (await scene.store().revision()) + 1;
      const { seen } = start({ start: `${scene.prefix()}\u{ff00}`, end: `${scene.prefix()}\u{1f601}` }, from);
      for (const name of ['\u{e9}', '\u{ff5e}', '\u{1f600}', '\u{1f602}', '\u{ff5f}'])
        await put(scene.store(), `${scene.prefix()}${name}`, '');
      await seen.count(3);
      expect(seen.all.map(({ key }) => key.slice(scene.prefix().length))).toEqual(['\u{ff5e}', '\u{1f600}', '\u{ff5f}']);
    });

    it('replay the past from a revision and go on live without a gap', async () => {
      const key = `${scene.prefix()}a`;
      const first = await put(scene.store(), key, '0');
      for (let value = 1; value < 40; value++) await put(scene.store(), key, String(value));
      const { seen } = start(all(), first + 10);
      const writing = (async () => {
        for (let value = 40; value < 80; value++) await put(scene.store(), key, String(value));
      })();
      await seen.count(70);
      await writing;
      expect(seen.all.map(({ revision }) => revision)).toEqual(Array.from({ length: 70 }, (_, index) => first + 10 + index));
    });

    it('replay thousands of revisions, each once', async () => {
      const first = (await scene.store().revision()) + 1;
      await Promise.all(Array.from({ length: 1_500 }, (_, index) => put(scene.store(), `${scene.prefix()}${index % 7}`, String(index))));
      const { seen } = start(all(), first);
      await seen.count(1_500);
      expect(seen.all.map(({ revision }) => revision)).toEqual(Array.from({ length: 1_500 }, (_, index) => first + index));
    });

    it('wait for a future revision', async () => {
      const key = `${scene.prefix()}a`;
      const now = await scene.store().revision();
      const { seen } = start(all(), now + 3);
      await seen.connected();
      for (const value of ['1', '2', '3', '4']) await put(scene.store(), key, value);
      await seen.count(2);
      expect(short(seen)).toEqual([`put a@${now + 3} 3`, `put a@${now + 4} 4`]);
    });

    it('never split a revision over two deliveries', async () => {
      const from = (await scene.store().revision()) + 1;
      const live = start(all(), from);
      const operations = Array.from({ length: 600 }, (_, index) => ({
        type: 'put' as const,
        key: `${scene.prefix()}${String(index).padStart(3, '0')}`,
        value: Buffer.alloc(5_000, 'x'),
      }));
      await scene.store().transact({ compare: [], operations });
      await put(scene.store(), `${scene.prefix()}end`, '');
      const past = start(all(), from);
      for (const { seen } of [live, past]) {
        await seen.count(601);
        const holding = seen.batches.filter((batch) => batch.some(({ revision }) => revision === from));
        expect(holding).toHaveLength(1);
        expect(holding[0]?.filter(({ revision }) => revision === from)).toHaveLength(600);
      }
    });

    it('deliver every operation of a transaction, deletions included', async () => {
      await put(scene.store(), `${scene.prefix()}gone`, '1');
      const from = (await scene.store().revision()) + 1;
      const { seen } = start(all(), from);
      await scene.store().transact({
        compare: [],
        operations: [
          { type: 'put', key: `${scene.prefix()}new`, value: Buffer.from('n') },
          { type: 'delete', key: `${scene.prefix()}gone` },
          { type: 'delete', key: `${scene.prefix()}never` },
        ],
      });
      await seen.count(2);
      expect(short(seen).sort()).toEqual([`delete gone@${from}`, `put new@${from}+ n`]);
      expect(seen.batches).toHaveLength(1);
    });

    it('deliver the same events to many watchers', async () => {
      const from = (await scene.store().revision()) + 1;
      const many = Array.from({ length: 20 }, () => start(all(), from));
      await Promise.all(Array.from({ length: 50 }, (_, index) => put(scene.store(), `${scene.prefix()}${index}`, String(index))));
      await Promise.all(many.map(({ seen }) => seen.count(50)));
      const [first, ...others] = many.map(({ seen }) => seen.log);
      for (const other of others) expect(other).toEqual(first);
    });

    it('deliver nothing while paused and everything after, each once', async () => {
      const from = (await scene.store().revision()) + 1;
      const { watch, seen } = start(all(), from);
      const witness = start(all(), from);
      await put(scene.store(), `${scene.prefix()}a`, '0');
      await seen.count(1);
      watch.pause();
      // What was already on its way may still arrive; then it is silent.
      for (let value = 1; value <= 300; value++) await put(scene.store(), `${scene.prefix()}a`, 'x'.repeat(10_000) + String(value));
      await witness.seen.count(301);
      expect(seen.all.length).toBeLessThan(301);
      watch.resume();
      await seen.count(301);
      expect(seen.all.map(({ revision }) => revision)).toEqual(Array.from({ length: 301 }, (_, index) => from + index));
    });

    it('go on after reopening, without loss or repetition', async () => {
      const from = (await scene.store().revision()) + 1;
      const { watch, seen } = start(all(), from);
      for (let value = 0; value < 60; value++) {
        await put(scene.store(), `${scene.prefix()}a`, String(value));
        if (value % 20 === 10) watch.reopen();
      }
      await seen.count(60);
      expect(seen.all.map(({ revision }) => revision)).toEqual(Array.from({ length: 60 }, (_, index) => from + index));
    });

    it('report progress when asked, if they can, and never ahead of events', async () => {
      const from = (await scene.store().revision()) + 1;
      const { watch, seen } = start(all(), from);
      await seen.connected();
      const last = await put(scene.store(), `${scene.prefix()}a`, '1');
      if (!watch.requestProgress()) return;
      await seen.until(() => seen.progressed.length > 0);
      expect(seen.progressed[0]).toBeGreaterThanOrEqual(last - 1);
      if ((seen.progressed[0] ?? 0) >= last) expect(seen.all).toHaveLength(1);
    });

    it('are silent after close', async () => {
      const from = (await scene.store().revision()) + 1;
      const { watch, seen } = start(all(), from);
      const witness = start(all(), from);
      await put(scene.store(), `${scene.prefix()}a`, '1');
      await seen.count(1);
      watch.close();
      watch.close();
      await put(scene.store(), `${scene.prefix()}a`, '2');
      await witness.seen.count(2);
      expect(seen.all).toHaveLength(1);
    });

    it('refuse to start before revision 1', async () => {
      expect(await failureOf((async () => scene.store().watch(all(), 0, new Recorder()))())).toMatchObject({ failure: 'internal' });
    });
  });
}
