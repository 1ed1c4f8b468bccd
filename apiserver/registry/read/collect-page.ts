/**
 * Collects the entries of one page from a state, chunk by chunk: those that the selection matches, up to the limit. Kinds
 * with a conversion webhook are converted first, because selectors apply to converted objects.
 */
import { requestTooLarge } from '../../../shared/api/errors/status';
import type { KindRow } from '../../../shared/api/kinds';
import type { Entry, Snapshot } from '../../cache/cache';
import type { TimeSlice } from '../../../shared/scheduling/yielding';
import type { ListPage, RequestContext, Selection } from '../verbs';
import { formatContinueToken, startAfterKey } from './continue-token';
import { ConversionPipeline } from './conversion-pipeline';
import type { ListKeys } from './list-plan';
import type { RangeReader, RangePart } from './list-state';
import type { ListCounts } from './reader-dependencies';
import type { GatedReaderDependencies } from './resource-version-gate';

/**
 * Maximum number of entries per read from the store while a selector searches for matches. The first read takes `limit`
 * entries, and each further read twice as many as the one before.
 */
const MAX_READ = 10_000;

/** How entries are selected from the state. */
export interface Search {
  readonly read: RangeReader;
  readonly scope: ListKeys;
  readonly selection: Selection;
  /** Whether the selection may exclude objects. */
  readonly isSelective: boolean;
  readonly limit: number;
}

/** A page, and how many entries were read for it. */
export interface CountedPage {
  readonly page: ListPage;
  readonly counts: ListCounts;
}

/**
 * Collects at most `limit` matching entries. The continue token comes first in the response, so a page is collected
 * before it is written. Yields by visited entries, not by matches, so that a search without matches yields too.
 */
export async function collectPage(
  snapshot: Snapshot,
  { read, scope, selection, isSelective, limit }: Search,
  slice: TimeSlice,
): Promise<CountedPage> {
  const entries: Entry[] = [];
  let visitedCount = 0;
  const counted = (page: ListPage): CountedPage => ({ page, counts: { fetched: visitedCount, returned: entries.length } });
  let part: RangePart = { start: scope.start, end: scope.end, limit };
  for (let chunk = snapshot; ; chunk = await read(part)) {
    for (const entry of candidatesIn(chunk, selection, part)) {
      if (entries.length === limit) return counted(partialPage(snapshot, scope, entries, isSelective));
      visitedCount += 1;
      if (!isSelective || selection.matches(entry)) entries.push(entry);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    if (chunk.unknownFrom === undefined) return counted({ revision: snapshot.revision, entries });
    if (entries.length === limit) return counted(partialPage(snapshot, scope, entries, isSelective));
    part = nextPart(part, chunk.unknownFrom);
  }
}

/** The part of the range to read after `part`, from the first key that the chunk does not contain. */
function nextPart({ end, limit }: RangePart, start: string): RangePart {
  return { start, end, limit: Math.min(limit * 2, MAX_READ) };
}

/** The entries of the chunk among which there may be matches: with an index, only those that have the required value. */
function candidatesIn(chunk: Snapshot, { indexed }: Selection, { start, end }: RangePart): Iterable<Entry> {
  return indexed === undefined ? chunk.range(start, end) : chunk.rangeWith(indexed, start, end);
}

/** Entries per conversion; half as many when chunks are pipelined, since two of them are in flight. */
const CONVERSION_BATCH = 2_000;
/**
 * Limit of converted bytes per list. All objects are converted before the first is sent, so that a list that fails
 * returns an error.
 */
const MAX_CONVERTED_BYTES = 128 * 1024 * 1024;

/** Like {@link collectPage}, for kinds with a conversion webhook: selectors apply to the converted objects. */
export async function collectConvertedPage(
  { conversions }: GatedReaderDependencies,
  context: RequestContext,
  row: KindRow,
  snapshot: Snapshot,
  search: Search,
): Promise<CountedPage> {
  const { read, scope, isSelective, limit } = search;
  const entries: Entry[] = [];
  const counted = (page: ListPage): CountedPage => ({ page, counts: { fetched: entries.length, returned: entries.length } });
  const fullPage = (): CountedPage => counted(partialPage(snapshot, scope, entries, isSelective));
  const isUnlimited = limit === Infinity;
  const convert = (stored: readonly Entry[]): Promise<readonly Entry[]> => conversions.convertEntries(row, stored, context);
  const pipeline = new ConversionPipeline(convert, matchCollector(search, entries), { isPipelined: isUnlimited });
  const batchSize = isUnlimited ? CONVERSION_BATCH / 2 : CONVERSION_BATCH;
  let part: RangePart = { start: scope.start, end: scope.end, limit };
  for (let chunk = snapshot; ; chunk = await read(part)) {
    let batch: Entry[] = [];
    for (const entry of chunk.range(part.start, part.end)) {
      // Without a selector every entry matches, so no more are converted than the page needs.
      if (!isSelective && entries.length + batch.length === limit) {
        await pipeline.add(batch);
        return fullPage();
      }
      batch.push(entry);
      if (batch.length < batchSize) continue;
      if (!(await pipeline.add(batch))) return fullPage();
      batch = [];
    }
    if (!(await pipeline.add(batch)) || !(await pipeline.flush())) return fullPage();
    if (chunk.unknownFrom === undefined) return counted({ revision: snapshot.revision, entries });
    if (entries.length === limit) return fullPage();
    part = nextPart(part, chunk.unknownFrom);
  }
}

/**
 * The consumer of a {@link ConversionPipeline}: adds the converted entries that match to `entries`. Returns false when the
 * page is full; throws 413 when the list is too large.
 */
function matchCollector(
  { selection, isSelective, limit }: Search,
  entries: Entry[],
): (stored: readonly Entry[], converted: readonly Entry[]) => boolean {
  let convertedBytes = 0;
  return (stored, converted) => {
    for (const [index, entry] of converted.entries()) {
      if (entries.length === limit) return false;
      if (isSelective && !selection.matches(entry)) continue;
      entries.push(entry);
      const isConverted = entry !== stored[index];
      if (isConverted) convertedBytes += entry.bytes.length;
    }
    if (convertedBytes > MAX_CONVERTED_BYTES)
      throw requestTooLarge('the list is too large to be converted in one response: request it in pages, with limit');
    return true;
  };
}

/**
 * A page that ends before the range does, because it is full. Nothing searches for a match after it, so the next page may
 * be empty.
 */
function partialPage(snapshot: Snapshot, scope: ListKeys, entries: readonly Entry[], isSelective: boolean): ListPage {
  const last = entries[entries.length - 1];
  const next = startAfterKey(last === undefined ? '' : last.key);
  return {
    revision: snapshot.revision,
    entries,
    continue: formatContinueToken({ revision: snapshot.revision, start: next.slice(scope.prefix.length) }),
    ...(isSelective ? {} : { remainingItemCount: snapshot.count(next, scope.end) }),
  };
}
