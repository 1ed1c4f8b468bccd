/**
 * System namespaces under the names of the other dialect: a request for `kube-system` gets `kube-system` in every
 * representation.
 */
import { ALICE, MERGE_PATCH, TABLE, type ApiResponse, type CallOptions } from './api-call';
import { useServer } from './fixture';

const SYSTEM_NAMESPACE = '/api/v1/namespaces/kube-system';
const SYSTEM_CONFIGMAPS = `${SYSTEM_NAMESPACE}/configmaps`;
const STORED_CONFIGMAPS = '/api/v1/namespaces/platform-system/configmaps';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const partial = (kind: string, type = 'application/json'): string => `${type};as=${kind};v=v1;g=meta.k8s.io`;

const api = useServer();
beforeAll(() => createConfigMap('one'));

const createConfigMap = (name: string): Promise<ApiResponse> =>
  api.create(SYSTEM_CONFIGMAPS, { metadata: { name, namespace: 'kube-system' }, data: { a: 'b' } });

async function textOf(path: string, accept?: string): Promise<string> {
  const { text, status } = await api.get(path, accept === undefined ? {} : { accept });
  expect(status).toBe(200);
  return text;
}

it.each([
  ['', 'application/json'],
  ['/one', 'application/json'],
  ['', 'application/yaml'],
  ['/one', 'application/yaml'],
  ['', TABLE],
  ['/one?includeObject=Object', TABLE],
  ['', partial('PartialObjectMetadataList')],
  ['/one', partial('PartialObjectMetadata')],
  ['', partial('PartialObjectMetadataList', PROTOBUF)],
  ['', PROTOBUF],
  ['/one', PROTOBUF],
  ['?watch=1&timeoutSeconds=1', 'application/json'],
  ['?watch=1&timeoutSeconds=1', PROTOBUF],
  ['?watch=1&timeoutSeconds=1', TABLE],
])('GET …/kube-system/configmaps%s as %s spells the namespace as the path does', async (rest, accept) => {
  const [text, stored] = await Promise.all([textOf(SYSTEM_CONFIGMAPS + rest, accept), textOf(STORED_CONFIGMAPS + rest, accept)]);
  expect([text.includes('kube-system'), text.includes('platform-system')]).toEqual([true, false]);
  expect([stored.includes('kube-system'), stored.includes('platform-system')]).toEqual([false, true]);
});

it('responses to writes have the spelling of the path, and the store has one spelling', async () => {
  const created = await createConfigMap('two');
  const withData = (a: string, namespace = 'kube-system'): object => ({ metadata: { namespace }, data: { a } });
  expect(created.json).toMatchObject(withData('b'));
  expect((await api.put(`${SYSTEM_CONFIGMAPS}/two`, created.text.replace('"b"', '"c"'))).json).toMatchObject(withData('c'));
  expect((await api.mergePatch(`${SYSTEM_CONFIGMAPS}/two`, withData('d'))).json).toMatchObject(withData('d'));
  const everywhere = await api.read('/api/v1/configmaps?fieldSelector=metadata.name%3Dtwo');
  expect(everywhere).toMatchObject({ items: [withData('d', 'platform-system')] });
  expect((await api.delete(`${SYSTEM_CONFIGMAPS}?fieldSelector=metadata.name%3Dtwo`)).json).toMatchObject({
    kind: 'Status',
    status: 'Success',
  });
  expect((await api.get(`${SYSTEM_CONFIGMAPS}/two`)).status).toBe(404);
});

it('a Namespace has the name that it was asked for', async () => {
  const named = (name: string): object => ({ metadata: { name } });
  const systemNamespace = await api.get(SYSTEM_NAMESPACE);
  expect(systemNamespace.json).toMatchObject(named('kube-system'));
  expect((await api.put(SYSTEM_NAMESPACE, systemNamespace.text)).json).toMatchObject(named('kube-system'));
  const list = await api.read('/api/v1/namespaces?fieldSelector=metadata.name%3Dkube-system');
  expect(list).toMatchObject({ items: [named('kube-system')] });
  expect(await textOf(SYSTEM_NAMESPACE, TABLE)).toContain('"cells":["kube-system","Active"');
  expect(await api.read('/api/v1/namespaces/platform-system')).toMatchObject(named('platform-system'));
  expect(await textOf('/api/v1/namespaces')).not.toContain('kube-system');
});

it.each(['kube-system', 'platform-system'])('the system namespace cannot be created again as %s', async (name) => {
  const message = `namespaces "${name}" already exists`;
  const response = await api.post('/api/v1/namespaces', { metadata: { name } });
  expect(response.json).toMatchObject({ code: 409, reason: 'AlreadyExists', message, details: { name, kind: 'namespaces' } });
});

const patch = (body: object): CallOptions => ({ method: 'PATCH', body, type: MERGE_PATCH });
const CREATION = { method: 'POST', body: { metadata: { name: 'x', namespace: 'default' } } };
const MISMATCH = 'the namespace of the provided object does not match the namespace sent on the request';

it.each<[string, string, CallOptions, string]>([
  ['a forbidden list', SYSTEM_CONFIGMAPS, { token: ALICE }, 'in API group \\"\\" in the namespace \\"kube-system\\"'],
  ['a forbidden namespace', SYSTEM_NAMESPACE, { token: ALICE }, 'namespaces \\"kube-system\\" is forbidden'],
  [
    'a protected namespace',
    SYSTEM_NAMESPACE,
    { method: 'DELETE' },
    'namespaces \\"kube-system\\" is forbidden: this namespace may not be deleted',
  ],
  ['an invalid patched object', `${SYSTEM_CONFIGMAPS}/one`, patch({ data: { a: 1 } }), 'kube-system'],
  ['an object of another namespace', SYSTEM_CONFIGMAPS, CREATION, MISMATCH],
  ['a conflict', SYSTEM_NAMESPACE, patch({ metadata: { resourceVersion: '1' } }), 'namespaces \\"kube-system\\"'],
])('the error for %s spells the namespace as the request does', async (_title, path, options, words) => {
  const { status, text } = await api.call(path, options);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(text).toContain(words);
  expect(text).not.toContain('platform-system');
});

it('a name that only starts with that of the system namespace is unchanged', async () => {
  expect((await api.get(`${SYSTEM_CONFIGMAPS}/platform-system.x`)).text).toContain('platform-system.x');
});
