/**
 * Sets of completion indexes as ordered intervals, in the notation of a Job's status (`0-2,5`). The cost of an operation
 * grows with the number of intervals, not with that of the indexes in them.
 */

/** Both ends belong to the interval. */
export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** `3` or `3-5`. */
const INTERVAL = /^(\d{1,10})(?:-(\d{1,10}))?$/;

/** Ascending, without overlaps and without adjacent intervals. */
export type OrderedIntervals = readonly Interval[];

/**
 * Parses the notation of a status, such as `0-2,5`. Drops indexes from `completions` on, and parts of the text that are
 * malformed.
 */
export function parseIndexes(text: string, completions: number): OrderedIntervals {
  const intervals: Interval[] = [];
  for (const part of text.split(',')) {
    const [, low, high] = INTERVAL.exec(part) ?? [];
    if (low === undefined) continue;
    const first = Number(low);
    const last = Math.min(Number(high ?? low), completions - 1);
    if (first <= last) intervals.push({ first, last });
  }
  return merge(intervals);
}

/** The set with these indexes added, which may be in any order. */
export function withIndexes(intervals: OrderedIntervals, indexes: Iterable<number>): OrderedIntervals {
  return merge([...intervals, ...Array.from(indexes, (index) => ({ first: index, last: index }))]);
}

/** The indexes of either set. */
export const unionOf = (a: OrderedIntervals, b: OrderedIntervals): OrderedIntervals => merge([...a, ...b]);

/** Sorts the intervals, and joins those that overlap or are adjacent. */
function merge(intervals: Interval[]): OrderedIntervals {
  const merged: { first: number; last: number }[] = [];
  for (const { first, last } of intervals.sort((a, b) => a.first - b.first)) {
    const previous = merged.at(-1);
    if (previous !== undefined && first <= previous.last + 1) previous.last = Math.max(previous.last, last);
    else merged.push({ first, last });
  }
  return merged;
}

/** The notation of `status.completedIndexes`; '' for no index. */
export function formatIndexes(intervals: OrderedIntervals): string {
  // Two adjacent indexes are not written as an interval.
  const texts = intervals.map(({ first, last }) => {
    if (first === last) return String(first);
    return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
  });
  return texts.join(',');
}

/** The number of indexes in the set. */
export const indexCount = (intervals: OrderedIntervals): number => intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);

/** Logarithmic in the number of intervals. */
export function hasIndex(intervals: OrderedIntervals, index: number): boolean {
  let low = 0;
  let high = intervals.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const interval = intervals[middle];
    if (interval === undefined) return false;
    if (index < interval.first) high = middle - 1;
    else if (index > interval.last) low = middle + 1;
    else return true;
  }
  return false;
}

/** The number of indexes that both sets have. Passes over both lists once, in step. */
export function intersectionCount(left: OrderedIntervals, right: OrderedIntervals): number {
  let count = 0;
  let leftIndex = 0;
  let rightIndex = 0;
  for (;;) {
    const a = left[leftIndex];
    const b = right[rightIndex];
    if (a === undefined || b === undefined) return count;
    count += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
    if (a.last < b.last) leftIndex += 1;
    else rightIndex += 1;
  }
}

/** The indexes below `completions` that the set lacks, ascending. The cost grows with the number of indexes that are read. */
export function* absentIndexes(intervals: OrderedIntervals, completions: number): Generator<number> {
  let next = 0;
  for (const { first, last } of intervals) {
    for (; next < Math.min(first, completions); next += 1) yield next;
    next = Math.max(next, last + 1);
  }
  for (; next < completions; next += 1) yield next;
}
