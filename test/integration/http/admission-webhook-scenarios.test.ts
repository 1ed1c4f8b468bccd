/**
 * Admission webhooks in scenarios that the recorded cases do not cover: configurations that change at run time, custom
 * objects, definitions, pods with defaults, and webhook servers behind Services, with long responses or wrong
 * certificates, called by every replica.
 */
import { waitUntil } from '../../support/programs';
import { startReviewServer } from '../../support/servers/review-server';
import { useClosable } from '../../support/use-resource';
import { customResourceDefinition } from '../../support/objects/custom-resource-definition';
import type { ApiResponse } from './api-call';
import { useReplicas } from './fixture';

type Type = 'mutating' | 'validating';
const TYPES: readonly Type[] = ['mutating', 'validating'];

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const SERVICES = '/api/v1/namespaces/default/services';
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Every configuration of this file has the label `run=one`. */
const BY_LABEL = '?labelSelector=run%3Done';
/** A changed configuration takes effect within a second, or later on a busy machine. */
const TIMEOUT_MS = 4_000;

const replicas = useReplicas({ naming: 'kubernetes' });
const [api] = replicas;
const webhooks = useClosable(() => startReviewServer());
const EXTERNAL_SERVICE = 'hook';
/** The certificate of this server is for the name of the Service, not for its address. */
const serviceWebhooks = useClosable(() => startReviewServer([`${EXTERNAL_SERVICE}.default.svc`]));

beforeAll(async () => {
  await api.defineCustomResource(definition('widgets', 'Widget'), WIDGETS);
  await api.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
});
afterEach(async () => {
  await deleteConfigurations();
  // Replicas process the changes of configurations in their order: once a replica calls the webhooks that are created
  // here, it no longer calls those of the test.
  await createUrlConfiguration({ type: 'mutating', behaviour: 'patch-label' });
  await createUrlConfiguration({ type: 'validating', behaviour: 'warn' });
  await waitForReplicas(({ text, warnings }) => text.includes('patched') && warnings.length > 0);
  await deleteConfigurations();
  await waitForReplicas(({ status, text, warnings }) => status === 201 && !text.includes('patched') && warnings.length === 0);
});

async function deleteConfigurations(): Promise<void> {
  for (const type of TYPES) await api.delete(`${ROOT}/${type}webhookconfigurations`);
}

/** Repeats a request until its response is as expected, and resolves with that response. */
const repeatUntil = (request: () => Promise<ApiResponse>, isExpected: (response: ApiResponse) => boolean): Promise<ApiResponse> =>
  waitUntil(
    'the expected response',
    async () => {
      const response = await request();
      return isExpected(response) && response;
    },
    TIMEOUT_MS,
  );

const dryRun = (path: string, body: object, replica = api): Promise<ApiResponse> => replica.post(`${path}?dryRun=All`, body);
const dryRunConfigMap = (replica = api): Promise<ApiResponse> => dryRun(CONFIGMAPS, { metadata: { name: 'm' }, data: { a: '1' } }, replica);
/** Waits until every replica responds as expected to the creation of a ConfigMap. */
async function waitForReplicas(isExpected: (response: ApiResponse) => boolean): Promise<void> {
  for (const replica of replicas) await repeatUntil(() => dryRunConfigMap(replica), isExpected);
}

const widget = (name: string, version = 'v1'): object => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name },
  data: { a: '1' },
});

/** A definition with the versions v1 and v2; the schema of both has these members of `data`. */
function definition(plural: string, kind: string, { dataMembers = ['a', 'patched'], storageVersion = 'v1' } = {}): object {
  const data = { type: 'object', properties: Object.fromEntries(dataMembers.map((name) => [name, { type: 'string' }])) };
  const schema = { openAPIV3Schema: { type: 'object', properties: { data } } };
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === storageVersion, schema }));
  return customResourceDefinition({ plural, kind, group: 'example.com', spec: { versions } });
}

interface RuleOptions {
  /** The core group by default. */
  readonly apiGroup?: string;
  /** All operations by default. */
  readonly operation?: string;
  /** All versions by default. */
  readonly apiVersion?: string;
}

