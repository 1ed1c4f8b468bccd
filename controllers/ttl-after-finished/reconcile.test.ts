import { apiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { expiryOf } from './reconcile';

const END = '2026-01-01T00:00:00Z';
const job = (spec: JsonObject, conditions: JsonObject[], metadata: JsonObject = {}) =>
  apiObject({ metadata: { name: 'j', ...metadata }, spec, status: { conditions } });
const end = (type: string, more: JsonObject = {}): JsonObject => ({ type, status: 'True', lastTransitionTime: END, ...more });
const ttl = { ttlSecondsAfterFinished: 60 };

test.each<[string, ReturnType<typeof job>, unknown]>([
  ['that is complete', job(ttl, [end('Complete')]), { type: 'at', ms: Date.parse(END) + 60_000 }],
  ['that failed', job(ttl, [end('Suspended'), end('Failed')]), { type: 'at', ms: Date.parse(END) + 60_000 }],
  ['that is to go at once', job({ ttlSecondsAfterFinished: 0 }, [end('Complete')]), { type: 'at', ms: Date.parse(END) }],
  ['that runs', job(ttl, [end('Suspended'), end('Complete', { status: 'False' })]), { type: 'never' }],
  ['that is to stay', job({}, [end('Complete')]), { type: 'never' }],
  ['that goes already', job(ttl, [end('Complete')], { deletionTimestamp: END }), { type: 'never' }],
  ['that does not say when it ended', job(ttl, [end('Complete', { lastTransitionTime: null })]), { type: 'unclear' }],
])('a Job %s', (_, object, expiry) => {
  expect(expiryOf(object)).toEqual(expiry);
});
