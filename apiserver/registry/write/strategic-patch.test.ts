import { objectOf, refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(async () => {
  const opened = await openWriteFixture();
  await opened.create('configmaps', { metadata: { name: 'a', finalizers: ['x.io/a', 'x.io/b'] }, data: { k: 'v' } });
  return opened;
});

const patch = (body: unknown, options?: Parameters<WriteFixture['patch']>[4]): ReturnType<WriteFixture['patch']> =>
  fixture().patch('configmaps', 'a', 'strategic', body, options);

it('a strategic merge patch stores the patched object', async () => {
  const { object } = await patch({
    kind: 'Whatever',
    apiVersion: 'x/v9',
    metadata: { '$deleteFromPrimitiveList/finalizers': ['x.io/a'], finalizers: ['x.io/c'] },
    data: { k: null, l: 'w' },
  });
  expect(object).toMatchObject({ metadata: { finalizers: ['x.io/c', 'x.io/b'] }, data: { l: 'w' } });
  expect(object).not.toHaveProperty('data.k');
  expect(await fixture().stored('configmaps', 'a')).toEqual(object);
});

it('a strategic merge patch is retried on the current object after a conflict', async () => {
  const transactions = fixture().store.calls.transact;
  await Promise.all([patch({ metadata: { finalizers: ['x.io/c'] } }), patch({ metadata: { finalizers: ['x.io/d'] }, data: { k: null } })]);
  expect(fixture().store.calls.transact - transactions).toBe(3);
  const stored = await fixture().stored('configmaps', 'a');
  expect(stored).toMatchObject({ metadata: { finalizers: expect.arrayContaining(['x.io/a', 'x.io/b', 'x.io/c', 'x.io/d']) } });
  expect(stored).not.toHaveProperty('data');
});

it('a strategic merge patch stores nothing when nothing changes and in a dry run', async () => {
  const before = await fixture().stored('configmaps', 'a');
  const transactions = fixture().store.calls.transact;
  expect((await patch({ data: { k: 'v' } })).object).toEqual(before);
  expect((await patch({ data: { k: 'w' } }, { dryRun: true })).object).toMatchObject({ data: { k: 'w' } });
  expect(fixture().store.calls.transact).toBe(transactions);
  expect(await fixture().stored('configmaps', 'a')).toEqual(before);
});

it('a strategic merge patch is rejected with 409 for a stale resourceVersion or If-Match', async () => {
  const stale = { code: 409, reason: 'Conflict' };
  expect(await refusalStatus(patch({ metadata: { resourceVersion: '1' }, data: { k: 'w' } }))).toMatchObject(stale);
  expect(await refusalStatus(patch({ data: { k: 'w' } }, { ifMatch: '1' }))).toMatchObject(stale);
});

it('a strategic merge patch of the status subresource changes only the status', async () => {
  await fixture().create('pods', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  const ready = { type: 'Ready', status: 'True' };
  await fixture().patch(
    'pods',
    'p',
    'strategic',
    { status: { conditions: [{ type: 'Old', status: 'False' }] } },
    { subresource: 'status' },
  );
  const body = { spec: { nodeName: 'x' }, status: { conditions: [{ type: 'Old', $patch: 'delete' }, ready] } };
  const { object } = await fixture().patch('pods', 'p', 'strategic', body, { subresource: 'status' });
  expect(object).toMatchObject({ status: { conditions: [ready] } });
  expect(object).not.toHaveProperty('spec.nodeName');
});

/** Recorded from release 1.31.1; 500 in the recording is 400 here. */
it.each([
  ['[]', 400, 'BadRequest', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ['1', 400, 'BadRequest', 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
  ['{', 400, 'BadRequest', 'unexpected end of JSON input'],
  ['', 400, 'BadRequest', 'unexpected end of JSON input'],
  ['{"data":{"a":1e400}}', 400, 'BadRequest', 'json: cannot unmarshal number 1e400 into Go value of type float64'],
  ['{"data":{"$retainKeys":"k"}}', 400, 'BadRequest', 'invalid patch format of retainKeys'],
  ['{"data":{"$patch":"foo"}}', 400, undefined, 'unknown patch type: foo in map: map[$patch:foo]'],
  ['{"metadata":{"name":"b"}}', 400, 'BadRequest', 'the name of the object (b) does not match the name on the URL (a)'],
  ['{"data":{"k":1}}', 422, 'Invalid', ' "" is invalid: patch: Invalid value: "map[data:map[k:1]]": cannot convert int64 to string'],
  [
    '{"data":{"k":"a\\"b"},"immutable":1.5}',
    422,
    'Invalid',
    ' "" is invalid: patch: Invalid value: "map[data:map[k:a\\"b] immutable:1.5]": unrecognized type: bool',
  ],
])('the strategic merge patch %j is rejected with %i, reason %s and the upstream message', async (body, code, reason, message) => {
  const rejection = await refusalStatus(patch(body));
  expect(rejection.code).toBe(code);
  expect(rejection.reason).toBe(reason);
  expect(rejection.message).toBe(message);
});

it('a strategic merge patch reports sorted unknown and duplicate fields as fieldValidation requires', async () => {
  const body = '{"foo":1,"data":{"a":"1","a":"2"},"metadata":{"bar":1},"foo":2}';
  const errors = ['duplicate field "data.a"', 'duplicate field "foo"', 'unknown field "foo"', 'unknown field "metadata.bar"'];
  const rejection = await refusalStatus(patch(body, { fieldValidation: 'Strict' }));
  const message = `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${errors.join(', ')}`;
  expect(rejection.code).toBe(400);
  expect(rejection.reason).toBe('BadRequest');
  expect(rejection.message).toBe(message);
  await patch(body, { fieldValidation: 'Ignore' });
  expect(fixture().warnings).toEqual([]);
  const { entry } = await patch(body);
  // Every attempt warns again; the response contains each warning once.
  expect([...new Set(fixture().warnings)]).toEqual(errors);
  expect(objectOf(entry)).toMatchObject({ data: { a: '2', k: 'v' } });
});

it('the strategic merge patch null changes nothing', async () => {
  expect((await patch('null')).object).toEqual(await fixture().stored('configmaps', 'a'));
});
