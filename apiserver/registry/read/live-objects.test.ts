import { ManualClock } from '../../../test/support/manual-clock';
import type { Entry } from '../../cache/cache';
import { StoreError } from '../../storage/store';
import { buildResources } from '../resources';
import { liveObjects } from './live-objects';

const entries = new Map<string, Entry>();
let failure: StoreError | undefined;
const cache = {
  ready: true,
  get: (_type: unknown, key: string) => entries.get(key),
  mostRecent: () => (failure === undefined ? Promise.resolve(1) : Promise.reject(failure)),
};
const live = liveObjects({ cache, clock: new ManualClock() }, { pods: buildResources().require('pods') });

function store(key: string, revision: number, metadata: object): void {
  entries.set(key, { key, revision, bytes: Buffer.from(JSON.stringify({ metadata })), labels: {}, fields: {}, dialectSensitive: false });
}

it('tells what the newest entry says, and that there is none any more', () => {
  expect(live.find('pods', 'ns', 'p')).toBeUndefined();
  store('ns/p', 1, { uid: 'a' });
  expect(live.find('pods', 'ns', 'p')).toEqual({ uid: 'a', deletion: undefined });
  const known = live.find('pods', 'ns', 'p');
  expect(live.find('pods', 'ns', 'p')).toBe(known);
  store('ns/p', 2, { uid: 'b', deletionTimestamp: '2026-01-02T03:04:05Z' });
  expect(live.find('pods', 'ns', 'p')).toEqual({ uid: 'b', deletion: Date.UTC(2026, 0, 2, 3, 4, 5) });
  expect(live.read('pods', 'ns', 'p')).toMatchObject({ metadata: { uid: 'b' } });
  entries.delete('ns/p');
  expect([live.find('pods', 'ns', 'p'), live.read('pods', 'ns', 'p')]).toEqual([undefined, undefined]);
});

it('says that it cannot tell before the cache is loaded and when the store does not answer', async () => {
  await expect(live.current()).resolves.toBeUndefined();
  failure = new StoreError('unavailable', 'gone');
  await expect(live.current()).rejects.toMatchObject({ code: 504 });
  cache.ready = false;
  await expect(live.current()).rejects.toMatchObject({ code: 429 });
});
