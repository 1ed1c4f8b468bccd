/**
 * Records what the reference server lets nodes write, with the admission plug-in NodeRestriction, step by step:
 *   REFERENCE_URL=… node deploy/scripts/run.mjs test/replay/node-restriction.js
 * The reference has to be started with --enable-admission-plugins=NodeRestriction. Everything that is stored for it is deleted.
 * test/integration/http/node-restriction.test.ts replays the recording.
 */
import { writeRecording } from './recording';
import { ask, hangUp, type Body, type Json } from './reference';
import { NODE_REQUESTS } from '../support/certificate-request';

const NS = 'rec-restricted';
const IN = `/api/v1/namespaces/${NS}`;
const NODE = 'rec-n1';
const OTHER = 'rec-n2';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const CSI = '/apis/storage.k8s.io/v1/csinodes';

interface Step {
  readonly by: 'admin' | 'node';
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: Body;
}

const MERGE = 'application/merge-patch+json';
const admin = (method: string, path: string, body?: Body): Step => ({ by: 'admin', method, path, ...(body === undefined ? {} : { body }) });
const node = (method: string, path: string, body?: Body): Step => ({ ...admin(method, path, body), by: 'node' });
const patch = (path: string, body: Body): Step => ({ ...node('PATCH', path, body), type: MERGE });

const named = (name: string, more: Body = {}): Body => ({ metadata: { name }, ...more });
const container: Body = { name: 'c', image: 'i' };

function pod(name: string, nodeName: string, spec: Body = {}, metadata: Body = {}): Body {
  return { metadata: { name, ...metadata }, spec: { ...(nodeName === '' ? {} : { nodeName }), containers: [container], ...spec } };
}

const MIRROR = { 'kubernetes.io/config.mirror': 'x' };
const owner = (changes: Body = {}): Body => ({
  apiVersion: 'v1',
  kind: 'Node',
  name: NODE,
  uid: '<node uid>',
  controller: true,
  blockOwnerDeletion: false,
  ...changes,
});
const mirror = (name: string, nodeName: string, spec: Body = {}, owners: Body[] | undefined = [owner()]): Body =>
  pod(name, nodeName, spec, { annotations: MIRROR, ...(owners.length === 0 ? {} : { ownerReferences: owners }) });

const secretVolume: Body = { volumes: [{ name: 'v', secret: { secretName: 's' } }] };
const token = (ref?: Body): Body => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  spec: { audiences: ['https://kubernetes.default.svc'], ...(ref === undefined ? {} : { boundObjectRef: ref }) },
});
const bound = (name: string, uid: string): Body => ({ kind: 'Pod', apiVersion: 'v1', name, uid });
const labels = (given: Body): Body => ({ metadata: { labels: given } });
const taint = (key: string): Body => ({ key, value: 'x', effect: 'NoSchedule' });

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const CLAIM = `${IN}/persistentvolumeclaims/claim`;
const SIGNERS = ['kube-apiserver-client-kubelet', 'kubelet-serving', 'kube-apiserver-client'];

const configSource: Body = { configMap: { name: 'a', namespace: 'b', kubeletConfigKey: 'k' } };
const spec = (given: Body): Body => ({ spec: given });
const status = (given: Body): Body => ({ status: given });
const bundle: Body = { projected: { sources: [{ clusterTrustBundle: { name: 'b', path: 'p' } }] } };
const claims: Body = { resourceClaims: [{ name: 'a', resourceClaimName: 'b' }] };

function certificate(name: string, signer: string, request: string): Step {
  const encoded = Buffer.from(request).toString('base64');
  return node('POST', REQUESTS, named(name, spec({ request: encoded, signerName: `kubernetes.io/${signer}`, usages: ['client auth'] })));
}

