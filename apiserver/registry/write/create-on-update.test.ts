/**
 * An update or apply that creates an object needs the permission to create. Like release 1.31.1, the writer checks it
 * after validation.
 */
import { forbiddenReasonError } from '../../authorization/union';
import { refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';

const REFUSED = { type: 'no-opinion', reason: 'ask your admin' } as const;
const attributes = { kind: 'resource', version: 'v1', subresource: '', namespace: 'ns', name: 'x', verb: 'create' } as const;

interface Refusal {
  readonly code: number;
  readonly message: string;
}

const forbidden = (resource: string): Refusal => ({ code: 403, message: `${resource} "x" is forbidden: ask your admin` });

/** The user of the requests may not create objects of the resource. */
async function openForbidden(resource: string): Promise<WriteFixture> {
  const fixture = await openWriteFixture();
  const { group } = fixture.resource(resource).row;
  Object.assign(fixture.context, { authorizeCreate: () => forbiddenReasonError({ ...attributes, group, resource }, REFUSED) });
  return fixture;
}

test.each([
  ['an update', forbidden('leases.coordination.platform.io'), 'leases', {}],
  ['an apply', forbidden('configmaps'), 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap' }],
])('%s of an absent object is rejected with 403 when the user may not create it', async (_write, expected, resource, typeMeta) => {
  const fixture = await openForbidden(resource);
  const body = { ...typeMeta, metadata: { name: 'x' } };
  const write = resource === 'leases' ? fixture.update(resource, 'x', body) : fixture.patch(resource, 'x', 'apply', body);
  expect(await refusalStatus(write)).toMatchObject({ ...expected, reason: 'Forbidden' });
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
