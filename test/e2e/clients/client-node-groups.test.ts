/**
 * The public JavaScript client with at least one stored kind of every group that has stored kinds, through the class of
 * each group version: create, read, list, replace, patch, replace of the status, delete. The two groups of reviews only
 * create. The classes are generated from upstream's OpenAPI document, so that requests and parsed responses have
 * upstream's types.
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
import { CERTIFICATE_REQUEST } from '../../support/certificates/certificate-request';
import { useSharedApiServer } from '../../support/use-api-server';

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { restartPolicy: 'Always', containers: [{ name: 'c', image: 'i' }] } };
const SELECTOR = { matchLabels: { a: 'b' } };
const AUTOSCALER_SPEC = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } };

type GroupClass = Parameters<KubeConfig['makeApiClient']>[0];

interface KindRow {
  readonly group: GroupClass;
  readonly kind: string;
  readonly body: object;
  readonly isClusterScoped?: true;
  /** Set when the server requires a certain name. */
  readonly name?: string;
  /** A status to write; `undefined` when the kind has no status subresource. */
  readonly status?: Readonly<Record<string, unknown>>;
}

const ROWS: readonly KindRow[] = [
  { group: CoreV1Api, kind: 'ConfigMap', body: { data: { a: 'b' } } },
  { group: CoreV1Api, kind: 'ReplicationController', body: { spec: { template: TEMPLATE } }, status: { replicas: 1 } },
  { group: AppsV1Api, kind: 'Deployment', body: { spec: { selector: SELECTOR, template: TEMPLATE } }, status: { replicas: 2 } },
  {
    group: AutoscalingV1Api,
    kind: 'HorizontalPodAutoscaler',
    body: { spec: AUTOSCALER_SPEC },
    status: { currentReplicas: 1, desiredReplicas: 2 },
  },
  {
    group: AutoscalingV2Api,
    kind: 'HorizontalPodAutoscaler',
    body: { spec: AUTOSCALER_SPEC },
    status: { currentReplicas: 1, desiredReplicas: 2 },
  },
  {
    group: BatchV1Api,
    kind: 'CronJob',
    body: { spec: { schedule: '@daily', jobTemplate: { spec: { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } } } },
    status: { lastScheduleTime: new Date(0) },
  },
  {
    group: CertificatesV1Api,
    kind: 'CertificateSigningRequest',
    isClusterScoped: true,
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
    isClusterScoped: true,
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
  { group: NodeV1Api, kind: 'RuntimeClass', isClusterScoped: true, body: { handler: 'h' } },
  {
    group: PolicyV1Api,
    kind: 'PodDisruptionBudget',
    body: { spec: { minAvailable: 1, selector: SELECTOR } },
    status: { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 },
  },
  { group: RbacAuthorizationV1Api, kind: 'Role', body: { rules: [] } },
  { group: SchedulingV1Api, kind: 'PriorityClass', isClusterScoped: true, body: { value: 5 } },
  { group: StorageV1Api, kind: 'StorageClass', isClusterScoped: true, body: { provisioner: 'p.example.com' } },
  {
    group: StorageV1Api,
    kind: 'VolumeAttachment',
    isClusterScoped: true,
    body: { spec: { attacher: 'p.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
    status: { attached: true },
  },
  { group: AdmissionregistrationV1Api, kind: 'ValidatingWebhookConfiguration', isClusterScoped: true, body: { webhooks: [] } },
  {
    group: ApiregistrationV1Api,
    kind: 'APIService',
    isClusterScoped: true,
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
    isClusterScoped: true,
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

const server = useSharedApiServer();
const config = new KubeConfig();
beforeAll(() => config.loadFromFile(server.kubeconfig));

/** Calls a method of a client class by its name, which includes the kind: `createNamespacedPod`, `readNode`. */
async function callMethod(group: GroupClass, method: string, parameters: object): Promise<unknown> {
  const api: object = config.makeApiClient(group);
  const operation: unknown = Reflect.get(api, method);
  if (typeof operation !== 'function') throw new Error(`the client has no ${method}`);
  return Reflect.apply(operation, api, [parameters]);
}

test.each(ROWS.map((row): [string, KindRow] => [`${row.group.name.replace(/^Object/, '')} ${row.kind}`, row]))(
  '%s is created, read, listed, replaced, patched and deleted',
  async (_title, row) => {
    const { group, kind, body, isClusterScoped, name = 'typed', status } = row;
    const [scope, namespaceParameters] = isClusterScoped === true ? ['', {}] : ['Namespaced', { namespace: 'default' }];
    const callForKind = (verb: string, parameters: object, subresource = ''): Promise<unknown> =>
      callMethod(group, `${verb}${scope}${kind}${subresource}`, { ...namespaceParameters, ...parameters });
    const metadata = expect.objectContaining({ name, uid: expect.stringMatching(/^[0-9a-f-]{36}$/), creationTimestamp: expect.any(Date) });

    const created = await callForKind('create', { body: { metadata: { name, ...namespaceParameters }, ...body } });
    expect(created).toMatchObject({ metadata });
    expect(await callForKind('list', {})).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ metadata })]) });
    const addLabels = [{ op: 'add', path: '/metadata/labels', value: { p: '1' } }];
    expect(await callForKind('patch', { name, body: addLabels })).toMatchObject({ metadata: { labels: { p: '1' } } });

    if (status !== undefined) {
      const current = objectOf(await callForKind('read', { name }));
      const updated = objectOf(
        await callForKind('replace', { name, body: { ...current, status: { ...statusOf(current), ...status } } }, 'Status'),
      );
      expect(updated).toMatchObject({ status });
    }

    const replaceLabels = async (): Promise<object> => {
      const current = objectOf(await callForKind('read', { name }));
      return objectOf(
        await callForKind('replace', { name, body: { ...current, metadata: { ...objectOf(current['metadata']), labels: { r: '2' } } } }),
      );
    };
    // The server may write the status of some kinds between the read and the replace.
    const isConflict = (error: unknown): boolean => typeof error === 'object' && error !== null && 'code' in error && error.code === 409;
    const replaced = await replaceLabels().catch((error: unknown) =>
      isConflict(error) ? replaceLabels() : Promise.reject(error as Error),
    );
    expect(replaced).toMatchObject({ metadata: { labels: { r: '2' } }, ...(status && { status }) });
    await callForKind('delete', { name, body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } });
    await waitUntilDeleted(() => callForKind('read', { name }));
  },
);

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('an object was expected');
  return { ...value };
}

