/**
 * An apply that omits an item of a keyed list in which another manager owns fields: the item stays, and a validation
 * error in it names the owner.
 */
import { refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { objectAt, type JsonObject, type JsonValue } from '../../../shared/values/json';

const deployment = (...containers: JsonValue[]): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers } } },
});
/** The configuration of a second manager: only the fields that it adds to a container. */
const addition = (...containers: JsonValue[]): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: { template: { spec: { containers } } },
});
const A = { name: 'a', image: 'i' };
const B = { name: 'b', image: 'i' };
const ENV = { name: 'E', value: '1' };

const applyAs = (fixture: WriteFixture, fieldManager: string, body: JsonObject): Promise<unknown> =>
  fixture.patch('deployments', 'd', 'apply', body, { fieldManager });

async function sharedDeployment(): Promise<WriteFixture> {
  const fixture = await openWriteFixture();
  await applyAs(fixture, 'first', deployment(A, B));
  await applyAs(fixture, 'second', addition({ name: 'b', env: [ENV] }));
  return fixture;
}

it('apply names the other manager and its fields when the rest of an omitted item is invalid', async () => {
  const { code, reason, message, details } = await refusalStatus(applyAs(await sharedDeployment(), 'first', deployment(A)));
  expect(code).toBe(422);
  expect(reason).toBe('Invalid');
  expect(message?.split('\n')).toEqual([
    'Deployment.apps "d" is invalid: spec.template.spec.containers[1].image: Required value; ' +
      'other managers own fields that the configuration omits: conflicts with "second":',
    '- .spec.template.spec.containers[name="b"]',
    '- .spec.template.spec.containers[name="b"].name',
    '- .spec.template.spec.containers[name="b"].env[name="E"]',
    '- .spec.template.spec.containers[name="b"].env[name="E"].name',
    '- .spec.template.spec.containers[name="b"].env[name="E"].value',
  ]);
  const conflict = { reason: 'FieldManagerConflict', message: 'conflict with "second"' };
  expect(details?.causes?.slice(0, 3)).toEqual([
    { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.template.spec.containers[1].image' },
    { ...conflict, field: '.spec.template.spec.containers[name="b"]' },
    { ...conflict, field: '.spec.template.spec.containers[name="b"].name' },
  ]);
});

it('apply stores nothing of a rejected configuration', async () => {
  const fixture = await sharedDeployment();
  const before = await fixture.stored('deployments', 'd');
  await refusalStatus(applyAs(fixture, 'first', deployment(A)));
  expect(await fixture.stored('deployments', 'd')).toEqual(before);
});

it('apply removes an omitted item after the other manager gave up its fields', async () => {
  const fixture = await sharedDeployment();
  await applyAs(fixture, 'second', addition());
  await applyAs(fixture, 'first', deployment(A));
  const template = objectAt(objectAt(await fixture.stored('deployments', 'd'), 'spec'), 'template');
  expect(objectAt(template, 'spec')?.['containers']).toMatchObject([{ name: 'a' }]);
});

it('apply removes an omitted item in which the other manager owns fields by Update only', async () => {
  const fixture = await openWriteFixture();
  await applyAs(fixture, 'first', deployment(A, B));
  await fixture.patch('deployments', 'd', 'strategic', addition({ name: 'b', env: [ENV] }), { fieldManager: 'updater' });
  await applyAs(fixture, 'first', deployment(A));
  const template = objectAt(objectAt(await fixture.stored('deployments', 'd'), 'spec'), 'template');
  expect(objectAt(template, 'spec')?.['containers']).toMatchObject([{ name: 'a' }]);
});

it('apply keeps an omitted item that is valid with the fields of the other manager', async () => {
  const fixture = await sharedDeployment();
  await applyAs(fixture, 'second', addition(B));
  await applyAs(fixture, 'first', deployment(A));
  const template = objectAt(objectAt(await fixture.stored('deployments', 'd'), 'spec'), 'template');
  expect(objectAt(template, 'spec')?.['containers']).toMatchObject([{ name: 'a' }, { name: 'b', image: 'i' }]);
});

it('apply names no other manager when an unrelated field is invalid', async () => {
  const { message } = await refusalStatus(
    applyAs(await sharedDeployment(), 'first', deployment({ name: 'a', image: 'i', imagePullPolicy: 'x' }, B)),
  );
  expect(message).not.toContain('other managers');
});

it('apply names no other manager when the configuration itself has an incomplete item', async () => {
  const { message } = await refusalStatus(applyAs(await sharedDeployment(), 'first', deployment(A, B, { name: 'c' })));
  expect(message).toBe('Deployment.apps "d" is invalid: spec.template.spec.containers[2].image: Required value');
});
