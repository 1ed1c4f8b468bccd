import { apiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { expiryOf } from './reconcile';

const END = '2026-01-01T00:00:00Z';
const job = (spec: JsonObject, conditions: JsonObject[], metadata: JsonObject = {}) =>
  apiObject({ metadata: { name: 'j', ...metadata }, spec, status: { conditions } });
const end = (type: string, more: JsonObject = {}): JsonObject => ({ type, status: 'True', lastTransitionTime: END, ...more });
const ttl = { ttlSecondsAfterFinished: 60 };

test.each<[string, ReturnType<typeof job>, unknown]>([
  ['a complete Job', job(ttl, [end('Complete')]), { type: 'at', ms: Date.parse(END) + 60_000 }],
  ['a failed Job', job(ttl, [end('Suspended'), end('Failed')]), { type: 'at', ms: Date.parse(END) + 60_000 }],
  ['a finished Job with a TTL of zero', job({ ttlSecondsAfterFinished: 0 }, [end('Complete')]), { type: 'at', ms: Date.parse(END) }],
  ['a running Job', job(ttl, [end('Suspended'), end('Complete', { status: 'False' })]), { type: 'never' }],
  ['a finished Job without a TTL', job({}, [end('Complete')]), { type: 'never' }],
  ['a finished Job that is being deleted', job(ttl, [end('Complete')], { deletionTimestamp: END }), { type: 'never' }],
  ['a finished Job without a finish time', job(ttl, [end('Complete', { lastTransitionTime: null })]), { type: 'unclear' }],
])('expiryOf calculates the expiry of %s', (_, object, expiry) => {
  expect(expiryOf(object)).toEqual(expiry);
});
