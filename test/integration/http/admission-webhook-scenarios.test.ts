/**
 * Admission webhooks in scenarios that the recorded cases do not cover: configurations that change at run time, custom
 * objects, definitions, pods with defaults, and webhook servers behind Services, with endless responses or wrong
 * certificates, called by every replica.
 */
import { systemClock } from '../../../shared/runtime/clock';
import { startReviewServer } from '../../support/servers/review-server';
import { useClosable } from '../../support/use-resource';
import { customResourceDefinition } from '../../support/objects/custom-resource-definition';
import type { ApiResponse } from './api-call';
import { useReplicas } from './fixture';

type Type = 'mutating' | 'validating';

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const SERVICES = '/api/v1/namespaces/default/services';
const MAPS = '/api/v1/namespaces/default/configmaps';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LABEL = '?labelSelector=run%3Done';
/** A changed configuration takes effect within a second, or later on a busy machine. */
const TIMEOUT_MS = 4_000;

const replicas = useReplicas({ naming: 'kubernetes' });
const [api] = replicas;
const webhooks = useClosable(() => startReviewServer());
/** Its certificate is for the name of a Service. */
const serviceWebhooks = useClosable(() => startReviewServer(['hook.default.svc']));

beforeAll(async () => {
  await api.defineCustomResource(definition('widgets', 'Widget'), WIDGETS);
  await api.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
});
afterEach(async () => {
  for (const type of ['mutating', 'validating']) await api.delete(`${ROOT}/${type}webhookconfigurations`);
  await waitForReplicas(({ status, text }) => status === 201 && !text.includes('patched'));
});

async function poll(request: () => Promise<ApiResponse>, isExpected: (response: ApiResponse) => boolean): Promise<ApiResponse> {
  const end = systemClock.monotonic() + TIMEOUT_MS;
  for (;;) {
    const response = await request();
    if (isExpected(response)) return response;
    if (systemClock.monotonic() > end) throw new Error(`not seen in time: ${response.text}`);
  }
}

const dryRun = (path: string, body: object, replica = api): Promise<ApiResponse> => replica.post(`${path}?dryRun=All`, body);
const dryRunConfigMap = (replica = api): Promise<ApiResponse> => dryRun(MAPS, { metadata: { name: 'm' }, data: { a: '1' } }, replica);
/** Waits until every replica responds as expected. */
async function waitForReplicas(isExpected: (response: ApiResponse) => boolean): Promise<void> {
  for (const replica of replicas) await poll(() => dryRunConfigMap(replica), isExpected);
}

const widget = (name: string, version = 'v1'): object => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name },
  data: { a: '1' },
});

function definition(plural: string, kind: string, known: readonly string[] = ['a', 'patched']): object {
  const data = { type: 'object', properties: Object.fromEntries(known.map((name) => [name, { type: 'string' }])) };
  const schema = { openAPIV3Schema: { type: 'object', properties: { data } } };
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema }));
  return customResourceDefinition({ plural, kind, group: 'example.com', spec: { versions } });
}

const rule = (resources: string, apiGroups = '', operations: readonly string[] = ['*'], apiVersions = '*'): object => ({
  operations,
  apiGroups: [apiGroups],
  apiVersions: [apiVersions],
  resources: [resources],
});
const urlConfig = (behaviour: string, { port, caBundle } = webhooks()): object => ({
  caBundle,
  url: `https://127.0.0.1:${port}/${behaviour}`,
});
const serviceConfig = (behaviour: string, port = serviceWebhooks().port): object => ({
  caBundle: serviceWebhooks().caBundle,
  service: { namespace: 'default', name: 'hook', path: `/${behaviour}`, port },
});

const createConfiguration = (
  type: Type,
  clientConfig: object,
  rules: readonly object[] = [rule('configmaps')],
  name = 'w',
): Promise<ApiResponse> =>
  api.create(`${ROOT}/${type}webhookconfigurations`, {
    metadata: { name, labels: { run: 'one' } },
    webhooks: [{ name: 'w.example.com', clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] }],
  });
const createUrlConfiguration = (type: Type, behaviour: string, rules?: readonly object[], name?: string) =>
  createConfiguration(type, urlConfig(behaviour), rules, name);

const EFFECTS: Readonly<Record<Type, { readonly behaviour: string; readonly isExpected: (response: ApiResponse) => boolean }>> = {
  mutating: { behaviour: 'patch-data', isExpected: ({ text }) => text.includes('"patched":"yes"') },
  validating: { behaviour: 'deny-message', isExpected: ({ text }) => text.includes('denied the request: no way') },
};
const TYPES: readonly Type[] = ['mutating', 'validating'];

