import { replayedRevisions } from './replayed-past';

test.each([
  // [what the files hold, the revisions in them, what is replayed]
  ['nothing', 0, 0, 5_000],
  ['small objects', 20_000_000, 10_000, 5_000],
  ['objects of 150 KB', 200_000_000, 1_350, 114],
  ['one very large object', 200_000_000, 1, 1],
])('%s', (_, size, revisions, expected) => {
  expect(replayedRevisions(size, 0, revisions)).toBe(expected);
  expect(replayedRevisions(size, 7_000, 7_000 + revisions)).toBe(expected);
});
