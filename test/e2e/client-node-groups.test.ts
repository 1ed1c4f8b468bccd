/**
 * The public JavaScript client on a kind of every group, through the classes that it has for each group version: create, read, list, replace, patch,
 * the status endpoint, delete. The classes are generated from upstream's own OpenAPI document, so what they send and how they read answers is its.
 */
import {
  AdmissionregistrationV1Api,
  ApiextensionsV1Api,
  ApiregistrationV1Api,
  AppsV1Api,
  AuthenticationV1Api,
  AuthorizationV1Api,
  AutoscalingV1Api,
  AutoscalingV2Api,
  BatchV1Api,
  CertificatesV1Api,
  CoordinationV1Api,
  CoreV1Api,
  DiscoveryV1Api,
  EventsV1Api,
  FlowcontrolApiserverV1Api,
  KubeConfig,
  NetworkingV1Api,
  NodeV1Api,
  PolicyV1Api,
  RbacAuthorizationV1Api,
  SchedulingV1Api,
  StorageV1Api,
  V1MicroTime,
} from '@kubernetes/client-node';
import { CERTIFICATE_REQUEST } from '../support/certificate-request';
import { useApiServer } from '../support/use-api-server';

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { restartPolicy: 'Always', containers: [{ name: 'c', image: 'i' }] } };
const SELECTOR = { matchLabels: { a: 'b' } };
const SCALED = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } };

type GroupClass = Parameters<KubeConfig['makeApiClient']>[0];

interface Row {
  readonly group: GroupClass;
  readonly kind: string;
  readonly body: object;
  readonly cluster?: true;
  /** Where the name is not the client's to choose freely. */
  readonly name?: string;
  /** What a controller would write there; absent = there is no status endpoint. */
  readonly status?: Readonly<Record<string, unknown>>;
}

