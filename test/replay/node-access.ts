/**
 * Records what the reference server lets nodes do, with pods, claims, volumes and attachments that lead from nodes to objects:
 *   node deploy/scripts/run.mjs test/replay/node-access.js
 * Everything that is stored for it is deleted. apiserver/server/node-decisions.test.ts replays the recording.
 */
import { writeRecording } from './recording';
import { call, hangUp, type Body, type Json } from './reference';

const NS = 'rec-node';
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const IN = `/api/v1/namespaces/${NS}`;

interface Stored {
  readonly collection: string;
  readonly name: string;
  readonly object: Body;
  /** Written to the status after the creation. */
  readonly status?: Body;
}

const container: Body = { name: 'c', image: 'i' };

function pod(name: string, nodeName: string, spec: Body = {}, annotations: Body = {}): Stored {
  return {
    collection: `${IN}/pods`,
    name,
    object: { metadata: { name, annotations }, spec: { ...(nodeName === '' ? {} : { nodeName }), containers: [container], ...spec } },
  };
}

const volume = (name: string, source: Body): Body => ({ name, ...source });

const VOLUMES: readonly Body[] = [
  volume('a', { secret: { secretName: 's-volume' } }),
  volume('b', { configMap: { name: 'c-volume' } }),
  volume('c', { projected: { sources: [{ secret: { name: 's-projected' } }, { configMap: { name: 'c-projected' } }] } }),
  volume('d', { persistentVolumeClaim: { claimName: 'claim' } }),
  volume('e', {
    ephemeral: {
      volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    },
  }),
  volume('f', { csi: { driver: 'd', nodePublishSecretRef: { name: 's-csi' } } }),
  volume('g', { flexVolume: { driver: 'x/y', secretRef: { name: 's-flex' } } }),
  volume('h', { cephfs: { monitors: ['m'], secretRef: { name: 's-cephfs' } } }),
  volume('i', { rbd: { monitors: ['m'], image: 'i', secretRef: { name: 's-rbd' } } }),
  volume('j', { iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2001-04.com.example:storage.disk1', lun: 0, secretRef: { name: 's-iscsi' } } }),
  volume('k', { scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: { name: 's-scaleio' } } }),
  volume('l', { storageos: { volumeName: 'v', secretRef: { name: 's-storageos' } } }),
  volume('m', { azureFile: { secretName: 's-azure', shareName: 's' } }),
  volume('n', { cinder: { volumeID: 'v', secretRef: { name: 's-cinder' } } }),
];

const ENV: Body = {
  ...container,
  env: [
    { name: 'A', valueFrom: { secretKeyRef: { name: 's-env', key: 'k' } } },
    { name: 'B', valueFrom: { configMapKeyRef: { name: 'c-env', key: 'k' } } },
  ],
  envFrom: [{ secretRef: { name: 's-env-from' } }, { configMapRef: { name: 'c-env-from' } }],
};
const withEnv = (name: string, secret: string): Body => ({
  name,
  image: 'i',
  env: [{ name: 'A', valueFrom: { secretKeyRef: { name: secret, key: 'k' } } }],
});

const volumeOf = (name: string, source: Body, claim: string): Stored => ({
  collection: '/api/v1/persistentvolumes',
  name: `${NS}-${name}`,
  object: {
    metadata: { name: `${NS}-${name}` },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace: NS, name: claim, uid: `uid-of-${claim}` },
      ...source,
    },
  },
});
const claim = (name: string): Stored => ({
  collection: `${IN}/persistentvolumeclaims`,
  name,
  object: {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
      volumeName: `${NS}-v-${name}`,
    },
  },
});
const secretRef = (name: string): Body => ({ name, namespace: NS });
const attachment = (name: string, nodeName: string): Stored => ({
  collection: '/apis/storage.k8s.io/v1/volumeattachments',
  name: `${NS}-${name}`,
  object: { metadata: { name: `${NS}-${name}` }, spec: { attacher: 'a', nodeName, source: { persistentVolumeName: `${NS}-v-claim` } } },
});

