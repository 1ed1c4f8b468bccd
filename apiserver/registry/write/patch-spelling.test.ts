/** Patches apply to the object as the client sees it, with group names in the client's dialect. */
import { refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { groupInDialect, type Dialect } from '../../../shared/names/dialect';
import { useForEachTest } from '../../../test/support/use-resource';

const GROUP = 'rbac.authorization.platform.io';
const PATCHED = { platform: [GROUP, 'platform'], kubernetes: [groupInDialect('kubernetes', GROUP), 'kubernetes'] } as const;

const fixture = useForEachTest(async () => {
  const opened = await openWriteFixture();
  await opened.create('rolebindings', {
    metadata: { name: 'b', ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid: 'u' }] },
    roleRef: { apiGroup: GROUP, kind: 'Role', name: 'r' },
    subjects: [{ kind: 'User', name: 'one' }],
  });
  return opened;
});

const patch = (type: 'json' | 'merge', body: unknown, dialect: Dialect): ReturnType<WriteFixture['patch']> =>
  fixture().patch('rolebindings', 'b', type, body, { dialect });

it.each(Object.values(PATCHED))(
  'a JSON patch sees the group %s in the dialect %s, and the object is stored in one spelling',
  async (group, dialect) => {
    const { object } = await patch(
      'json',
      [
        { op: 'test', path: '/apiVersion', value: `${group}/v1` },
        { op: 'test', path: '/roleRef', value: { apiGroup: group, kind: 'Role', name: 'r' } },
        { op: 'test', path: '/subjects/0/apiGroup', value: group },
        { op: 'copy', from: '/subjects/0', path: '/subjects/-' },
        { op: 'replace', path: '/subjects/1/name', value: 'two' },
      ],
      dialect,
    );
    expect(object).toMatchObject({
      roleRef: { apiGroup: GROUP },
      subjects: [
        { apiGroup: GROUP, kind: 'User', name: 'one' },
        { apiGroup: GROUP, kind: 'User', name: 'two' },
      ],
    });
    expect(await fixture().stored('rolebindings', 'b')).toEqual(object);
  },
);

it('the test operation of a JSON patch fails on the spelling of the other dialect', async () => {
  const test = [{ op: 'test', path: '/roleRef/apiGroup', value: GROUP }];
  expect(await refusalStatus(patch('json', test, 'kubernetes'))).toMatchObject({ code: 422 });
});

it.each(Object.values(PATCHED))('the error of a patch with a wrong type shows the group %s in the dialect %s', async (group, dialect) => {
  const { message } = await refusalStatus(patch('merge', { subjects: 1 }, dialect));
  // The message quotes the object, so the quotation marks in it are escaped.
  expect(message).toContain(`\\"apiVersion\\":\\"${group}/v1\\"`);
  expect(message).toContain(`\\"apiGroup\\":\\"${group}\\"`);
});
