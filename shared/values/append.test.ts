import { appendAll } from './append';

it('appendAll appends a list of a million items', () => {
  const list = [0];
  appendAll(list, Array<number>(1_000_000).fill(1));
  expect(list).toHaveLength(1_000_001);
});
