import { Garbage } from './garbage';

it('is collected whenever there is more of it than may lie about', () => {
  let collections = 0;
  const garbage = new Garbage(100, () => (collections += 1));
  const after = [60, 40, 1, 100, 1, 1_000].map((bytes) => {
    garbage.dropped(bytes);
    return collections;
  });
  expect(after).toEqual([0, 0, 1, 1, 2, 3]);
});

it('is left to V8 where the program was not started for it', () => expect(() => new Garbage(1).dropped(2)).not.toThrow());
