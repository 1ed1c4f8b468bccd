/** Sets of indexes as Jobs write them (`0-2,5`): spans in their order. Work is linear in the spans, however many indexes these hold. */

export interface Span {
  readonly first: number;
  readonly last: number;
}

export type Indexes = readonly Span[];

/** Those below `bound`; what cannot be read is left out. */
export function parseIndexes(text: string, bound: number): Indexes {
  const spans: Span[] = [];
  for (const part of text.split(',')) {
    const [, low, high] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part) ?? [];
    if (low === undefined) continue;
    const [first, last] = [Number(low), Math.min(Number(high ?? low), bound - 1)];
    if (first <= last) spans.push({ first, last });
  }
  return joined(spans);
}

export function withIndexes(indexes: Indexes, more: Iterable<number>): Indexes {
  return joined([...indexes, ...Array.from(more, (index) => ({ first: index, last: index }))]);
}

function joined(spans: Span[]): Indexes {
  const result: { first: number; last: number }[] = [];
  for (const { first, last } of spans.sort((one, other) => one.first - other.first)) {
    const before = result.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else result.push({ first, last });
  }
  return result;
}

export function formatIndexes(indexes: Indexes): string {
  // Two neighbours are shorter as two.
  const texts = indexes.map(({ first, last }) => {
    if (first === last) return String(first);
    return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
  });
  return texts.join(',');
}

export const sizeOf = (indexes: Indexes): number => indexes.reduce((sum, { first, last }) => sum + last - first + 1, 0);

export function hasIndex(indexes: Indexes, index: number): boolean {
  let [low, high] = [0, indexes.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = indexes[middle];
    if (span === undefined) return false;
    if (index < span.first) high = middle - 1;
    else if (index > span.last) low = middle + 1;
    else return true;
  }
  return false;
}

/** How many both have. */
export function commonSize(one: Indexes, other: Indexes): number {
  let common = 0;
  for (let [left, right] = [0, 0]; ;) {
    const [a, b] = [one[left], other[right]];
    if (a === undefined || b === undefined) return common;
    common += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
    if (a.last < b.last) left += 1;
    else right += 1;
  }
}

/** Those below `bound` that are not in the set, in their order. */
export function* absentFrom(indexes: Indexes, bound: number): Generator<number> {
  let next = 0;
  for (const { first, last } of indexes) {
    for (; next < Math.min(first, bound); next += 1) yield next;
    next = Math.max(next, last + 1);
  }
  for (; next < bound; next += 1) yield next;
}
