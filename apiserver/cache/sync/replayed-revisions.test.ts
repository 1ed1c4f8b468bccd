/** The estimate for stores that do not know the sizes of their revisions. */
import { estimateReplayedRevisions } from './replayed-revisions';

test.each<[expected: number, content: string, storeBytes: number, revisions: number]>([
  [5_000, 'an empty store', 0, 0],
  [5_000, '10,000 revisions of 2 KB', 20_000_000, 10_000],
  [114, '1,350 revisions of 150 KB', 200_000_000, 1_350],
  [1, 'one revision of 200 MB', 200_000_000, 1],
])('estimateReplayedRevisions replays at most %d revisions of %s', (expected, _content, storeBytes, revisions) => {
  expect(estimateReplayedRevisions(storeBytes, { compacted: 0, current: revisions })).toBe(expected);
  // The same after 7,000 revisions that were compacted.
  expect(estimateReplayedRevisions(storeBytes, { compacted: 7_000, current: 7_000 + revisions })).toBe(expected);
});
