/** When a volume got its phase, and what of a bound claim may change; every expectation was seen at release 1.31.1. */
import { objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import { writeFixture } from '../../../../test/support/write-fixture';

const timeOf = (volume: JsonObject): string => stringAt(objectAt(volume, 'status'), 'lastPhaseTransitionTime') ?? '';
const STATUS = { subresource: 'status' } as const;

it('remembers when a volume got its phase', async () => {
  const fixture = await writeFixture();
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
  let { object } = await fixture.create('persistentvolumes', { metadata: { name: 'v' }, spec });
  const timeAfter = async (change: JsonObject): Promise<string> => {
    fixture.clock.advance(60_000);
    await fixture.cache.catchUp();
    const { resourceVersion: _, ...metadata } = objectAt(object, 'metadata') ?? {};
    const sent = { ...object, metadata, status: { ...objectAt(object, 'status'), ...change } };
    ({ object } = await fixture.update('persistentvolumes', 'v', sent, STATUS));
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
  ['more of a bound claim', 'Bound', '2Gi', {}, undefined],
  ['less of a bound claim', 'Bound', '1', {}, 'spec.resources.requests.storage'],
  ['more of one that is not', 'Pending', '2Gi', {}, 'spec'],
  ['another resource of a bound claim', 'Bound', '1Gi', { requests: { storage: '1Gi', cpu: '1' } }, 'spec'],
  ['a limit of a bound claim', 'Bound', '1Gi', { limits: { storage: '3Gi' } }, 'spec'],
])('%s', async (_title, phase, storage, more, field) => {
  const fixture = await writeFixture();
  const spec = (amount: string, rest: JsonObject = {}): JsonObject => ({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: amount }, ...rest },
  });
  const { object } = await fixture.create('persistentvolumeclaims', { metadata: { name: 'c' }, spec: spec('1Gi') });
  await fixture.cache.catchUp();
  await fixture.update('persistentvolumeclaims', 'c', { ...object, status: { phase } }, STATUS);
  await fixture.cache.catchUp();
  const changed = fixture.update('persistentvolumeclaims', 'c', {
    metadata: { name: 'c' },
    spec: { ...objectAt(object, 'spec'), ...spec(storage, more) },
  });
  if (field === undefined) await expect(changed).resolves.toBeDefined();
  else await expect(changed).rejects.toMatchObject({ status: { details: { causes: [{ field }] } } });
});
