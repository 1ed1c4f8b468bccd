import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../embedded/open';
import { systemRandom } from '../../../shared/runtime/random';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { shiftedStore } from '../shifted-store';
import { StoreError } from '../store';
import { put } from '../../../test/support/store/store-helpers';
import { describeStore } from './suite';

describeStore('the embedded store', {
  async create() {
    const directory = mkdtempSync(join(tmpdir(), 'embedded-contract-'));
    const clock = new ManualClock();
    const openStore = () => openEmbeddedStore({ directory, clock, random: systemRandom });
    let store = await openStore();
    return {
      store,
      restart: async () => {
        await store.close();
        store = await openStore();
        return store;
      },
      advance: (seconds) => clock.advanceAsync(seconds * 1_000),
      dispose: async () => {
        await store.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
});

it('the embedded store reports its revision synchronously and counts the revisions within a size, also through a shifted store', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'embedded-revision-'));
  const store = shiftedStore(await openEmbeddedStore({ directory, clock: new ManualClock(), random: systemRandom }), 40);
  try {
    expect(store.revisionSync?.()).toBe(41);
    expect(await store.revisionsWithin?.(1, 7)).toBe(7);
    // Long values are stored in fewer bytes.
    for (const length of [10, 10, 50_000, 50_000, 10]) await put(store, `/${length}`, 'x'.repeat(length));
    // The newest five revisions wrote 10, 50,000, 50,000, 10 and 10 bytes: 100,030 together.
    expect(await store.revisionsWithin?.(1, 7)).toBe(1);
    expect(await store.revisionsWithin?.(10, 7)).toBe(1);
    expect(await store.revisionsWithin?.(11, 7)).toBe(2);
    expect(await store.revisionsWithin?.(50_010, 7)).toBe(2);
    expect(await store.revisionsWithin?.(50_011, 7)).toBe(3);
    expect(await store.revisionsWithin?.(100_010, 7)).toBe(3);
    expect(await store.revisionsWithin?.(100_011, 7)).toBe(4);
    expect(await store.revisionsWithin?.(100_021, 7)).toBe(5);
    // More than all revisions wrote: the limit.
    expect(await store.revisionsWithin?.(200_000, 7)).toBe(7);
    expect(await store.revisionsWithin?.(200_000, 2)).toBe(2);
    await store.close();
    await expect(store.revisionsWithin?.(1, 7)).rejects.toThrow(StoreError);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
