/** How a follower treats errors of its handler and repeated deletions; the watch is played by the test. */
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import type { ChangeSink, Entry, StoredType, WatchEventType } from '../cache';
import { createEntry } from '../store/entry';
import { followType } from './follow-type';
import { encodeStoredValue } from '../store/stored-value';

const TYPE: StoredType = { name: 'configmaps', segment: 'configmaps', namespaced: true };

function entry(key: string): Entry {
  const metadataStart = '{"metadata":';
  const body = `${metadataStart}{"name":"a"}}`;
  return createEntry(
    TYPE,
    key,
    7,
    encodeStoredValue({ body, versionOffset: metadataStart.length, labels: {}, fields: {}, isDialectSensitive: false }),
  );
}

/** Follows the type with a handler that throws for `ns/bad`. `calls` has the calls of the handler and of `onFailure`. */
async function follow() {
  const calls: string[] = [];
  const sinks: ChangeSink[] = [];
  const cache = {
    whenReady: () => Promise.resolve(),
    watch: (_type: StoredType, _request: unknown, sink: ChangeSink) => {
      sinks.push(sink);
      return { close: () => undefined, sendBookmark: () => undefined };
    },
  };
  const recordCall = (call: string, key: string): void => {
    calls.push(`${call} ${key}`);
    if (key === 'ns/bad') throw new Error('no');
  };
  const onFailure = (message: string): void => void calls.push(message);
  followType(
    { cache, stored: TYPE, clock: new ManualClock(), onFailure },
    { upsert: ({ key }) => recordCall('upsert', key), remove: (key) => recordCall('remove', key) },
  );
  await flushPromises(2);
  const deliver = (type: WatchEventType, key: string): void =>
    sinks[0]?.event(type, entry(key), { revision: 8, key, current: undefined, previous: undefined, frames: new Map() });
  return { calls, deliver };
}

it('followType reports an object that its handler cannot read, and continues with the next one', async () => {
  const { calls, deliver } = await follow();
  deliver('ADDED', 'ns/bad');
  deliver('ADDED', 'ns/good');
  expect(calls).toEqual(['upsert ns/bad', 'configmaps ns/bad could not be read', 'upsert ns/good']);
});

it('followType reports an object that its handler cannot remove, and continues with the next one', async () => {
  const { calls, deliver } = await follow();
  deliver('ADDED', 'ns/bad');
  deliver('ADDED', 'ns/good');
  calls.length = 0;
  deliver('DELETED', 'ns/bad');
  deliver('DELETED', 'ns/good');
  expect(calls).toEqual(['remove ns/bad', 'configmaps ns/bad could not be removed', 'remove ns/good']);
});

it('followType removes an object once when its deletion is delivered twice', async () => {
  const { calls, deliver } = await follow();
  deliver('ADDED', 'ns/good');
  deliver('DELETED', 'ns/good');
  deliver('DELETED', 'ns/good');
  expect(calls).toEqual(['upsert ns/good', 'remove ns/good']);
});
