import { Bag } from './bag';

it('Bag holds items until they are removed, and reuses their slots', () => {
  const bag = new Bag<{ name: string }>();
  const [first, second, third] = ['one', 'two', 'three'].map((name) => bag.add({ name }));
  bag.remove(second ?? -1);
  expect([...bag].map(({ name }) => name)).toEqual(['one', 'three']);
  expect(bag.add({ name: 'four' })).toBe(second);
  expect(bag.size).toBe(3);
  bag.remove(first ?? -1);
  bag.remove(third ?? -1);
  expect([...bag].map(({ name }) => name)).toEqual(['four']);
  expect(bag.size).toBe(1);
});

it('Bag allows the removal of items during iteration', () => {
  const bag = new Bag<{ slot: number }>();
  const items = [1, 2, 3].map(() => ({ slot: -1 }));
  for (const item of items) item.slot = bag.add(item);
  const seen: number[] = [];
  for (const { slot } of bag) {
    seen.push(slot);
    bag.remove(slot);
    if (slot === 0) bag.remove(1);
  }
  expect(seen).toEqual([0, 2]);
  expect(bag.size).toBe(0);
});
