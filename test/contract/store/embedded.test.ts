/** The embedded store keeps the store contract. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { systemRandom } from '../../../shared/runtime/random';
import { ManualClock } from '../../support/manual-clock';
import { shiftedStore } from '../../../apiserver/storage/shifted-store';
import { describeStore } from './suite';

describeStore('the embedded store', {
  async create() {
    const directory = mkdtempSync(join(tmpdir(), 'embedded-contract-'));
    const clock = new ManualClock();
    const open = () => openEmbeddedStore({ directory, clock, random: systemRandom });
    let store = await open();
    return {
      store,
      restart: async () => {
        await store.close();
        store = await open();
        return store;
      },
      pass: (seconds) => clock.advanceAsync(seconds * 1_000),
      dispose: async () => {
        await store.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
});

it('knows its revision at once, also through a layer', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'embedded-revision-'));
  const store = shiftedStore(await openEmbeddedStore({ directory, clock: new ManualClock(), random: systemRandom }), 40);
  try {
    expect(store.revisionNow?.()).toBe(41);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
