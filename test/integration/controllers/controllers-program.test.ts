/**
 * The controllers program as a process: each controller holds its Lease and has one visible effect, except those that
 * act only after an hour or a year. The detailed behaviour of each controller is replayed in simulated time by other
 * tests.
 */
import { CONTROLLERS } from '../../../controllers/table';
import { isBody, type Body } from '../../replay/json-response';
import { SCENARIOS } from '../../replay/scenarios';
import { absolutePath, create, remove, type ScenarioRequest } from '../../replay/scenarios/scenario';
import { ScenarioSession, type ScenarioSend } from '../../replay/scenarios/scenario-session';
import { ApiClient } from '../../support/http/api-client';
import { startProgram, waitUntil } from '../../support/programs';
import { sendWith } from '../../support/scenarios/replayed-scenario';
import { useClosable } from '../../support/use-resource';
import { useControllers } from './controller-processes';

interface Effect {
  readonly requests: readonly ScenarioRequest[];
  /** Path of the collection that shows the effect, as in {@link ScenarioRequest}. */
  readonly path: string;
  readonly isSeen: (items: readonly Body[]) => boolean;
}

const CORE = '/api/v1';
const APPS = '/apis/apps/v1/namespaces/$NS';
const BATCH = '/apis/batch/v1/namespaces/$NS';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/$NS/endpointslices';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BUDGETS = '/apis/policy/v1/namespaces/$NS/poddisruptionbudgets';
const SCALERS = '/apis/autoscaling/v2/namespaces/$NS/horizontalpodautoscalers';
const SECRET_TYPE = 'kubernetes.io/service-account-token';
/** Leaves room for suffixes in names of 63 characters. */
const MAX_NAME_LENGTH = 40;
const LABELS = { app: 'a' };
const SELECTOR = { matchLabels: LABELS };
const TEMPLATE: Body = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const TOLERANT: Body = { ...TEMPLATE, spec: { containers: [{ name: 'c', image: 'i' }], tolerations: [{ operator: 'Exists' }] } };
const JOB_TEMPLATE: Body = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
const WITH_FINALIZER = { finalizers: ['example.com/hold'] };
const CLAIM: Body = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const VOLUME: Body = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/v' } };
const NODES = `${CORE}/nodes`;
const node = (spec: Body = {}): ScenarioRequest => create(NODES, { metadata: { name: '$NS-n' }, spec });
const pod = (spec: Body = {}): ScenarioRequest =>
  create('pods', { metadata: { name: 'p', ...WITH_FINALIZER }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
const service = (spec: Body): ScenarioRequest =>
  create('services', { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }], ...spec } });

/** The value at the path of members; `undefined` when it is missing. */
const valueAt = (item: unknown, ...members: readonly string[]): unknown =>
  members.reduce<unknown>((value, member) => (typeof value === 'object' && value !== null ? Object(value)[member] : undefined), item);
const isAny =
  (test: (item: Body) => boolean): Effect['isSeen'] =>
  (items) =>
    items.some(test);
const areAllDeleted: Effect['isSeen'] = (items) => items.length === 0;
const ownedBy = (kind: string): Effect['isSeen'] => isAny((item) => valueAt(item, 'metadata', 'ownerReferences', '0', 'kind') === kind);
const managedBy = (manager: string): Effect['isSeen'] =>
  isAny((slice) => valueAt(slice, 'metadata', 'labels', 'endpointslice.kubernetes.io/managed-by') === manager);

/** The requests of a recorded scenario's first steps. */
function requestsOf(recording: string, scenario: string, steps = 1): readonly ScenarioRequest[] {
  const match = SCENARIOS.get(recording)?.find(({ name }) => name === scenario);
  if (match === undefined) throw new Error(`there is no scenario ${scenario} in ${recording}`);
  return match.steps.slice(0, steps).flatMap(({ requests }) => requests);
}

