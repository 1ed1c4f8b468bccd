/** Tests `commit` on an embedded store with lost responses. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { useForEachTest } from '../../test/support/use-resource';
import { commit, type CommitOptions } from './commit';
import { openEmbeddedStore } from './embedded/open';
import { DelegatingStore } from './delegating-store';
import {
  StoreError,
  type Revision,
  type Store,
  type StoreCallOptions,
  type Transaction,
  type TransactionResult,
  type Watch,
} from './store';

/** The planned outcome of one call of `transact`. */
interface CallOutcome {
  readonly isCommitted: boolean;
  readonly hasResponse: boolean;
  /** The response is that the store is full, whether or not the transaction was committed. */
  readonly isStoreFull?: true;
  /** Runs after the transaction and before the response: what other clients do in between. */
  readonly meanwhile?: () => Promise<unknown>;
}

const key = '/thing';

const write = (modRevision: Revision, value: string): Transaction => ({
  compare: [{ key, modRevision }],
  operations: [{ type: 'put', key, value: Buffer.from(value) }],
});
const deleteAt = (modRevision: Revision): Transaction => ({ compare: [{ key, modRevision }], operations: [{ type: 'delete', key }] });

/** A store of which the first transactions have the given outcomes; later ones succeed. */
class LossyStore extends DelegatingStore {
  /** Number of calls of `transact`. */
  sentCount = 0;
  /** Transactions and watches that have not ended. */
  pendingCalls = 0;
  private readonly outcomes: readonly CallOutcome[];

  constructor(store: Store, outcomes: readonly CallOutcome[]) {
    super(store);
    this.outcomes = outcomes;
  }

  override async transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    const planned = this.outcomes[this.sentCount++] ?? { isCommitted: true, hasResponse: true };
    this.pendingCalls++;
    try {
      const result = planned.isCommitted ? await this.store.transact(transaction, options) : undefined;
      await planned.meanwhile?.();
      if (planned.isStoreFull) throw new StoreError('no-space', 'database space exceeded');
      if (result === undefined || !planned.hasResponse) throw new StoreError('ambiguous', 'the response was lost');
      return result;
    } finally {
      this.pendingCalls--;
    }
  }

  override watch(...parameters: Parameters<Store['watch']>): Watch {
    this.pendingCalls++;
    const opened = this.store.watch(...parameters);
    const close = opened.close.bind(opened);
    let isOpen = true;
    opened.close = () => {
      if (isOpen) this.pendingCalls--;
      isOpen = false;
      close();
    };
    return opened;
  }
}

