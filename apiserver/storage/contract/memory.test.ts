/** The in-memory store that other tests use fulfils the store contract. */
import { ManualClock } from '../../../test/support/manual-clock';
import { MemoryStore } from '../../../test/support/memory-store';
import { describeStore } from './suite';

describeStore('the store in memory', {
  async create() {
    const clock = new ManualClock();
    const store = new MemoryStore(clock);
    return {
      store,
      restart: async () => {
        await store.close();
        store.reopen();
        return store;
      },
      pass: (seconds) => clock.advanceAsync(seconds * 1_000),
      dispose: () => store.close(),
    };
  },
});
