/** Informers on a fake API server: lists, watches that end or expire, and delivery to handlers. */
import { silentLogger } from '../../runtime/logger';
import { fakeClient } from '../../../test/support/controllers/fake-client';
import { flushPromises } from '../../../test/support/clock/manual-clock';
import type { ApiObject } from '../rest/api-object';
import { Informer, type InformerOptions } from './informer';
import type { CoreV1ConfigMap } from '../../api/types/generated/members';
import { resourceOf } from '../rest/resource';
import { ConnectionError } from '../transport/transport';

const MAPS = '/api/v1/configmaps';
const map = (name: string, value = '', namespace = 'n') => ({ metadata: { namespace, name }, data: { value } });

/**
 * An informer with handlers that write to `log`: `+a=1` for an added object, `a=1>a=2` for an updated one, `-a=2` for a
 * deleted one. `run` starts it and waits for the first list.
 */
function start(options: Partial<InformerOptions<CoreV1ConfigMap>> = {}) {
  const fake = fakeClient();
  const informer = new Informer({ ...fake, resource: resourceOf('core.v1.ConfigMap'), logger: silentLogger, ...options });
  const log: string[] = [];
  const text = ({ name, body }: ApiObject<CoreV1ConfigMap>): string => `${name}=${body.data?.['value'] ?? ''}`;
  informer.handle({
    added: (object) => log.push(`+${text(object)}`),
    updated: (previous, object) => log.push(`${text(previous)}>${text(object)}`),
    deleted: (last) => log.push(`-${text(last)}`),
  });
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    void informer.run(stop.signal);
    await flushPromises(10);
  };
  return { ...fake, informer, log, stop, run };
}

test('an informer lists in pages, then watches', async () => {
  const { api, informer, log, run } = start({ pageSize: 2 });
  for (const name of ['a', 'b', 'c']) api.put(MAPS, map(name, '1'));
  await run();
  expect(informer.hasSynced).toBe(true);
  expect(log).toEqual(['+a=1', '+b=1', '+c=1']);
  api.put(MAPS, map('b', '2'));
  api.remove(MAPS, 'n', 'a');
  api.put(MAPS, map('d', '1'));
  await flushPromises(10);
  expect(log.slice(3)).toEqual(['b=1>b=2', '-a=1', '+d=1']);
  expect(
    informer
      .list()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['b', 'c', 'd']);
  expect(api.requests.filter((request) => !request.includes('watch='))).toHaveLength(2);
});

describe('a streaming list', () => {
  const isStreamingList = (request: string) => request.includes('sendInitialEvents=');

  test('is requested only once when the server does not support it', async () => {
    const { api, clock, informer, run } = start();
    api.put(MAPS, map('a', '1'));
    await run();
    api.version += 1;
    api.compact();
    api.cutWatches();
    await clock.advanceAsync(10_000);
    expect(informer.hasSynced).toBe(true);
    expect(api.requests.filter(isStreamingList)).toHaveLength(1);
    expect(informer.counts).toMatchObject({ lists: 2 });
  });

  test('fills the store and continues as a watch, without a list', async () => {
    const { api, informer, log, run } = start();
    api.supportsStreamingLists = true;
    for (const name of ['a', 'b']) api.put(MAPS, map(name, '1'));
    await run();
    expect(informer.hasSynced).toBe(true);
    api.put(MAPS, map('b', '2'));
    await flushPromises(10);
    expect(log).toEqual(['+a=1', '+b=1', 'b=1>b=2']);
    expect(api.requests).toHaveLength(1);
  });

  test('starts again after a disconnect, and the informer reports objects deleted in the meantime', async () => {
    const { api, clock, informer, log, run } = start();
    api.supportsStreamingLists = true;
    for (const name of ['a', 'b']) api.put(MAPS, map(name, '1'));
    await run();
    api.remove(MAPS, 'n', 'a');
    await flushPromises(10);
    api.intercept = ({ path }) => (path.includes('watch=') ? new ConnectionError('away', { wasSent: false }) : undefined);
    api.cutWatches();
    await flushPromises(10);
    api.remove(MAPS, 'n', 'b');
    api.put(MAPS, map('c', '1'));
    api.compact();
    api.intercept = () => undefined;
    await clock.advanceAsync(10_000);
    expect([...log].sort()).toEqual(['+a=1', '+b=1', '+c=1', '-a=1', '-b=1']);
    expect(informer.list().map(({ name }) => name)).toEqual(['c']);
  });
});

test.each([{ pageSize: 0 }, { pageSize: 1.5 }, { waitingBytes: 0 }, { waitingBytes: Number.NaN }])(
  'an informer rejects the options %p',
  (options) => {
    expect(() => start(options)).toThrow(RangeError);
  },
);

