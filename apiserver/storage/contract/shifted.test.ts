/** A store with shifted revisions fulfils the store contract. The inner store starts at a higher revision, so that the shifted one starts where the suite expects it. */
import { shiftedStore } from '../shifted-store';
import { ManualClock } from '../../../test/support/manual-clock';
import { MemoryStore } from '../../../test/support/memory-store';
import { describeStore } from './suite';

const earlier = 40;

describeStore('a shifted store', {
  async create() {
    const clock = new ManualClock();
    const inner = new MemoryStore(clock);
    // No range of the suite covers this key.
    for (let written = 0; written < earlier; written++) inner.put('!', Buffer.from('x'));
    const store = shiftedStore(inner, -earlier);
    return {
      store,
      restart: async () => {
        await store.close();
        inner.reopen();
        return store;
      },
      pass: (seconds) => clock.advanceAsync(seconds * 1_000),
      dispose: () => store.close(),
    };
  },
});
