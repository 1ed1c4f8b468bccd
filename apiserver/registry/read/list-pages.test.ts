/** The pages of a list, and lists with a field selector on names and namespaces. */
import { parseContinueToken } from './continue-token';
import {
  continueToken,
  failureOf,
  keysOf,
  ReaderFixture,
  tokenOf,
  tooLargeResourceVersion,
} from '../../../test/support/store/reader-fixture';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(
  () => ReaderFixture.open(),
  (opened) => opened.close(),
);

describe('pages of a list', () => {
  test('all show the state of the first page despite later writes', async () => {
    const first = await fixture().list({ limit: 2 }, '');
    fixture().remove('a/c3');
    fixture().put('a/c9');
    fixture().put('b/c0');
    const second = await fixture().list({ limit: 2, continue: tokenOf(first) }, '');
    expect(keysOf(first)).toEqual(['a/c1', 'a/c2']);
    expect(keysOf(second)).toEqual(['a/c3', 'b/c1']);
    expect(first.revision).toBe(105);
    expect(second.revision).toBe(105);
    expect(first.remainingItemCount).toBe(2);
    expect(second.remainingItemCount).toBeUndefined();
    expect(second.continue).toBeUndefined();
  });

  test('have tokens relative to the listed namespace or cluster', async () => {
    expect(parseContinueToken(tokenOf(await fixture().list({ limit: 1 }, '')))).toEqual({ revision: 105, start: 'a/c1\0' });
    expect(parseContinueToken(tokenOf(await fixture().list({ limit: 1 }, 'a')))).toEqual({ revision: 105, start: 'c1\0' });
  });

  test('pin their state once, on the first page, if there are more pages', async () => {
    const pin = jest.spyOn(fixture().cache, 'pin');
    await fixture().list({ limit: 3 });
    expect(pin).not.toHaveBeenCalled();
    const first = await fixture().list({ limit: 1 });
    await fixture().list({ limit: 1, continue: tokenOf(first) });
    expect(pin.mock.calls.map(([, { revision }]) => revision)).toEqual([105]);
  });

  test('include all remaining objects when a continue token comes without a limit', async () => {
    const first = await fixture().list({ limit: 1 });
    const rest = await fixture().list({ continue: tokenOf(first) });
    expect(keysOf(rest)).toEqual(['a/c2', 'a/c3']);
    expect(rest.continue).toBeUndefined();
  });

  test('of a compacted state fail with 410 and a token for the newest state', async () => {
    fixture().compact(105);
    const error = await failureOf(fixture().list({ limit: 1, continue: continueToken(103, 'c1\0') }));
    expect(error).toMatchObject({ code: 410, reason: 'Expired' });
    expect(error.message).toMatch(
      /^The provided continue parameter is too old to display a consistent list result\. You can start a new list/,
    );
    expect(parseContinueToken(error.status.metadata.continue ?? '')).toEqual({ revision: -1, start: 'c1\0' });
  });

  test('with a token for the newest state continue at its revision', async () => {
    const pin = jest.spyOn(fixture().cache, 'pin');
    fixture().put('a/c4');
    const page = await fixture().list({ limit: 1, continue: continueToken(-1, 'c1\0') });
    expect(keysOf(page)).toEqual(['a/c2']);
    expect(page.revision).toBe(106);
    expect(page.remainingItemCount).toBe(2);
    expect(parseContinueToken(tokenOf(page))).toEqual({ revision: 106, start: 'c2\0' });
    expect(fixture().lookups()).toBe(1);
    expect(pin.mock.calls).toHaveLength(1);
  });

  test('of a future revision fail with 504', async () => {
    expect(await failureOf(fixture().after(3_000, fixture().list({ limit: 1, continue: continueToken(999, 'c1\0') })))).toMatchObject(
      tooLargeResourceVersion(999, 105),
    );
  });

  test('never include objects of another namespace', async () => {
    expect(keysOf(await fixture().list({ limit: 5, continue: continueToken(105, '/') }, 'a'))).toEqual(['a/c1', 'a/c2', 'a/c3']);
    expect(keysOf(await fixture().list({ limit: 5, continue: continueToken(105, 'zzz') }, 'a'))).toEqual([]);
    expect(keysOf(await fixture().list({ limit: 5, continue: continueToken(105, 'b/c1') }, 'a'))).toEqual(['a/c1', 'a/c2', 'a/c3']);
  });

  test('with a selector are full, have no remainingItemCount, and can be followed by an empty page', async () => {
    const first = await fixture().list({ limit: 2, labels: 'parity=odd' }, '');
    expect(keysOf(first)).toEqual(['a/c1', 'a/c3']);
    expect(first.remainingItemCount).toBeUndefined();
    const second = await fixture().list({ limit: 2, labels: 'parity=odd', continue: tokenOf(first) }, '');
    expect(keysOf(second)).toEqual(['b/c1']);
    expect(second.continue).toBeUndefined();
    const full = await fixture().list({ limit: 1, labels: 'parity=even' }, '');
    expect(keysOf(full)).toEqual(['a/c2']);
    const empty = await fixture().list({ limit: 1, labels: 'parity=even', continue: tokenOf(full) }, '');
    expect(keysOf(empty)).toEqual([]);
    expect(empty.continue).toBeUndefined();
  });

  test('of states read from the store in chunks are full', async () => {
    await fixture().reopen({ windowBytes: 0 });
    await fixture().cache.whenReady();
    const snapshotAt = jest.spyOn(fixture().cache, 'snapshotAt');
    for (let i = 10; i < 40; i += 1) fixture().put(`a/d${i}`, { labels: { parity: i % 2 === 0 ? 'even' : 'odd' } });
    fixture().tick();
    const revision = fixture().cache.revision - 1;
    const plain = await fixture().list({ limit: 10, continue: continueToken(revision, '/') }, '');
    expect(keysOf(plain)).toHaveLength(10);
    expect(plain.remainingItemCount).toBe(24);
    const selected = await fixture().list({ limit: 16, labels: 'parity=even', continue: continueToken(revision, '/') }, '');
    expect(keysOf(selected)).toHaveLength(16);
    expect(selected.continue).toBeDefined();
    const rest = await fixture().list({ limit: 100, labels: 'parity=even', continue: continueToken(revision, '/') }, '');
    expect(keysOf(rest)).toHaveLength(16);
    expect(rest.continue).toBeUndefined();
    expect(Math.max(...snapshotAt.mock.calls.map(([, , { limit = Infinity }]) => limit))).toBeLessThanOrEqual(100);
  });
});

