/** The system namespaces under the other dialect's names: whoever asks for `kube-system` sees `kube-system` in every form of answer. */
import { ALICE, call, json, startFixture, type Answer, type Call, type Fixture } from './fixture';

const BASE = '/api/v1/namespaces/kube-system/configmaps';
const STORED = '/api/v1/namespaces/platform-system/configmaps';
const META = 'v=v1;g=meta.k8s.io';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
  await expect(post('one')).resolves.toMatchObject({ status: 201 });
});
afterAll(() => fixture.stop());

function post(name: string): Promise<Answer> {
  return call(fixture, BASE, { method: 'POST', body: JSON.stringify({ metadata: { name, namespace: 'kube-system' }, data: { a: 'b' } }) });
}

async function textOf(path: string, options: Call = {}): Promise<string> {
  const { text, status } = await call(fixture, path, options);
  expect(status).toBe(200);
  return text;
}

it.each([
  ['', 'application/json'],
  ['/one', 'application/json'],
  ['', 'application/yaml'],
  ['/one', 'application/yaml'],
  ['', `application/json;as=Table;${META}`],
  ['/one?includeObject=Object', `application/json;as=Table;${META}`],
  ['', `application/json;as=PartialObjectMetadataList;${META}`],
  ['/one', `application/json;as=PartialObjectMetadata;${META}`],
  ['', `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;${META}`],
  ['', 'application/vnd.kubernetes.protobuf'],
  ['/one', 'application/vnd.kubernetes.protobuf'],
  ['?watch=1&timeoutSeconds=1', 'application/json'],
  ['?watch=1&timeoutSeconds=1', 'application/vnd.kubernetes.protobuf'],
  ['?watch=1&timeoutSeconds=1', `application/json;as=Table;${META}`],
])('GET …/kube-system/configmaps%s as %s', async (rest, accept) => {
  const headers = { accept };
  const [text, stored] = await Promise.all([textOf(BASE + rest, { headers }), textOf(STORED + rest, { headers })]);
  expect(text).toContain('kube-system');
  expect(text).not.toContain('platform-system');
  expect(stored).toContain('platform-system');
  expect(stored).not.toContain('kube-system');
});

it('answers writes alike, and stores one spelling', async () => {
  const created = await post('two');
  expect(json(created)).toMatchObject({ metadata: { namespace: 'kube-system' }, data: { a: 'b' } });
  const replaced = await call(fixture, `${BASE}/two`, { method: 'PUT', body: created.text.replace('"b"', '"c"') });
  expect(json(replaced)).toMatchObject({ metadata: { namespace: 'kube-system' }, data: { a: 'c' } });
  const headers = { 'content-type': 'application/merge-patch+json' };
  const patch = await call(fixture, `${BASE}/two`, {
    method: 'PATCH',
    headers,
    body: '{"metadata":{"namespace":"kube-system"},"data":{"a":"d"}}',
  });
  expect(json(patch)).toMatchObject({ metadata: { namespace: 'kube-system' }, data: { a: 'd' } });
  const everywhere = json(await call(fixture, '/api/v1/configmaps?fieldSelector=metadata.name%3Dtwo'));
  expect(everywhere).toMatchObject({ items: [{ metadata: { namespace: 'platform-system' }, data: { a: 'd' } }] });
  const gone = await call(fixture, `${BASE}?fieldSelector=metadata.name%3Dtwo`, { method: 'DELETE' });
  expect(json(gone)).toMatchObject({ kind: 'Status', status: 'Success' });
  expect((await call(fixture, `${BASE}/two`)).status).toBe(404);
});

it('shows a Namespace under the name that it was asked for', async () => {
  const one = await call(fixture, '/api/v1/namespaces/kube-system');
  expect(json(one)).toMatchObject({ metadata: { name: 'kube-system' } });
  const put = await call(fixture, '/api/v1/namespaces/kube-system', { method: 'PUT', body: one.text });
  expect(json(put)).toMatchObject({ metadata: { name: 'kube-system' } });
  const list = await call(fixture, '/api/v1/namespaces?fieldSelector=metadata.name%3Dkube-system');
  expect(json(list)).toMatchObject({ items: [{ metadata: { name: 'kube-system' } }] });
  const table = await textOf('/api/v1/namespaces/kube-system', { headers: { accept: `application/json;as=Table;${META}` } });
  expect(table).toContain('"cells":["kube-system","Active"');
  expect(json(await call(fixture, '/api/v1/namespaces/platform-system'))).toMatchObject({ metadata: { name: 'platform-system' } });
  expect(await textOf('/api/v1/namespaces')).not.toContain('kube-system');
});

it('creates no second namespace under an alias', async () => {
  for (const name of ['kube-system', 'platform-system']) {
    const answer = await call(fixture, '/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name } }) });
    const message = `namespaces "${name}" already exists`;
    expect(json(answer)).toMatchObject({ code: 409, reason: 'AlreadyExists', message, details: { name, kind: 'namespaces' } });
  }
});

const patch = (path: string, body: object): readonly [string, Call] => [
  path,
  { method: 'PATCH', body: JSON.stringify(body), headers: { 'content-type': 'application/merge-patch+json' } },
];
const ONE = '/api/v1/namespaces/kube-system';

it.each<[string, string, Call, string]>([
  ['what is forbidden', BASE, { token: ALICE }, 'in API group \\"\\" in the namespace \\"kube-system\\"'],
  ['what is forbidden of the namespace', ONE, { token: ALICE }, 'namespaces \\"kube-system\\" is forbidden'],
  ['what is protected', ONE, { method: 'DELETE' }, 'namespaces \\"kube-system\\" is forbidden: this namespace may not be deleted'],
  ['a patched object that does not fit', ...patch(`${BASE}/one`, { data: { a: 1 } }), 'kube-system'],
  [
    'another namespace',
    BASE,
    { method: 'POST', body: '{"metadata":{"name":"x","namespace":"default"}}' },
    'the namespace of the provided object does not match the namespace sent on the request',
  ],
  ['an object that has changed', ...patch(ONE, { metadata: { resourceVersion: '1' } }), 'namespaces \\"kube-system\\"'],
])('speaks of %s in the spelling of the request', async (_what, path, options, words) => {
  const { status, text } = await call(fixture, path, options);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(text).toContain(words);
  expect(text).not.toContain('platform-system');
});

it('leaves names alone that only look alike', async () => {
  const { text } = await call(fixture, `${BASE}/platform-system.x`);
  expect(text).toContain('platform-system.x');
});
