import type { KeyValue, RangeResult, Store } from '../storage/store';
import { pages, type Page, type PageRequest } from './pages';

/** Keys `a00`, `a01` … with values of so many bytes, in a store that grows with every read. */
function storeOf(keys: number, bytes: number): { store: Pick<Store, 'range'>; asked: { start: string; revision: number | undefined }[] } {
  const kvs = Array.from({ length: keys }, (_, index): KeyValue => {
    return { key: `a${String(index).padStart(2, '0')}`, value: Buffer.alloc(bytes), createRevision: 1, modRevision: 1, version: 1 };
  });
  const asked: { start: string; revision: number | undefined }[] = [];
  const range: Store['range'] = ({ start, limit = 0, revision }) => {
    asked.push({ start, revision });
    const found = kvs.filter(({ key }) => key >= start);
    const result: RangeResult = {
      revision: 100 + asked.length,
      kvs: found.slice(0, limit),
      more: found.length > limit,
      count: found.length,
    };
    return Promise.resolve(result);
  };
  return { store: { range }, asked };
}

const WHOLE = { start: 'a', end: 'b' };

async function read(store: Pick<Store, 'range'>, request: PageRequest, look: (page: Page) => boolean = () => true): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of pages(store, WHOLE, request)) {
    keys.push(...page.kvs.map(({ key }) => key));
    if (!look(page)) break;
  }
  return keys;
}

it.each([false, true])('all keys come in their order, at the revision of the first page (ahead: %p)', async (ahead) => {
  const { store, asked } = storeOf(60, 10);
  expect(await read(store, { ahead })).toEqual(Array.from({ length: 60 }, (_, index) => `a${String(index).padStart(2, '0')}`));
  expect(asked.map(({ revision }) => revision)).toEqual([undefined, 101, 101]);
  const other = storeOf(60, 10);
  await read(other.store, { ahead, revision: 7 });
  expect(other.asked.map(({ revision }) => revision)).toEqual([7, 7, 7]);
});

it('the next page is asked for while one is looked at, only by those who read to the end', async () => {
  for (const ahead of [false, true]) {
    const { store, asked } = storeOf(60, 10);
    const seen: number[] = [];
    await read(store, { ahead }, () => seen.push(asked.length) > 0);
    expect(seen).toEqual(ahead ? [2, 3, 3] : [1, 2, 3]);
  }
});

it('who stops does not hear of what was asked for him', async () => {
  const { store } = storeOf(60, 10);
  let calls = 0;
  const failing: Pick<Store, 'range'> = {
    range: (...asked) => ((calls += 1) > 1 ? Promise.reject(new Error('away')) : store.range(...asked)),
  };
  expect(await read(failing, { ahead: true }, () => false)).toHaveLength(16);
  await expect(read(failing, { ahead: true })).rejects.toThrow('away');
});

it('pages become smaller where values are large', async () => {
  const { store, asked } = storeOf(40, 600_000);
  await read(store, {});
  expect(asked.map(({ start }) => start)).toEqual(['a', 'a15\0', 'a23\0', 'a27\0', 'a31\0', 'a35\0']);
});
