/** Component statuses are shown, not stored; every answer is release 1.31.1's for the component that there is here. */
import { call, json, startFixture, type Fixture } from './fixture';

const PATH = '/api/v1/componentstatuses';
const DEPRECATED = '299 - "v1 ComponentStatus is deprecated in v1.19+"';
const STORE = { metadata: { name: 'etcd-0', creationTimestamp: null }, conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ naming: 'kubernetes' });
});
afterAll(() => fixture.stop());

test('one is shown', async () => {
  const answer = await call(fixture, `${PATH}/etcd-0`);
  expect(answer.text).toBe(`${JSON.stringify({ kind: 'ComponentStatus', apiVersion: 'v1', ...STORE })}\n`);
  expect(answer.headers['warning']).toBe(DEPRECATED);
});

test.each([
  ['', 1],
  ['?labelSelector=a%3Db', 0],
  ['?labelSelector=!a', 1],
  ['?fieldSelector=metadata.name%3Detcd-0', 1],
  ['?fieldSelector=metadata.name!%3Detcd-0', 0],
  ['?fieldSelector=metadata.namespace%3Dx', 0],
  ['?limit=1', 1],
  ['?resourceVersion=abc', 1],
])('a list%s has %i of them', async (query, count) => {
  const answer = await call(fixture, `${PATH}${query}`);
  expect(answer.text).toBe(
    `${JSON.stringify({ kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items: count === 1 ? [STORE] : [] })}\n`,
  );
  expect(answer.headers['warning']).toBe(DEPRECATED);
});

test.each([
  ['?fieldSelector=spec.x%3Dy', '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  ['?fieldSelector=bad', "invalid selector: 'bad'; can't understand 'bad'"],
])('a list%s is refused', async (query, message) => {
  const answer = await call(fixture, `${PATH}${query}`);
  expect(json(answer)).toMatchObject({ message, code: 400 });
});

test('a name that there is not', async () => {
  const answer = await call(fixture, `${PATH}/x`);
  expect(answer.status).toBe(500);
  expect(json(answer)).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Component not found: x',
    code: 500,
  });
  expect(answer.headers['warning']).toBe(DEPRECATED);
});

test('it cannot be watched', async () => {
  const answer = await call(fixture, `${PATH}?watch=1`);
  expect(answer.headers['warning']).toBe(DEPRECATED);
  expect(json(answer)).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'watch is not supported on resources of kind "componentstatuses"',
    reason: 'MethodNotAllowed',
    details: { kind: 'componentstatuses' },
    code: 405,
  });
});

test.each([
  ['GET', '/api/v1/watch/componentstatuses', 404],
  ['GET', `${PATH}/etcd-0/status`, 404],
  ['POST', PATH, 405],
  ['DELETE', PATH, 405],
  ['PUT', `${PATH}/etcd-0`, 405],
  ['PATCH', `${PATH}/etcd-0`, 405],
])('%s %s is %i', async (method, path, status) => {
  expect((await call(fixture, path, { method })).status).toBe(status);
});

test('a table has a row for each', async () => {
  const answer = await call(fixture, PATH, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } });
  expect(json(answer)).toMatchObject({
    metadata: {},
    columnDefinitions: [{ name: 'Name' }, { name: 'Status' }, { name: 'Message' }, { name: 'Error' }],
    rows: [{ cells: ['etcd-0', 'Healthy', 'ok', ''] }],
  });
});