const ruleFor = (resource: string, { apiGroup = '', operation = '*', apiVersion = '*' }: RuleOptions = {}): object => ({
  operations: [operation],
  apiGroups: [apiGroup],
  apiVersions: [apiVersion],
  resources: [resource],
});
const WIDGET_GROUP = { apiGroup: 'example.com' };
const urlConfig = (behaviour: string, { port, caBundle } = webhooks()): object => ({
  caBundle,
  url: `https://127.0.0.1:${port}/${behaviour}`,
});
const serviceConfig = (behaviour: string, { name, port } = { name: EXTERNAL_SERVICE, port: serviceWebhooks().port }): object => ({
  caBundle: serviceWebhooks().caBundle,
  service: { namespace: 'default', name, path: `/${behaviour}`, port },
});

interface Configuration {
  readonly type: Type;
  readonly clientConfig: object;
  readonly rules?: readonly object[];
  readonly name?: string;
}

const webhooksOf = (clientConfig: object, rules: readonly object[]): readonly object[] => [
  { name: 'w.example.com', clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] },
];
const createConfiguration = ({ type, clientConfig, rules = [ruleFor('configmaps')], name = 'w' }: Configuration): Promise<ApiResponse> =>
  api.create(`${ROOT}/${type}webhookconfigurations`, {
    metadata: { name, labels: { run: 'one' } },
    webhooks: webhooksOf(clientConfig, rules),
  });
const createUrlConfiguration = ({ behaviour, ...others }: Omit<Configuration, 'clientConfig'> & { readonly behaviour: string }) =>
  createConfiguration({ ...others, clientConfig: urlConfig(behaviour) });

interface Effect {
  readonly behaviour: string;
  /** Whether a response shows that the webhook was called. */
  readonly isVisible: (response: ApiResponse) => boolean;
}

/** By type of webhook, a behaviour that responses to clients show. */
const EFFECTS: Readonly<Record<Type, Effect>> = {
  mutating: { behaviour: 'patch-data', isVisible: ({ text }) => text.includes('"patched":"yes"') },
  validating: { behaviour: 'deny-message', isVisible: ({ text }) => text.includes('denied the request: no way') },
};

describe('webhook configurations', () => {
  test.each(TYPES)('ten %s webhook configurations are listed and deleted by their label', async (type) => {
    const { behaviour, isVisible } = EFFECTS[type];
    const collection = `${ROOT}/${type}webhookconfigurations${BY_LABEL}`;
    for (let index = 0; index < 10; index += 1) await createUrlConfiguration({ type, behaviour, name: `w-${index}` });
    expect((await api.read(collection))['items']).toHaveLength(10);
    await repeatUntil(dryRunConfigMap, isVisible);
    expect((await api.delete(collection)).status).toBe(200);
    expect((await api.read(collection))['items']).toEqual([]);
    await repeatUntil(dryRunConfigMap, (response) => response.status === 201 && !isVisible(response));
  });

  test.each(TYPES)('a %s webhook configuration that is replaced and patched applies as it is now', async (type) => {
    const { behaviour, isVisible } = EFFECTS[type];
    const path = `${ROOT}/${type}webhookconfigurations/w`;
    const webhooksFor = (operation: string) => webhooksOf(urlConfig(behaviour), [ruleFor('configmaps', { operation })]);
    await createUrlConfiguration({ type, behaviour, rules: [ruleFor('configmaps', { operation: 'CREATE' })] });
    await repeatUntil(dryRunConfigMap, isVisible);
    expect((await api.put(path, { ...(await api.read(path)), webhooks: webhooksFor('UPDATE') })).status).toBe(200);
    await repeatUntil(dryRunConfigMap, (response) => response.status === 201 && !isVisible(response));
    expect((await api.mergePatch(path, { webhooks: webhooksFor('CREATE') })).status).toBe(200);
    await repeatUntil(dryRunConfigMap, isVisible);
  });

  test('webhooks neither change webhook configurations nor prevent their deletion', async () => {
    const rules = [ruleFor('*', { apiGroup: 'admissionregistration.k8s.io' }), ruleFor('configmaps')];
    await createUrlConfiguration({ type: 'mutating', behaviour: 'patch-label', rules, name: 'a' });
    await createUrlConfiguration({ type: 'validating', behaviour: 'deny-message', rules, name: 'b' });
    await repeatUntil(dryRunConfigMap, EFFECTS.validating.isVisible);
    for (const type of TYPES) {
      await createUrlConfiguration({
        type,
        behaviour: 'allow',
        rules: [ruleFor('things', { apiGroup: 'unused.example.com' })],
        name: 'reviewed',
      });
      const path = `${ROOT}/${type}webhookconfigurations/reviewed`;
      expect((await api.read(path))['metadata']).toMatchObject({ labels: { run: 'one' } });
      expect((await api.delete(path)).status).toBe(200);
    }
  });
});

