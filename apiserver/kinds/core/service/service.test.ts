/**
 * Tests `trafficDistribution` of Services while the feature gate ServiceTrafficDistribution is off, against the
 * behaviour of release 1.31.1.
 */
import { refusalStatus, openWriteFixture } from '../../../../test/support/store/write-fixture';
import { objectAt, type JsonObject } from '../../../../shared/values/json';

const GATE = 'ServiceTrafficDistribution';

/** Writes Services while the gate is off; `gates` changes it. */
async function openFixture() {
  const gates = new Map<typeof GATE, boolean>([[GATE, false]]);
  const fixture = await openWriteFixture({ gates });
  /** The stored value after a merge patch of the Service. */
  const patch = async (value: string | null): Promise<unknown> =>
    distribution((await fixture.patch('services', 'a', 'merge', { spec: { trafficDistribution: value } })).object);
  return { gates, fixture, patch };
}

const service = (trafficDistribution: string): JsonObject => ({
  metadata: { name: 'a' },
  spec: { ports: [{ port: 80 }], trafficDistribution },
});
const distribution = (object: JsonObject): unknown => objectAt(object, 'spec')?.['trafficDistribution'];

describe('trafficDistribution while the gate is off', () => {
  it('is dropped from new Services', async () => {
    const { fixture } = await openFixture();
    expect(distribution((await fixture.create('services', service('Foo'))).object)).toBeUndefined();
  });

  it('is dropped from updates of Services without it', async () => {
    const { fixture, patch } = await openFixture();
    await fixture.create('services', service('Foo'));
    await fixture.cache.catchUp();
    expect(await patch('PreferClose')).toBeUndefined();
  });
});

/** Creates a Service with trafficDistribution while the gate is on, and turns it off. */
async function openFixtureWithDistribution() {
  const { gates, fixture, patch } = await openFixture();
  gates.set(GATE, true);
  await fixture.create('services', service('PreferClose'));
  gates.set(GATE, false);
  await fixture.cache.catchUp();
  return { patch };
}

describe('trafficDistribution of a Service that has it, while the gate is off', () => {
  it('is kept', async () => {
    const { patch } = await openFixtureWithDistribution();
    expect(await patch('PreferClose')).toBe('PreferClose');
  });

  it('is validated', async () => {
    const { patch } = await openFixtureWithDistribution();
    expect(await refusalStatus(patch('Foo'))).toMatchObject({
      message: 'Service "a" is invalid: spec.trafficDistribution: Unsupported value: "Foo": supported values: "PreferClose"',
    });
  });

  it('can be removed', async () => {
    const { patch } = await openFixtureWithDistribution();
    expect(await patch(null)).toBeUndefined();
  });
});