const STORED: readonly Stored[] = [
  ...['default', 'sa'].map((name) => ({ collection: `${IN}/serviceaccounts`, name, object: { metadata: { name } } })),
  volumeOf(
    'v-claim',
    {
      csi: {
        driver: 'd',
        volumeHandle: 'h',
        nodePublishSecretRef: secretRef('s-pv-publish'),
        nodeStageSecretRef: secretRef('s-pv-stage'),
        controllerPublishSecretRef: secretRef('s-pv-controller'),
        nodeExpandSecretRef: secretRef('s-pv-expand'),
      },
    },
    'claim',
  ),
  volumeOf('v-full-e', { azureFile: { secretName: 's-pv-azure', shareName: 's', secretNamespace: NS } }, 'full-e'),
  volumeOf('v-other', { hostPath: { path: '/x' } }, 'other'),
  claim('claim'),
  claim('other'),
  pod('full', 'rec-n1', {
    serviceAccountName: 'sa',
    imagePullSecrets: [{ name: 's-pull' }],
    volumes: [...VOLUMES],
    containers: [ENV],
    initContainers: [withEnv('init', 's-init')],
  }),
  pod('elsewhere', 'rec-n2', { volumes: [volume('a', { secret: { secretName: 's-elsewhere' } })] }),
  pod('nowhere', '', { volumes: [volume('a', { secret: { secretName: 's-nowhere' } })] }),
  {
    ...pod('done', 'rec-n1', { volumes: [volume('a', { secret: { secretName: 's-done' } })] }),
    status: { phase: 'Succeeded' },
  },
  pod('mirror', 'rec-n1', { volumes: [volume('a', { hostPath: { path: '/x' } })] }, { 'kubernetes.io/config.mirror': 'x' }),
  attachment('own', 'rec-n1'),
  attachment('foreign', 'rec-n2'),
];

interface Asked {
  readonly verb: string;
  readonly resource: string;
  readonly group?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  secrets: [
    ...[
      'volume',
      'projected',
      'csi',
      'flex',
      'cephfs',
      'rbd',
      'iscsi',
      'scaleio',
      'storageos',
      'azure',
      'cinder',
      'env',
      'env-from',
      'init',
      'pull',
    ],
    ...['pv-publish', 'pv-stage', 'pv-controller', 'pv-expand', 'pv-azure', 'elsewhere', 'nowhere', 'done', 'none'],
  ].map((name) => `s-${name}`),
  configmaps: ['c-volume', 'c-projected', 'c-env', 'c-env-from', 'c-none'],
  persistentvolumeclaims: ['claim', 'full-e', 'other', 'none'],
  serviceaccounts: ['sa', 'default', 'none'],
};

const here = (asked: Asked): Asked => ({ namespace: NS, ...asked });

