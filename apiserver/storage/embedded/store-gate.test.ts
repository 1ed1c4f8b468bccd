/** The gate that keeps processes from opening, closing and writing an embedded store at the same time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { put } from '../../../test/support/store/store-helpers';
import type { Store } from '../store';
import { StoreGate } from './store-gate';
import { openEmbeddedStore } from './open';

describe('StoreGate', () => {
  let directory: string;
  let gates: StoreGate[];
  let order: string[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'embedded-gate-'));
    gates = [];
    order = [];
  });
  afterEach(() => {
    for (const gate of gates) gate.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** A gate as another process would open it: locks belong to the descriptor. */
  function openGate(): StoreGate {
    const gate = StoreGate.open(directory);
    gates.push(gate);
    return gate;
  }

  /** An action that takes some event-loop turns and records its start and end. */
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    for (let count = 0; count < 20; count++) await nextTurn();
    order.push(`${name} ends`);
  };

  it.each([
    ['opening', 'runExclusive', 'opening', 'runExclusive'],
    ['writing', 'runWrite', 'opening', 'runExclusive'],
    ['opening', 'runExclusive', 'writing', 'runWrite'],
    ['writing', 'runWrite', 'writing', 'runWrite'],
  ] as const)('does not let %s (%s) and %s (%s) of two processes overlap', async (first, ownMethod, second, otherMethod) => {
    const ownGate = openGate();
    const otherGate = openGate();
    await Promise.all([ownGate[ownMethod](work(`1 ${first}`)), otherGate[otherMethod](work(`2 ${second}`))]);
    expect(order).toEqual([`1 ${first} begins`, `1 ${first} ends`, `2 ${second} begins`, `2 ${second} ends`]);
  });

  it('can be used again after an action failed', async () => {
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
    for (let times = 0; times < 20; times++) await otherGate.runExclusive(() => undefined);
    isDone = true;
    await writing;
  });

  describe('with a store', () => {
    let stores: Store[];
    const open = async (name: string): Promise<Store> => {
      const store = await openEmbeddedStore({ directory: join(directory, name), clock: systemClock, random: systemRandom });
      stores.push(store);
      return store;
    };
    beforeEach(() => void (stores = []));
    afterEach(() => Promise.all(stores.map((store) => store.close())));

    // With lmdb 3.5.6 a process that opens the files sets LMDB's last transaction id to the value that it read a moment
    // before, so a write in between would be lost.
    it('blocks writes while another process opens the files', async () => {
      const store = await open('here');
      const elsewhere = await open('elsewhere');
      const otherGate = StoreGate.open(join(directory, 'here'));
      gates.push(otherGate);
      const stored = await otherGate.runExclusive(async () => {
        const writing = put(store, '/a', 'here').then(() => order.push('stored'));
        for (let times = 0; times < 5; times++) await put(elsewhere, `/${times}`, 'elsewhere');
        order.push('opened');
        return { writing };
      });
      await stored.writing;
      expect(order).toEqual(['opened', 'stored']);
    });
  });
});
