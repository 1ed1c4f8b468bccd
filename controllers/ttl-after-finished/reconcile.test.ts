import type { BatchV1Job, BatchV1JobCondition, BatchV1JobSpec, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { expirationOf, type Expiration } from './reconcile';
import type { Job } from '../../shared/client/rest/typed-objects';

const FINISHED = '2026-01-01T00:00:00Z';
const job = (spec: BatchV1JobSpec, conditions: BatchV1JobCondition[], metadata: MetaV1ObjectMeta = {}): Job =>
  apiObject<BatchV1Job>({ metadata: { name: 'j', ...metadata }, spec, status: { conditions } });
const condition = (type: string, overrides: BatchV1JobCondition = {}): BatchV1JobCondition => ({
  type,
  status: 'True',
  lastTransitionTime: FINISHED,
  ...overrides,
});
const ttl = { ttlSecondsAfterFinished: 60 };
const AFTER_TTL: Expiration = { type: 'at', ms: Date.parse(FINISHED) + 60_000 };

test.each<[string, Job, Expiration]>([
  ['a complete Job', job(ttl, [condition('Complete')]), AFTER_TTL],
  ['a failed Job', job(ttl, [condition('Suspended'), condition('Failed')]), AFTER_TTL],
  [
    'a finished Job with a TTL of zero',
    job({ ttlSecondsAfterFinished: 0 }, [condition('Complete')]),
    { type: 'at', ms: Date.parse(FINISHED) },
  ],
  ['a running Job', job(ttl, [condition('Suspended'), condition('Complete', { status: 'False' })]), { type: 'never' }],
  ['a finished Job without a TTL', job({}, [condition('Complete')]), { type: 'never' }],
  ['a finished Job that is being deleted', job(ttl, [condition('Complete')], { deletionTimestamp: FINISHED }), { type: 'never' }],
  ['a finished Job without a finish time', job(ttl, [condition('Complete', { lastTransitionTime: null })]), { type: 'unknown' }],
])('expirationOf calculates the expiration of %s', (_, object, expiration) => {
  expect(expirationOf(object)).toEqual(expiration);
});
