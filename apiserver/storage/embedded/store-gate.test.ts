/** The gate that keeps processes from opening, closing and writing an embedded store at the same time. */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { removeFolder, temporaryFolder } from '../../../test/support/programs';
import { stopAfterTest, useForEachTest } from '../../../test/support/use-resource';
import { put } from '../../../test/support/store/store-helpers';
import { StoreGate } from './store-gate';
import { openEmbeddedStore } from './open';

describe('StoreGate', () => {
  const directory = useForEachTest(() => temporaryFolder('embedded-gate'), removeFolder);
  const closeAfterTest = stopAfterTest((resource: { close(): unknown }) => resource.close());

  /** A gate as another process would open it: locks belong to the descriptor. */
  function openGate(folder = directory()): StoreGate {
    const gate = StoreGate.open(folder);
    closeAfterTest(gate);
    return gate;
  }

  /** `work(name)` is an action that takes some turns of the event loop, and adds its start and end to `order`. */
  function recordOrder() {
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      order.push(`${name} ends`);
    };
    return { order, work };
  }

  it.each([
    ['opening', 'runExclusive', 'opening', 'runExclusive'],
    ['writing', 'runWrite', 'opening', 'runExclusive'],
    ['opening', 'runExclusive', 'writing', 'runWrite'],
    ['writing', 'runWrite', 'writing', 'runWrite'],
  ] as const)('does not let %s (%s) and %s (%s) of two processes overlap', async (first, ownMethod, second, otherMethod) => {
    const { order, work } = recordOrder();
    const ownGate = openGate();
    const otherGate = openGate();
    await Promise.all([ownGate[ownMethod](work(`1 ${first}`)), otherGate[otherMethod](work(`2 ${second}`))]);
    expect(order).toEqual([`1 ${first} begins`, `1 ${first} ends`, `2 ${second} begins`, `2 ${second} ends`]);
  });

  it('can be used again after an action failed', async () => {
    const { order, work } = recordOrder();
    const ownGate = openGate();
    const otherGate = openGate();
    const fail = (): Promise<never> => Promise.reject(new Error('no'));
    await expect(ownGate.runExclusive(fail)).rejects.toThrow('no');
    await otherGate.runExclusive(work('opening'));
    await expect(ownGate.runWrite(fail)).rejects.toThrow('no');
    await otherGate.runExclusive(work('reopening'));
    expect(order).toEqual(['opening begins', 'opening ends', 'reopening begins', 'reopening ends']);
  });

  it('lets other processes in while one writes continuously', async () => {
    const ownGate = openGate();
    const otherGate = openGate();
    let isDone = false;
    const writing = (async () => {
      while (!isDone) await ownGate.runWrite(() => nextTurn());
    })();
    for (let opening = 0; opening < 20; opening++) await otherGate.runExclusive(() => undefined);
    isDone = true;
    await writing;
  });

  // With lmdb 3.5.6 a process that opens the files sets LMDB's last transaction id to the value that it read a moment
  // before, so a write in between would be lost.
  it('blocks writes of a store while another process opens its files', async () => {
    const order: string[] = [];
    const blockedFolder = join(directory(), 'blocked');
    const blockedStore = await openStore(blockedFolder);
    const otherStore = await openStore(join(directory(), 'other'));
    const gateOfOther = openGate(blockedFolder);
    const { write } = await gateOfOther.runExclusive(async () => {
      const pendingWrite = put(blockedStore, '/a', 'value').then(() => order.push('written'));
      // Long enough for the write, if it were not blocked.
      for (let count = 0; count < 5; count++) await put(otherStore, `/${count}`, 'value');
      order.push('opened');
      // In an object, because the action would wait for a promise.
      return { write: pendingWrite };
    });
    await write;
    expect(order).toEqual(['opened', 'written']);
  });

  async function openStore(folder: string) {
    const store = await openEmbeddedStore({ directory: folder, clock: systemClock, random: systemRandom });
    closeAfterTest(store);
    return store;
  }
});
