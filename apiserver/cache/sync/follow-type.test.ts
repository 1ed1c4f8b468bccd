import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import type { ChangeSink, Entry, StoredType, WatchEventType } from '../cache';
import { createEntry } from '../store/entry';
import { followType } from './follow-type';
import { encodeStoredValue } from '../store/stored-value';

const TYPE: StoredType = { name: 'configmaps', segment: 'configmaps', namespaced: true };

function entry(key: string): Entry {
  const body = '{"metadata":{"name":"a"}}';
  return createEntry(TYPE, key, 7, encodeStoredValue({ body, versionOffset: 12, labels: {}, fields: {}, isDialectSensitive: false }));
}

it('followType continues after an error of its handler and removes an object that is deleted twice once', async () => {
  const calls: string[] = [];
  const sinks: ChangeSink[] = [];
  const cache = {
    whenReady: () => Promise.resolve(),
    watch: (_type: StoredType, _request: unknown, sink: ChangeSink) => {
      sinks.push(sink);
      return { close: () => undefined, sendBookmark: () => undefined };
    },
  };
  const recordCall = (key: string): void => {
    calls.push(key);
    if (key === 'ns/bad') throw new Error('no');
  };
  const onFailure = (message: string): void => void calls.push(message);
  const options = { cache, stored: TYPE, clock: new ManualClock(), onFailure };
  followType(options, { upsert: ({ key }) => recordCall(key), remove: recordCall });
  await flushPromises(2);
  const deliver = (type: WatchEventType, key: string): void =>
    sinks[0]?.event(type, entry(key), { revision: 8, key, current: undefined, previous: undefined, frames: new Map() });
  deliver('ADDED', 'ns/bad');
  deliver('ADDED', 'ns/good');
  expect(calls.splice(0)).toEqual(['ns/bad', 'configmaps ns/bad could not be read', 'ns/good']);
  deliver('DELETED', 'ns/bad');
  deliver('DELETED', 'ns/good');
  deliver('DELETED', 'ns/good');
  expect(calls).toEqual(['ns/bad', 'configmaps ns/bad could not be removed', 'ns/good']);
});
