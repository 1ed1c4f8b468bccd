import { ManualClock } from '../../test/support/manual-clock';
import { KeptAnswers, type Answered } from './response-cache';

type Said = { readonly text: string };

function answers(): { readonly kept: KeptAnswers<Said>; readonly asked: string[]; readonly clock: ManualClock } {
  const clock = new ManualClock();
  return { kept: new KeptAnswers<Said>({ clock, most: 3, mostBytes: 10, atOnce: 2 }), asked: [], clock };
}

const answered = (text: string, keptMs: number, bytes = 1): Answered<Said> => ({ answer: { text }, keptMs, bytes });

it('KeptAnswers returns an answer again for its keptMs, and not at all for 0', async () => {
  const { kept, asked, clock } = answers();
  const find = async (question: string, keptMs: number): Promise<unknown> =>
    kept.find(question, async () => {
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
  const never = (): Promise<Answered<Said>> => new Promise(() => undefined);
  const failing = kept.find('a', () => Promise.reject(new Error('away')));
  expect(kept.find('a', never)).toBe(failing);
  void kept.find('b', never);
  expect(kept.find('c', never)).toBeUndefined();
  await expect(failing).rejects.toThrow('away');
  expect(kept.find('c', never)).toBeInstanceOf(Promise);
});

it('KeptAnswers evicts answers when they exceed mostBytes', async () => {
  const { kept } = answers();
  for (const question of ['a', 'b', 'c']) await kept.find(question, () => Promise.resolve(answered(question, 1000, 4)));
  let again = 0;
  for (const question of ['c', 'b', 'a'])
    await kept.find(question, () => {
      again += 1;
      return Promise.resolve(answered(question, 0));
    });
  expect(again).toBe(1);
});
