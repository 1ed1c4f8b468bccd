/** Tests the phase transition time of PersistentVolumes, against the behaviour of release 1.31.1. */
import { objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import { openWriteFixture } from '../../../../test/support/store/write-fixture';

const timeOf = (volume: JsonObject): string => stringAt(objectAt(volume, 'status'), 'lastPhaseTransitionTime') ?? '';

/** Creates a PersistentVolume in phase Pending. */
async function openVolume() {
  const fixture = await openWriteFixture();
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
  const { object } = await fixture.create('persistentvolumes', { metadata: { name: 'v' }, spec });
  /** The transition time after a change of the status, one minute after the creation. */
  const timeAfter = async (change: JsonObject): Promise<string> => {
    fixture.clock.advance(60_000);
    await fixture.cache.catchUp();
    const body = { ...object, status: { ...objectAt(object, 'status'), ...change } };
    const updated = await fixture.update('persistentvolumes', 'v', body, { subresource: 'status' });
    return timeOf(updated.object);
  };
  return { created: timeOf(object), timeAfter };
}

describe('lastPhaseTransitionTime after a status update of a PersistentVolume', () => {
  it.each([
    ['another member changes', { message: 'a' }],
    ['the client removes the time', { lastPhaseTransitionTime: null }],
  ])('is unchanged when %s and the phase stays the same', async (_title, change) => {
    const { created, timeAfter } = await openVolume();
    expect(await timeAfter(change)).toBe(created);
  });

  it.each([
    ['stays the same', {}],
    ['changes', { phase: 'Bound' }],
  ])('is the time that the client sets when the phase %s', async (_title, change) => {
    const { timeAfter } = await openVolume();
    const lastPhaseTransitionTime = '2021-01-01T00:00:00Z';
    expect(await timeAfter({ ...change, lastPhaseTransitionTime })).toBe(lastPhaseTransitionTime);
  });

  it.each([
    ['leaves the time as it is', {}],
    ['removes the time', { lastPhaseTransitionTime: null }],
  ])('is the time of the update when the phase changes and the client %s', async (_title, change) => {
    const { created, timeAfter } = await openVolume();
    const updated = await timeAfter({ phase: 'Available', ...change });
    expect(Date.parse(updated) - Date.parse(created)).toBe(60_000);
  });
});