test.each(TYPES)('ten %s webhook configurations are listed and deleted by their label', async (type) => {
  const { behaviour, isExpected } = EFFECTS[type];
  const collection = `${ROOT}/${type}webhookconfigurations${LABEL}`;
  for (let index = 0; index < 10; index += 1) await createUrlConfiguration(type, behaviour, undefined, `w-${index}`);
  expect((await api.read(collection))['items']).toHaveLength(10);
  await poll(dryRunConfigMap, isExpected);
  expect((await api.delete(collection)).status).toBe(200);
  expect((await api.read(collection))['items']).toEqual([]);
  await poll(dryRunConfigMap, (response) => response.status === 201 && !isExpected(response));
});

test.each(TYPES)('a %s webhook configuration that is replaced and patched applies as it is now', async (type) => {
  const { behaviour, isExpected } = EFFECTS[type];
  const path = `${ROOT}/${type}webhookconfigurations/w`;
  await createUrlConfiguration(type, behaviour, [rule('configmaps', '', ['CREATE'])]);
  await poll(dryRunConfigMap, isExpected);
  const { text } = await api.get(path);
  expect((await api.put(path, text.replace('"CREATE"', '"UPDATE"'))).status).toBe(200);
  await poll(dryRunConfigMap, (response) => response.status === 201 && !isExpected(response));
  expect((await api.mergePatch(path, text.replace(/"resourceVersion":"\d+",/, ''))).status).toBe(200);
  await poll(dryRunConfigMap, isExpected);
});

test('a webhook denies the creation, change and deletion of custom objects', async () => {
  const path = `${WIDGETS}/there`;
  await api.create(WIDGETS, widget('there'));
  await createUrlConfiguration('validating', 'deny-message', [rule('widgets', 'example.com')]);
  await poll(() => dryRun(WIDGETS, widget('new')), EFFECTS.validating.isExpected);
  const replaced = { ...(await api.read(path)), data: { a: '3' } };
  for (const response of [await api.mergePatch(path, { data: { a: '2' } }), await api.put(path, replaced), await api.delete(path)])
    expect([response.status, EFFECTS.validating.isExpected(response)]).toEqual([400, true]);
  expect((await api.read(path))['data']).toEqual({ a: '1' });
});

test('a webhook denies the creation of definitions', async () => {
  await createUrlConfiguration('validating', 'deny-message', [rule('customresourcedefinitions', 'apiextensions.k8s.io')]);
  const response = await poll(() => dryRun(DEFINITIONS, definition('gadgets', 'Gadget')), EFFECTS.validating.isExpected);
  expect(response.status).toBe(400);
});

test('a field that a webhook adds is pruned when the schema does not know it', async () => {
  const path = '/apis/example.com/v1/namespaces/default/gizmos';
  await api.defineCustomResource(definition('gizmos', 'Gizmo', ['a', 'start', 'stage-2']), path);
  await createUrlConfiguration('mutating', 'patch-data', [rule('gizmos', 'example.com')]);
  const calls = webhooks().calls.length;
  const body = { apiVersion: 'example.com/v1', kind: 'Gizmo', metadata: { name: 'g' }, data: { a: '1' } };
  const response = await poll(
    () => dryRun(path, body),
    () => webhooks().calls.length > calls,
  );
  expect(response.json['data']).toEqual({ a: '1' });
});

test('a webhook that changes custom objects is shown the version of its rule', async () => {
  await createUrlConfiguration('mutating', 'patch-data', [rule('widgets', 'example.com', ['CREATE'], 'v1')]);
  const path = '/apis/example.com/v2/namespaces/default/widgets';
  const response = await poll(() => dryRun(path, widget('x', 'v2')), EFFECTS.mutating.isExpected);
  expect(response.json).toMatchObject({ apiVersion: 'example.com/v2', data: { a: '1', patched: 'yes' } });
  expect(webhooks().calls.at(-1)?.review['request']).toMatchObject({
    kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
    requestKind: { group: 'example.com', version: 'v2', kind: 'Widget' },
    object: { apiVersion: 'example.com/v1', data: { a: '1' } },
  });
});

