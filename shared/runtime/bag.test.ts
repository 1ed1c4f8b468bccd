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
  const bag = new Bag<{ name: string }>();
  const slots = { first: bag.add({ name: 'first' }), second: bag.add({ name: 'second' }), third: bag.add({ name: 'third' }) };
  const seen: string[] = [];
  for (const { name } of bag) {
    seen.push(name);
    if (name !== 'first') continue;
    bag.remove(slots.first);
    bag.remove(slots.second);
  }
  expect(seen).toEqual(['first', 'third']);
  expect(bag.size).toBe(1);
});
