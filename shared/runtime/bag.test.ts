import { Bag } from './bag';

it('Bag holds items until they are removed, and reuses their slots', () => {
  const bag = new Bag<{ name: string }>();
  const [firstSlot, secondSlot, thirdSlot] = ['one', 'two', 'three'].map((name) => bag.add({ name }));
  bag.remove(secondSlot ?? -1);
  expect([...bag].map(({ name }) => name)).toEqual(['one', 'three']);
  expect(bag.add({ name: 'four' })).toBe(secondSlot);
  expect(bag.size).toBe(3);
  bag.remove(firstSlot ?? -1);
  bag.remove(thirdSlot ?? -1);
  expect([...bag].map(({ name }) => name)).toEqual(['four']);
  expect(bag.size).toBe(1);
});

it('Bag allows the removal of items during iteration', () => {
  const bag = new Bag<{ slot: number }>();
  const items = [1, 2, 3].map(() => ({ slot: -1 }));
  for (const item of items) item.slot = bag.add(item);
  const [firstSlot, secondSlot = -1, thirdSlot] = items.map(({ slot }) => slot);
  const seen: number[] = [];
  for (const { slot } of bag) {
    seen.push(slot);
    bag.remove(slot);
    if (slot === firstSlot) bag.remove(secondSlot);
  }
  expect(seen).toEqual([firstSlot, thirdSlot]);
  expect(bag.size).toBe(0);
});
