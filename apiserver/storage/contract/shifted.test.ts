/**
 * A store with shifted revisions fulfils the store contract. The wrapped store starts at a higher revision and the
 * shift is negative, so that revisions start where the suite expects it.
 */
import { shiftedStore } from '../shifted-store';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { describeStore } from './suite';

const writesBefore = 40;

describeStore('a shifted store', {
  async create() {
    const clock = new ManualClock();
    const inner = new MemoryStore(clock);
    // No range of the suite covers this key: all of them start at `/` or later.
    for (let count = 0; count < writesBefore; count++) inner.put('!', Buffer.from('x'));
    const store = shiftedStore(inner, -writesBefore);
    return {
      store,
      restart: async () => {
        await store.close();
        inner.reopenAfterClose();
        return store;
      },
      advance: (seconds) => clock.advanceAsync(seconds * 1_000),
      dispose: () => store.close(),
    };
  },
});