describe('webhooks for custom objects and definitions', () => {
  test('a webhook denies the creation, change and deletion of custom objects', async () => {
    const path = `${WIDGETS}/there`;
    await api.create(WIDGETS, widget('there'));
    await createUrlConfiguration({ type: 'validating', behaviour: 'deny-message', rules: [ruleFor('widgets', WIDGET_GROUP)] });
    await repeatUntil(() => dryRun(WIDGETS, widget('new')), EFFECTS.validating.isVisible);
    const replaced = { ...(await api.read(path)), data: { a: '3' } };
    for (const response of [await api.mergePatch(path, { data: { a: '2' } }), await api.put(path, replaced), await api.delete(path)]) {
      expect(response.status).toBe(400);
      expect(response.message).toContain('denied the request: no way');
    }
    expect((await api.read(path))['data']).toEqual({ a: '1' });
  });

  test('a webhook denies the creation of definitions', async () => {
    await createUrlConfiguration({
      type: 'validating',
      behaviour: 'deny-message',
      rules: [ruleFor('customresourcedefinitions', { apiGroup: 'apiextensions.k8s.io' })],
    });
    const response = await repeatUntil(() => dryRun(DEFINITIONS, definition('gadgets', 'Gadget')), EFFECTS.validating.isVisible);
    expect(response.status).toBe(400);
  });

  test('a field that a webhook adds is pruned when the schema does not know it', async () => {
    const path = '/apis/example.com/v1/namespaces/default/gizmos';
    await api.defineCustomResource(definition('gizmos', 'Gizmo', { dataMembers: ['a'] }), path);
    await createUrlConfiguration({ type: 'mutating', behaviour: 'patch-data', rules: [ruleFor('gizmos', WIDGET_GROUP)] });
    const callsBefore = webhooks().calls.length;
    const body = { apiVersion: 'example.com/v1', kind: 'Gizmo', metadata: { name: 'g' }, data: { a: '1' } };
    const response = await repeatUntil(
      () => dryRun(path, body),
      () => webhooks().calls.length > callsBefore,
    );
    expect(response.json['data']).toEqual({ a: '1' });
  });

  test('a webhook that changes custom objects receives them in the version of its rule', async () => {
    await createUrlConfiguration({
      type: 'mutating',
      behaviour: 'patch-data',
      rules: [ruleFor('widgets', { ...WIDGET_GROUP, operation: 'CREATE', apiVersion: 'v1' })],
    });
    const path = '/apis/example.com/v2/namespaces/default/widgets';
    const response = await repeatUntil(() => dryRun(path, widget('x', 'v2')), EFFECTS.mutating.isVisible);
    expect(response.json).toMatchObject({ apiVersion: 'example.com/v2', data: { a: '1', patched: 'yes' } });
    expect(webhooks().calls.at(-1)?.review['request']).toMatchObject({
      kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
      requestKind: { group: 'example.com', version: 'v2', kind: 'Widget' },
      object: { apiVersion: 'example.com/v1', data: { a: '1' } },
    });
  });

  test('a webhook changes custom objects after another version has become the storage version', async () => {
    await createUrlConfiguration({ type: 'mutating', behaviour: 'patch-data', rules: [ruleFor('widgets', WIDGET_GROUP)] });
    await repeatUntil(() => dryRun(WIDGETS, widget('other')), EFFECTS.mutating.isVisible);
    await api.create(WIDGETS, widget('other'));
    const definitionPath = `${DEFINITIONS}/widgets.example.com`;
    expect((await api.mergePatch(definitionPath, definition('widgets', 'Widget', { storageVersion: 'v2' }))).status).toBe(200);
    const changed = await api.mergePatch(`${WIDGETS}/other`, { data: { a: '2' } });
    expect(changed.status).toBe(200);
    expect(changed.json['data']).toEqual({ a: '2', patched: 'yes' });
  });
});