/** Writes that nodes may not make even when RBAC allows them. */
const WITH_ALL_PERMISSIONS: readonly Step[] = [
  admin('POST', `${RBAC}/clusterroles`, named(NS, { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] })),
  admin(
    'POST',
    `${RBAC}/clusterrolebindings`,
    named(NS, {
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: NS },
      subjects: [{ kind: 'Group', apiGroup: GROUP, name: 'system:nodes' }],
    }),
  ),
  admin(
    'POST',
    `${IN}/persistentvolumeclaims`,
    named('claim', spec({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } })),
  ),
  patch(`/api/v1/nodes/${NODE}`, spec({ configSource })),
  patch(`/api/v1/nodes/${NODE}/status`, spec({ configSource })),
  patch(`/api/v1/nodes/${NODE}`, spec({ configSource: null })),
  patch(`/api/v1/nodes/${NODE}`, { ...labels({ 'kubernetes.io/new': '1' }), ...spec({ configSource, taints: [taint('other')] }) }),
  patch(`/api/v1/nodes/${NODE}/status`, spec({ taints: [taint('other')] })),
  patch(`/api/v1/nodes/${NODE}`, spec({ unschedulable: true })),
  node('DELETE', `/api/v1/nodes/${OTHER}?dryRun=All`),
  node('DELETE', `/api/v1/nodes/${NODE}`),
  node('POST', '/api/v1/nodes', { metadata: { generateName: 'n' } }),
  node('POST', '/api/v1/nodes', { metadata: { name: NODE, labels: { 'kubernetes.io/z': '1' } }, ...spec({ configSource }) }),
  node('POST', '/api/v1/nodes', named(NODE, spec({ configSource: {} }))),
  node('POST', '/api/v1/nodes', named(NODE)),

  patch(`${IN}/pods/own`, labels({ a: 'b' })),
  patch(`${IN}/pods/own/status`, status({ resourceClaimStatuses: [{ name: 'a', resourceClaimName: 'b' }] })),
  patch(`${IN}/pods/own/ephemeralcontainers`, spec({ ephemeralContainers: [{ name: 'e', image: 'i' }] })),
  node('POST', `${IN}/pods/own/binding`, { ...named('own'), target: { kind: 'Node', name: NODE } }),
  node('POST', `${IN}/pods`, mirror('bundles', NODE, { volumes: [{ name: 'v', ...bundle }] })),
  node('POST', `${IN}/pods?dryRun=All`, mirror('claims', NODE, claims)),

  patch(CLAIM, labels({ a: 'b' })),
  patch(`${CLAIM}/status`, status({ capacity: { storage: '2Gi' } })),
  patch(`${CLAIM}/status`, status({ conditions: [{ type: 'Resizing', status: 'True' }] })),
  patch(`${CLAIM}/status`, status({ phase: 'Bound' })),
  patch(`${CLAIM}/status`, labels({ a: 'b' })),
  patch(`${CLAIM}/status`, { metadata: { ownerReferences: [owner()] } }),
  patch(`${CLAIM}/status`, spec({ volumeName: 'v' })),
  patch(`${CLAIM}/status`, status({ allocatedResources: { storage: '2Gi' } })),
  node('DELETE', CLAIM),
  node('POST', `${IN}/persistentvolumeclaims`, named('more', spec({ accessModes: ['ReadWriteOnce'] }))),

  node('POST', LEASES.replace('kube-node-lease', NS), named(NODE, spec({ holderIdentity: NODE }))),
  ...SIGNERS.flatMap((signer) => [
    ...Object.values(NODE_REQUESTS).map((request, at) => certificate(`${NS}-${signer}-${at}`, signer, request)),
    certificate(`${NS}-${signer}`, signer, 'no request'),
  ]),
];

