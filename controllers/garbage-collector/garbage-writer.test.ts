import { ApiError } from '../../shared/client/rest/api-error';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import type { JsonObject } from '../../shared/values/json';
import { GarbageWrites } from './garbage-writer';

const MAPS = resourceOf('core.v1.ConfigMap');
const object = (resourceVersion: string, metadata: JsonObject = {}): ApiObject =>
  apiObject({ metadata: { namespace: 'a', name: 'o', uid: 'u', resourceVersion, ...metadata } });

/** Deletions that the server takes, as version and policy, where its state of the object is this. */
function world(state: ApiObject) {
  const taken: string[] = [];
  const writes = new GarbageWrites(
    {
      get: () => Promise.resolve(state),
      patch: () => Promise.reject(new Error('nobody patches')),
      delete: (_, __, { preconditions, propagationPolicy } = {}) => {
        if (preconditions?.resourceVersion !== state.resourceVersion) return Promise.reject(new ApiError(409, 'Conflict', 'changed'));
        taken.push(`${preconditions.resourceVersion} ${propagationPolicy ?? ''}`);
        return Promise.resolve(undefined);
      },
    },
    new AbortController().signal,
  );
  const remove = (seen: ApiObject): Promise<void> => writes.delete({ uid: 'u', resource: MAPS, object: seen }, 'Background');
  return { remove, taken };
}

test('GarbageWrites deletes an object at its new resourceVersion when only labels changed', async () => {
  const { remove, taken } = world(object('2', { labels: { a: 'b' } }));
  await remove(object('1'));
  expect(taken).toEqual(['2 Background']);
});

test('GarbageWrites sends no delete for an object that is being deleted', async () => {
  const { remove, taken } = world(object('2', { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] }));
  await remove(object('1'));
  expect(taken).toEqual([]);
});

test('GarbageWrites rejects with a conflict when the owners of the object changed', async () => {
  const { remove, taken } = world(object('2', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'p', uid: 'p' }] }));
  await expect(remove(object('1'))).rejects.toThrow('changed');
  expect(taken).toEqual([]);
});
