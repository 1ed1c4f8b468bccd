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
])('%j runs %j', (wishes, expected) => {
  const selected = selectControllers(all, wishes);
  expect(selected.type === 'selected' && selected.controllers.map(({ name }) => name)).toEqual(expected);
});

test.each(['x', '-x', '', '--a'])('%j is nobody', (wish) => {
  expect(selectControllers(all, ['*', wish])).toMatchObject({ type: 'unknown' });
});
