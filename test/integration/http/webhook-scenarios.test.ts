/**
 * Admission webhooks in scenarios that the recorded cases do not show: configurations that change while they are in use, custom objects, definitions, pods with defaults,
 * and servers behind Services, with endless answers or wrong certificates, called by every replica.
 */
import { systemClock } from '../../../shared/runtime/clock';
import { startReviewServer } from '../../support/review-server';
import { useClosable } from '../../support/use-resource';
import type { Answer } from './call';
import { definitionOf, useReplicas } from './fixture';

type Type = 'mutating' | 'validating';

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const SERVICES = '/api/v1/namespaces/default/services';
const MAPS = '/api/v1/namespaces/default/configmaps';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LABEL = '?labelSelector=run%3Done';
const SEEN_MS = 4_000;

const replicas = useReplicas({ naming: 'kubernetes' });
const [api] = replicas;
const webhooks = useClosable(() => startReviewServer());
/** Its certificate is for the name of a Service. */
const hidden = useClosable(() => startReviewServer(['hook.default.svc']));

beforeAll(async () => {
  await api.define(definition('widgets', 'Widget'), WIDGETS);
  await api.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
});
afterEach(async () => {
  for (const type of ['mutating', 'validating']) await api.delete(`${ROOT}/${type}webhookconfigurations`);
  await seen(({ status, text }) => status === 201 && !text.includes('patched'));
});

async function until(request: () => Promise<Answer>, isSo: (answer: Answer) => boolean): Promise<Answer> {
  const end = systemClock.monotonic() + SEEN_MS;
  for (;;) {
    const answer = await request();
    if (isSo(answer)) return answer;
    if (systemClock.monotonic() > end) throw new Error(`not seen in time: ${answer.text}`);
  }
}

const dryRun = (path: string, body: object, replica = api): Promise<Answer> => replica.post(`${path}?dryRun=All`, body);
const ask = (replica = api): Promise<Answer> => dryRun(MAPS, { metadata: { name: 'm' }, data: { a: '1' } }, replica);
/** Until every replica answers so. */
async function seen(isSo: (answer: Answer) => boolean): Promise<void> {
  for (const replica of replicas) await until(() => ask(replica), isSo);
}

const widget = (name: string, version = 'v1'): object => ({
  ...{ apiVersion: `example.com/${version}`, kind: 'Widget', metadata: { name }, data: { a: '1' } },
});

function definition(plural: string, kind: string, known: readonly string[] = ['a', 'patched']): object {
  const data = { type: 'object', properties: Object.fromEntries(known.map((name) => [name, { type: 'string' }])) };
  const schema = { openAPIV3Schema: { type: 'object', properties: { data } } };
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema }));
  return definitionOf(plural, kind, 'example.com', {}, { versions });
}

const rule = (resources: string, apiGroups = '', operations: readonly string[] = ['*'], apiVersions = '*'): object => ({
  ...{ operations, apiGroups: [apiGroups], apiVersions: [apiVersions], resources: [resources] },
});
const urlOf = (does: string, { port, caBundle } = webhooks()): object => ({ caBundle, url: `https://127.0.0.1:${port}/${does}` });
const serviceOf = (does: string, port = hidden().port): object => ({
  ...{ caBundle: hidden().caBundle, service: { namespace: 'default', name: 'hook', path: `/${does}`, port } },
});

const configureAt = (type: Type, clientConfig: object, rules: readonly object[] = [rule('configmaps')], name = 'w'): Promise<Answer> =>
  api.create(`${ROOT}/${type}webhookconfigurations`, {
    metadata: { name, labels: { run: 'one' } },
    webhooks: [{ name: 'w.example.com', clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] }],
  });
const configure = (type: Type, does: string, rules?: readonly object[], name?: string) => configureAt(type, urlOf(does), rules, name);

const COUNTS: Readonly<Record<Type, { readonly does: string; readonly isSo: (answer: Answer) => boolean }>> = {
  mutating: { does: 'patch-data', isSo: ({ text }) => text.includes('"patched":"yes"') },
  validating: { does: 'deny-message', isSo: ({ text }) => text.includes('denied the request: no way') },
};
const TYPES: readonly Type[] = ['mutating', 'validating'];