const ASKED: readonly Asked[] = [
  ...Object.entries(NAMES).flatMap(([resource, names]) => names.map((name) => here({ verb: 'get', resource, name }))),
  ...['list', 'watch', 'create', 'update', 'delete'].flatMap((verb) =>
    ['secrets', 'configmaps'].flatMap((resource) => [
      here({ verb, resource, name: resource === 'secrets' ? 's-volume' : 'c-volume' }),
      here({ verb, resource }),
      { verb, resource },
    ]),
  ),
  here({ verb: 'get', resource: 'secrets', name: 's-volume', subresource: 'x' }),
  { verb: 'get', resource: 'secrets', namespace: 'default', name: 's-volume' },
  ...['list', 'create', 'update'].map((verb) => here({ verb, resource: 'persistentvolumeclaims', name: 'claim' })),
  ...['update', 'patch', 'get', 'delete'].map((verb) =>
    here({ verb, resource: 'persistentvolumeclaims', name: 'claim', subresource: 'status' }),
  ),
  here({ verb: 'update', resource: 'persistentvolumeclaims', name: 'other', subresource: 'status' }),
  here({ verb: 'get', resource: 'persistentvolumeclaims' }),
  ...['claim', 'full-e', 'other'].map((name) => ({ verb: 'get', resource: 'persistentvolumes', name: `${NS}-v-${name}` })),
  { verb: 'list', resource: 'persistentvolumes' },
  { verb: 'get', resource: 'persistentvolumes', name: `${NS}-v-claim`, subresource: 'status' },
  ...['own', 'foreign', 'none'].map((name) => ({
    verb: 'get',
    group: 'storage.k8s.io',
    resource: 'volumeattachments',
    name: `${NS}-${name}`,
  })),
  { verb: 'list', group: 'storage.k8s.io', resource: 'volumeattachments' },
  ...['sa', 'default', 'none'].map((name) => here({ verb: 'create', resource: 'serviceaccounts', name, subresource: 'token' })),
  here({ verb: 'create', resource: 'serviceaccounts', name: 'sa' }),
  here({ verb: 'get', resource: 'serviceaccounts', name: 'sa', subresource: 'token' }),
  here({ verb: 'create', resource: 'serviceaccounts', subresource: 'token' }),
  ...['get', 'create', 'update', 'patch', 'delete', 'list', 'watch'].flatMap((verb) =>
    ['rec-n1', 'rec-n2', ''].flatMap((name) => [
      { verb, group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease', name },
      { verb, group: 'storage.k8s.io', resource: 'csinodes', name },
      { verb, resource: 'nodes', name },
    ]),
  ),
  { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', namespace: 'default', name: 'rec-n1' },
  { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease', name: 'rec-n1', subresource: 'status' },
  { verb: 'get', group: 'storage.k8s.io', resource: 'csinodes', name: 'rec-n1', subresource: 'status' },
  ...['get', 'list', 'watch', 'create', 'update', 'delete'].flatMap((verb) => [
    here({ verb, resource: 'pods', name: 'full' }),
    here({ verb, resource: 'pods', name: 'full', subresource: 'status' }),
    here({ verb, resource: 'pods', name: 'full', subresource: 'eviction' }),
    here({ verb, resource: 'services' }),
    here({ verb, resource: 'events' }),
    here({ verb, group: 'events.k8s.io', resource: 'events' }),
    { verb, group: 'certificates.k8s.io', resource: 'certificatesigningrequests' },
    { verb, group: 'node.k8s.io', resource: 'runtimeclasses' },
    { verb, group: 'storage.k8s.io', resource: 'csidrivers' },
    { verb, group: 'authentication.k8s.io', resource: 'tokenreviews' },
    { verb, group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
    { verb, group: 'resource.k8s.io', resource: 'resourceclaims', name: 'x', namespace: NS },
    { verb, group: 'resource.k8s.io', resource: 'resourceslices', name: 'x' },
  ]),
];

const NODES = ['system:nodes', 'system:authenticated'];
const IDENTITIES: readonly Body[] = [
  { user: 'system:node:rec-n1', groups: NODES },
  { user: 'system:node:rec-n1', groups: ['system:authenticated'] },
  { user: 'system:node:', groups: NODES },
  { user: 'rec-n1', groups: NODES },
];

async function decide(spec: Body): Promise<Json> {
  const { code, body } = await call('POST', REVIEWS, 'application/json', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec,
  });
  if (code !== 201) throw new Error(JSON.stringify(body));
  return body['status'] ?? null;
}

async function store({ collection, name, object, status }: Stored): Promise<void> {
  const { code, body } = await call('POST', collection, 'application/json', object);
  if (code !== 201) throw new Error(JSON.stringify(body));
  if (status !== undefined) await call('PATCH', `${collection}/${name}/status`, 'application/merge-patch+json', { status });
}

async function remove(): Promise<void> {
  for (const { collection, name } of [...STORED].reverse()) {
    const path = `${collection}/${name}`;
    await call('DELETE', path, 'application/json', { gracePeriodSeconds: 0 });
    await call('PATCH', path, 'application/merge-patch+json', { metadata: { finalizers: null } });
  }
  await call('DELETE', `/api/v1/namespaces/${NS}`, 'application/json');
  await call('PUT', `/api/v1/namespaces/${NS}/finalize`, 'application/json', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NS },
    spec: {},
  });
}

async function main(): Promise<void> {
  const decisions: Json[] = [];
  try {
    await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NS } });
    for (const one of STORED) await store(one);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    for (const [at, identity] of IDENTITIES.entries())
      for (const asked of at === 0 ? ASKED : ASKED.slice(0, 3)) {
        const resourceAttributes = Object.fromEntries<Json>(Object.entries(asked).filter(([, value]) => value !== ''));
        const spec = { ...identity, resourceAttributes };
        decisions.push([spec, await decide(spec)]);
      }
    const path = { ...IDENTITIES[0], nonResourceAttributes: { path: '/metrics', verb: 'get' } };
    decisions.push([path, await decide(path)]);
  } finally {
    await remove();
    hangUp();
  }
  const stored = STORED.map(({ collection, name, object, status }) => ({ collection, name, object, status: status ?? null }));
  writeRecording('rbac/node-decisions', [{ stored }, ...decisions.map((decision) => ({ decision }))]);
}

void main();
