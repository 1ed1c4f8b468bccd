/** Tests the phase transition time of volumes and updates of claims, against the behaviour of release 1.31.1. */
import { objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import { openWriteFixture } from '../../../../test/support/store/write-fixture';

const timeOf = (volume: JsonObject): string => stringAt(objectAt(volume, 'status'), 'lastPhaseTransitionTime') ?? '';
const STATUS = { subresource: 'status' } as const;

it('a status update of a PersistentVolume sets lastPhaseTransitionTime when the phase changes', async () => {
  const fixture = await openWriteFixture();
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
  let { object } = await fixture.create('persistentvolumes', { metadata: { name: 'v' }, spec });
  /** The transition time after a change of the status, one minute after the previous one. */
  const timeAfter = async (change: JsonObject): Promise<string> => {
    fixture.clock.advance(60_000);
    await fixture.cache.catchUp();
    const { resourceVersion: _, ...metadata } = objectAt(object, 'metadata') ?? {};
    const body = { ...object, metadata, status: { ...objectAt(object, 'status'), ...change } };
    ({ object } = await fixture.update('persistentvolumes', 'v', body, STATUS));
    return timeOf(object);
  };
  const created = timeOf(object);
  expect(await timeAfter({ message: 'a' })).toBe(created);
  expect(await timeAfter({ lastPhaseTransitionTime: null })).toBe(created);
  expect(await timeAfter({ lastPhaseTransitionTime: '2020-01-01T00:00:00Z' })).toBe('2020-01-01T00:00:00Z');
  const available = await timeAfter({ phase: 'Available' });
  expect(Date.parse(available)).toBeGreaterThan(Date.parse(created));
  expect(await timeAfter({ phase: 'Bound', lastPhaseTransitionTime: '2021-01-01T00:00:00Z' })).toBe('2021-01-01T00:00:00Z');
  expect(Date.parse(await timeAfter({ phase: 'Released', lastPhaseTransitionTime: null }))).toBeGreaterThan(Date.parse(available));
});

it.each<[string, string, string, JsonObject, string | undefined]>([
  ['accepts an increase of the storage request when the claim is bound', 'Bound', '2Gi', {}, undefined],
  ['rejects a decrease of the storage request when the claim is bound', 'Bound', '1', {}, 'spec.resources.requests.storage'],
  ['rejects an increase of the storage request when the claim is pending', 'Pending', '2Gi', {}, 'spec'],
  ['rejects a request for another resource when the claim is bound', 'Bound', '1Gi', { requests: { storage: '1Gi', cpu: '1' } }, 'spec'],
  ['rejects a change of the limits when the claim is bound', 'Bound', '1Gi', { limits: { storage: '3Gi' } }, 'spec'],
])('an update of a PersistentVolumeClaim %s', async (_title, phase, storage, resources, field) => {
  const fixture = await openWriteFixture();
  const spec = (amount: string, resources: JsonObject = {}): JsonObject => ({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: amount }, ...resources },
  });
  const { object } = await fixture.create('persistentvolumeclaims', { metadata: { name: 'c' }, spec: spec('1Gi') });
  await fixture.cache.catchUp();
  await fixture.update('persistentvolumeclaims', 'c', { ...object, status: { phase } }, STATUS);
  await fixture.cache.catchUp();
  const changed = fixture.update('persistentvolumeclaims', 'c', {
    metadata: { name: 'c' },
    spec: { ...objectAt(object, 'spec'), ...spec(storage, resources) },
  });
  if (field === undefined) await expect(changed).resolves.toBeDefined();
  else await expect(changed).rejects.toMatchObject({ status: { details: { causes: [{ field }] } } });
});
