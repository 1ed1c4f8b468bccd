/**
 * ComponentStatuses are computed, not stored; the expected responses are those of release 1.31.1 for the one component
 * of this server.
 */
import { TABLE } from './api-call';
import { useServer } from './fixture';

const PATH = '/api/v1/componentstatuses';
const ETCD_STATUS = {
  metadata: { name: 'etcd-0', creationTimestamp: null },
  conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
};
/** The members in the order of upstream: `more` is before the code. Responses are compared as texts. */
const failureStatus = (code: number, message: string, more: object = {}): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  ...more,
  code,
});
const NOT_WATCHED = { reason: 'MethodNotAllowed', details: { kind: 'componentstatuses' } };
const componentList = (...items: readonly object[]): object => ({ kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items });

const api = useServer({ naming: 'kubernetes' });

test.each<[path: string, body: object, code?: number]>([
  ['/etcd-0', { kind: 'ComponentStatus', apiVersion: 'v1', ...ETCD_STATUS }],
  ['', componentList(ETCD_STATUS)],
  ['?labelSelector=a%3Db', componentList()],
  ['?labelSelector=!a', componentList(ETCD_STATUS)],
  ['?fieldSelector=metadata.name%3Detcd-0', componentList(ETCD_STATUS)],
  ['?fieldSelector=metadata.name!%3Detcd-0', componentList()],
  ['?fieldSelector=metadata.namespace%3Dx', componentList()],
  ['?limit=1', componentList(ETCD_STATUS)],
  ['?resourceVersion=abc', componentList(ETCD_STATUS)],
  ['/x', failureStatus(500, 'Component not found: x'), 500],
  ['?watch=1', failureStatus(405, 'watch is not supported on resources of kind "componentstatuses"', NOT_WATCHED), 405],
])('GET componentstatuses%s returns %j and warns of the deprecation', async (path, body, code = 200) => {
  const response = await api.get(`${PATH}${path}`);
  expect(response.status).toBe(code);
  expect(response.text).toBe(`${JSON.stringify(body)}\n`);
  expect(response.warnings).toEqual(['v1 ComponentStatus is deprecated in v1.19+']);
});

test.each([
  ['spec.x%3Dy', '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  ['bad', "invalid selector: 'bad'; can't understand 'bad'"],
])('the field selector %s is rejected', async (selector, message) => {
  expect((await api.get(`${PATH}?fieldSelector=${selector}`)).refusal).toEqual([400, message]);
});

test.each([
  ['GET', '/api/v1/watch/componentstatuses', 404],
  ['GET', `${PATH}/etcd-0/status`, 404],
  ['POST', PATH, 405],
  ['DELETE', PATH, 405],
  ['PUT', `${PATH}/etcd-0`, 405],
  ['PATCH', `${PATH}/etcd-0`, 405],
])('%s %s is rejected with %i', async (method, path, status) => {
  expect((await api.call(path, { method })).status).toBe(status);
});

test('a Table has a row for each component', async () => {
  expect(await api.read(PATH, { accept: TABLE })).toMatchObject({
    metadata: {},
    columnDefinitions: [{ name: 'Name' }, { name: 'Status' }, { name: 'Message' }, { name: 'Error' }],
    rows: [{ cells: ['etcd-0', 'Healthy', 'ok', ''] }],
  });
});
