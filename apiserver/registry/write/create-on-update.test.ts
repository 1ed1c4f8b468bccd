/**
 * An update or apply that creates an object needs the permission to create. Like release 1.31.1, the writer checks it
 * after validation.
 */
import { forbiddenReasonError } from '../../authorization/union';
import { refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';

const REFUSED = { type: 'no-opinion', reason: 'ask your admin' } as const;
const attributes = { kind: 'resource', version: 'v1', subresource: '', namespace: 'ns', name: 'x', verb: 'create' } as const;

/** A fixture in which the user of the requests may not create objects of the resource. */
async function openForbidden(resource: string): Promise<WriteFixture> {
  const fixture = await openWriteFixture();
  const { group } = fixture.resource(resource).row;
  Object.assign(fixture.context, { authorizeCreate: () => forbiddenReasonError({ ...attributes, group, resource }, REFUSED) });
  return fixture;
}

interface Write {
  readonly resource: string;
  readonly run: (fixture: WriteFixture) => Promise<unknown>;
  readonly message: string;
}

const update: Write = {
  resource: 'leases',
  run: (fixture) => fixture.update('leases', 'x', { metadata: { name: 'x' } }),
  message: 'leases.coordination.platform.io "x" is forbidden: ask your admin',
};
const apply: Write = {
  resource: 'configmaps',
  run: (fixture) => fixture.patch('configmaps', 'x', 'apply', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }),
  message: 'configmaps "x" is forbidden: ask your admin',
};

test.each([
  ['an update', update],
  ['an apply', apply],
])('%s of an absent object is rejected with 403 when the user may not create it', async (_title, { resource, run, message }) => {
  const fixture = await openForbidden(resource);
  expect(await refusalStatus(run(fixture))).toMatchObject({ code: 403, reason: 'Forbidden', message });
  expect(await fixture.stored(resource, 'x')).toBeUndefined();
});

test('an apply that would create an invalid object is rejected as invalid before the permission is checked', async () => {
  const fixture = await openForbidden('configmaps');
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', labels: { 'a b': 'c' } } };
  const { message } = await refusalStatus(fixture.patch('configmaps', 'x', 'apply', body));
  expect(message).toContain('is invalid');
  expect(await fixture.stored('configmaps', 'x')).toBeUndefined();
});

test('a create and an apply of an existing object do not check the permission to create', async () => {
  const fixture = await openForbidden('configmaps');
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
  await fixture.create('configmaps', body);
  expect((await fixture.patch('configmaps', 'x', 'apply', { ...body, data: { a: '1' } })).created).toBe(false);
});
