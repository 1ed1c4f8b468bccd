/** An applied configuration that leaves out an item of a keyed list of which another manager owns fields: the item stays, and a refusal of it names the owner. */
import { writeFixture, type Fixture } from '../../../test/support/write-fixture';
import { StatusError, type Status } from '../../../shared/api/errors/status';
import { objectAt, type JsonObject, type JsonValue } from '../../../shared/values/json';

const CONTAINERS = '.spec.template.spec.containers';
const deployment = (...containers: JsonValue[]): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers } } },
});
/** Of another manager, which states nothing but what it adds to a container. */
const addition = (...containers: JsonValue[]): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: { template: { spec: { containers } } },
});
const A = { name: 'a', image: 'i' };
const B = { name: 'b', image: 'i' };
const ENV = { name: 'E', value: '1' };

const applyAs = (fixture: Fixture, fieldManager: string, body: JsonObject): Promise<unknown> =>
  fixture.patch('deployments', 'd', 'apply', body, { fieldManager });

async function refusalOf(work: Promise<unknown>): Promise<Status> {
  try {
    await work;
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('not refused');
}

async function shared(): Promise<Fixture> {
  const fixture = await writeFixture();
  await applyAs(fixture, 'first', deployment(A, B));
  await applyAs(fixture, 'second', addition({ name: 'b', env: [ENV] }));
  return fixture;
}

it('names the other manager and its fields when what is left of an item is refused', async () => {
  const { code, reason, message, details } = await refusalOf(applyAs(await shared(), 'first', deployment(A)));
  expect([code, reason]).toEqual([422, 'Invalid']);
  const owned = [`${CONTAINERS}[name="b"]`, `${CONTAINERS}[name="b"].name`];
  expect(message).toBe(
    'Deployment.apps "d" is invalid: spec.template.spec.containers[1].image: Required value; other managers own fields of what the ' +
      `configuration leaves out: conflicts with "second":\n- ${[
        ...owned,
        ...['', '.name', '.value'].map((field) => `${CONTAINERS}[name="b"].env[name="E"]${field}`),
      ].join('\n- ')}`,
  );
  expect(details?.causes?.slice(0, 3)).toEqual([
    { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.template.spec.containers[1].image' },
    ...owned.map((field) => ({ reason: 'FieldManagerConflict', message: 'conflict with "second"', field })),
  ]);
});

it('stores nothing of a refused configuration', async () => {
  const fixture = await shared();
  const before = await fixture.stored('deployments', 'd');
  await refusalOf(applyAs(fixture, 'first', deployment(A)));
  expect(await fixture.stored('deployments', 'd')).toEqual(before);
});

it('removes the item once the other manager has given it up', async () => {
  const fixture = await shared();
  await applyAs(fixture, 'second', addition());
  await applyAs(fixture, 'first', deployment(A));
  const template = objectAt(objectAt(await fixture.stored('deployments', 'd'), 'spec'), 'template');
  expect(objectAt(template, 'spec')?.['containers']).toMatchObject([{ name: 'a' }]);
});

it('removes the item when only an update has written fields of it', async () => {
  const fixture = await writeFixture();
  await applyAs(fixture, 'first', deployment(A, B));
  await fixture.patch('deployments', 'd', 'strategic', addition({ name: 'b', env: [ENV] }), { fieldManager: 'updater' });
  await applyAs(fixture, 'first', deployment(A));
  const template = objectAt(objectAt(await fixture.stored('deployments', 'd'), 'spec'), 'template');
  expect(objectAt(template, 'spec')?.['containers']).toMatchObject([{ name: 'a' }]);
});

it('keeps the item without an error when what is left of it is complete', async () => {
  const fixture = await shared();
  await applyAs(fixture, 'second', addition(B));
  await applyAs(fixture, 'first', deployment(A));
  const template = objectAt(objectAt(await fixture.stored('deployments', 'd'), 'spec'), 'template');
  expect(objectAt(template, 'spec')?.['containers']).toMatchObject([{ name: 'a' }, { name: 'b', image: 'i' }]);
});

it('names no manager when something else is refused', async () => {
  const { message } = await refusalOf(applyAs(await shared(), 'first', deployment({ name: 'a', image: 'i', imagePullPolicy: 'x' }, B)));
  expect(message).not.toContain('other managers');
});

it('names no manager when an item is incomplete in the configuration itself', async () => {
  const { message } = await refusalOf(applyAs(await shared(), 'first', deployment(A, B, { name: 'c' })));
  expect(message).toBe('Deployment.apps "d" is invalid: spec.template.spec.containers[2].image: Required value');
});
