/**
 * Tests `trafficDistribution` of Services while the feature gate ServiceTrafficDistribution is off, against the
 * behaviour of release 1.31.1.
 */
import { refusalStatus, openWriteFixture, type WriteFixture } from '../../../../test/support/store/write-fixture';
import { objectAt, type JsonObject } from '../../../../shared/values/json';

const gates = new Map<'ServiceTrafficDistribution', boolean>();
const off = (): Map<'ServiceTrafficDistribution', boolean> => gates.set('ServiceTrafficDistribution', false);
const on = (): Map<'ServiceTrafficDistribution', boolean> => gates.set('ServiceTrafficDistribution', true);

let fixture: WriteFixture;
beforeEach(async () => {
  off();
  fixture = await openWriteFixture({ gates });
});

const service = (trafficDistribution: string): JsonObject => ({
  metadata: { name: 'a' },
  spec: { ports: [{ port: 80 }], trafficDistribution },
});
const distribution = (object: JsonObject): unknown => objectAt(object, 'spec')?.['trafficDistribution'];
const patch = async (value: string | null): Promise<unknown> =>
  distribution((await fixture.patch('services', 'a', 'merge', { spec: { trafficDistribution: value } })).object);

it('trafficDistribution is dropped while the gate is off, from new Services and from updates of Services without it', async () => {
  expect(distribution((await fixture.create('services', service('Foo'))).object)).toBeUndefined();
  await fixture.cache.catchUp();
  expect(await patch('PreferClose')).toBeUndefined();
});

it('trafficDistribution is kept and validated while the gate is off in Services that have it, and can be removed', async () => {
  on();
  await fixture.create('services', service('PreferClose'));
  off();
  await fixture.cache.catchUp();
  expect(await patch('PreferClose')).toBe('PreferClose');
  expect(await refusalStatus(patch('Foo'))).toMatchObject({
    message: 'Service "a" is invalid: spec.trafficDistribution: Unsupported value: "Foo": supported values: "PreferClose"',
  });
  expect(await patch(null)).toBeUndefined();
});
