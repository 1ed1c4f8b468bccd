import { apiObject } from '../../shared/client/rest/api-object';
import type { MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { resourceOf, type PartialObjectMetadata } from '../../shared/client/rest/resource';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { jsonResponse, statusResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { GarbageWriter } from './garbage-writer';
import type { MetadataObject } from './owner-references';

const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
const object = (resourceVersion: string, metadata: MetaV1ObjectMeta = {}): MetadataObject =>
  apiObject<PartialObjectMetadata>({ metadata: { namespace: 'a', name: 'o', uid: 'u', resourceVersion, ...metadata } });

/** A server with this object. `deletions`: the requests that it accepts, as resourceVersion and policy. */
function setUp(stored: MetadataObject) {
  const deletions: string[] = [];
  const { api, client } = fakeClient();
  api.intercept = ({ method, body }) => {
    if (method === 'GET') return jsonResponse(200, stored.body);
    const options = JSON.parse(body?.toString() ?? '{}') as JsonObject;
    const resourceVersion = stringAt(objectAt(options, 'preconditions'), 'resourceVersion');
    if (method !== 'DELETE' || resourceVersion !== stored.resourceVersion) return statusResponse(409, 'Conflict');
    deletions.push(`${resourceVersion} ${stringAt(options, 'propagationPolicy') ?? ''}`);
    return jsonResponse(200, stored.body);
  };
  const writer = new GarbageWriter(client, new AbortController().signal);
  const deleteObject = (observed: MetadataObject): Promise<void> =>
    writer.delete({ uid: 'u', resource: CONFIG_MAPS, object: observed }, 'Background');
  return { deleteObject, deletions };
}

test('GarbageWriter deletes an object at its new resourceVersion when only labels changed', async () => {
  const { deleteObject, deletions } = setUp(object('2', { labels: { a: 'b' } }));
  await deleteObject(object('1'));
  expect(deletions).toEqual(['2 Background']);
});

test('GarbageWriter repeats no delete that conflicts when the object is being deleted already', async () => {
  const { deleteObject, deletions } = setUp(object('2', { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] }));
  await deleteObject(object('1'));
  expect(deletions).toEqual([]);
});

test('GarbageWriter rejects with a conflict when the owners of the object changed', async () => {
  const { deleteObject, deletions } = setUp(
    object('2', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'p', uid: 'p' }] }),
  );
  await expect(deleteObject(object('1'))).rejects.toMatchObject({ reason: 'Conflict' });
  expect(deletions).toEqual([]);
});