describe('list with a field selector', () => {
  test('on a name in a namespace returns a list of one object or none', async () => {
    const page = await fixture().list({ fields: 'metadata.name=c2', limit: 1 });
    expect(keysOf(page)).toEqual(['a/c2']);
    expect(page.continue).toBeUndefined();
    expect(page.remainingItemCount).toBeUndefined();
    expect(keysOf(await fixture().list({ fields: 'metadata.name=c2', labels: 'parity=odd' }))).toEqual([]);
    expect(keysOf(await fixture().list({ fields: 'metadata.name=none' }))).toEqual([]);
  });

  test('on a name returns the objects of all namespaces', async () => {
    expect(keysOf(await fixture().list({ fields: 'metadata.name=c1' }, ''))).toEqual(['a/c1', 'b/c1']);
    expect(keysOf(await fixture().list({ fields: 'metadata.name=c1,metadata.namespace=b' }, ''))).toEqual(['b/c1']);
  });

  test('on a namespace of a cluster-wide list has tokens relative to the cluster', async () => {
    expect(keysOf(await fixture().list({ fields: 'metadata.namespace=b' }, ''))).toEqual(['b/c1']);
    const first = await fixture().list({ fields: 'metadata.namespace=a', limit: 2 }, '');
    expect(keysOf(first)).toEqual(['a/c1', 'a/c2']);
    expect(first.remainingItemCount).toBeUndefined();
    expect(parseContinueToken(tokenOf(first)).start).toBe('a/c2\0');
    expect(keysOf(await fixture().list({ fields: 'metadata.namespace=a', limit: 2, continue: tokenOf(first) }, ''))).toEqual(['a/c3']);
  });

  test('on a namespace other than that of the path returns nothing', async () => {
    expect(keysOf(await fixture().list({ fields: 'metadata.namespace=b' }, 'a'))).toEqual([]);
    expect(keysOf(await fixture().list({ fields: 'metadata.namespace=b,metadata.name=c1' }, 'a'))).toEqual([]);
  });
});
