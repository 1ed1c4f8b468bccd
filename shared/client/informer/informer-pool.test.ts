import { silentLogger } from '../../runtime/logger';
import { fakeClient } from '../../../test/support/controllers/fake-client';
import type { CoreV1ConfigMap } from '../../api/types/generated/members';
import { apiObject, type ApiObject } from '../rest/api-object';
import { metadataOf, resourceOf } from '../rest/resource';
import { InformerPool, type Collection } from './informer-pool';

const resource = resourceOf('core.v1.ConfigMap');
const nameOnly = ({ name }: ApiObject): ApiObject<CoreV1ConfigMap> => apiObject({ metadata: { name } });
const unchanged = (object: ApiObject<CoreV1ConfigMap>): ApiObject<CoreV1ConfigMap> => object;

test('InformerPool returns the same informer for equal options and another one for different options', async () => {
  const { client, clock, random } = fakeClient();
  const ending = new AbortController();
  const pool = new InformerPool({ client, clock, random, logger: silentLogger }, ending.signal);
  const whole = pool.of(resource);
  expect(pool.of({ ...resource })).toBe(whole);
  const collections: readonly Collection<CoreV1ConfigMap>[] = [{ namespace: 'n' }, { trim: nameOnly }, { trim: unchanged }];
  for (const collection of collections) {
    expect(pool.of(resource, collection)).toBe(pool.of(resource, { ...collection }));
    expect(pool.of(resource, collection)).not.toBe(whole);
  }
  expect(pool.of(metadataOf(resource))).toBe(pool.of(metadataOf(resource)));
  expect(pool.of(metadataOf(resource))).not.toBe(whole);
  expect(pool.started).toHaveLength(5);
  ending.abort();
  await pool.ended();
});

test('InformerPool drops managed fields from objects, but not from those of a trim function', async () => {
  const { api, client, clock, random } = fakeClient();
  const ending = new AbortController();
  const pool = new InformerPool({ client, clock, random, logger: silentLogger }, ending.signal);
  api.put('/api/v1/configmaps', {
    metadata: { namespace: 'n', name: 'a', labels: { x: 'y' }, managedFields: [{ manager: 'm' }] },
    data: { k: 'v' },
  });
  const [trimmed, whole] = [pool.of(resource), pool.of(resource, { trim: unchanged })];
  await Promise.all([trimmed.synced, whole.synced]);
  const { metadata, body } = trimmed.get('n', 'a') ?? apiObject<CoreV1ConfigMap>({ metadata: { name: 'missing' } });
  expect(metadata).toMatchObject({ name: 'a', labels: { x: 'y' } });
  expect(metadata).not.toHaveProperty('managedFields');
  expect(body.data).toEqual({ k: 'v' });
  expect(body.metadata).toBe(metadata);
  expect(whole.get('n', 'a')?.metadata.managedFields).toEqual([{ manager: 'm' }]);
  ending.abort();
  await pool.ended();
});