test('a container that a webhook adds to a pod gets its defaults', async () => {
  await createUrlConfiguration({ type: 'mutating', behaviour: 'add-init-container', rules: [ruleFor('pods')] });
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const response = await repeatUntil(
    () => dryRun('/api/v1/namespaces/default/pods', pod),
    ({ text }) => text.includes('initContainers'),
  );
  const added = { name: 'added', image: 'added', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
  expect(response.json['spec']).toMatchObject({ initContainers: [added] });
});

test('a webhook is not trusted under another name than that of its certificate', async () => {
  await createConfiguration({ type: 'validating', clientConfig: urlConfig('allow', serviceWebhooks()) });
  await waitForReplicas(({ status, text }) => status === 500 && text.includes('tls: failed to verify certificate: x509: '));
});

describe('a webhook behind a Service', () => {
  it('is not called on any replica while no endpoint of the Service is ready', async () => {
    const ports = [{ name: 'https', port: 8443, targetPort: 1 }];
    await api.create(SERVICES, { metadata: { name: 'unready' }, spec: { ports } });
    await createConfiguration({ type: 'validating', clientConfig: serviceConfig('deny-message', { name: 'unready', port: 8443 }) });
    await waitForReplicas(({ text }) => text.includes('no endpoints available for service \\"unready\\"'));
    await api.create(SLICES, {
      metadata: { name: 'unready', labels: { 'kubernetes.io/service-name': 'unready' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.9'], conditions: { ready: false } }],
      ports: [{ name: 'https', port: serviceWebhooks().port }],
    });
    for (const replica of replicas) {
      await replica.waitUntilServed(`${SLICES}/unready`);
      expect((await dryRunConfigMap(replica)).message).toContain('no endpoints available for service "unready"');
    }
  });

  describe('of type ExternalName', () => {
    // EndpointSlices cannot have loopback addresses, but an external name may resolve to one.
    beforeAll(() =>
      api.create(SERVICES, { metadata: { name: EXTERNAL_SERVICE }, spec: { type: 'ExternalName', externalName: 'localhost' } }),
    );

    it('is called by its external name on every replica, with the name of the Service as Host', async () => {
      await createConfiguration({ type: 'validating', clientConfig: serviceConfig('deny-message') });
      await waitForReplicas(EFFECTS.validating.isVisible);
      const headers = { host: `hook.default.svc:${serviceWebhooks().port}`, 'user-agent': 'kube-apiserver-admission' };
      expect(serviceWebhooks().calls.at(-1)?.headers).toMatchObject(headers);
    });

    it('fails with a response over 4 MiB', async () => {
      await createConfiguration({ type: 'mutating', clientConfig: serviceConfig('ten-megabytes') });
      await waitForReplicas(({ status, text }) => status === 500 && text.includes('is longer than 4194304 bytes'));
    });

    it('is counted with its rejections', async () => {
      await createConfiguration({ type: 'validating', clientConfig: serviceConfig('deny-code') });
      await waitForReplicas(({ status }) => status === 402);
      const text = await api.metrics();
      const labels = 'name="w.example.com",operation="CREATE"';
      const metric = 'apiserver_admission_webhook';
      expect(text).toContain(`${metric}_rejection_count{error_type="no_error",${labels},rejection_code="402",type="validating"}`);
      expect(text).toContain(`${metric}_admission_duration_seconds_count{${labels},rejected="true",type="validating"}`);
    });
  });
});
