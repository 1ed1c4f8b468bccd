/**
 * An update or apply that creates an object needs the permission to create. Like release 1.31.1, the writer checks it
 * after validation.
 */
import { forbiddenReasonError } from '../../authorization/union';
import { refusalStatus, openWriteFixture } from '../../../test/support/store/write-fixture';

const OPTIONS = { dryRun: false, fieldValidation: 'Warn', fieldManager: 'm' } as const;
const REFUSED = { type: 'no-opinion', reason: 'ask your admin' } as const;
const attributes = { kind: 'resource', version: 'v1', subresource: '', namespace: 'ns', name: 'x', verb: 'create' } as const;

test.each([
  ['configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }, ''],
  ['configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', labels: { 'a b': 'c' } } }, 'is invalid'],
  ['leases', { metadata: { name: 'x' } }, ''],
])('an update or apply of absent %s is rejected when the user may not create it (case %#)', async (resource, body, invalid) => {
  const { writer, context, resource: find, stored } = await openWriteFixture();
  const { group } = find(resource).row;
  const requestContext = { ...context, authorizeCreate: () => forbiddenReasonError({ ...attributes, group, resource }, REFUSED) };
  const key = { namespace: 'ns', name: 'x' };
  const rejection = await refusalStatus(
    resource === 'leases'
      ? writer.update(requestContext, find(resource), key, undefined, { value: body, duplicates: [], format: 'json' }, OPTIONS)
      : writer.patch(
          requestContext,
          find(resource),
          key,
          undefined,
          { type: 'apply', bytes: Buffer.from(JSON.stringify(body)), dialect: 'platform' },
          OPTIONS,
        ),
  );
  if (invalid === '') {
    const shown = group === '' ? resource : `${resource}.${group}`;
    expect(rejection).toMatchObject({ code: 403, reason: 'Forbidden', message: `${shown} "x" is forbidden: ask your admin` });
  } else expect(rejection.message).toContain(invalid);
  expect(await stored(resource, 'x')).toBeUndefined();
});

test('a create and an apply of an existing object do not check the permission to create', async () => {
  const { writer, context, resource: find } = await openWriteFixture();
  const requestContext = {
    ...context,
    authorizeCreate: () => forbiddenReasonError({ ...attributes, group: '', resource: 'configmaps' }, REFUSED),
  };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
  await writer.create(requestContext, find('configmaps'), 'ns', { value: body, duplicates: [], format: 'json' }, OPTIONS);
  const bytes = Buffer.from(JSON.stringify({ ...body, data: { a: '1' } }));
  const { created } = await writer.patch(
    requestContext,
    find('configmaps'),
    { namespace: 'ns', name: 'x' },
    undefined,
    { type: 'apply', bytes, dialect: 'platform' },
    OPTIONS,
  );
  expect(created).toBe(false);
});
