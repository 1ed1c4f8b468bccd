import { ManualClock } from '../../test/support/clock/manual-clock';
import { ResponseCache, type CacheableResponse } from './response-cache';

type Response = { readonly text: string };

function fixture(): { readonly cache: ResponseCache<Response>; readonly fetched: string[]; readonly clock: ManualClock } {
  const clock = new ManualClock();
  return { cache: new ResponseCache<Response>({ clock, maxEntries: 3, maxBytes: 10, maxConcurrent: 2 }), fetched: [], clock };
}

const cacheable = (text: string, ttlMs: number, bytes = 1): CacheableResponse<Response> => ({ response: { text }, ttlMs, bytes });

it('ResponseCache returns a response again within its ttlMs, and never when that is 0', async () => {
  const { cache, fetched, clock } = fixture();
  const find = async (key: string, ttlMs: number): Promise<unknown> =>
    cache.getOrFetch(key, async () => {
      fetched.push(key);
      return cacheable(`${key}${fetched.length}`, ttlMs);
    });
  expect(await find('a', 100)).toEqual({ text: 'a1' });
  expect(await find('a', 100)).toEqual({ text: 'a1' });
  expect(await find('b', 0)).toEqual({ text: 'b2' });
  expect(await find('b', 0)).toEqual({ text: 'b3' });
  clock.advance(100);
  expect(await find('a', 100)).toEqual({ text: 'a4' });
});

it('ResponseCache shares one request between concurrent calls with the same key, and limits the number of requests in flight', async () => {
  const { cache } = fixture();
  const never = (): Promise<CacheableResponse<Response>> => new Promise(() => undefined);
  const failing = cache.getOrFetch('a', () => Promise.reject(new Error('away')));
  expect(cache.getOrFetch('a', never)).toBe(failing);
  void cache.getOrFetch('b', never);
  expect(cache.getOrFetch('c', never)).toBeUndefined();
  await expect(failing).rejects.toThrow('away');
  expect(cache.getOrFetch('c', never)).toBeInstanceOf(Promise);
});

it('ResponseCache evicts responses when they exceed maxBytes', async () => {
  const { cache } = fixture();
  // Of maxBytes 10, each response takes 4: the third one evicts the first.
  for (const key of ['a', 'b', 'c']) await cache.getOrFetch(key, () => Promise.resolve(cacheable(key, 1000, 4)));
  let fetches = 0;
  for (const key of ['c', 'b', 'a'])
    await cache.getOrFetch(key, () => {
      fetches += 1;
      return Promise.resolve(cacheable(key, 0));
    });
  expect(fetches).toBe(1);
});
