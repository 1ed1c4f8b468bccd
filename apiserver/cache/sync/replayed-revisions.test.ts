import { estimateReplayedRevisions } from './replayed-revisions';

test.each([
  // [content of the files, their size, number of revisions in them, replayed revisions]
  ['nothing', 0, 0, 5_000],
  ['small objects', 20_000_000, 10_000, 5_000],
  ['objects of 150 KB', 200_000_000, 1_350, 114],
  ['one very large object', 200_000_000, 1, 1],
])('estimateReplayedRevisions for %s', (_, size, revisions, expected) => {
  expect(estimateReplayedRevisions(size, 0, revisions)).toBe(expected);
  expect(estimateReplayedRevisions(size, 7_000, 7_000 + revisions)).toBe(expected);
});