function statusOf({ status }: Record<string, unknown>): object {
  return typeof status === 'object' && status !== null ? status : {};
}

/** Waits until a read returns 404; objects with finalizers are deleted in the background. */
async function waitUntilDeleted(read: () => Promise<unknown>): Promise<void> {
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
  const selfReview = await config.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} });
  expect(selfReview.status?.userInfo?.groups).toContain('system:masters');
  const tokenReview = await config.makeApiClient(AuthenticationV1Api).createTokenReview({ body: { spec: { token: 'nobody’s' } } });
  expect(tokenReview.status?.authenticated).toBeFalsy();
  const access = config.makeApiClient(AuthorizationV1Api);
  const attributes = { namespace: 'default', verb: 'get', resource: 'pods' };
  expect((await access.createSelfSubjectAccessReview({ body: { spec: { resourceAttributes: attributes } } })).status?.allowed).toBe(true);
  const otherReview = await access.createSubjectAccessReview({ body: { spec: { user: 'nobody', resourceAttributes: attributes } } });
  expect(otherReview.status?.allowed).toBe(false);
  const rules = await access.createSelfSubjectRulesReview({ body: { spec: { namespace: 'default' } } });
  expect(rules.status?.resourceRules).toContainEqual(expect.objectContaining({ verbs: ['*'] }));
});
