import type { Entry } from '../../cache/cache';
import { isEntryTerminating } from './stored-object';

const entry = (metadata: string): Entry => ({
  key: 'a',
  revision: 1,
  bytes: Buffer.from(`{"metadata":{${metadata}},"data":{"a":"\\"creationTimestamp\\":null,\\"deletionTimestamp\\":\\"x\\""}}`),
  labels: {},
  fields: {},
  isDialectSensitive: false,
});

it('isEntryTerminating reads only metadata.deletionTimestamp of the object', () => {
  const metadata = '"name":"a","creationTimestamp":"2026-01-01T00:00:00Z"';
  expect(isEntryTerminating(entry(`${metadata},"deletionTimestamp":"2026-01-01T00:00:01Z","deletionGracePeriodSeconds":0`))).toBe(true);
  expect(isEntryTerminating(entry('"name":"a","creationTimestamp":null,"deletionTimestamp":"2026-01-01T00:00:01Z"'))).toBe(true);
  expect(isEntryTerminating(entry(metadata))).toBe(false);
  expect(isEntryTerminating(entry(`${metadata},"annotations":{"deletionTimestamp":"x"}`))).toBe(false);
});
