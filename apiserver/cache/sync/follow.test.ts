import { ManualClock, settle } from '../../../test/support/manual-clock';
import type { ChangeSink, Entry, StoredType, WatchEventType } from '../cache';
import { makeEntry } from '../store/entry';
import { follow } from './follow';
import { encodeStoredValue } from '../store/stored-value';

const TYPE: StoredType = { name: 'configmaps', segment: 'configmaps', namespaced: true };

function entry(key: string): Entry {
  const body = '{"metadata":{"name":"a"}}';
  return makeEntry(TYPE, key, 7, encodeStoredValue({ body, versionOffset: 12, labels: {}, fields: {}, dialectSensitive: false }));
}

it('goes on with the others where one cannot be placed or forgotten, and is not asked to forget what is not there', async () => {
  const told: string[] = [];
  const sinks: ChangeSink[] = [];
  const cache = {
    whenReady: () => Promise.resolve(),
    watch: (_type: StoredType, _request: unknown, sink: ChangeSink) => {
      sinks.push(sink);
      return { close: () => undefined, bookmarkNow: () => undefined };
    },
  };
  const refuse = (key: string): void => {
    told.push(key);
    if (key === 'ns/bad') throw new Error('no');
  };
  const failed = (message: string): void => void told.push(message);
  const options = { cache, stored: TYPE, clock: new ManualClock(), failed };
  follow(options, { place: ({ key }) => refuse(key), remove: refuse });
  await settle(2);
  const tell = (type: WatchEventType, key: string): void =>
    sinks[0]?.event(type, entry(key), { revision: 8, key, current: undefined, previous: undefined, frames: new Map() });
  tell('ADDED', 'ns/bad');
  tell('ADDED', 'ns/good');
  expect(told.splice(0)).toEqual(['ns/bad', 'configmaps ns/bad could not be read', 'ns/good']);
  tell('DELETED', 'ns/bad');
  tell('DELETED', 'ns/good');
  tell('DELETED', 'ns/good');
  expect(told).toEqual(['ns/bad', 'configmaps ns/bad could not be forgotten', 'ns/good']);
});
