/** Watches: with which state and scope the reader opens a watch of the cache. */
import { flushPromises } from '../../../test/support/clock/manual-clock';
import type { WatchRequest } from '../../cache/cache';
import type { OpenedCache } from '../../cache/sync/open-cache';
import { StoreError } from '../../storage/store';
import { configMaps, failureOf, pods, ReaderFixture, tooLargeResourceVersion } from '../../../test/support/store/reader-fixture';
import { selectionFor } from './selection';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(
  () => ReaderFixture.open(),
  (opened) => opened.close(),
);

describe('watch', () => {
  const watchSpy = useForEachTest((): jest.SpyInstance<unknown, Parameters<OpenedCache['watch']>> => jest.spyOn(fixture().cache, 'watch'));
  /** The requests that the reader has passed to the cache. */
  const requests = (): WatchRequest[] => watchSpy().mock.calls.map(([, request]) => request);

  const state = { type: 'state' };
  const afterRevision = (revision: number): object => ({ type: 'after', revision });

  test('without a resourceVersion starts with the most recent state', async () => {
    fixture().hold();
    fixture().tick();
    const started = fixture().watch({});
    await flushPromises();
    expect(requests()).toEqual([]);
    fixture().catchUp();
    await started;
    expect(requests()).toEqual([{ scope: { namespace: 'a' }, start: state, bookmarks: false, markEndOfInitialEvents: false }]);
  });

  test('at resourceVersion 0 starts with the cached state', async () => {
    fixture().store.failure = new StoreError('unavailable', 'gone');
    await fixture().watch({ resourceVersion: 0, bookmarks: true });
    expect(requests()).toMatchObject([{ start: state, bookmarks: true, markEndOfInitialEvents: false }]);
  });

  test('at a resourceVersion starts after it at once, even if it is in the future', async () => {
    await fixture().watch({ resourceVersion: 3 });
    await fixture().watch({ resourceVersion: 999 });
    expect(requests().map(({ start }) => start)).toEqual([afterRevision(3), afterRevision(999)]);
  });

  test('with sendInitialEvents=true starts with the state and marks its end if bookmarks are enabled', async () => {
    fixture().isWatchListEnabled = true;
    await fixture().watch({ sendInitialEvents: true, bookmarks: true });
    await fixture().watch({ sendInitialEvents: true, bookmarks: false, resourceVersion: 0 });
    await fixture().watch({ sendInitialEvents: true, bookmarks: true, resourceVersion: 103 });
    expect(requests().map(({ start, markEndOfInitialEvents }) => [start, markEndOfInitialEvents])).toEqual([
      [state, true],
      [state, false],
      [state, true],
    ]);
    expect(fixture().lookups()).toBe(1);
  });

  test('with sendInitialEvents=true at a future resourceVersion fails with 504', async () => {
    fixture().isWatchListEnabled = true;
    expect(await failureOf(fixture().after(3_000, fixture().watch({ sendInitialEvents: true, resourceVersion: 999 })))).toMatchObject(
      tooLargeResourceVersion(999, 105),
    );
  });

  test('with sendInitialEvents=false starts without the state', async () => {
    await fixture().watch({ sendInitialEvents: false });
    await fixture().watch({ sendInitialEvents: false, resourceVersion: 0 });
    await fixture().watch({ sendInitialEvents: false, resourceVersion: 102 });
    expect(requests().map(({ start }) => start)).toEqual([afterRevision(105), afterRevision(105), afterRevision(102)]);
  });

  test('with the WatchList gate starts as a streaming list without a resourceVersion or at 0', async () => {
    fixture().isWatchListEnabled = true;
    await fixture().watch({ bookmarks: true });
    await fixture().watch({ bookmarks: true, resourceVersion: 0 });
    await fixture().watch({ bookmarks: true, resourceVersion: 102 });
    expect(requests().map(({ start, markEndOfInitialEvents }) => [start, markEndOfInitialEvents])).toEqual([
      [state, true],
      [state, true],
      [afterRevision(102), false],
    ]);
  });

  test('fails with 504 while the cache lags behind', async () => {
    fixture().hold();
    fixture().tick();
    expect(await failureOf(fixture().after(3_000, fixture().watch({})))).toMatchObject({ code: 504 });
  });

  test('passes namespace, name and matcher of the selection as its scope', async () => {
    const scopes = async (fields: string, labels: string, namespace: string): Promise<unknown> => {
      await fixture().watch({ selection: selectionFor(configMaps.row, labels, fields), resourceVersion: 0 }, namespace);
      return requests().at(-1)?.scope;
    };
    expect(await scopes('', '', '')).toEqual({});
    expect(await scopes('metadata.name=x', '', 'a')).toEqual({ namespace: 'a', name: 'x' });
    expect(await scopes('metadata.name=x,metadata.namespace=b', '', '')).toEqual({ namespace: 'b', name: 'x' });
    expect(await scopes('metadata.namespace=b', '', 'a')).toEqual({ namespace: 'a', matches: expect.any(Function) });
    expect(await scopes('', 'a=b', 'a')).toEqual({ namespace: 'a', matches: expect.any(Function) });
  });

  test('passes an indexed field of the selection beside the matcher', async () => {
    const selection = selectionFor(pods.row, '', 'spec.nodeName=n1');
    await fixture().watch({ selection, resourceVersion: 0 }, '', pods);
    expect(requests()[0]?.scope).toEqual({ indexed: { field: 'spec.nodeName', value: 'n1' }, matches: expect.any(Function) });
  });
});