const STEPS: readonly Step[] = [
  admin('POST', '/api/v1/namespaces', named(NS)),
  admin('POST', `${IN}/serviceaccounts`, named('default')),
  admin('POST', '/api/v1/nodes', named(OTHER)),

  node('POST', '/api/v1/nodes', named('rec-n3')),
  node('POST', '/api/v1/nodes', { metadata: { name: NODE, labels: { 'node-restriction.kubernetes.io/x': '1' } } }),
  node('POST', '/api/v1/nodes', {
    metadata: { name: NODE, labels: { 'foo.kubernetes.io/x': '1', 'bar.k8s.io/y': '2', 'kubernetes.io/z': '3' } },
  }),
  node('POST', '/api/v1/nodes', {
    metadata: {
      name: NODE,
      labels: {
        'kubernetes.io/hostname': NODE,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': 't',
        'beta.kubernetes.io/os': 'linux',
        'topology.kubernetes.io/zone': 'z',
        'failure-domain.beta.kubernetes.io/zone': 'z',
        'kubelet.kubernetes.io/x': 'y',
        'node.kubernetes.io/anything': 'y',
        'example.com/x': 'y',
      },
    },
    spec: { taints: [taint('own')] },
  }),
  patch(`/api/v1/nodes/${OTHER}`, labels({ a: 'b' })),
  patch(`/api/v1/nodes/${OTHER}/status`, { status: { phase: 'Running' } }),
  patch(`/api/v1/nodes/${NODE}`, labels({ a: 'b' })),
  patch(`/api/v1/nodes/${NODE}`, labels({ 'node-restriction.kubernetes.io/x': '1' })),
  patch(`/api/v1/nodes/${NODE}`, labels({ 'kubernetes.io/new': '1', 'x.k8s.io/new': '1' })),
  patch(`/api/v1/nodes/${NODE}`, labels({ 'kubelet.kubernetes.io/x': 'z', 'kubernetes.io/hostname': 'other' })),
  patch(`/api/v1/nodes/${NODE}`, { spec: { taints: [taint('other')] } }),
  patch(`/api/v1/nodes/${NODE}/status`, { status: { phase: 'Running' } }),
  patch(`/api/v1/nodes/${NODE}/status`, { ...labels({ 'kubernetes.io/via-status': '1' }), status: {} }),
  patch(`/api/v1/nodes/${NODE}`, { metadata: { annotations: { a: 'b' } } }),
  node('DELETE', `/api/v1/nodes/${NODE}`),

  admin('POST', `${IN}/pods`, pod('own', NODE)),
  admin('POST', `${IN}/pods`, pod('foreign', OTHER)),
  admin('POST', `${IN}/pods`, pod('nowhere', '')),
  node('POST', `${IN}/pods`, pod('plain', NODE)),
  node('POST', `${IN}/pods`, mirror('m', OTHER)),
  node('POST', `${IN}/pods`, mirror('m', NODE, {}, [])),
  node('POST', `${IN}/pods`, mirror('m', NODE, {}, [owner(), owner({ uid: 'x', controller: false })])),
  node('POST', `${IN}/pods`, mirror('m', NODE, {}, [owner({ name: OTHER })])),
  node('POST', `${IN}/pods`, mirror('m', NODE, {}, [owner({ kind: 'Pod' })])),
  node('POST', `${IN}/pods`, mirror('m', NODE, {}, [owner({ uid: 'x' })])),
  node('POST', `${IN}/pods`, mirror('m', NODE, {}, [owner({ controller: false })])),
  node('POST', `${IN}/pods`, mirror('m', NODE, {}, [owner({ blockOwnerDeletion: true })])),
  node('POST', `${IN}/pods`, mirror('m', NODE, { serviceAccountName: 'default' })),
  node('POST', `${IN}/pods`, mirror('m', NODE, secretVolume)),
  node('POST', `${IN}/pods`, mirror('m', NODE, { volumes: [{ name: 'v', configMap: { name: 's' } }] })),
  node('POST', `${IN}/pods`, mirror('m', NODE, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 's' } }] })),
  node('POST', `${IN}/pods`, mirror('m', NODE)),
  patch(`${IN}/pods/own/status`, { status: { message: 'x' } }),
  patch(`${IN}/pods/foreign/status`, { status: { message: 'x' } }),
  patch(`${IN}/pods/nowhere/status`, { status: { message: 'x' } }),
  patch(`${IN}/pods/own/status`, { ...labels({ a: 'b' }), status: {} }),
  node('POST', `${IN}/pods/foreign/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'foreign' } }),
  node('POST', `${IN}/pods/none/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'none' } }),
  node('POST', `${IN}/pods/own/eviction?dryRun=All`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'own' } }),
  node('DELETE', `${IN}/pods/foreign`),
  node('DELETE', `${IN}/pods/none`),
  node('DELETE', `${IN}/pods/own?dryRun=All`),

  node('POST', `${IN}/serviceaccounts/default/token`, token()),
  node('POST', `${IN}/serviceaccounts/default/token`, token({ kind: 'Secret', apiVersion: 'v1', name: 's', uid: 'x' })),
  node('POST', `${IN}/serviceaccounts/default/token`, token(bound('own', ''))),
  node('POST', `${IN}/serviceaccounts/default/token`, token(bound('own', 'x'))),
  node('POST', `${IN}/serviceaccounts/default/token`, token(bound('none', 'x'))),
  node('POST', `${IN}/serviceaccounts/default/token`, token(bound('foreign', '<foreign uid>'))),
  node('POST', `${IN}/serviceaccounts/default/token`, token(bound('own', '<own uid>'))),

  node('POST', LEASES, named(NODE, { spec: { holderIdentity: NODE } })),
  node('POST', LEASES, named(OTHER, { spec: { holderIdentity: NODE } })),
  node('POST', CSI, named(NODE, { spec: { drivers: [] } })),
  node('POST', CSI, named(OTHER, { spec: { drivers: [] } })),
  ...WITH_ALL_PERMISSIONS,
];

