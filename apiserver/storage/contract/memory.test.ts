/** The in-memory store, which other tests use, fulfils the store contract. */
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { describeStore } from './suite';

describeStore('the in-memory store', {
  async create() {
    const clock = new ManualClock();
    const store = new MemoryStore(clock);
    return {
      store,
      restart: async () => {
        await store.close();
        store.reopenAfterClose();
        return store;
      },
      advance: (seconds) => clock.advanceAsync(seconds * 1_000),
      dispose: () => store.close(),
    };
  },
});
