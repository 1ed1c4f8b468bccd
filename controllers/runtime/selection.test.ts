import { selectControllers } from './selection';

const all = [
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
])('selectControllers for %j selects %j', (wishes, expected) => {
  const selected = selectControllers(all, wishes);
  expect(selected.type === 'selected' && selected.controllers.map(({ name }) => name)).toEqual(expected);
});

test.each(['x', '-x', '', '--a'])('selectControllers rejects %j as an unknown controller', (wish) => {
  expect(selectControllers(all, ['*', wish])).toMatchObject({ type: 'unknown' });
});
