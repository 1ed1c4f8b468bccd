import { selectControllers } from './select-controllers';

const available = [
  { name: 'a', aliases: ['a-controller'], isOnByDefault: true },
  { name: 'b', aliases: [], isOnByDefault: true },
  { name: 'c', aliases: [], isOnByDefault: false },
];

test.each([
  [['*'], ['a', 'b']],
  [
    ['*', 'c'],
    ['a', 'b', 'c'],
  ],
  [['*', '-a'], ['b']],
  [['-a-controller', '*'], ['b']],
  [['a-controller'], ['a']],
  [['-*'], []],
  [['-*', 'c'], ['c']],
  [['*', '-*'], []],
  [['*', 'a', '-a'], ['b']],
  [[], []],
])('selectControllers for %j selects %j', (items, expected) => {
  const selected = selectControllers(available, items);
  expect(selected.type === 'selected' && selected.controllers.map(({ name }) => name)).toEqual(expected);
});

test.each(['x', '-x', '', '--a'])('selectControllers rejects %j as an unknown controller', (item) => {
  expect(selectControllers(available, ['*', item])).toMatchObject({ type: 'unknown' });
});
