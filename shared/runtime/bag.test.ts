import { Bag } from './bag';

it('Bag holds items until they are removed, and reuses their places', () => {
  const bag = new Bag<{ name: string }>();
  const [one, two, three] = ['one', 'two', 'three'].map((name) => bag.add({ name }));
  bag.remove(two ?? -1);
  expect([...bag].map(({ name }) => name)).toEqual(['one', 'three']);
  expect(bag.add({ name: 'four' })).toBe(two);
  expect(bag.size).toBe(3);
  bag.remove(one ?? -1);
  bag.remove(three ?? -1);
  expect([...bag].map(({ name }) => name)).toEqual(['four']);
  expect(bag.size).toBe(1);
});

it('Bag allows the removal of items during iteration', () => {
  const bag = new Bag<{ place: number }>();
  const items = [1, 2, 3].map(() => ({ place: -1 }));
  for (const item of items) item.place = bag.add(item);
  const seen: number[] = [];
  for (const { place } of bag) {
    seen.push(place);
    bag.remove(place);
    if (place === 0) bag.remove(1);
  }
  expect(seen).toEqual([0, 2]);
  expect(bag.size).toBe(0);
});
