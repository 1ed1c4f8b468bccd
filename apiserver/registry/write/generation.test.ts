/** Changes of built-in objects that increment the generation. Recorded requests cover custom objects. */
import { openWriteFixture } from '../../../test/support/store/write-fixture';
import { objectAt, type JsonObject } from '../../../shared/values/json';

const spec = (container: JsonObject = {}): JsonObject => ({
  selector: { matchLabels: { a: 'b' } },
  template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i', ...container }] } },
});

it.each<[string, JsonObject, number]>([
  ['the same value', {}, 1],
  ['an empty list', { env: [] }, 1],
  ['a null', { env: null }, 1],
  ['a list item', { env: [{ name: 'A' }] }, 2],
  ['a changed value', { image: 'j' }, 2],
])('an update with %s in the spec (%j) leads to generation %i', async (_, container, generation) => {
  const fixture = await openWriteFixture();
  await fixture.create('deployments', { metadata: { name: 'd' }, spec: spec() });
  const { object } = await fixture.patch('deployments', 'd', 'merge', { spec: spec(container) });
  expect(objectAt(object, 'metadata')).toMatchObject({ generation });
});

it('an update with an empty list that is stored as null keeps the generation', async () => {
  const fixture = await openWriteFixture();
  const empty = { ...spec(), serviceName: 's', template: { metadata: { labels: { a: 'b' } }, spec: { containers: [] } } };
  await fixture.create('statefulsets', { metadata: { name: 's' }, spec: empty });
  const { object } = await fixture.patch('statefulsets', 's', 'merge', { spec: { template: { spec: { containers: [] } } } });
  expect(objectAt(object, 'metadata')).toMatchObject({ generation: 1 });
});