const ROWS: readonly Row[] = [
  { group: CoreV1Api, kind: 'ConfigMap', body: { data: { a: 'b' } } },
  { group: CoreV1Api, kind: 'ReplicationController', body: { spec: { template: TEMPLATE } }, status: { replicas: 1 } },
  { group: AppsV1Api, kind: 'Deployment', body: { spec: { selector: SELECTOR, template: TEMPLATE } }, status: { replicas: 2 } },
  { group: AutoscalingV1Api, kind: 'HorizontalPodAutoscaler', body: { spec: SCALED }, status: { currentReplicas: 1, desiredReplicas: 2 } },
  { group: AutoscalingV2Api, kind: 'HorizontalPodAutoscaler', body: { spec: SCALED }, status: { currentReplicas: 1, desiredReplicas: 2 } },
  {
    group: BatchV1Api,
    kind: 'CronJob',
    body: { spec: { schedule: '@daily', jobTemplate: { spec: { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } } } },
    status: { lastScheduleTime: new Date(0) },
  },
  {
    group: CertificatesV1Api,
    kind: 'CertificateSigningRequest',
    cluster: true,
    body: {
      spec: { request: Buffer.from(CERTIFICATE_REQUEST).toString('base64'), signerName: 'example.com/signer', usages: ['client auth'] },
    },
    status: {},
  },
  { group: CoordinationV1Api, kind: 'Lease', body: { spec: { holderIdentity: 'h' } } },
  { group: DiscoveryV1Api, kind: 'EndpointSlice', body: { addressType: 'IPv4', endpoints: [] } },
  {
    group: EventsV1Api,
    kind: 'Event',
    body: {
      eventTime: new V1MicroTime(0),
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'a',
      reason: 'r',
      type: 'Normal',
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    },
  },
  {
    group: FlowcontrolApiserverV1Api,
    kind: 'PriorityLevelConfiguration',
    cluster: true,
    body: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
    status: {},
  },
  { group: NetworkingV1Api, kind: 'NetworkPolicy', body: { spec: { podSelector: {} } } },
  {
    group: NetworkingV1Api,
    kind: 'Ingress',
    body: { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
  },
  { group: NodeV1Api, kind: 'RuntimeClass', cluster: true, body: { handler: 'h' } },
  {
    group: PolicyV1Api,
    kind: 'PodDisruptionBudget',
    body: { spec: { minAvailable: 1, selector: SELECTOR } },
    status: { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 },
  },
  { group: RbacAuthorizationV1Api, kind: 'Role', body: { rules: [] } },
  { group: SchedulingV1Api, kind: 'PriorityClass', cluster: true, body: { value: 5 } },
  { group: StorageV1Api, kind: 'StorageClass', cluster: true, body: { provisioner: 'p.example.com' } },
  {
    group: StorageV1Api,
    kind: 'VolumeAttachment',
    cluster: true,
    body: { spec: { attacher: 'p.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
    status: { attached: true },
  },
  { group: AdmissionregistrationV1Api, kind: 'ValidatingWebhookConfiguration', cluster: true, body: { webhooks: [] } },
  {
    group: ApiregistrationV1Api,
    kind: 'APIService',
    cluster: true,
    name: 'v1.typed.example.com',
    body: {
      spec: {
        group: 'typed.example.com',
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        service: { namespace: 'default', name: 's' },
        insecureSkipTLSVerify: true,
      },
    },
    status: { conditions: [{ type: 'Available', status: 'False' }] },
  },
  {
    group: ApiextensionsV1Api,
    kind: 'CustomResourceDefinition',
    cluster: true,
    name: 'things.typed.example.com',
    body: {
      spec: {
        group: 'typed.example.com',
        names: { plural: 'things', kind: 'Thing' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    },
  },
];

const server = useApiServer('client-groups');
const config = new KubeConfig();
beforeAll(() => config.loadFromFile(server.kubeconfig));

/** The classes' methods are named after the kinds: `createNamespacedPod`, `readNode`. */
async function call(group: GroupClass, method: string, parameters: object): Promise<unknown> {
  const api: object = config.makeApiClient(group);
  const found: unknown = Reflect.get(api, method);
  if (typeof found !== 'function') throw new Error(`the client has no ${method}`);
  return Reflect.apply(found, api, [parameters]);
}

test.each(ROWS.map((row): [string, Row] => [`${row.group.name.replace(/^Object/, '')} ${row.kind}`, row]))(
  '%s is created, read, listed, replaced, patched and deleted',
  async (_title, row) => {
    const { group, kind, body, cluster, name = 'typed', status } = row;
    const [scope, place] = cluster === true ? ['', {}] : ['Namespaced', { namespace: 'default' }];
    const run = (verb: string, parameters: object, subresource = ''): Promise<unknown> =>
      call(group, `${verb}${scope}${kind}${subresource}`, { ...place, ...parameters });
    const metadata = expect.objectContaining({ name, uid: expect.stringMatching(/^[0-9a-f-]{36}$/), creationTimestamp: expect.any(Date) });

    const made = await run('create', { body: { metadata: { name, ...place }, ...body } });
    expect(made).toMatchObject({ metadata });
    expect(await run('list', {})).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ metadata })]) });
    const add = [{ op: 'add', path: '/metadata/labels', value: { p: '1' } }];
    expect(await run('patch', { name, body: add })).toMatchObject({ metadata: { labels: { p: '1' } } });

    if (status !== undefined) {
      const known = objectOf(await run('read', { name }));
      const told = objectOf(await run('replace', { name, body: { ...known, status: { ...statusOf(known), ...status } } }, 'Status'));
      expect(told).toMatchObject({ status });
    }

    const replaced = async (): Promise<object> => {
      const current = objectOf(await run('read', { name }));
      return objectOf(
        await run('replace', { name, body: { ...current, metadata: { ...objectOf(current['metadata']), labels: { r: '2' } } } }),
      );
    };
    // The server itself may write the status of some kinds in between.
    const isConflict = (error: unknown): boolean => typeof error === 'object' && error !== null && 'code' in error && error.code === 409;
    const answer = await replaced().catch((error: unknown) => (isConflict(error) ? replaced() : Promise.reject(error as Error)));
    expect(answer).toMatchObject({ metadata: { labels: { r: '2' } }, ...(status && { status }) });
    await run('delete', { name, body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } });
    await gone(() => run('read', { name }));
  },
);

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('an object was expected');
  return { ...value };
}

function statusOf({ status }: Record<string, unknown>): object {
  return typeof status === 'object' && status !== null ? status : {};
}

/** What has a finalizer goes a little later. */
async function gone(read: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const code: unknown = await read().then(
      () => undefined,
      (error: unknown) => objectOf(error)['code'],
    );
    if (code === 404) return;
    expect(code).toBeUndefined();
  }
}

test('AuthenticationV1Api and AuthorizationV1Api create reviews, which are not stored', async () => {
  const reviewed = await config.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} });
  expect(reviewed.status?.userInfo?.groups).toContain('system:masters');
  const token = await config.makeApiClient(AuthenticationV1Api).createTokenReview({ body: { spec: { token: 'nobody’s' } } });
  expect(token.status?.authenticated).toBeFalsy();
  const access = config.makeApiClient(AuthorizationV1Api);
  const attributes = { namespace: 'default', verb: 'get', resource: 'pods' };
  expect((await access.createSelfSubjectAccessReview({ body: { spec: { resourceAttributes: attributes } } })).status?.allowed).toBe(true);
  const other = await access.createSubjectAccessReview({ body: { spec: { user: 'nobody', resourceAttributes: attributes } } });
  expect(other.status?.allowed).toBe(false);
  const rules = await access.createSelfSubjectRulesReview({ body: { spec: { namespace: 'default' } } });
  expect(rules.status?.resourceRules).toContainEqual(expect.objectContaining({ verbs: ['*'] }));
});