test.each(TYPES)('ten %s webhook configurations are listed and deleted by their label', async (type) => {
  const { does, isSo } = COUNTS[type];
  const collection = `${ROOT}/${type}webhookconfigurations${LABEL}`;
  for (let at = 0; at < 10; at += 1) await configure(type, does, undefined, `w-${at}`);
  expect((await api.read(collection))['items']).toHaveLength(10);
  await until(ask, isSo);
  expect((await api.delete(collection)).status).toBe(200);
  expect((await api.read(collection))['items']).toEqual([]);
  await until(ask, (answer) => answer.status === 201 && !isSo(answer));
});

test.each(TYPES)('a %s webhook configuration that is replaced and patched applies as it is now', async (type) => {
  const { does, isSo } = COUNTS[type];
  const path = `${ROOT}/${type}webhookconfigurations/w`;
  await configure(type, does, [rule('configmaps', '', ['CREATE'])]);
  await until(ask, isSo);
  const { text } = await api.get(path);
  expect((await api.put(path, text.replace('"CREATE"', '"UPDATE"'))).status).toBe(200);
  await until(ask, (answer) => answer.status === 201 && !isSo(answer));
  expect((await api.merge(path, text.replace(/"resourceVersion":"\d+",/, ''))).status).toBe(200);
  await until(ask, isSo);
});

test('a webhook denies the creation, change and deletion of custom objects', async () => {
  const path = `${WIDGETS}/there`;
  await api.create(WIDGETS, widget('there'));
  await configure('validating', 'deny-message', [rule('widgets', 'example.com')]);
  await until(() => dryRun(WIDGETS, widget('new')), COUNTS.validating.isSo);
  const replaced = { ...(await api.read(path)), data: { a: '3' } };
  for (const answer of [await api.merge(path, { data: { a: '2' } }), await api.put(path, replaced), await api.delete(path)])
    expect([answer.status, COUNTS.validating.isSo(answer)]).toEqual([400, true]);
  expect((await api.read(path))['data']).toEqual({ a: '1' });
});

test('a webhook denies the creation of definitions', async () => {
  await configure('validating', 'deny-message', [rule('customresourcedefinitions', 'apiextensions.k8s.io')]);
  const answer = await until(() => dryRun(DEFINITIONS, definition('gadgets', 'Gadget')), COUNTS.validating.isSo);
  expect(answer.status).toBe(400);
});

test('a field that a webhook adds is pruned when the schema does not know it', async () => {
  const path = '/apis/example.com/v1/namespaces/default/gizmos';
  await api.define(definition('gizmos', 'Gizmo', ['a', 'start', 'stage-2']), path);
  await configure('mutating', 'patch-data', [rule('gizmos', 'example.com')]);
  const calls = webhooks().calls.length;
  const body = { apiVersion: 'example.com/v1', kind: 'Gizmo', metadata: { name: 'g' }, data: { a: '1' } };
  const answer = await until(
    () => dryRun(path, body),
    () => webhooks().calls.length > calls,
  );
  expect(answer.json['data']).toEqual({ a: '1' });
});

test('a webhook that changes custom objects is shown the version of its rule', async () => {
  await configure('mutating', 'patch-data', [rule('widgets', 'example.com', ['CREATE'], 'v1')]);
  const path = '/apis/example.com/v2/namespaces/default/widgets';
  const answer = await until(() => dryRun(path, widget('x', 'v2')), COUNTS.mutating.isSo);
  expect(answer.json).toMatchObject({ apiVersion: 'example.com/v2', data: { a: '1', patched: 'yes' } });
  expect(webhooks().calls.at(-1)?.review['request']).toMatchObject({
    kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
    requestKind: { group: 'example.com', version: 'v2', kind: 'Widget' },
    object: { apiVersion: 'example.com/v1', data: { a: '1' } },
  });
});

