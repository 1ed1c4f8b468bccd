import { silentLogger } from '../../runtime/logger';
import { fakeClient } from '../../../test/support/fake-client';
import { apiObject, type ApiObject } from '../rest/api-object';
import { InformerPool } from './informer-pool';
import { knownResource } from '../rest/resource';

const resource = knownResource('configmaps');
const nameOnly = ({ name }: ApiObject): ApiObject => apiObject({ metadata: { name } });
const nothing = (object: ApiObject): ApiObject => object;

test('InformerPool returns the same informer for equal options and another one for different options', async () => {
  const { client, clock, random } = fakeClient();
  const ending = new AbortController();
  const pool = new InformerPool({ client, clock, random, logger: silentLogger }, ending.signal);
  const whole = pool.of({ resource });
  expect(pool.of({ resource })).toBe(whole);
  for (const other of [
    { resource, namespace: 'n' },
    { resource, metadataOnly: true },
    { resource, trim: nameOnly },
    { resource, trim: nothing },
  ]) {
    expect(pool.of(other)).toBe(pool.of({ ...other }));
    expect(pool.of(other)).not.toBe(whole);
  }
  expect(pool.all).toHaveLength(5);
  ending.abort();
  await pool.ended();
});