test('an informer resumes a broken or ended watch after the last resource version, without loss, duplicates or a second list', async () => {
  const { api, clock, informer, log, run } = start();
  api.put(MAPS, map('a', '1'));
  await run();
  api.put(MAPS, map('a', '2'));
  await flushPromises(10);
  api.cutWatches();
  api.put(MAPS, map('a', '3'));
  await flushPromises(10);
  await clock.advanceAsync(1_000);
  api.endWatches();
  api.put(MAPS, map('b', '1'));
  await clock.advanceAsync(5_000);
  expect(log).toEqual(['+a=1', 'a=1>a=2', 'a=2>a=3', '+b=1']);
  expect(informer.counts).toMatchObject({ lists: 1, watches: 3 });
});

test('an informer resumes its watch from the last bookmark, so that a compaction before it causes no relist', async () => {
  const { api, clock, informer, run } = start();
  api.put(MAPS, map('a', '1'));
  await run();
  api.bookmark();
  await flushPromises(10);
  api.compact();
  api.cutWatches();
  await clock.advanceAsync(1_000);
  expect(api.watchCount).toBe(1);
  expect(informer.counts).toMatchObject({ lists: 1 });
});

test('an informer relists after 410 and notifies handlers only of the differences', async () => {
  const { api, clock, informer, log, run } = start();
  for (const name of ['a', 'b', 'c']) api.put(MAPS, map(name, '1'));
  await run();
  log.length = 0;
  api.intercept = ({ path }) => (path.includes('watch=') ? new ConnectionError('away', { wasSent: false }) : undefined);
  api.cutWatches();
  await flushPromises(10);
  api.remove(MAPS, 'n', 'a');
  api.put(MAPS, map('b', '2'));
  api.put(MAPS, map('d', '1'));
  api.compact();
  api.intercept = () => undefined;
  await clock.advanceAsync(10_000);
  expect(log.sort()).toEqual(['+d=1', '-a=1', 'b=1>b=2']);
  expect(informer.counts.lists).toBe(2);
});

test('an informer reports an object that was replaced by one of the same name during a disconnect as deleted and added', async () => {
  const { api, clock, log, run } = start();
  api.put(MAPS, map('a', '1'));
  await run();
  log.length = 0;
  api.intercept = ({ path }) => (path.includes('watch=') ? new ConnectionError('away', { wasSent: false }) : undefined);
  api.cutWatches();
  await flushPromises(10);
  api.remove(MAPS, 'n', 'a');
  api.put(MAPS, map('a', '2'));
  api.compact();
  api.intercept = () => undefined;
  await clock.advanceAsync(10_000);
  expect(log).toEqual(['-a=1', '+a=2']);
});

test('an informer repeats a list without a limit when its continue token expires', async () => {
  const { api, log, run } = start({ pageSize: 1 });
  for (const name of ['a', 'b']) api.put(MAPS, map(name, '1'));
  api.intercept = ({ path }) => {
    if (path.includes('continue=')) {
      api.version += 1;
      api.compact();
    }
    return undefined;
  };
  await run();
  expect(log).toEqual(['+a=1', '+b=1']);
  // The refused streaming list, the first page, the page with an expired token, and the list without a limit.
  expect(api.requests.slice(0, 4)).toEqual([
    expect.stringContaining('sendInitialEvents=true'),
    'GET /api/v1/configmaps?limit=1',
    expect.stringContaining('limit=1&continue='),
    'GET /api/v1/configmaps',
  ]);
});

test('an informer notifies a late handler of every object once, until it is removed', async () => {
  const { api, informer, run } = start();
  api.put(MAPS, map('a', 'x'));
  api.put(MAPS, map('b', 'x'));
  await run();
  api.put(MAPS, map('a', 'y'));
  await flushPromises(10);
  const late: string[] = [];
  api.put(MAPS, map('c', 'y'));
  const remove = informer.handle({ added: ({ name }) => late.push(name), updated: (_, { name }) => late.push(`~${name}`) });
  await flushPromises(10);
  expect(late.sort()).toEqual(['a', 'b', 'c']);
  remove();
  api.put(MAPS, map('a', 'z'));
  await flushPromises(10);
  expect(late).toHaveLength(3);
});

test('an informer continues its watch and calls the other handlers when one handler throws', async () => {
  const { api, informer, log, run } = start();
  informer.handle({
    added: () => {
      throw new Error('broken');
    },
  });
  const seen: string[] = [];
  informer.handle({ added: ({ name }) => seen.push(name) });
  await run();
  api.put(MAPS, map('a', '1'));
  await flushPromises(10);
  expect(log).toEqual(['+a=1']);
  expect(seen).toEqual(['a']);
});
