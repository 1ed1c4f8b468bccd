/** The requests that a read in pages sends: their revisions, sizes and times. */
import type { KeyValue, RangeResult, Store } from '../storage/store';
import { readPages, type PageRequest } from './read-pages';

interface FakeStore {
  readonly store: Pick<Store, 'range'>;
  /** The requests that the store has received. */
  readonly requests: { readonly start: string; readonly revision: number | undefined }[];
}

/** `a00`, `a01` … */
const keyAt = (index: number): string => `a${String(index).padStart(2, '0')}`;

/** A store with keys `a00`, `a01` …. The first read returns revision 101, and each later one the next revision. */
function createStore({ keys, valueBytes }: { readonly keys: number; readonly valueBytes: number }): FakeStore {
  const kvs = Array.from({ length: keys }, (_, index): KeyValue => {
    return { key: keyAt(index), value: Buffer.alloc(valueBytes), createRevision: 1, modRevision: 1, version: 1 };
  });
  const requests: FakeStore['requests'][number][] = [];
  const range: Store['range'] = ({ start, limit = 0, revision }) => {
    requests.push({ start, revision });
    const matching = kvs.filter(({ key }) => key >= start);
    const result: RangeResult = {
      revision: 100 + requests.length,
      kvs: matching.slice(0, limit),
      more: matching.length > limit,
      count: matching.length,
    };
    return Promise.resolve(result);
  };
  return { store: { range }, requests };
}

const RANGE = { start: 'a', end: 'b' };

async function readKeys(store: Pick<Store, 'range'>, request: PageRequest): Promise<string[]> {
  const keys: string[] = [];
  for await (const { kvs } of readPages(store, RANGE, request)) keys.push(...kvs.map(({ key }) => key));
  return keys;
}

it.each([
  ['with', true],
  ['without', false],
])('readPages %s prefetch returns all keys in order at the revision of the first page', async (_title, prefetch) => {
  const { store, requests } = createStore({ keys: 60, valueBytes: 10 });
  expect(await readKeys(store, { prefetch })).toEqual(Array.from({ length: 60 }, (_, index) => keyAt(index)));
  expect(requests.map(({ revision }) => revision)).toEqual([undefined, 101, 101]);
});

it.each([
  ['with', true],
  ['without', false],
])('readPages %s prefetch reads all pages at the requested revision', async (_title, prefetch) => {
  const { store, requests } = createStore({ keys: 60, valueBytes: 10 });
  await readKeys(store, { prefetch, revision: 7 });
  expect(requests.map(({ revision }) => revision)).toEqual([7, 7, 7]);
});

it.each([
  ['before the current one is consumed, with prefetch', true, [2, 3, 3]],
  ['after the current one is consumed, without prefetch', false, [1, 2, 3]],
])('readPages requests the next page %s', async (_title, prefetch, expected) => {
  const { store, requests } = createStore({ keys: 60, valueBytes: 10 });
  const requestsAtPage: number[] = [];
  for await (const _page of readPages(store, RANGE, { prefetch })) requestsAtPage.push(requests.length);
  expect(requestsAtPage).toEqual(expected);
});

describe('readPages, when the second request fails,', () => {
  function createFailingStore(): Pick<Store, 'range'> {
    const { store, requests } = createStore({ keys: 60, valueBytes: 10 });
    return { range: (...args) => (requests.length === 1 ? Promise.reject(new Error('unavailable')) : store.range(...args)) };
  }

  it('ignores the failure of a prefetch when the caller stops at the first page', async () => {
    const pages = readPages(createFailingStore(), RANGE, { prefetch: true });
    const first = await pages.next();
    // The size of the first page with values.
    expect(first.value).toMatchObject({ kvs: { length: 16 } });
    await pages.return();
  });

  it('rejects when the caller reads on', async () => {
    await expect(readKeys(createFailingStore(), { prefetch: true })).rejects.toThrow('unavailable');
  });
});

it('readPages reduces the page size until the values of a page have about 4 MiB', async () => {
  const { store, requests } = createStore({ keys: 40, valueBytes: 600_000 });
  await readKeys(store, {});
  // Pages of 16 and of 8 keys are too large, with 9.6 MB and 4.8 MB; those of 4 keys, with 2.4 MB, are not.
  expect(requests.map(({ start }) => start)).toEqual(['a', 'a15\0', 'a23\0', 'a27\0', 'a31\0', 'a35\0']);
});
