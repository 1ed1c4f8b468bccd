/** Where webhooks are and how they may fail, with real servers: behind Services, with endless answers, gone, and asked on every replica. */
import { systemClock } from '../../../shared/runtime/clock';
import { MemoryStore } from '../../support/memory-store';
import { startReviewServer, type ReviewServer } from '../../support/review-server';
import { type Answer } from './call';
import { type Fixture, startFixture } from './fixture';

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const store = new MemoryStore();

let replicas: readonly [Fixture, Fixture];
let webhooks: ReviewServer;

beforeAll(async () => {
  webhooks = await startReviewServer(['hook.default.svc']);
  replicas = [await startFixture({}, store), await startFixture({}, store)];
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await webhooks.close();
});
afterEach(async () => {
  for (const kind of ['mutating', 'validating']) await send('DELETE', `${ROOT}/${kind}webhookconfigurations/w`);
  await seen((answer) => answer.status === 201);
});

const send = (method: string, path: string, body?: object, replica = replicas[0]): Promise<Answer> =>
  replica.call(path, body === undefined ? { method } : { method, body: JSON.stringify(body) });

const make = async (path: string, body: object): Promise<void> => {
  const answer = await send('POST', path, body);
  if (answer.status !== 201) throw new Error(answer.text);
};

const ask = (replica = replicas[0], more: object = {}): Promise<Answer> =>
  send('POST', `${MAPS}?dryRun=All`, { metadata: { name: 'm' }, data: { a: '1' }, ...more }, replica);

/** Until both replicas answer so. */
async function seen(isSo: (answer: Answer) => boolean): Promise<void> {
  for (const replica of replicas) {
    const until = systemClock.monotonic() + 4_000;
    for (let answer = await ask(replica); !isSo(answer); answer = await ask(replica))
      if (systemClock.monotonic() > until) throw new Error(`not seen in time: ${answer.text}`);
  }
}

const configure = (type: 'mutating' | 'validating', clientConfig: object, more: object = {}): Promise<void> =>
  make(`${ROOT}/${type}webhookconfigurations`, {
    metadata: { name: 'w' },
    webhooks: [
      {
        name: 'w.example.com',
        clientConfig: { caBundle: webhooks.caBundle, ...clientConfig },
        rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps', 'widgets'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...more,
      },
    ],
  });

const service = (path: string): object => ({ service: { namespace: 'default', name: 'hook', path, port: 8443 } });

async function endpoints(name: string, ready: boolean, port: number): Promise<void> {
  await make('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    metadata: { name, labels: { 'kubernetes.io/service-name': 'hook' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.9'], conditions: { ready } }],
    ports: [{ name: 'https', port }],
  });
}

it('are found behind a Service, by the certificate of its name, on every replica', async () => {
  await make('/api/v1/namespaces/default/services', {
    metadata: { name: 'hook' },
    spec: { ports: [{ name: 'https', port: 8443, targetPort: 1 }] },
  });
  await configure('validating', service('/deny-message'));
  await seen(({ text }) => text.includes('no endpoints available for service \\"hook\\"'));
  await endpoints('resting', false, webhooks.port);
  await seen(({ text }) => text.includes('no endpoints available'));
  // Slices take no loopback address; what a name leads to is the cluster's affair.
  await send('DELETE', '/api/v1/namespaces/default/services/hook');
  await make('/api/v1/namespaces/default/services', {
    metadata: { name: 'hook' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  await send('DELETE', `${ROOT}/validatingwebhookconfigurations/w`);
  const place = { service: { namespace: 'default', name: 'hook', path: '/deny-message', port: webhooks.port } };
  await configure('validating', place);
  await seen(({ text }) => text.includes('denied the request: no way'));
  expect(webhooks.calls.at(-1)?.headers).toMatchObject({
    host: `hook.default.svc:${webhooks.port}`,
    'user-agent': 'kube-apiserver-admission',
  });
});

it('are not believed under another name', async () => {
  await configure('validating', { url: `https://127.0.0.1:${webhooks.port}/allow` });
  await seen(({ status, text }) => status === 500 && text.includes('tls: failed to verify certificate: x509: '));
});

it('answer within bounds', async () => {
  const place = { service: { namespace: 'default', name: 'hook', path: '/endless', port: webhooks.port } };
  await configure('mutating', place);
  await seen(({ status, text }) => status === 500 && text.includes('is longer than 4194304 bytes'));
});

it('see custom objects and change them', async () => {
  const group = 'example.com';
  await make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      names: { plural: 'widgets', kind: 'Widget' },
      scope: 'Namespaced',
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema: { openAPIV3Schema: { type: 'object', properties: { data: { type: 'object', additionalProperties: { type: 'string' } } } } },
      })),
    },
  });
  const rules = [{ operations: ['CREATE'], apiGroups: [group], apiVersions: ['v1'], resources: ['widgets'] }];
  const place = { service: { namespace: 'default', name: 'hook', path: '/patch-data', port: webhooks.port } };
  await configure('mutating', place, { rules });
  const widgets = `/apis/${group}/v2/namespaces/default/widgets?dryRun=All`;
  const until = systemClock.monotonic() + 4_000;
  let answer: Answer;
  do answer = await send('POST', widgets, { apiVersion: `${group}/v2`, kind: 'Widget', metadata: { name: 'x' }, data: { a: '1' } });
  while (!answer.text.includes('patched') && systemClock.monotonic() < until);
  expect(answer.json).toMatchObject({ apiVersion: `${group}/v2`, data: { a: '1', patched: 'yes' } });
  const shown = webhooks.calls.at(-1)?.review['request'];
  expect(shown).toMatchObject({
    kind: { group, version: 'v1', kind: 'Widget' },
    requestKind: { group, version: 'v2', kind: 'Widget' },
    object: { apiVersion: `${group}/v1`, data: { a: '1' } },
  });
});

it('are counted', async () => {
  const place = { service: { namespace: 'default', name: 'hook', path: '/deny-code', port: webhooks.port } };
  await configure('validating', place);
  await seen(({ status }) => status === 402);
  const { text } = await send('GET', '/metrics');
  const labels = 'name="w.example.com",operation="CREATE"';
  expect(text).toContain(
    `apiserver_admission_webhook_rejection_count{error_type="no_error",${labels},rejection_code="402",type="validating"}`,
  );
  expect(text).toContain(`apiserver_admission_webhook_admission_duration_seconds_count{${labels},rejected="true",type="validating"}`);
});