test('a webhook changes custom objects after another version is stored', async () => {
  await configure('mutating', 'patch-data', [rule('widgets', 'example.com')]);
  await until(() => dryRun(WIDGETS, widget('other')), COUNTS.mutating.isSo);
  await api.create(WIDGETS, widget('other'));
  const path = `${DEFINITIONS}/widgets.example.com`;
  const { text } = await api.get(path);
  const stored = text.replace(/"storage":(true|false)/g, (_, is) => `"storage":${is === 'false'}`);
  expect((await api.put(path, stored)).status).toBe(200);
  const changed = await api.merge(`${WIDGETS}/other`, { data: { a: '2' } });
  expect([changed.status, changed.json['data']]).toEqual([200, { a: '2', patched: 'yes' }]);
});

test('a container that a webhook adds to a pod gets its defaults', async () => {
  await configure('mutating', 'add-init-container', [rule('pods')]);
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const answer = await until(
    () => dryRun('/api/v1/namespaces/default/pods', pod),
    ({ text }) => text.includes('initContainers'),
  );
  const added = { name: 'added', image: 'added', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
  expect(answer.json['spec']).toMatchObject({ initContainers: [added] });
});

test('webhooks neither change webhook configurations nor prevent their deletion', async () => {
  const all = [rule('*', 'admissionregistration.k8s.io'), rule('configmaps')];
  await configure('mutating', 'patch-label', all, 'a');
  await configure('validating', 'deny-message', all, 'b');
  await until(ask, COUNTS.validating.isSo);
  for (const type of TYPES) {
    await configure(type, 'allow', [rule('things', 'nobody.example.com')], 'free');
    const path = `${ROOT}/${type}webhookconfigurations/free`;
    expect((await api.read(path))['metadata']).toMatchObject({ labels: { run: 'one' } });
    expect((await api.delete(path)).status).toBe(200);
  }
});

describe('a webhook behind a Service', () => {
  async function external(): Promise<void> {
    // Slices take no loopback address; where an external name leads is the cluster's affair.
    await api.delete(`${SERVICES}/hook`);
    await api.create(SERVICES, { metadata: { name: 'hook' }, spec: { type: 'ExternalName', externalName: 'localhost' } });
  }

  it('is found by its ready endpoints or its external name, on every replica', async () => {
    const ports = [{ name: 'https', port: 8443, targetPort: 1 }];
    await api.create(SERVICES, { metadata: { name: 'hook' }, spec: { ports } });
    await configureAt('validating', serviceOf('deny-message', 8443));
    await seen(({ text }) => text.includes('no endpoints available for service \\"hook\\"'));
    await api.create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name: 'resting', labels: { 'kubernetes.io/service-name': 'hook' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.9'], conditions: { ready: false } }],
      ports: [{ name: 'https', port: hidden().port }],
    });
    await seen(({ text }) => text.includes('no endpoints available'));
    await external();
    await api.delete(`${ROOT}/validatingwebhookconfigurations/w`);
    await configureAt('validating', serviceOf('deny-message'));
    await seen(COUNTS.validating.isSo);
    const headers = { host: `hook.default.svc:${hidden().port}`, 'user-agent': 'kube-apiserver-admission' };
    expect(hidden().calls.at(-1)?.headers).toMatchObject(headers);
  });

  it('is not trusted under another name than that of its certificate', async () => {
    await configureAt('validating', urlOf('allow', hidden()));
    await seen(({ status, text }) => status === 500 && text.includes('tls: failed to verify certificate: x509: '));
  });

  it('fails with a response over 4 MiB', async () => {
    await configureAt('mutating', serviceOf('endless'));
    await seen(({ status, text }) => status === 500 && text.includes('is longer than 4194304 bytes'));
  });

  it('is counted with its rejections', async () => {
    await configureAt('validating', serviceOf('deny-code'));
    await seen(({ status }) => status === 402);
    const text = await api.metrics();
    const labels = 'name="w.example.com",operation="CREATE"';
    const metric = 'apiserver_admission_webhook';
    expect(text).toContain(`${metric}_rejection_count{error_type="no_error",${labels},rejection_code="402",type="validating"}`);
    expect(text).toContain(`${metric}_admission_duration_seconds_count{${labels},rejected="true",type="validating"}`);
  });
});
