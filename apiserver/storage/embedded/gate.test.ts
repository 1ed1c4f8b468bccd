import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { put } from '../../../test/support/store-helpers';
import type { Store } from '../store';
import { StoreGate } from './gate';
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

  /** As another process has it: locks are of the descriptor. */
  function gate(): StoreGate {
    const made = StoreGate.at(directory);
    gates.push(made);
    return made;
  }

  /** Something that takes some turns and says when it begins and ends. */
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    for (let count = 0; count < 20; count++) await turn();
    order.push(`${name} ends`);
  };

  it.each([
    ['passing', 'pass', 'passing', 'pass'],
    ['writing', 'write', 'passing', 'pass'],
    ['passing', 'pass', 'writing', 'write'],
    ['writing', 'write', 'writing', 'write'],
  ] as const)('does not let %s (%s) and %s (%s) of two processes overlap', async (first, here, second, there) => {
    const [one, other] = [gate(), gate()];
    await Promise.all([one[here](work(`1 ${first}`)), other[there](work(`2 ${second}`))]);
    expect(order).toEqual([`1 ${first} begins`, `1 ${first} ends`, `2 ${second} begins`, `2 ${second} ends`]);
  });

  it('opens again after a failed call', async () => {
    const [one, other] = [gate(), gate()];
    for (const way of ['pass', 'write'] as const) {
      await expect(one[way](() => Promise.reject(new Error('no')))).rejects.toThrow('no');
      await other.pass(work(way));
    }
    expect(order).toHaveLength(4);
  });

  it('lets other processes pass while one writes continuously', async () => {
    const [one, other] = [gate(), gate()];
    let passed = false;
    const writing = (async () => {
      while (!passed) await one.write(() => turn());
    })();
    for (let times = 0; times < 20; times++) await other.pass(() => undefined);
    passed = true;
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

    // Whoever opens the files of lmdb 3.5.6 sets its count of writes to what he has read just before.
    it('blocks writes while another process opens the files', async () => {
      const [store, elsewhere] = [await open('here'), await open('elsewhere')];
      const other = StoreGate.at(join(directory, 'here'));
      gates.push(other);
      const stored = await other.pass(async () => {
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
