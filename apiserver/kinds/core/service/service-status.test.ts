/** Tests the conditions of a Service's status, which clients of release 1.31.1 write without a transition time. */
import { openWriteFixture, refusalStatus } from '../../../../test/support/store/write-fixture';
import { arrayAt, objectAt, type JsonObject } from '../../../../shared/values/json';

const CONDITION = { type: 'Synced', status: 'True', reason: 'Done', message: '' };
const WRITTEN_AT = '2026-01-02T03:04:05Z';

async function openService() {
  const fixture = await openWriteFixture();
  await fixture.create('services', { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } });
  await fixture.cache.catchUp();
  const patchConditions = (...conditions: readonly JsonObject[]) =>
    fixture.patch('services', 'a', 'merge', { status: { conditions: [...conditions] } }, { subresource: 'status' });
  const conditionsAfter = async (...conditions: readonly JsonObject[]): Promise<unknown> =>
    arrayAt(objectAt((await patchConditions(...conditions)).object, 'status'), 'conditions');
  return { fixture, patchConditions, conditionsAfter };
}

describe('a condition in the status of a Service', () => {
  it.each([[{ ...CONDITION, lastTransitionTime: null }], [CONDITION]])(
    'gets the time of the write when it has no transition time: %j',
    async (condition) => {
      const { conditionsAfter } = await openService();
      expect(await conditionsAfter(condition)).toEqual([{ ...CONDITION, lastTransitionTime: WRITTEN_AT }]);
    },
  );

  it('keeps its transition time when its reason changes', async () => {
    const { fixture, conditionsAfter } = await openService();
    await conditionsAfter(CONDITION);
    fixture.clock.advance(10_000);
    const renamed = { ...CONDITION, reason: 'Again' };
    expect(await conditionsAfter(renamed)).toEqual([{ ...renamed, lastTransitionTime: WRITTEN_AT }]);
  });

  it('gets another transition time when its status changes', async () => {
    const { fixture, conditionsAfter } = await openService();
    await conditionsAfter(CONDITION);
    fixture.clock.advance(10_000);
    const failed = { ...CONDITION, status: 'False' };
    expect(await conditionsAfter(failed)).toEqual([{ ...failed, lastTransitionTime: '2026-01-02T03:04:15Z' }]);
  });

  it('is refused without a reason', async () => {
    const { patchConditions } = await openService();
    expect(await refusalStatus(patchConditions({ type: 'Synced', status: 'True' }))).toMatchObject({
      code: 422,
      message: 'Service "a" is invalid: status.conditions[0].reason: Required value: must be set',
    });
  });
});
