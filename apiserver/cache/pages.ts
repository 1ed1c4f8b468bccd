/** Reading a range of the store page by page at one revision, in bounded memory whatever the values' sizes. */
import type { KeyRange, KeyValue, RangeResult, Revision, Store } from '../storage/store';

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
  /** For whoever reads to the end: the next page is asked for while the last one is looked at. */
  readonly ahead?: boolean;
  /** For each page, in milliseconds of Clock.monotonic. */
  readonly deadline?: () => number;
}

const KEYS_PAGE = 2000;
const FIRST_PAGE = 16;
const LARGEST_PAGE = 8192;
/** Bytes that a page of values should have: the next page's limit follows the size of the last one. */
const PAGE_BYTES = 4 * 1024 * 1024;

export async function* pages(store: Pick<Store, 'range'>, range: KeyRange, request: PageRequest): AsyncGenerator<Page, void, undefined> {
  const { keysOnly = false, ahead = false } = request;
  let { revision } = request;
  let size = keysOnly ? KEYS_PAGE : FIRST_PAGE;
  const ask = (start: string): Promise<RangeResult> => {
    const limit = Math.min(size, request.limit ?? size);
    const asked = { start, end: range.end, limit, keysOnly, ...(revision === undefined ? {} : { revision }) };
    return store.range(asked, request.deadline === undefined ? {} : { deadline: request.deadline() });
  };
  for (let next: Promise<RangeResult> | undefined = ask(range.start); next !== undefined;) {
    const result: RangeResult = await next;
    const { kvs, count, more } = result;
    revision ??= result.revision;
    if (!keysOnly) size = nextSize(size, kvs);
    const last = kvs.at(-1);
    const rest = more && last !== undefined ? `${last.key}\0` : undefined;
    next = rest !== undefined && ahead ? ask(rest) : undefined;
    // Whoever stops does not hear of it.
    next?.catch(() => undefined);
    yield { revision, kvs, count, more };
    if (rest !== undefined) next ??= ask(rest);
  }
}

function nextSize(size: number, kvs: readonly KeyValue[]): number {
  let bytes = 0;
  for (const kv of kvs) bytes += kv.value.length;
  if (bytes > PAGE_BYTES) return Math.max(1, size >>> 1);
  return bytes * 2 < PAGE_BYTES ? Math.min(LARGEST_PAGE, size * 2) : size;
}
