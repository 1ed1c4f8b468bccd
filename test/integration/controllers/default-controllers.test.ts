/**
 * The controllers process with default flags against an API server process: namespaces, service accounts, root
 * certificates, protection of claims and volumes, and its health and metrics endpoints.
 */
import type { RequestOptions } from 'node:https';
import path from 'node:path';
import { arrayAt, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { undefinedIfNotFound } from '../../../shared/client/rest/api-error';
import type { ApiObject } from '../../../shared/client/rest/api-object';
import { resourceOf, type Resource } from '../../../shared/client/rest/resource';
import { packagedProgram, runClient } from '../../support/external/kubectl';
import { sendOnce, type TextResponse } from '../../support/http/send-once';
import { freePort } from '../../support/ports';
import { waitUntil } from '../../support/programs';
import { useResource } from '../../support/use-resource';
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

const healthPort = useResource(freePort);
const cluster = useControllers('default-controllers', {
  prepare: async ({ pki }) => [`--secure-port=${healthPort()}`, '--bind-address=127.0.0.1', `--client-ca-file=${path.join(pki, 'ca.crt')}`],
});

/** The client for objects of a kind in a namespace. */
const objects = <Body extends JsonObject>(resource: Resource<Body>, namespace: string) => cluster.client.of(resource).namespace(namespace);

/** `undefined` when there is no such object. `namespace` is empty for cluster-scoped kinds. */
const findObject = (resource: Resource, namespace: string, name: string): Promise<ApiObject | undefined> =>
  undefinedIfNotFound(objects(resource, namespace).get(name));

/** Creates a namespace and waits for what the controllers create in it. */
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

describe('accounts and root certificates', () => {
  beforeAll(() => createNamespace('restored'));

  test('a deleted default account is created again', async () => {
    const account = await findObject(ACCOUNTS, 'restored', 'default');
    await objects(ACCOUNTS, 'restored').delete('default');
    await waitUntil('a new account', async () => {
      const current = await findObject(ACCOUNTS, 'restored', 'default');
      return current !== undefined && current.uid !== account?.uid;
    });
  });

  test('a deleted root certificate is created again', async () => {
    const map = await findObject(MAPS, 'restored', ROOT_CERTIFICATE);
    await objects(MAPS, 'restored').delete(ROOT_CERTIFICATE);
    await waitUntil('a new root certificate', async () => {
      const current = await findObject(MAPS, 'restored', ROOT_CERTIFICATE);
      return current !== undefined && current.uid !== map?.uid;
    });
  });

  test('a changed root certificate is restored', async () => {
    await objects(MAPS, 'restored').patch(ROOT_CERTIFICATE, 'merge', { data: { 'ca.crt': 'forged', extra: 'x' } });
    await waitUntil('the right root certificate', async () => {
      const data = objectAt((await findObject(MAPS, 'restored', ROOT_CERTIFICATE))?.body, 'data');
      return stringAt(data, 'ca.crt') === cluster.server.certificates.authority && Object.keys(data ?? {}).length === 1;
    });
  });
});

describe('deleted namespaces', () => {
  test('a namespace whose content has a finalizer remains and names it in its conditions', async () => {
    for (const name of ['stuck', 'empty']) await createNamespace(name);
    await objects(MAPS, 'stuck').create({ metadata: { name: 'held', finalizers: ['example.com/held'] } });
    await objects(PODS, 'stuck').create(pod('stuck', 'deleted'));
    await cluster.client.of(NAMESPACES).delete('stuck');
    // The stuck namespace does not delay the deletion of another one.
    await cluster.client.of(NAMESPACES).delete('empty');
    await waitUntil('the empty namespace to be deleted', async () => (await findObject(NAMESPACES, '', 'empty')) === undefined);
    await waitUntil(
      'the finalizer to be named',
      async () => (await namespaceCondition('stuck', 'NamespaceFinalizersRemaining'))?.['status'] === 'True',
    );
    expect(await namespaceCondition('stuck', 'NamespaceFinalizersRemaining')).toMatchObject({
      message: 'Some content in the namespace has finalizers remaining: example.com/held in 1 resource instances',
    });
    expect(await namespaceCondition('stuck', 'NamespaceContentRemaining')).toMatchObject({
      message: 'Some resources are remaining: configmaps. has 1 resource instances',
    });
    expect(await findObject(PODS, 'stuck', 'deleted')).toBeUndefined();
    expect(cluster.controllers.output).toContain('held (example.com/held)');
    // A second DELETE succeeds or conflicts, and changes nothing.
    await cluster.client
      .of(NAMESPACES)
      .delete('stuck')
      .catch((error: unknown) => expect(error).toMatchObject({ code: 409 }));
    await objects(MAPS, 'stuck').patch('held', 'merge', { metadata: { finalizers: null } });
    await waitUntil('the stuck namespace to be deleted', async () => (await findObject(NAMESPACES, '', 'stuck')) === undefined, 25_000);
  });

  test('the namespace controller deletes pods before the objects that they may need', async () => {
    await createNamespace('ordered');
    await objects(PODS, 'ordered').create(pod('ordered', 'slow', ['example.com/held']));
    await objects(MAPS, 'ordered').create({ metadata: { name: 'needed' } });
    await cluster.client.of(NAMESPACES).delete('ordered');
    await waitUntil(
      'the pod to be named',
      async () => (await namespaceCondition('ordered', 'NamespaceContentRemaining'))?.['status'] === 'True',
    );
    expect(await findObject(MAPS, 'ordered', 'needed')).toBeDefined();
    await objects(PODS, 'ordered').patch('slow', 'merge', { metadata: { finalizers: null } });
    await waitUntil('the namespace to be deleted', async () => (await findObject(NAMESPACES, '', 'ordered')) === undefined, 25_000);
  });
});

describe('claims and volumes', () => {
  const CLAIM_SPEC = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const VOLUME_SPEC = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/v' } };

  test('a deleted claim remains while a pod uses it', async () => {
    await createNamespace('stored');
    for (const name of ['used', 'unused']) await objects(CLAIMS, 'stored').create({ metadata: { name }, spec: CLAIM_SPEC });
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'used' } }];
    const podSpec = { nodeName: 'somewhere', containers: [{ name: 'c', image: 'i' }], volumes };
    await objects(PODS, 'stored').create({ metadata: { name: 'user' }, spec: podSpec });
    for (const name of ['used', 'unused']) await objects(CLAIMS, 'stored').delete(name);
    await waitUntil('the unused claim to be deleted', async () => (await findObject(CLAIMS, 'stored', 'unused')) === undefined);
    expect(await findObject(CLAIMS, 'stored', 'used')).toBeDefined();
    await objects(PODS, 'stored').delete('user', { gracePeriodSeconds: 0 });
    await waitUntil('the claim that was used to be deleted', async () => (await findObject(CLAIMS, 'stored', 'used')) === undefined);
  });

  test('a deleted volume remains while a claim is bound to it', async () => {
    const storageClassName = 'manual';
    await cluster.client.of(VOLUMES).create({ metadata: { name: 'bound' }, spec: { ...VOLUME_SPEC, storageClassName } });
    await objects(CLAIMS, 'default').create({ metadata: { name: 'bound' }, spec: { ...CLAIM_SPEC, storageClassName } });
    const phase = async () => stringAt(objectAt((await findObject(VOLUMES, '', 'bound'))?.body, 'status'), 'phase');
    await waitUntil('the volume to be bound', async () => (await phase()) === 'Bound');
    await cluster.client.of(VOLUMES).delete('bound');
    await cluster.client.of(VOLUMES).patch('bound', 'merge', { metadata: { labels: { still: 'there' } } });
    await objects(CLAIMS, 'default').delete('bound');
    await waitUntil('the volume to be deleted', async () => (await findObject(VOLUMES, '', 'bound')) === undefined);
  });

  test('the finalizer of a volume that a client removes is restored', async () => {
    await cluster.client.of(VOLUMES).create({ metadata: { name: 'bare' }, spec: VOLUME_SPEC });
    await cluster.client.of(VOLUMES).patch('bare', 'merge', { metadata: { finalizers: null } });
    const finalizers = async () => arrayAt(objectAt((await findObject(VOLUMES, '', 'bare'))?.body, 'metadata'), 'finalizers');
    await waitUntil('the finalizer to be restored', async () => (await finalizers())?.includes('platform.io/pv-protection') === true);
  });
});

