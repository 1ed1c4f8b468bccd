/** A store whose revisions are shifted keeps the store contract. Its own begin later here, so that the shifted ones begin where the suite wants them. */
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