describe('commit', () => {
  /** Shared by `commit` and the store, because `commit` passes deadlines of this clock to the store. */
  const clock = new ManualClock();
  const directory = useForEachTest(
    () => mkdtempSync(join(tmpdir(), 'commit-')),
    (folder) => rmSync(folder, { recursive: true, force: true }),
  );
  const store = useForEachTest(
    () => openEmbeddedStore({ directory: directory(), clock, random: systemRandom }),
    (opened) => opened.close(),
  );

  const put = async (value: string): Promise<Revision> =>
    (await store().transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.from(value) }] })).revision;
  const remove = (): Promise<unknown> => store().transact({ compare: [], operations: [{ type: 'delete', key }] });

  const storeWithOutcomes = (...outcomes: CallOutcome[]): LossyStore => new LossyStore(store(), outcomes);

  /** Runs `commit` and advances the clock whenever the store is idle. */
  async function runCommit(target: LossyStore, transaction: Transaction, options: Partial<CommitOptions> = {}): Promise<TransactionResult> {
    let isOver = false;
    const outcome = commit(target, transaction, { clock, ...options }).finally(() => (isOver = true));
    outcome.catch(() => undefined);
    while (!isOver) {
      await systemClock.sleep(1);
      if (target.pendingCalls === 0) await clock.advanceAsync(10);
    }
    return outcome;
  }
  const lostResponse = (meanwhile?: () => Promise<unknown>): CallOutcome => ({
    isCommitted: true,
    hasResponse: false,
    ...(meanwhile && { meanwhile }),
  });
  const lostRequest = (meanwhile?: () => Promise<unknown>): CallOutcome => ({
    isCommitted: false,
    hasResponse: false,
    ...(meanwhile && { meanwhile }),
  });

  it('sends a transaction once when the response arrives', async () => {
    const lossy = storeWithOutcomes();
    expect(await runCommit(lossy, write(0, 'a'))).toEqual({ committed: true, revision: 2 });
    expect(lossy.sentCount).toBe(1);
  });

  it('sends a transaction again when the request was lost', async () => {
    expect(await runCommit(storeWithOutcomes(lostRequest()), write(0, 'a'))).toEqual({ committed: true, revision: 2 });
  });

  it('recognizes its own creation, update and deletion after a lost response', async () => {
    expect(await runCommit(storeWithOutcomes(lostResponse()), write(0, 'a'))).toEqual({ committed: true, revision: 2 });
    expect(await runCommit(storeWithOutcomes(lostResponse()), write(2, 'b'))).toEqual({ committed: true, revision: 3 });
    expect(await runCommit(storeWithOutcomes(lostResponse()), deleteAt(3))).toEqual({ committed: true, revision: 4 });
    expect(await store().revision()).toBe(4);
  });

  it('recognizes its own update when the key changed again afterwards', async () => {
    const base = await put('a');
    const putLater = async (): Promise<void> => {
      await put('x');
      await remove();
      await put('y');
    };
    expect(await runCommit(storeWithOutcomes(lostResponse(putLater)), write(base, 'b'))).toEqual({ committed: true, revision: base + 1 });
    expect((await store().get(key)).kv?.value.toString()).toBe('y');
  });

  it('recognizes its own creation when the key was updated afterwards', async () => {
    expect(await runCommit(storeWithOutcomes(lostResponse(() => put('x'))), write(0, 'a'))).toEqual({ committed: true, revision: 2 });
  });

  it('recognizes its own creation after the key was deleted and created again, given an earlier revision', async () => {
    const putLater = async (): Promise<void> => {
      await remove();
      await put('other');
    };
    expect(await runCommit(storeWithOutcomes(lostResponse(putLater)), write(0, 'a'), { since: 1 })).toEqual({
      committed: true,
      revision: 2,
    });
  });

  it("does not mistake another client's write for its own", async () => {
    const base = await put('a');
    const update = await runCommit(storeWithOutcomes(lostRequest(() => put('theirs'))), write(base, 'b'));
    expect(update).toMatchObject({ committed: false, current: [{ modRevision: base + 1 }] });
    const deletion = await runCommit(storeWithOutcomes(lostRequest(() => put('theirs again'))), deleteAt(base + 1));
    expect(deletion).toMatchObject({ committed: false });
    await remove();
    const creation = await runCommit(storeWithOutcomes(lostRequest(() => put('theirs'))), write(0, 'b'), { since: 2 });
    expect(creation).toMatchObject({ committed: false });
  });

  it('reports a transaction whose other condition failed as not committed', async () => {
    const base = await put('a');
    const guarded: Transaction = {
      ...write(base, 'b'),
      compare: [
        { key: '/guard', exists: true },
        { key, modRevision: base },
      ],
    };
    expect(await runCommit(storeWithOutcomes(lostRequest()), guarded)).toMatchObject({
      committed: false,
      current: [undefined, { modRevision: base }],
    });
  });

  it('resolves several consecutive losses', async () => {
    const base = await put('a');
    const outcomes = [lostRequest(), lostRequest(), lostResponse(), lostRequest()];
    expect(await runCommit(storeWithOutcomes(...outcomes), write(base, 'b'))).toEqual({ committed: true, revision: base + 1 });
  });

  it('rejects as ambiguous at the deadline', async () => {
    const outcomes = Array.from({ length: 100 }, () => lostRequest());
    const lossy = storeWithOutcomes(...outcomes);
    const outcome = runCommit(lossy, write(0, 'a'), { deadline: clock.monotonic() + 5_000 });
    await expect(outcome).rejects.toMatchObject({ failure: 'ambiguous' });
    expect(lossy.sentCount).toBeGreaterThan(3);
  });

  it('rejects as ambiguous when the history is compacted', async () => {
    const base = await put('a');
    const putLater = async (): Promise<void> => {
      await store().compact(await put('x'));
    };
    const before = clock.monotonic();
    await expect(runCommit(storeWithOutcomes(lostResponse(putLater)), write(base, 'b'))).rejects.toMatchObject({ failure: 'ambiguous' });
    expect(clock.monotonic() - before).toBeLessThan(2_000);
  });

  describe('when the store reports that it is full', () => {
    const fullStore = (outcome: CallOutcome): CallOutcome => ({ ...outcome, isStoreFull: true });

    it('detects that the write was committed nevertheless', async () => {
      expect(await runCommit(storeWithOutcomes(fullStore(lostResponse())), write(0, 'a'))).toEqual({ committed: true, revision: 2 });
      const putLater = (): Promise<unknown> => put('theirs');
      expect(await runCommit(storeWithOutcomes(fullStore(lostResponse(putLater))), write(2, 'b'))).toEqual({
        committed: true,
        revision: 3,
      });
      const lossy = storeWithOutcomes(fullStore(lostResponse()));
      expect(await runCommit(lossy, deleteAt(4))).toEqual({ committed: true, revision: 5 });
      expect(lossy.sentCount).toBe(1);
    });

    it('detects that the write was not committed and rejects with no-space immediately', async () => {
      const base = await put('a');
      const before = clock.monotonic();
      await expect(runCommit(storeWithOutcomes(fullStore(lostRequest())), write(base, 'b'))).rejects.toMatchObject({ failure: 'no-space' });
      await remove();
      const lossy = storeWithOutcomes(fullStore(lostRequest()));
      await expect(runCommit(lossy, write(0, 'b'))).rejects.toMatchObject({ failure: 'no-space' });
      expect(lossy.sentCount).toBe(1);
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
      expect(await runCommit(storeWithOutcomes(fullStore(lostRequest(() => put('theirs')))), guarded)).toMatchObject({
        committed: false,
        revision: base + 1,
        current: [undefined, { key, modRevision: base + 1 }],
      });
    });

    it('detects that an earlier attempt, whose response was lost, was committed', async () => {
      const base = await put('a');
      const outcomes = [lostResponse(), fullStore(lostRequest())];
      expect(await runCommit(storeWithOutcomes(...outcomes), write(base, 'b'))).toEqual({ committed: true, revision: base + 1 });
    });

    it('repeats a lost request until the store has space', async () => {
      const base = await put('a');
      const outcomes = [lostRequest(), fullStore(lostRequest()), fullStore(lostRequest())];
      expect(await runCommit(storeWithOutcomes(...outcomes), write(base, 'b'))).toEqual({ committed: true, revision: base + 1 });
    });

    it('rejects as ambiguous at the deadline when the first request was lost', async () => {
      const base = await put('a');
      const outcomes = [lostRequest(), ...Array.from({ length: 100 }, () => fullStore(lostRequest()))];
      const outcome = runCommit(storeWithOutcomes(...outcomes), write(base, 'b'), { deadline: clock.monotonic() + 5_000 });
      await expect(outcome).rejects.toMatchObject({ failure: 'ambiguous' });
    });

    it('rejects as ambiguous for a transaction that cannot be recognized', async () => {
      const blind: Transaction = { compare: [], operations: [{ type: 'put', key, value: Buffer.from('a') }] };
      await expect(runCommit(storeWithOutcomes(fullStore(lostResponse())), blind)).rejects.toMatchObject({ failure: 'ambiguous' });
    });
  });

  it('never repeats a transaction that could be committed twice', async () => {
    const blind: Transaction = {
      compare: [{ key: '/other', modRevision: 0 }],
      operations: [{ type: 'put', key, value: Buffer.from('a') }],
    };
    const lossy = storeWithOutcomes(lostResponse());
    await expect(runCommit(lossy, blind)).rejects.toMatchObject({ failure: 'ambiguous' });
    expect(lossy.sentCount).toBe(1);
  });

  it('rethrows failures that exclude a commit', async () => {
    await store().close();
    await expect(runCommit(storeWithOutcomes(), write(0, 'a'))).rejects.toMatchObject({ failure: 'closed' });
  });
});
