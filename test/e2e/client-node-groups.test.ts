/** The public JavaScript client on a kind of every group, with the types that it has: create, read, list, replace, patch, delete. */
import { KubeConfig, KubernetesObjectApi, type KubernetesObject } from '@kubernetes/client-node';
import { freePort } from '../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../support/programs';

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { restartPolicy: 'Always', containers: [{ name: 'c', image: 'i' }] } };
const SELECTOR = { matchLabels: { a: 'b' } };

/** apiVersion, kind, and what it needs besides a name. */
const KINDS: readonly (readonly [apiVersion: string, kind: string, body: object])[] = [
  ['v1', 'ConfigMap', { data: { a: 'b' } }],
  ['apps/v1', 'Deployment', { spec: { selector: SELECTOR, template: TEMPLATE } }],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' } } }],
  [
    'batch/v1',
    'CronJob',
    { spec: { schedule: '@daily', jobTemplate: { spec: { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } } } },
  ],
  ['policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1, selector: SELECTOR } }],
  ['networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {} } }],
  ['discovery.k8s.io/v1', 'EndpointSlice', { addressType: 'IPv4', endpoints: [] }],
  ['node.k8s.io/v1', 'RuntimeClass', { handler: 'h' }],
  ['scheduling.k8s.io/v1', 'PriorityClass', { value: 5 }],
  ['storage.k8s.io/v1', 'StorageClass', { provisioner: 'p.example.com' }],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', { webhooks: [] }],
  ['coordination.k8s.io/v1', 'Lease', { spec: { holderIdentity: 'h' } }],
  [
    'flowcontrol.apiserver.k8s.io/v1',
    'PriorityLevelConfiguration',
    { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
  ],
  ['rbac.authorization.k8s.io/v1', 'Role', { rules: [] }],
];

const folder = temporaryFolder('e2e-client-groups');
let server: ApiServer;
let client: KubernetesObjectApi;

beforeAll(async () => {
  server = await startApiServer({ folder, securePort: await freePort() });
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  client = KubernetesObjectApi.makeApiClient(config);
}, 60_000);

afterAll(async () => {
  await server.process.stop();
  removeFolder(folder);
});

test.each(KINDS)('%s %s', async (apiVersion, kind, body) => {
  const head = { apiVersion, kind, metadata: { name: 'typed', namespace: 'default' } };
  const made = await client.create<KubernetesObject>({ ...head, ...body });
  expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
  const read = await client.read(head);
  expect(read.metadata?.uid).toBe(made.metadata?.uid);
  const { items } = await client.list(apiVersion, kind, 'default');
  expect(items.map(({ metadata }) => metadata?.name)).toContain('typed');
  const replaced = await client.replace({ ...read, ...head, metadata: { ...read.metadata, ...head.metadata, labels: { r: '1' } } });
  expect(replaced.metadata?.labels).toEqual({ r: '1' });
  const patched = await client.patch({ ...head, metadata: { ...head.metadata, labels: { p: '2' } } });
  expect(patched.metadata?.labels).toEqual({ r: '1', p: '2' });
  await client.delete(head);
  await expect(client.read(head)).rejects.toMatchObject({ code: 404 });
});