/** `undefined` when the controller acts only after an hour or a year. */
const EFFECTS: Readonly<Record<string, Effect | undefined>> = {
  nodeipam: { requests: [node()], path: NODES, isSeen: isAny((item) => valueAt(item, 'spec', 'podCIDRs', '0') !== undefined) },
  'service-lb': {
    requests: [service({ type: 'LoadBalancer', loadBalancerClass: 'kubernetes.io/development' })],
    path: 'services',
    isSeen: isAny((item) => valueAt(item, 'status', 'loadBalancer', 'ingress', '0', 'ip') !== undefined),
  },
  namespace: {
    requests: [create(`${CORE}/namespaces`, { metadata: { name: '$NS-b' } }), remove(`${CORE}/namespaces/$NS-b`)],
    path: `${CORE}/namespaces`,
    isSeen: (items) => items.length === 1,
  },
  'root-ca-cert-publisher': {
    requests: [],
    path: 'configmaps',
    isSeen: isAny((map) => valueAt(map, 'metadata', 'name') === 'kube-root-ca.crt'),
  },
  serviceaccount: { requests: [], path: 'serviceaccounts', isSeen: isAny((account) => valueAt(account, 'metadata', 'name') === 'default') },
  'serviceaccount-token': {
    requests: [
      create('serviceaccounts', { metadata: { name: 'a' } }),
      create('secrets', { metadata: { name: 't', annotations: { 'kubernetes.io/service-account.name': 'a' } }, type: SECRET_TYPE }),
    ],
    path: 'secrets',
    isSeen: isAny((secret) => valueAt(secret, 'data', 'token') !== undefined),
  },
  'legacy-serviceaccount-token-cleaner': undefined,
  'persistentvolumeclaim-protection': {
    requests: [create('persistentvolumeclaims', { metadata: { name: 'c' }, spec: CLAIM }), remove('persistentvolumeclaims/c')],
    path: 'persistentvolumeclaims',
    isSeen: areAllDeleted,
  },
  'persistentvolume-protection': {
    requests: [
      create(`${CORE}/persistentvolumes`, { metadata: { name: '$NS-v' }, spec: VOLUME }),
      remove(`${CORE}/persistentvolumes/$NS-v`),
    ],
    path: `${CORE}/persistentvolumes`,
    isSeen: areAllDeleted,
  },
  'persistentvolume-binder': {
    requests: [
      create(`${CORE}/persistentvolumes`, { metadata: { name: '$NS-v' }, spec: { ...VOLUME, storageClassName: '$NS' } }),
      create('persistentvolumeclaims', { metadata: { name: 'c' }, spec: { ...CLAIM, storageClassName: '$NS' } }),
    ],
    path: 'persistentvolumeclaims',
    isSeen: isAny((claim) => valueAt(claim, 'status', 'phase') === 'Bound'),
  },
  'ephemeral-volume': {
    requests: [pod({ volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec: CLAIM } } }] })],
    path: 'persistentvolumeclaims',
    isSeen: ownedBy('Pod'),
  },
  'clusterrole-aggregation': {
    requests: [
      create(ROLES, {
        metadata: { name: '$NS-part', labels: { of: '$NS' } },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      }),
      create(ROLES, {
        metadata: { name: '$NS-whole' },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { of: '$NS' } }] },
        rules: [],
      }),
    ],
    path: ROLES,
    isSeen: (roles) => roles.every((role) => valueAt(role, 'rules', '0', 'resources', '0') === 'pods'),
  },
  csrapproving: {
    requests: requestsOf('certificates', 'csr-join'),
    path: REQUESTS,
    isSeen: isAny((request) => valueAt(request, 'status', 'conditions', '0', 'type') === 'Approved'),
  },
  csrsigning: {
    requests: requestsOf('certificates', 'csr-api-client'),
    path: REQUESTS,
    isSeen: isAny((request) => valueAt(request, 'status', 'certificate') !== undefined),
  },
  csrcleaner: undefined,
  disruption: {
    requests: [create(BUDGETS, { metadata: { name: 'b' }, spec: { minAvailable: 1, selector: SELECTOR } })],
    path: BUDGETS,
    isSeen: isAny((budget) => valueAt(budget, 'status', 'observedGeneration') === 1),
  },
  resourcequota: {
    requests: [create('resourcequotas', { metadata: { name: 'q' }, spec: { hard: { pods: '1' } } })],
    path: 'resourcequotas',
    isSeen: isAny((quota) => valueAt(quota, 'status', 'used', 'pods') === '0'),
  },
  nodelifecycle: {
    requests: [node()],
    path: NODES,
    isSeen: isAny((item) => valueAt(item, 'status', 'conditions', '0', 'reason') === 'NodeStatusNeverUpdated'),
  },
  'taint-eviction': {
    requests: [node({ taints: [{ key: 'k', effect: 'NoExecute' }] }), pod({ nodeName: '$NS-n' })],
    path: 'pods',
    isSeen: isAny((item) => valueAt(item, 'metadata', 'deletionTimestamp') !== undefined),
  },
  ttl: {
    requests: [node()],
    path: NODES,
    isSeen: isAny((item) => valueAt(item, 'metadata', 'annotations', 'node.alpha.kubernetes.io/ttl') === '0'),
  },
  tokencleaner: {
    requests: [
      create('/api/v1/namespaces/kube-system/secrets', {
        metadata: { name: 'bootstrap-token-$NS-1', labels: { of: '$NS' } },
        type: 'bootstrap.kubernetes.io/token',
        stringData: { 'token-id': 'abcdef', 'token-secret': 'abcdef0123456789', expiration: '2020-01-01T00:00:00Z' },
      }),
    ],
    path: '/api/v1/namespaces/kube-system/secrets?labelSelector=of%3D$NS',
    isSeen: areAllDeleted,
  },
  bootstrapsigner: {
    requests: requestsOf('bootstrap-signer', 'sg-ordinary', 2),
    path: '/api/v1/namespaces/kube-public/configmaps?fieldSelector=metadata.name%3Dcluster-info',
    isSeen: isAny((map) => valueAt(map, 'data', 'jws-kubeconfig-sgor01') !== undefined),
  },
  endpointslice: {
    requests: [service({ selector: LABELS })],
    path: SLICES,
    isSeen: managedBy('endpointslice-controller.k8s.io'),
  },
  endpoints: { requests: [service({ selector: LABELS })], path: 'endpoints', isSeen: isAny(() => true) },
  endpointslicemirroring: {
    requests: [
      service({}),
      create('endpoints', { metadata: { name: 'web' }, subsets: [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 80 }] }] }),
    ],
    path: SLICES,
    isSeen: managedBy('endpointslicemirroring-controller.k8s.io'),
  },
  'garbage-collector': {
    requests: [
      create('secrets', {
        metadata: {
          name: 's',
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'm', uid: '00000000-1111-2222-3333-444444444444' }],
        },
      }),
    ],
    path: 'secrets',
    isSeen: areAllDeleted,
  },
  'ttl-after-finished': {
    requests: [
      create(`${BATCH}/jobs`, { metadata: { name: 'j' }, spec: { completions: 0, ttlSecondsAfterFinished: 0, template: JOB_TEMPLATE } }),
    ],
    path: `${BATCH}/jobs`,
    isSeen: areAllDeleted,
  },
  'pod-garbage-collector': {
    requests: [pod(), remove('pods/p')],
    path: 'pods',
    isSeen: isAny((item) => valueAt(item, 'status', 'phase') === 'Failed'),
  },
  replicaset: {
    requests: [create(`${APPS}/replicasets`, { metadata: { name: 's' }, spec: { selector: SELECTOR, template: TEMPLATE } })],
    path: 'pods',
    isSeen: ownedBy('ReplicaSet'),
  },
  replicationcontroller: {
    requests: [create('replicationcontrollers', { metadata: { name: 's' }, spec: { selector: LABELS, template: TEMPLATE } })],
    path: 'pods',
    isSeen: ownedBy('ReplicationController'),
  },
  deployment: {
    requests: [create(`${APPS}/deployments`, { metadata: { name: 'd' }, spec: { selector: SELECTOR, template: TEMPLATE } })],
    path: `${APPS}/replicasets`,
    isSeen: ownedBy('Deployment'),
  },
  statefulset: {
    requests: [
      create(`${APPS}/statefulsets`, { metadata: { name: 's' }, spec: { serviceName: 'w', selector: SELECTOR, template: TEMPLATE } }),
    ],
    path: 'pods',
    isSeen: ownedBy('StatefulSet'),
  },
  daemonset: {
    requests: [node(), create(`${APPS}/daemonsets`, { metadata: { name: 's' }, spec: { selector: SELECTOR, template: TOLERANT } })],
    path: 'pods',
    isSeen: ownedBy('DaemonSet'),
  },
  job: {
    requests: [create(`${BATCH}/jobs`, { metadata: { name: 'j' }, spec: { template: JOB_TEMPLATE } })],
    path: 'pods',
    isSeen: ownedBy('Job'),
  },
  cronjob: { requests: requestsOf('jobs', 'cron-allow'), path: `${BATCH}/jobs`, isSeen: ownedBy('CronJob') },
  'horizontal-pod-autoscaler': {
    requests: [
      create(SCALERS, {
        metadata: { name: 'h' },
        spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' } },
      }),
    ],
    path: SCALERS,
    isSeen: isAny((scaler) => valueAt(scaler, 'status', 'conditions', '0', 'type') === 'AbleToScale'),
  },
  'validatingadmissionpolicy-status': {
    requests: requestsOf('managers', 'own-policies'),
    path: POLICIES,
    isSeen: isAny((policy) => valueAt(policy, 'status', 'observedGeneration') === 1),
  },
};