const uids = new Map<string, string>();

/** Fills in what only the reference knows. */
const filled = (text: string): string => text.replace(/<(\w+) uid>/g, (_, name: string) => uids.get(name) ?? '');

async function take({ by, method, path, type, body }: Step): Promise<Body> {
  const acting = by === 'admin' ? {} : { 'impersonate-user': `system:node:${NODE}`, 'impersonate-group': 'system:nodes' };
  const { code, bytes } = await ask(
    method,
    path,
    { 'content-type': type ?? 'application/json', ...acting },
    body === undefined ? undefined : Buffer.from(filled(JSON.stringify(body))),
  );
  const answer = JSON.parse(bytes.toString()) as { kind?: string; message?: string; metadata?: { name?: string; uid?: string } };
  const { name = '', uid = '' } = answer.metadata ?? {};
  if (code === 201 && name === NODE && path === '/api/v1/nodes') uids.set('node', uid);
  if (code === 201 && path === `${IN}/pods`) uids.set(name, uid);
  return { code, message: code < 400 ? null : (answer.message ?? null) };
}

async function main(): Promise<void> {
  const lines: Json[] = [];
  try {
    for (const step of STEPS) {
      lines.push({ ...step, answer: await take(step) });
      // The reference decides with what it has seen.
      if (step.method === 'POST') await new Promise((resolve) => setTimeout(resolve, 150));
    }
  } finally {
    // Without controllers nothing else removes the finalizer that protects the claim.
    await ask('PATCH', CLAIM, { 'content-type': MERGE }, Buffer.from(JSON.stringify({ metadata: { finalizers: null } })));
    for (const path of [
      `${IN}/pods`,
      `${IN}/serviceaccounts`,
      `${IN}/persistentvolumeclaims`,
      ...['clusterroles', 'clusterrolebindings'].map((kind) => `${RBAC}/${kind}/${NS}`),
      ...SIGNERS.flatMap((signer) => ['', '-0', '-1', '-2', '-3', '-4'].map((end) => `${REQUESTS}/${NS}-${signer}${end}`)),
      `/api/v1/nodes/${NODE}`,
      `/api/v1/nodes/${OTHER}`,
      `${LEASES}/${NODE}`,
      `${CSI}/${NODE}`,
    ])
      await ask('DELETE', `${path}?gracePeriodSeconds=0`);
    await ask('DELETE', `/api/v1/namespaces/${NS}`);
    await ask(
      'PUT',
      `/api/v1/namespaces/${NS}/finalize`,
      { 'content-type': 'application/json' },
      Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS }, spec: {} })),
    );
    hangUp();
  }
  writeRecording('admission/node-restriction', lines);
}

void main();