test('a webhook changes custom objects after another version is stored', async () => {
  await createUrlConfiguration('mutating', 'patch-data', [rule('widgets', 'example.com')]);
  await poll(() => dryRun(WIDGETS, widget('other')), EFFECTS.mutating.isExpected);
  await api.create(WIDGETS, widget('other'));
  const path = `${DEFINITIONS}/widgets.example.com`;
  const { text } = await api.get(path);
  const stored = text.replace(/"storage":(true|false)/g, (_, is) => `"storage":${is === 'false'}`);
  expect((await api.put(path, stored)).status).toBe(200);
  const changed = await api.mergePatch(`${WIDGETS}/other`, { data: { a: '2' } });
  expect([changed.status, changed.json['data']]).toEqual([200, { a: '2', patched: 'yes' }]);
});

test('a container that a webhook adds to a pod gets its defaults', async () => {
  await createUrlConfiguration('mutating', 'add-init-container', [rule('pods')]);
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const response = await poll(
    () => dryRun('/api/v1/namespaces/default/pods', pod),
    ({ text }) => text.includes('initContainers'),
  );
  const added = { name: 'added', image: 'added', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
  expect(response.json['spec']).toMatchObject({ initContainers: [added] });
});

test('webhooks neither change webhook configurations nor prevent their deletion', async () => {
  const rules = [rule('*', 'admissionregistration.k8s.io'), rule('configmaps')];
  await createUrlConfiguration('mutating', 'patch-label', rules, 'a');
  await createUrlConfiguration('validating', 'deny-message', rules, 'b');
  await poll(dryRunConfigMap, EFFECTS.validating.isExpected);
  for (const type of TYPES) {
    await createUrlConfiguration(type, 'allow', [rule('things', 'nobody.example.com')], 'free');
    const path = `${ROOT}/${type}webhookconfigurations/free`;
    expect((await api.read(path))['metadata']).toMatchObject({ labels: { run: 'one' } });
    expect((await api.delete(path)).status).toBe(200);
  }
});

describe('a webhook behind a Service', () => {
  async function createExternalService(): Promise<void> {
    // EndpointSlices cannot have loopback addresses, but an external name may resolve to one.
    await api.delete(`${SERVICES}/hook`);
    await api.create(SERVICES, { metadata: { name: 'hook' }, spec: { type: 'ExternalName', externalName: 'localhost' } });
  }

  it('is found by its ready endpoints or its external name, on every replica', async () => {
    const ports = [{ name: 'https', port: 8443, targetPort: 1 }];
    await api.create(SERVICES, { metadata: { name: 'hook' }, spec: { ports } });
    await createConfiguration('validating', serviceConfig('deny-message', 8443));
    await waitForReplicas(({ text }) => text.includes('no endpoints available for service \\"hook\\"'));
    await api.create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name: 'resting', labels: { 'kubernetes.io/service-name': 'hook' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.9'], conditions: { ready: false } }],
      ports: [{ name: 'https', port: serviceWebhooks().port }],
    });
    await waitForReplicas(({ text }) => text.includes('no endpoints available'));
    await createExternalService();
    await api.delete(`${ROOT}/validatingwebhookconfigurations/w`);
    await createConfiguration('validating', serviceConfig('deny-message'));
    await waitForReplicas(EFFECTS.validating.isExpected);
    const headers = { host: `hook.default.svc:${serviceWebhooks().port}`, 'user-agent': 'kube-apiserver-admission' };
    expect(serviceWebhooks().calls.at(-1)?.headers).toMatchObject(headers);
  });

  it('is not trusted under another name than that of its certificate', async () => {
    await createConfiguration('validating', urlConfig('allow', serviceWebhooks()));
    await waitForReplicas(({ status, text }) => status === 500 && text.includes('tls: failed to verify certificate: x509: '));
  });

  it('fails with a response over 4 MiB', async () => {
    await createConfiguration('mutating', serviceConfig('endless'));
    await waitForReplicas(({ status, text }) => status === 500 && text.includes('is longer than 4194304 bytes'));
  });

  it('is counted with its rejections', async () => {
    await createConfiguration('validating', serviceConfig('deny-code'));
    await waitForReplicas(({ status }) => status === 402);
    const text = await api.metrics();
    const labels = 'name="w.example.com",operation="CREATE"';
    const metric = 'apiserver_admission_webhook';
    expect(text).toContain(`${metric}_rejection_count{error_type="no_error",${labels},rejection_code="402",type="validating"}`);
    expect(text).toContain(`${metric}_admission_duration_seconds_count{${labels},rejected="true",type="validating"}`);
  });
});
