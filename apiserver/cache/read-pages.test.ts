import type { KeyValue, RangeResult, Store } from '../storage/store';
import { readPages, type Page, type PageRequest } from './read-pages';

/** A store with keys `a00`, `a01` … and values of `bytes` bytes; its revision increases with every read. */
function storeOf(
  keys: number,
  bytes: number,
): { store: Pick<Store, 'range'>; requests: { start: string; revision: number | undefined }[] } {
  const kvs = Array.from({ length: keys }, (_, index): KeyValue => {
    return { key: `a${String(index).padStart(2, '0')}`, value: Buffer.alloc(bytes), createRevision: 1, modRevision: 1, version: 1 };
  });
  const requests: { start: string; revision: number | undefined }[] = [];
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

async function read(store: Pick<Store, 'range'>, request: PageRequest, onPage: (page: Page) => boolean = () => true): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of readPages(store, RANGE, request)) {
    keys.push(...page.kvs.map(({ key }) => key));
    if (!onPage(page)) break;
  }
  return keys;
}

it.each([
  ['with', true],
  ['without', false],
])('readPages %s prefetch returns all keys in order at the revision of the first page', async (_title, prefetch) => {
  const { store, requests } = storeOf(60, 10);
  expect(await read(store, { prefetch })).toEqual(Array.from({ length: 60 }, (_, index) => `a${String(index).padStart(2, '0')}`));
  expect(requests.map(({ revision }) => revision)).toEqual([undefined, 101, 101]);
  const otherStore = storeOf(60, 10);
  await read(otherStore.store, { prefetch, revision: 7 });
  expect(otherStore.requests.map(({ revision }) => revision)).toEqual([7, 7, 7]);
});

it('readPages requests the next page before the current one is consumed only with prefetch', async () => {
  for (const prefetch of [false, true]) {
    const { store, requests } = storeOf(60, 10);
    const revisions: number[] = [];
    await read(store, { prefetch }, () => revisions.push(requests.length) > 0);
    expect(revisions).toEqual(prefetch ? [2, 3, 3] : [1, 2, 3]);
  }
});

it('readPages ignores a failed prefetch when the caller stops early', async () => {
  const { store } = storeOf(60, 10);
  let calls = 0;
  const failing: Pick<Store, 'range'> = {
    range: (...requests) => ((calls += 1) > 1 ? Promise.reject(new Error('away')) : store.range(...requests)),
  };
  expect(await read(failing, { prefetch: true }, () => false)).toHaveLength(16);
  await expect(read(failing, { prefetch: true })).rejects.toThrow('away');
});

it('readPages reduces the page size for large values', async () => {
  const { store, requests } = storeOf(40, 600_000);
  await read(store, {});
  expect(requests.map(({ start }) => start)).toEqual(['a', 'a15\0', 'a23\0', 'a27\0', 'a31\0', 'a35\0']);
});
