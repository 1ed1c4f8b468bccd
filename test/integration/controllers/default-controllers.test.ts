/**
 * The controllers process with default flags against an API server process: namespaces, service accounts, root
 * certificates, protection of claims and volumes, and its health and metrics endpoints.
 */
import { request, type RequestOptions } from 'node:https';
import path from 'node:path';
import { arrayAt, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { isNotFound } from '../../../shared/client/rest/api-error';
import type { ApiObject } from '../../../shared/client/rest/api-object';
import { resourceOf, type Resource } from '../../../shared/client/rest/resource';
import { packagedProgram, runClient } from '../../support/external/kubectl';
import { freePort } from '../../support/ports';
import { waitUntil } from '../../support/programs';
import { reportSkipped } from '../../support/report-skipped';
import { useControllers } from './controller-processes';

const NAMESPACES = resourceOf('core.v1.Namespace');
const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const MAPS = resourceOf('core.v1.ConfigMap');
const PODS = resourceOf('core.v1.Pod');
const CLAIMS = resourceOf('core.v1.PersistentVolumeClaim');
const VOLUMES = resourceOf('core.v1.PersistentVolume');
const BINDINGS = resourceOf('rbac.v1.ClusterRoleBinding');
const ROOT_CERTIFICATE = 'platform-root-ca.crt';

let healthPort: number;
const cluster = useControllers('newcomer', {
  prepare: async ({ pki }) => {
    healthPort = await freePort();
    return [`--secure-port=${healthPort}`, '--bind-address=127.0.0.1', `--client-ca-file=${path.join(pki, 'ca.crt')}`];
  },
});

async function findObject(resource: Resource, namespace: string, name: string): Promise<ApiObject | undefined> {
  try {
    return await cluster.client.of(resource).namespace(namespace).get(name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function createNamespace(name: string): Promise<void> {
  await cluster.client.of(NAMESPACES).create({ metadata: { name } });
  await waitUntil(`the account in ${name}`, () => findObject(ACCOUNTS, name, 'default'));
  await waitUntil(`the root certificate in ${name}`, () => findObject(MAPS, name, ROOT_CERTIFICATE));
}

const pod = (namespace: string, name: string, finalizers: string[] = []): JsonObject => ({
  metadata: { namespace, name, finalizers },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});

async function namespaceCondition(namespace: string, type: string): Promise<JsonObject | undefined> {
  const object = await findObject(NAMESPACES, '', namespace);
  const conditions = arrayAt(objectAt(object?.body, 'status'), 'conditions') ?? [];
  return conditions.find((item): item is JsonObject => stringAt(item as JsonObject, 'type') === type);
}

const kubectl = packagedProgram('kubectl');
const title = 'kubectl creates a namespace, runs a pod in it and deletes the namespace within 30 s';

if (kubectl === undefined) reportSkipped(title, 'there is no kubectl for this machine');
else test(title, () => createAndDeleteNamespace(kubectl));

async function createAndDeleteNamespace(kubectl: string): Promise<void> {
  const run = (...args: string[]) => runClient(kubectl, cluster.server.kubeconfig, args);
  const started = performance.now();
  expect(await run('create', 'namespace', 'new')).toMatchObject({ code: 0, stdout: 'namespace/new created\n' });
  await waitUntil('the account', () => findObject(ACCOUNTS, 'new', 'default'));
  expect(await run('-n', 'new', 'run', 'web', '--image=nginx')).toMatchObject({ code: 0, stdout: 'pod/web created\n' });
  expect(await run('delete', 'namespace', 'new')).toMatchObject({ code: 0, stdout: 'namespace "new" deleted\n' });
  expect(performance.now() - started).toBeLessThan(30_000);
  expect(await findObject(NAMESPACES, '', 'new')).toBeUndefined();
}

test('the controllers restore the default account and the root certificate of a namespace', async () => {
  await createNamespace('restored');
  const account = await findObject(ACCOUNTS, 'restored', 'default');
  await cluster.client.of(ACCOUNTS).namespace('restored').delete('default');
  await waitUntil('a new account', async () => {
    const current = await findObject(ACCOUNTS, 'restored', 'default');
    return current !== undefined && current.uid !== account?.uid;
  });
  const map = await findObject(MAPS, 'restored', ROOT_CERTIFICATE);
  await cluster.client.of(MAPS).namespace('restored').delete(ROOT_CERTIFICATE);
  await waitUntil('a new root certificate', async () => {
    const current = await findObject(MAPS, 'restored', ROOT_CERTIFICATE);
    return current !== undefined && current.uid !== map?.uid;
  });
  await cluster.client
    .of(MAPS)
    .namespace('restored')
    .patch(ROOT_CERTIFICATE, 'merge', {
      data: { 'ca.crt': 'forged', extra: 'x' },
    });
  await waitUntil('the right root certificate', async () => {
    const data = objectAt((await findObject(MAPS, 'restored', ROOT_CERTIFICATE))?.body, 'data');
    return stringAt(data, 'ca.crt') === cluster.server.certificates.authority && Object.keys(data ?? {}).length === 1;
  });
});

test('a namespace with an unknown finalizer remains and names it in its conditions, while other namespaces are deleted', async () => {
  for (const name of ['stuck', 'free']) await createNamespace(name);
  await cluster.client
    .of(MAPS)
    .namespace('stuck')
    .create({ metadata: { name: 'held', finalizers: ['nobody.example.com/f'] } });
  await cluster.client.of(PODS).namespace('stuck').create(pod('stuck', 'going'));
  await cluster.client.of(NAMESPACES).delete('stuck');
  await cluster.client.of(NAMESPACES).delete('free');
  await waitUntil('the free namespace to be deleted', async () => (await findObject(NAMESPACES, '', 'free')) === undefined);
  await waitUntil(
    'the finalizer to be named',
    async () => (await namespaceCondition('stuck', 'NamespaceFinalizersRemaining'))?.['status'] === 'True',
  );
  expect(await namespaceCondition('stuck', 'NamespaceFinalizersRemaining')).toMatchObject({
    message: 'Some content in the namespace has finalizers remaining: nobody.example.com/f in 1 resource instances',
  });
  expect(await namespaceCondition('stuck', 'NamespaceContentRemaining')).toMatchObject({
    message: 'Some resources are remaining: configmaps. has 1 resource instances',
  });
  expect(await findObject(PODS, 'stuck', 'going')).toBeUndefined();
  expect(cluster.controllers.output).toContain('held (nobody.example.com/f)');
  // A second DELETE succeeds or conflicts, and changes nothing.
  await cluster.client
    .of(NAMESPACES)
    .delete('stuck')
    .catch((error: unknown) => expect(error).toMatchObject({ code: 409 }));
  await cluster.client
    .of(MAPS)
    .namespace('stuck')
    .patch('held', 'merge', { metadata: { finalizers: null } });
  await waitUntil('the stuck namespace to be deleted', async () => (await findObject(NAMESPACES, '', 'stuck')) === undefined, 25_000);
});

test('the namespace controller deletes pods before the objects that they may need', async () => {
  await createNamespace('ordered');
  await cluster.client
    .of(PODS)
    .namespace('ordered')
    .create(pod('ordered', 'slow', ['nobody.example.com/f']));
  await cluster.client
    .of(MAPS)
    .namespace('ordered')
    .create({ metadata: { name: 'needed' } });
  await cluster.client.of(NAMESPACES).delete('ordered');
  await waitUntil(
    'the pod to be named',
    async () => (await namespaceCondition('ordered', 'NamespaceContentRemaining'))?.['status'] === 'True',
  );
  expect(await findObject(MAPS, 'ordered', 'needed')).toBeDefined();
  await cluster.client
    .of(PODS)
    .namespace('ordered')
    .patch('slow', 'merge', { metadata: { finalizers: null } });
  await waitUntil('the namespace to be deleted', async () => (await findObject(NAMESPACES, '', 'ordered')) === undefined, 25_000);
});

test('used claims and bound volumes remain after a delete until they are released', async () => {
  await createNamespace('stored');
  const resources = { requests: { storage: '1Gi' } };
  for (const name of ['used', 'unused'])
    await cluster.client
      .of(CLAIMS)
      .namespace('stored')
      .create({ metadata: { name }, spec: { accessModes: ['ReadWriteOnce'], resources } });
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'used' } }];
  const user = { nodeName: 'somewhere', containers: [{ name: 'c', image: 'i' }], volumes };
  await cluster.client
    .of(PODS)
    .namespace('stored')
    .create({ metadata: { name: 'user' }, spec: user });
  for (const name of ['used', 'unused']) await cluster.client.of(CLAIMS).namespace('stored').delete(name);
  await waitUntil('the unused claim to be deleted', async () => (await findObject(CLAIMS, 'stored', 'unused')) === undefined);
  expect(await findObject(CLAIMS, 'stored', 'used')).toBeDefined();
  await cluster.client.of(PODS).namespace('stored').delete('user', { gracePeriodSeconds: 0 });
  await waitUntil('the claim that was used to be deleted', async () => (await findObject(CLAIMS, 'stored', 'used')) === undefined);

  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/v' } };
  await cluster.client.of(VOLUMES).create({ metadata: { name: 'bound' }, spec: { ...spec, storageClassName: 'manual' } });
  await cluster.client
    .of(CLAIMS)
    .namespace('stored')
    .create({
      metadata: { name: 'bound' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'manual', resources },
    });
  const phase = async () => stringAt(objectAt((await findObject(VOLUMES, '', 'bound'))?.body, 'status'), 'phase');
  await waitUntil('the volume to be bound', async () => (await phase()) === 'Bound');
  await cluster.client.of(VOLUMES).delete('bound');
  await cluster.client.of(VOLUMES).patch('bound', 'merge', { metadata: { labels: { still: 'there' } } });
  await cluster.client.of(CLAIMS).namespace('stored').delete('bound');
  await waitUntil('the volume to be deleted', async () => (await findObject(VOLUMES, '', 'bound')) === undefined);
  // The controller restores a finalizer that a client removes.
  await cluster.client.of(VOLUMES).create({ metadata: { name: 'bare' }, spec });
  await cluster.client.of(VOLUMES).patch('bare', 'merge', { metadata: { finalizers: null } });
  const finalizers = async () => arrayAt(objectAt((await findObject(VOLUMES, '', 'bare'))?.body, 'metadata'), 'finalizers');
  await waitUntil('the finalizer to be restored', async () => (await finalizers())?.includes('platform.io/pv-protection') === true);
});

test('the controllers serve /healthz without credentials, and /metrics to users that the API server authorizes', async () => {
  const { authority, admin } = cluster.server.certificates;
  const get = (path: string, credentials: RequestOptions = {}) =>
    fetchPage({ host: '127.0.0.1', port: healthPort, path, rejectUnauthorized: false, ...credentials });
  const token = (account: string): Promise<string> => requestToken('default', account);
  const bearer = (text: string): RequestOptions => ({ headers: { authorization: `Bearer ${text}` } });
  expect(await get('/healthz')).toEqual([200, 'ok']);
  expect((await get('/metrics'))[0]).toBe(403);
  expect((await get('/healthz', bearer('wrong')))[0]).toBe(401);
  await cluster.client
    .of(ACCOUNTS)
    .namespace('default')
    .create({ metadata: { name: 'scraper' } });
  expect((await get('/metrics', bearer(await token('scraper'))))[1]).toContain(
    'User \\"system:serviceaccount:default:scraper\\" cannot get path \\"/metrics\\"',
  );
  await cluster.client
    .of(ACCOUNTS)
    .namespace('default')
    .create({ metadata: { name: 'reader' } });
  await cluster.client.of(BINDINGS).create({
    metadata: { name: 'metrics-reader' },
    roleRef: { apiGroup: 'rbac.authorization.platform.io', kind: 'ClusterRole', name: 'system:monitoring' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'reader' }],
  });
  await waitUntil('the reader to be authorized', async () => (await get('/metrics', bearer(await token('reader'))))[0] === 200);
  const [, metrics] = await get('/metrics', { ca: authority, cert: admin.certificate, key: admin.key });
  for (const name of ['namespace', 'serviceaccount', 'root-ca-cert-publisher']) {
    expect(metrics).toContain(`leader_election_master_status{name="controller-${name}"} 1`);
  }
  for (const queue of ['namespace', 'serviceaccount', 'root_ca_cert_publisher', 'pvcprotection']) {
    expect(metrics).toContain(`workqueue_depth{name="${queue}"} 0`);
  }
  expect(metrics).toMatch(/^rest_client_requests_total\{code="201",host="127\.0\.0\.1:\d+",method="POST"\} \d+$/m);
  for (const certificate of ['serving', 'client-ca', 'client']) {
    const expiration = new RegExp(`^tls_certificate_expiration_timestamp_seconds\\{certificate="${certificate}"\\} (\\d+)$`, 'm');
    expect(Number(expiration.exec(metrics)?.[1])).toBeGreaterThan(Date.now() / 1000);
  }
});

function fetchPage(options: RequestOptions): Promise<[code: number | undefined, text: string]> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve([response.statusCode, text]));
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function requestToken(namespace: string, name: string): Promise<string> {
  const tokenRequest = { apiVersion: 'authentication.platform.io/v1', kind: 'TokenRequest', spec: {} };
  const response = await cluster.client.of(ACCOUNTS).namespace(namespace).createSubresource(name, 'token', tokenRequest);
  return stringAt(objectAt(response, 'status'), 'token') ?? '';
}
