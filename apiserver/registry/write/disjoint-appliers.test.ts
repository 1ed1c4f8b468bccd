/**
 * Two controllers that apply different fields of one object at the same time lose none, in any order of their writes.
 */
import { objectAt, type JsonObject } from '../../../shared/values/json';
import { ensureMetadata } from '../../../shared/api/metadata/object-meta';
import { objectOf, openWriteFixture } from '../../../test/support/store/write-fixture';

const ROUNDS = 150;
/** Names of the changing field of a controller, used in turn. */
const FIELD_NAMES = 7;
const KEY = { namespace: 'ns', name: 'shared' };

test('two concurrent appliers of different fields lose none', async () => {
  const { writer, context, resource, stored } = await openWriteFixture();
  async function controller(manager: string): Promise<void> {
    for (let round = 1; round <= ROUNDS; round += 1) {
      // One field that stays, and one that changes its name and must be removed again.
      const data: JsonObject = { [`${manager}-count`]: String(round), [`${manager}-${round % FIELD_NAMES}`]: String(round) };
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data };
      const options = { dryRun: false, fieldValidation: 'Warn', fieldManager: manager } as const;
      const patch = { type: 'apply', bytes: Buffer.from(JSON.stringify(body)), dialect: 'platform' } as const;
      const { entry } = await writer.patch(context, resource('configmaps'), KEY, undefined, patch, options);
      const ownData = Object.entries(objectAt(objectOf(entry), 'data') ?? {}).filter(([name]) => name.startsWith(`${manager}-`));
      expect(Object.fromEntries(ownData)).toEqual(data);
    }
  }
  await Promise.all([controller('a'), controller('b')]);
  const object = (await stored('configmaps', 'shared')) ?? {};
  const last = String(ROUNDS);
  const slot = ROUNDS % FIELD_NAMES;
  expect(object['data']).toEqual({ 'a-count': last, [`a-${slot}`]: last, 'b-count': last, [`b-${slot}`]: last });
  expect(ensureMetadata(object)['managedFields']).toMatchObject([
    { manager: 'a', fieldsV1: { 'f:data': { 'f:a-count': {}, [`f:a-${slot}`]: {} } } },
    { manager: 'b', fieldsV1: { 'f:data': { 'f:b-count': {}, [`f:b-${slot}`]: {} } } },
  ]);
});
