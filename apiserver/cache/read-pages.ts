/**
 * Reads a range of the store in pages at one revision. Memory is bounded for any size of the values, because the byte
 * size of a page decides how many keys the next one requests.
 */
import type { KeyRange, KeyValue, RangeResult, Revision, Store } from '../storage/store';

/** One page of a range, in the order of the keys. */
export interface Page {
  /** The revision at which all pages are read. */
  readonly revision: Revision;
  readonly kvs: readonly KeyValue[];
  /** Number of keys in the rest of the range, including this page. */
  readonly count: number;
  /** Whether keys follow after this page. */
  readonly more: boolean;
}

/** How a range is read. */
export interface PageRequest {
  /** Absent for the newest revision at the time of the first page. */
  readonly revision?: Revision;
  /** Whether the values are left out. */
  readonly keysOnly?: boolean;
  /** Maximum number of keys per page. */
  readonly limit?: number;
  /** Whether the next page is requested while the current one is consumed; for callers that read to the end. */
  readonly prefetch?: boolean;
  /** The deadline of each page, in milliseconds of Clock.monotonic. */
  readonly deadline?: () => number;
}

/** Entries per page without values, which are small. */
const KEYS_PAGE_SIZE = 2000;
/** Entries of the first page with values, before their size is known. */
const FIRST_PAGE_SIZE = 16;
/** Maximum number of entries per page, however small they are. */
const MAX_PAGE_SIZE = 8192;
/** Target size of the values of a page. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Yields at least one page, also for an empty range. Rejects with StoreError. A caller may stop at any page. */
export async function* readPages(
  store: Pick<Store, 'range'>,
  range: KeyRange,
  request: PageRequest,
): AsyncGenerator<Page, void, undefined> {
  const { keysOnly = false, prefetch = false } = request;
  let { revision } = request;
  let pageSize = keysOnly ? KEYS_PAGE_SIZE : FIRST_PAGE_SIZE;
  const requestPage = (start: string): Promise<RangeResult> => {
    const limit = Math.min(pageSize, request.limit ?? pageSize);
    const pageRequest = { start, end: range.end, limit, keysOnly, ...(revision === undefined ? {} : { revision }) };
    return store.range(pageRequest, request.deadline === undefined ? {} : { deadline: request.deadline() });
  };
  let next: Promise<RangeResult> | undefined = requestPage(range.start);
  while (next !== undefined) {
    const result: RangeResult = await next;
    const { kvs, count, more } = result;
    revision ??= result.revision;
    if (!keysOnly) pageSize = nextPageSize(pageSize, kvs);
    const last = kvs.at(-1);
    const nextStart = more && last !== undefined ? `${last.key}\0` : undefined;
    next = nextStart !== undefined && prefetch ? requestPage(nextStart) : undefined;
    // A caller that stops early leaves this promise unobserved; a caller that reads on gets the error from `await`.
    next?.catch(() => undefined);
    yield { revision, kvs, count, more };
    if (nextStart !== undefined) next ??= requestPage(nextStart);
  }
}

/** Halves the number of entries after a page over the target size, and doubles it after one of less than half of it. */
function nextPageSize(pageSize: number, kvs: readonly KeyValue[]): number {
  let bytes = 0;
  for (const kv of kvs) bytes += kv.value.length;
  if (bytes > PAGE_BYTES) return Math.max(1, Math.floor(pageSize / 2));
  return bytes * 2 < PAGE_BYTES ? Math.min(MAX_PAGE_SIZE, pageSize * 2) : pageSize;
}
