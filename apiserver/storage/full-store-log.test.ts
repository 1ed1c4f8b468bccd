import { ManualClock } from '../../test/support/clock/manual-clock';
import { MemoryStore } from '../../test/support/store/memory-store';
import { logFullStore } from './full-store-log';
import { StoreError } from './store';
import { put, remove } from '../../test/support/store/store-helpers';

/** A store over `inner`, and the lines that it logs: the message of an info line, message and fields of an error line. */
function openLoggedStore() {
  const clock = new ManualClock();
  const inner = new MemoryStore();
  const lines: unknown[] = [];
  const store = logFullStore(inner, {
    clock,
    remedy: 'free space',
    logger: { error: (message, fields) => lines.push([message, fields]), info: (message) => lines.push(message) },
  });
  return { clock, inner, store, lines, put: () => put(store, '/a', '1'), remove: () => remove(store, '/a') };
}

const FULL = new StoreError('no-space', 'no space left on device');
const FULL_LINE = ['the store has no space left: writes are refused', { reason: 'no space left on device', remedy: 'free space' }];

describe('logFullStore', () => {
  it('logs a full store with the remedy at most every 30 seconds, and rejects with the error of the store', async () => {
    const { clock, inner, store, lines, put } = openLoggedStore();
    jest.spyOn(inner, 'transact').mockRejectedValue(FULL);
    jest.spyOn(inner, 'grantLease').mockRejectedValue(FULL);
    jest.spyOn(inner, 'health').mockRejectedValue(FULL);
    for (const call of [put, () => store.grantLease(5), () => store.health(), put]) await expect(call()).rejects.toBe(FULL);
    expect(lines).toEqual([FULL_LINE]);
    clock.advance(29_999);
    await expect(put()).rejects.toBe(FULL);
    expect(lines).toHaveLength(1);
    clock.advance(1);
    await expect(put()).rejects.toBe(FULL);
    expect(lines).toEqual([FULL_LINE, FULL_LINE]);
  });

  it('logs once that a write was accepted again; a deletion does not show it', async () => {
    const { inner, lines, put, remove } = openLoggedStore();
    const refused = jest.spyOn(inner, 'transact').mockRejectedValueOnce(FULL);
    await expect(put()).rejects.toBe(FULL);
    refused.mockRestore();
    await remove();
    expect(lines).toEqual([FULL_LINE]);
    await put();
    await put();
    expect(lines).toEqual([FULL_LINE, 'the store has space again: writes are accepted']);
  });

  it('does not log other failures', async () => {
    const { inner, lines, put } = openLoggedStore();
    jest.spyOn(inner, 'transact').mockRejectedValue(new StoreError('unavailable', 'no leader'));
    await expect(put()).rejects.toThrow('no leader');
    expect(lines).toEqual([]);
  });
});
