/** Lists: which state each combination of resourceVersion, resourceVersionMatch, limit and continue selects. */
import { flushPromises } from '../../../test/support/clock/manual-clock';
import type { ListPage } from '../verbs';
import { StoreError } from '../../storage/store';
import { parseContinueToken } from './continue-token';
import {
  continueToken,
  events,
  failureOf,
  keysOf,
  ReaderFixture,
  tokenOf,
  tooLargeResourceVersion,
  type ListRequest,
} from '../../../test/support/store/reader-fixture';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(
  () => ReaderFixture.open(),
  (opened) => opened.close(),
);

/**
 * Every row of the table of lists in upstream's API concepts. The store is one revision ahead (a/c4 = 106): cached
 * states lack this object, most recent ones contain it.
 */
describe('list', () => {
  const newest = ['a/c1', 'a/c2', 'a/c3', 'a/c4'];
  const cached = ['a/c1', 'a/c2', 'a/c3'];
  const paged = ['a/c1', 'a/c2'];

  /** Lists while the cache lags behind, and lets the cache catch up. */
  async function answers(options: ListRequest): Promise<ListPage> {
    fixture().hold();
    fixture().put('a/c4');
    const page = fixture().list(options);
    page.catch(() => undefined);
    await flushPromises();
    fixture().catchUp();
    return page;
  }

  describe('without resourceVersionMatch', () => {
    test('and without limit and resourceVersion returns the most recent state', async () => {
      const page = await answers({});
      expect(keysOf(page)).toEqual(newest);
      expect(page.revision).toBe(106);
      expect(page.continue).toBeUndefined();
    });

    test('and with resourceVersion 0 returns the cached state', async () => {
      const page = await answers({ resourceVersion: 0 });
      expect(keysOf(page)).toEqual(cached);
      expect(page.revision).toBe(105);
      expect(fixture().lookups()).toBe(0);
    });

    test('and with a resourceVersion returns a state not older than it', async () => {
      expect(keysOf(await answers({ resourceVersion: 103 }))).toEqual(cached);
      const page = await answers({ resourceVersion: 107 });
      expect(keysOf(page)).toEqual(newest);
      expect(page.revision).toBe(107);
      expect(fixture().lookups()).toBe(0);
    });

    test('and with a limit returns a page of the most recent state', async () => {
      const page = await answers({ limit: 2 });
      expect(keysOf(page)).toEqual(paged);
      expect(page.revision).toBe(106);
      expect(page.remainingItemCount).toBe(2);
      expect(parseContinueToken(tokenOf(page))).toEqual({ revision: 106, start: 'c2\0' });
    });

    test('and with a limit and resourceVersion 0 returns the whole cached state', async () => {
      const page = await answers({ limit: 2, resourceVersion: 0 });
      expect(keysOf(page)).toEqual(cached);
      expect(page.revision).toBe(105);
      expect(page.continue).toBeUndefined();
    });

    test('and with a limit and resourceVersion 0 returns a page of a kind without an upstream cache', async () => {
      for (const name of ['e1', 'e2', 'e3']) fixture().put(`a/${name}`, {}, events);
      const page = await fixture().list({ limit: 2, resourceVersion: 0 }, 'a', events);
      expect(keysOf(page)).toEqual(['a/e1', 'a/e2']);
      expect(page.continue).toBeDefined();
    });

    test('and with a limit and a resourceVersion returns a page of exactly that state', async () => {
      const page = await answers({ limit: 2, resourceVersion: 102 });
      expect(keysOf(page)).toEqual(paged);
      expect(page.revision).toBe(102);
      expect(page.continue).toBeUndefined();
      const cut = await answers({ limit: 1, resourceVersion: 103 });
      expect(keysOf(cut)).toEqual(['a/c1']);
      expect(cut.revision).toBe(103);
      expect(cut.remainingItemCount).toBe(2);
    });

    test('and with a continue token returns a page of the state of the first one', async () => {
      const page = await answers({ limit: 1, continue: continueToken(102, 'c1\0') });
      expect(keysOf(page)).toEqual(['a/c2']);
      expect(page.revision).toBe(102);
      expect(page.continue).toBeUndefined();
    });

    test('and with a continue token ignores resourceVersion 0', async () => {
      const page = await answers({ limit: 1, resourceVersion: 0, continue: continueToken(102, 'c1\0') });
      expect(keysOf(page)).toEqual(['a/c2']);
      expect(page.revision).toBe(102);
    });

    test('and with a continue token and a resourceVersion fails with 400', async () => {
      const error = await failureOf(answers({ limit: 1, resourceVersion: 103, continue: continueToken(102, 'c1\0') }));
      expect(error).toMatchObject({ code: 400, message: 'specifying resource version is not allowed when using continue' });
    });
  });

  describe('with resourceVersionMatch=Exact', () => {
    test('returns exactly the state of the resourceVersion', async () => {
      const page = await answers({ resourceVersionMatch: 'Exact', resourceVersion: 102 });
      expect(keysOf(page)).toEqual(paged);
      expect(page.revision).toBe(102);
      expect(fixture().lookups()).toBe(0);
    });

    test('and a limit returns a page of exactly the state of the resourceVersion', async () => {
      const page = await answers({ resourceVersionMatch: 'Exact', resourceVersion: 103, limit: 2 });
      expect(keysOf(page)).toEqual(paged);
      expect(page.revision).toBe(103);
      expect(page.remainingItemCount).toBe(1);
    });

    test('fails with 410 for a compacted resourceVersion', async () => {
      fixture().compact(103);
      const error = await failureOf(answers({ resourceVersionMatch: 'Exact', resourceVersion: 102 }));
      expect(error).toMatchObject({ code: 410, reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' });
    });

    test('fails with 504 after 3 s for a future resourceVersion', async () => {
      const page = fixture().list({ resourceVersionMatch: 'Exact', resourceVersion: 999 });
      expect(await failureOf(fixture().after(3_000, page))).toMatchObject(tooLargeResourceVersion(999, 105));
    });

    test('waits for a resourceVersion that the cache has not reached', async () => {
      const page = await answers({ resourceVersionMatch: 'Exact', resourceVersion: 106 });
      expect(keysOf(page)).toEqual(newest);
      expect(page.revision).toBe(106);
    });
  });

  describe('with resourceVersionMatch=NotOlderThan', () => {
    test('and resourceVersion 0 returns the whole cached state with and without a limit', async () => {
      expect(keysOf(await answers({ resourceVersionMatch: 'NotOlderThan', resourceVersion: 0 }))).toEqual(cached);
      const page = await fixture().list({ resourceVersionMatch: 'NotOlderThan', resourceVersion: 0, limit: 2 });
      expect(keysOf(page)).toEqual(newest);
      expect(page.continue).toBeUndefined();
    });

    test('waits for the resourceVersion', async () => {
      const page = await answers({ resourceVersionMatch: 'NotOlderThan', resourceVersion: 106 });
      expect(keysOf(page)).toEqual(newest);
      expect(page.revision).toBe(106);
    });

    test('and a limit returns a page of a state not older than the resourceVersion', async () => {
      const page = await answers({ resourceVersionMatch: 'NotOlderThan', resourceVersion: 106, limit: 2 });
      expect(keysOf(page)).toEqual(paged);
      expect(page.revision).toBe(106);
      expect(page.remainingItemCount).toBe(2);
    });

    test('fails with 504 after 3 s for a future resourceVersion', async () => {
      const page = fixture().list({ resourceVersionMatch: 'NotOlderThan', resourceVersion: 999 });
      expect(await failureOf(fixture().after(3_000, page))).toMatchObject(tooLargeResourceVersion(999, 105));
    });
  });
});

describe('list while the cache lags behind', () => {
  test('returns the newest revision of the store', async () => {
    fixture().hold();
    const revision = fixture().put('a/c4');
    const page = await fixture().after(3_000, fixture().list());
    expect(keysOf(page)).toEqual(['a/c1', 'a/c2', 'a/c3', 'a/c4']);
    expect(page.revision).toBe(revision);
  });

  test('fails with 504 when the store is unreachable', async () => {
    fixture().store.failure = new StoreError('deadline', 'no member answers');
    expect(await failureOf(fixture().list())).toMatchObject({ code: 504 });
  });
});
