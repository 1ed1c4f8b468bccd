import { ManualClock } from '../../test/support/manual-clock';
import { ResponseCache, type CacheableResponse } from './response-cache';

type Said = { readonly text: string };

function answers(): { readonly kept: ResponseCache<Said>; readonly asked: string[]; readonly clock: ManualClock } {
  const clock = new ManualClock();
  return { kept: new ResponseCache<Said>({ clock, maxEntries: 3, maxBytes: 10, maxConcurrent: 2 }), asked: [], clock };
}

const answered = (text: string, keptMs: number, bytes = 1): CacheableResponse<Said> => ({ response: { text }, ttlMs: keptMs, bytes });

it('KeptAnswers returns an answer again for its keptMs, and not at all for 0', async () => {
  const { kept, asked, clock } = answers();
  const find = async (question: string, keptMs: number): Promise<unknown> =>
    kept.getOrFetch(question, async () => {
      asked.push(question);
      return answered(`${question}${asked.length}`, keptMs);
    });
  expect([await find('a', 100), await find('a', 100), await find('b', 0), await find('b', 0)]).toEqual([
    { text: 'a1' },
    { text: 'a1' },
    { text: 'b2' },
    { text: 'b3' },
  ]);
  clock.advance(100);
  expect(await find('a', 100)).toEqual({ text: 'a4' });
});

it('KeptAnswers shares one pending call between equal questions, and limits the number of pending calls', async () => {
  const { kept } = answers();
  const never = (): Promise<CacheableResponse<Said>> => new Promise(() => undefined);
  const failing = kept.getOrFetch('a', () => Promise.reject(new Error('away')));
  expect(kept.getOrFetch('a', never)).toBe(failing);
  void kept.getOrFetch('b', never);
  expect(kept.getOrFetch('c', never)).toBeUndefined();
  await expect(failing).rejects.toThrow('away');
  expect(kept.getOrFetch('c', never)).toBeInstanceOf(Promise);
});

it('KeptAnswers evicts answers when they exceed mostBytes', async () => {
  const { kept } = answers();
  for (const question of ['a', 'b', 'c']) await kept.getOrFetch(question, () => Promise.resolve(answered(question, 1000, 4)));
  let again = 0;
  for (const question of ['c', 'b', 'a'])
    await kept.getOrFetch(question, () => {
      again += 1;
      return Promise.resolve(answered(question, 0));
    });
  expect(again).toBe(1);
});
