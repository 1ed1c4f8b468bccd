/** Reading a range of the store page by page at one revision, in bounded memory whatever the values' sizes. */
import type { KeyRange, KeyValue, Revision, Store } from '../storage/store';

export interface Page {
  /** The revision that all pages are read at. */
  readonly revision: Revision;
  readonly kvs: readonly KeyValue[];
  /** Keys in the rest of the range, this page included. */
  readonly count: number;
  readonly more: boolean;
}

export interface PageRequest {
  /** Absent = the newest at the first page. */
  readonly revision?: Revision;
  readonly keysOnly?: boolean;
  /** Largest page, in keys. */
  readonly limit?: number;
  /** For each page, in milliseconds of Clock.monotonic. */
  readonly deadline?: () => number;
}

const KEYS_PAGE = 2000;
const FIRST_PAGE = 16;
const LARGEST_PAGE = 2048;
/** Bytes that a page of values should have: the next page's limit follows the size of the last one. */
const PAGE_BYTES = 1024 * 1024;

export async function* pages(store: Store, range: KeyRange, request: PageRequest): AsyncGenerator<Page, void, undefined> {
  let revision = request.revision;
  let start = range.start;
  let size = request.keysOnly === true ? KEYS_PAGE : FIRST_PAGE;
  for (;;) {
    const limit = Math.min(size, request.limit ?? size);
    const result = await store.range(
      {
        start,
        end: range.end,
        limit,
        keysOnly: request.keysOnly ?? false,
        ...(revision === undefined ? {} : { revision }),
      },
      request.deadline === undefined ? {} : { deadline: request.deadline() },
    );
    revision ??= result.revision;
    yield { revision, kvs: result.kvs, count: result.count, more: result.more };
    const last = result.kvs.at(-1);
    if (!result.more || last === undefined) return;
    start = `${last.key}\0`;
    if (request.keysOnly !== true) size = nextSize(size, result.kvs);
  }
}

function nextSize(size: number, kvs: readonly KeyValue[]): number {
  let bytes = 0;
  for (const kv of kvs) bytes += kv.value.length;
  if (bytes > PAGE_BYTES) return Math.max(1, size >>> 1);
  return bytes * 2 < PAGE_BYTES ? Math.min(LARGEST_PAGE, size * 2) : size;
}