describe('the endpoints of the controllers', () => {
  const get = (target: string, credentials: RequestOptions = {}): Promise<TextResponse> =>
    sendOnce({ port: healthPort(), path: target, rejectUnauthorized: false, ...credentials });
  const bearer = (token: string): RequestOptions => ({ headers: { authorization: `Bearer ${token}` } });

  test('the controllers serve /healthz without credentials', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, text: 'ok' });
    expect((await get('/healthz', bearer('wrong'))).status).toBe(401);
  });

  test('the controllers serve /metrics to users that the API server authorizes', async () => {
    expect((await get('/metrics')).status).toBe(403);
    for (const name of ['scraper', 'reader']) await objects(ACCOUNTS, 'default').create({ metadata: { name } });
    expect((await get('/metrics', bearer(await requestToken('default', 'scraper')))).text).toContain(
      'User \\"system:serviceaccount:default:scraper\\" cannot get path \\"/metrics\\"',
    );
    await cluster.client.of(BINDINGS).create({
      metadata: { name: 'metrics-reader' },
      roleRef: { apiGroup: 'rbac.authorization.platform.io', kind: 'ClusterRole', name: 'system:monitoring' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'reader' }],
    });
    const asReader = async () => get('/metrics', bearer(await requestToken('default', 'reader')));
    await waitUntil('the reader to be authorized', async () => (await asReader()).status === 200);
  });

  test('/metrics has series of the controllers, their queues, requests and certificates', async () => {
    const { authority, admin } = cluster.server.certificates;
    const { text: metrics } = await get('/metrics', { ca: authority, cert: admin.certificate, key: admin.key });
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
});

async function requestToken(namespace: string, name: string): Promise<string> {
  const tokenRequest = { apiVersion: 'authentication.platform.io/v1', kind: 'TokenRequest', spec: {} };
  const response = await objects(ACCOUNTS, namespace).createSubresource(name, 'token', tokenRequest);
  return stringAt(objectAt(response, 'status'), 'token') ?? '';
}