const NAMES = CONTROLLERS.map(({ name }) => name);
const EFFECT_ROWS = NAMES.flatMap((name) => {
  const effect = EFFECTS[name];
  return effect === undefined ? [] : ([[name, effect]] as const);
});

/** The namespace of a controller's objects; its cluster-scoped objects have names that begin with it. */
const namespaceOf = (name: string): string => `sm-${name.slice(0, MAX_NAME_LENGTH)}`;

async function sendAll(send: ScenarioSend, name: string, requests: readonly ScenarioRequest[]): Promise<void> {
  const session = new ScenarioSession(send, namespaceOf(name));
  const namespace = create(`${CORE}/namespaces`, { metadata: { name: '$NS' } });
  for (const request of [namespace, ...requests]) {
    const code = await session.perform(request);
    if (code >= 300) throw new Error(`${name}: ${request.method} ${request.path} returned ${code}`);
  }
}

describe('the controllers program:', () => {
  const cluster = useControllers('controllers-program', {
    serverArgs: ['--naming=kubernetes', '--disable-admission-plugins=NodeRestriction'],
    prepare: async (server) => {
      // The requests are sent before the controllers start, because some controllers list only at their start and again
      // much later.
      const client = new ApiClient(server.address, server.certificates);
      for (const [name, { requests }] of EFFECT_ROWS)
        await sendAll(
          sendWith(() => client),
          name,
          requests,
        );
      client.close();
      return [
        '--naming=kubernetes',
        '--controllers=*,bootstrapsigner,tokencleaner',
        '--horizontal-pod-autoscaler-sync-period=1s',
        '--node-startup-grace-period=1s',
        '--node-monitor-period=500ms',
        '--allocate-node-cidrs',
        '--cluster-cidr=10.244.0.0/16',
        '--development-load-balancer-addresses=192.0.2.0/24',
      ];
    },
  });
  const send = sendWith(useClosable(() => new ApiClient(cluster.server.address, cluster.server.certificates)));

  /** Items in the controller's namespace; of a cluster-scoped collection, those with the namespace as name prefix. */
  async function listItems(name: string, path: string): Promise<readonly Body[]> {
    const { body } = await send('GET', absolutePath(path, namespaceOf(name)), {});
    const items = isBody(body) && Array.isArray(body['items']) ? body['items'].filter(isBody) : [];
    const isOwn = (item: Body): boolean => String(valueAt(item, 'metadata', 'name')).startsWith(namespaceOf(name));
    return path.startsWith('/') && !path.includes('$NS') && !path.includes('?') ? items.filter(isOwn) : items;
  }

  test('the table of effects has a row for each controller', () => {
    expect(Object.keys(EFFECTS).sort()).toEqual([...NAMES].sort());
  });

  test('each controller holds its Lease', async () => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    const heldLeases = async (): Promise<readonly string[]> => {
      const { body } = await send('GET', path, {});
      const leases = isBody(body) && Array.isArray(body['items']) ? body['items'] : [];
      return leases
        .filter((lease) => valueAt(lease, 'spec', 'holderIdentity') !== undefined)
        .map((lease) => String(valueAt(lease, 'metadata', 'name')));
    };
    const controllersWithoutLease = async (): Promise<readonly string[]> => {
      const names = await heldLeases();
      return NAMES.filter((name) => !names.includes(`controller-${name}`));
    };
    await waitUntil('a Lease of each controller', async () => (await controllersWithoutLease()).length === 0, 30_000);
  }, 60_000);

  test.each(EFFECT_ROWS)(
    '%s has a visible effect',
    async (name, { path, isSeen }) => {
      await waitUntil(`the effect of ${name}`, async () => isSeen(await listItems(name, path)), 30_000);
    },
    60_000,
  );
});

test('the program exits with code 64, as its supervisor expects, when --controllers names an unknown controller', async () => {
  const program = startProgram('controllers/main.js', ['--master=http://127.0.0.1:1', '--controllers=no-such-controller']);
  expect((await program.exited).code).toBe(64);
  expect(program.output).toBe(
    'controllers: --controllers: there is no controller "no-such-controller"\nSee \'controllers --help\' for its flags.\n',
  );
});
