/** Resolution of ambiguous commits, on an embedded store whose responses are lost. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { ManualClock } from '../../test/support/manual-clock';
import { commit, type CommitOptions } from './commit';
import { openEmbeddedStore } from './embedded/open';
import { StoreError, type Revision, type Store, type Transaction, type TransactionResult } from './store';

/** What happens to one call: done and answered, done with the answer lost, lost before it was done; then `meanwhile` runs. */
interface Fate {
  readonly done: boolean;
  readonly answered: boolean;
  /** The answer is that the store is full, done or not. */
  readonly full?: true;
  readonly meanwhile?: () => Promise<unknown>;
}

describe('commit', () => {
  const key = '/thing';
  /** One clock for `commit` and the store, because deadlines are times of it. */
  const clock = new ManualClock();
  let busy = 0;
  let directory: string;
  let store: Store;
  let sent: number;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'commit-'));
    store = await openEmbeddedStore({ directory, clock, random: systemRandom });
    sent = 0;
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const write = (modRevision: Revision, value: string): Transaction => ({
    compare: [{ key, modRevision }],
    operations: [{ type: 'put', key, value: Buffer.from(value) }],
  });
  const erase = (modRevision: Revision): Transaction => ({ compare: [{ key, modRevision }], operations: [{ type: 'delete', key }] });
  const put = async (value: string): Promise<Revision> =>
    (await store.transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.from(value) }] })).revision;
  const remove = (): Promise<unknown> => store.transact({ compare: [], operations: [{ type: 'delete', key }] });

  /** The store, but the first calls meet the fates given; later ones are ordinary. */
  function unlucky(...fates: Fate[]): Store {
    const transact = (transaction: Transaction): Promise<TransactionResult> => {
      busy++;
      return attempt(transaction).finally(() => busy--);
    };
    const attempt = async (transaction: Transaction): Promise<TransactionResult> => {
      const fate = fates[sent++] ?? { done: true, answered: true };
      const result = fate.done ? await store.transact(transaction) : undefined;
      await fate.meanwhile?.();
      if (fate.full) throw new StoreError('no-space', 'database space exceeded');
      if (result === undefined || !fate.answered) throw new StoreError('ambiguous', 'the answer was lost');
      return result;
    };
    const watch: Store['watch'] = (...parameters) => {
      busy++;
      const opened = store.watch(...parameters);
      const close = opened.close.bind(opened);
      let isOpen = true;
      opened.close = () => {
        if (isOpen) busy--;
        isOpen = false;
        close();
      };
      return opened;
    };
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'transact') return transact;
        if (name === 'watch') return watch;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  /** Runs `commit` while time passes, a little at each turn in which the store has nothing to do. */
  async function settled(target: Store, transaction: Transaction, options: Partial<CommitOptions> = {}): Promise<TransactionResult> {
    let over = false;
    const outcome = commit(target, transaction, { clock, ...options }).finally(() => (over = true));
    outcome.catch(() => undefined);
    while (!over) {
      await systemClock.sleep(1);
      if (busy === 0) await clock.advanceAsync(10);
    }
    return outcome;
  }
  const lostAnswer = (meanwhile?: () => Promise<unknown>): Fate => ({ done: true, answered: false, ...(meanwhile && { meanwhile }) });
  const lostRequest = (meanwhile?: () => Promise<unknown>): Fate => ({ done: false, answered: false, ...(meanwhile && { meanwhile }) });

  it('sends an answered transaction once', async () => {
    expect(await settled(unlucky(), write(0, 'a'))).toEqual({ committed: true, revision: 2 });
    expect(sent).toBe(1);
  });

  it('repeats a lost request', async () => {
    expect(await settled(unlucky(lostRequest()), write(0, 'a'))).toEqual({ committed: true, revision: 2 });
  });

  it('recognizes its own creation, update and deletion after a lost response', async () => {
    expect(await settled(unlucky(lostAnswer()), write(0, 'a'))).toEqual({ committed: true, revision: 2 });
    sent = 0;
    expect(await settled(unlucky(lostAnswer()), write(2, 'b'))).toEqual({ committed: true, revision: 3 });
    sent = 0;
    expect(await settled(unlucky(lostAnswer()), erase(3))).toEqual({ committed: true, revision: 4 });
    expect(await store.revision()).toBe(4);
  });

  it('recognizes its own update below later changes', async () => {
    const base = await put('a');
    const later = async (): Promise<void> => {
      await put('x');
      await remove();
      await put('y');
    };
    expect(await settled(unlucky(lostAnswer(later)), write(base, 'b'))).toEqual({ committed: true, revision: base + 1 });
    expect((await store.get(key)).kv?.value.toString()).toBe('y');
  });

  it('recognizes its own creation below later updates', async () => {
    expect(await settled(unlucky(lostAnswer(() => put('x'))), write(0, 'a'))).toEqual({ committed: true, revision: 2 });
  });

  it('recognizes its own creation after the key was deleted and created again, given an earlier revision', async () => {
    const later = async (): Promise<void> => {
      await remove();
      await put('other');
    };
    expect(await settled(unlucky(lostAnswer(later)), write(0, 'a'), { since: 1 })).toEqual({ committed: true, revision: 2 });
  });

  it("does not mistake another client's write for its own", async () => {
    const base = await put('a');
    const update = await settled(unlucky(lostRequest(() => put('theirs'))), write(base, 'b'));
    expect(update).toMatchObject({ committed: false, current: [{ modRevision: base + 1 }] });
    sent = 0;
    const deletion = await settled(unlucky(lostRequest(() => put('theirs again'))), erase(base + 1));
    expect(deletion).toMatchObject({ committed: false });
    await remove();
    sent = 0;
    expect(await settled(unlucky(lostRequest(() => put('theirs'))), write(0, 'b'), { since: 2 })).toMatchObject({ committed: false });
  });

  it('reports another failed comparison as not committed', async () => {
    const base = await put('a');
    const guarded: Transaction = {
      ...write(base, 'b'),
      compare: [
        { key: '/guard', exists: true },
        { key, modRevision: base },
      ],
    };
    expect(await settled(unlucky(lostRequest()), guarded)).toMatchObject({ committed: false, current: [undefined, { modRevision: base }] });
  });

  it('resolves several consecutive losses', async () => {
    const base = await put('a');
    const fates = [lostRequest(), lostRequest(), lostAnswer(), lostRequest()];
    expect(await settled(unlucky(...fates), write(base, 'b'))).toEqual({ committed: true, revision: base + 1 });
  });

  it('rejects as ambiguous at the deadline', async () => {
    const fates = Array.from({ length: 100 }, () => lostRequest());
    const outcome = settled(unlucky(...fates), write(0, 'a'), { deadline: clock.monotonic() + 5_000 });
    await expect(outcome).rejects.toMatchObject({ failure: 'ambiguous' });
    expect(sent).toBeGreaterThan(3);
  });

  it('rejects as ambiguous when the history is compacted', async () => {
    const base = await put('a');
    const later = async (): Promise<void> => {
      await store.compact(await put('x'));
    };
    const before = clock.monotonic();
    await expect(settled(unlucky(lostAnswer(later)), write(base, 'b'))).rejects.toMatchObject({ failure: 'ambiguous' });
    expect(clock.monotonic() - before).toBeLessThan(2_000);
  });

  describe('when the store reports that it is full', () => {
    const full = (done: boolean, meanwhile?: () => Promise<unknown>): Fate => ({
      ...(done ? lostAnswer(meanwhile) : lostRequest(meanwhile)),
      full: true,
    });

    it('detects that the write was committed nevertheless', async () => {
      expect(await settled(unlucky(full(true)), write(0, 'a'))).toEqual({ committed: true, revision: 2 });
      sent = 0;
      const later = (): Promise<unknown> => put('theirs');
      expect(await settled(unlucky(full(true, later)), write(2, 'b'))).toEqual({ committed: true, revision: 3 });
      sent = 0;
      expect(await settled(unlucky(full(true)), erase(4))).toEqual({ committed: true, revision: 5 });
      expect(sent).toBe(1);
    });

    it('detects that the write was not committed and rejects with no-space immediately', async () => {
      const base = await put('a');
      const before = clock.monotonic();
      await expect(settled(unlucky(full(false)), write(base, 'b'))).rejects.toMatchObject({ failure: 'no-space' });
      await remove();
      sent = 0;
      await expect(settled(unlucky(full(false)), write(0, 'b'))).rejects.toMatchObject({ failure: 'no-space' });
      expect(sent).toBe(1);
      expect(clock.monotonic() - before).toBeLessThan(2_000);
    });

    it("does not mistake another client's write for its own", async () => {
      const base = await put('a');
      const guarded: Transaction = {
        ...write(base, 'b'),
        compare: [
          { key: '/none', modRevision: 0 },
          { key, modRevision: base },
        ],
      };
      expect(await settled(unlucky(full(false, () => put('theirs'))), guarded)).toMatchObject({
        committed: false,
        revision: base + 1,
        current: [undefined, { key, modRevision: base + 1 }],
      });
    });

    it('continues to resolve an earlier attempt whose response was lost', async () => {
      const base = await put('a');
      expect(await settled(unlucky(lostAnswer(), full(false)), write(base, 'b'))).toEqual({ committed: true, revision: base + 1 });
      sent = 0;
      expect(await settled(unlucky(lostRequest(), full(false), full(false)), write(base + 1, 'c'))).toEqual({
        committed: true,
        revision: base + 2,
      });
      const fates = [lostRequest(), ...Array.from({ length: 100 }, () => full(false))];
      sent = 0;
      const outcome = settled(unlucky(...fates), write(base + 2, 'd'), { deadline: clock.monotonic() + 5_000 });
      await expect(outcome).rejects.toMatchObject({ failure: 'ambiguous' });
    });

    it('rejects as ambiguous for a transaction that cannot be recognized', async () => {
      const blind: Transaction = { compare: [], operations: [{ type: 'put', key, value: Buffer.from('a') }] };
      await expect(settled(unlucky(full(true)), blind)).rejects.toMatchObject({ failure: 'ambiguous' });
    });
  });

  it('never repeats a transaction that could be committed twice', async () => {
    const blind: Transaction = {
      compare: [{ key: '/other', modRevision: 0 }],
      operations: [{ type: 'put', key, value: Buffer.from('a') }],
    };
    await expect(settled(unlucky(lostAnswer()), blind)).rejects.toMatchObject({ failure: 'ambiguous' });
    expect(sent).toBe(1);
  });

  it('rethrows failures that exclude a commit', async () => {
    await store.close();
    await expect(settled(store, write(0, 'a'))).rejects.toMatchObject({ failure: 'closed' });
  });
});
