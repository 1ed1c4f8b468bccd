/** Finer points of a pod's rules, one at a time: what is asked of the reference server. */
import type { Body, Json } from '../reference';
import { annotated, container, containers, each, initContainer, pod, type Bodies } from './bodies';

const projected = (...sources: Json[]): Body => pod({ serviceAccountName: 'a', volumes: [{ name: 'v', projected: { sources } }] });
const SECRET: Body = { secret: { name: 's', items: [{ key: 'k', path: 'p' }] } };
const MAP: Body = { configMap: { name: 'm', items: [{ key: 'k', path: 'p' }] } };
const FIELDS: Body = { downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } };
const TOKEN: Body = { serviceAccountToken: { path: 'p' } };
const secret = (path: string): Body => ({ secret: { name: 's', items: [{ key: 'k', path }] } });
const downward = (fieldPath: Json): Body =>
  pod({ volumes: [{ name: 'v', downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath } }] } }] });
const variable = (fieldPath: Json): Body => container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath } } }] });
const FIELD_PATHS = [
  'spec.host',
  'spec.schedulerName',
  'spec.hostNetwork',
  'status.nominatedNodeName',
  'spec.restartPolicy',
  'metadata.labels',
  "metadata.labels['a'b']",
  "metadata.labels['a']x",
  "metadata.labels['a']['b']",
  "metadata.labels['kubernetes.io/a']",
];
const ephemeral = (members: Body): Body =>
  pod({
    volumes: [{ name: 'v', emptyDir: {} }],
    initContainers: [{ name: 'd', image: 'i' }],
    ephemeralContainers: [{ name: 'e', image: 'i', ...members }],
  });
const claim = (spec: Body, metadata: Body = {}): Body =>
  pod({ volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { metadata, spec } } }] });
const STORAGE: Body = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } };

export const DETAILS: Bodies = {
  ...each('iscsi target', (iqn) => pod({ volumes: [{ name: 'v', iscsi: { targetPortal: 'p', iqn, lun: 0 } }] }), [
    'iqn.2001-04.com.example',
    'iqn.2001-04.com.Example:x',
    'IQN.2001-04.com.example:x',
    'iqn.2001-04.com.example:x y',
    'iqn.2001-04.com.example:x,y',
    'iqn.2001-04.com.example:',
    'iqn.2001-4.com.example:x',
    'iqn.2001-04.a_b:x',
    'eui.0123456789abcdef',
    'naa.62004567BA64678D',
    'naa.62004567ba64678d0123456789abcdef',
    'iqn.2001-04.com.example:a:b',
  ]),
  ...each('managed disk', (diskURI) => pod({ volumes: [{ name: 'v', azureDisk: { diskName: 'd', diskURI, kind: 'Managed' } }] }), [
    '/subscriptions',
    '/subscriptions/',
  ]),
  ...each('tolerations in an annotation', (text) => annotated({ 'scheduler.alpha.kubernetes.io/tolerations': text }), [
    'null',
    '5',
    'true',
    '"x"',
    ' ',
  ]),
  ...each('deletion cost', (text) => annotated({ 'controller.kubernetes.io/pod-deletion-cost': text }), ['-', '-01', '00']),
  'flocker: both, and a slash': pod({ volumes: [{ name: 'v', flocker: { datasetName: 'a/b', datasetUUID: 'x' } }] }),
  'paths: fields and token': projected(FIELDS, TOKEN),
  'paths: token and fields': projected(TOKEN, FIELDS),
  'paths: two tokens': projected(TOKEN, TOKEN),
  'paths: secret and token': projected(SECRET, TOKEN),
  'paths: token and secret': projected(TOKEN, SECRET),
  'paths: secret and fields': projected(SECRET, FIELDS),
  'paths: fields and map': projected(FIELDS, MAP),
  'paths: spelled in two ways': projected(secret('a/b'), secret('a//b')),
  'paths: dots': projected(secret('a/b'), secret('./a/b')),
  'paths: two empty': projected(secret(''), secret('')),
  'paths: two sources in one': projected({ ...SECRET, ...MAP }, TOKEN),
  ...each('field of a volume', downward, FIELD_PATHS),
  ...each('field of a variable', variable, FIELD_PATHS),
  'env: value and empty source': container({ env: [{ name: 'A', value: 'x', valueFrom: {} }] }),
  ...each('resource name', (name) => container({ resources: { limits: { [name]: '1' }, requests: { [name]: '1' } } }), [
    'services',
    'replicationcontrollers',
    'resourcequotas',
    'secrets',
    'configmaps',
    'persistentvolumeclaims',
    'services.nodeports',
    'services.loadbalancers',
    'requests.memory',
    'requests.storage',
    'requests.ephemeral-storage',
    'limits.cpu',
    'limits.memory',
    'limits.ephemeral-storage',
    'requests.hugepages-2Mi',
    'limits.hugepages-2Mi',
    'count/pods',
    'nodes',
    'CPU',
    'kubernetes.io/a b',
    'requests.kubernetes.io/a',
    `${'a'.repeat(241)}.com/gpu`,
    `${'a'.repeat(249)}.com/gpu`,
  ]),
  'huge pages alone and zero': container({ resources: { limits: { 'hugepages-2Mi': '0' } } }),
  'huge pages of a malformed size and zero': container({ resources: { limits: { cpu: '1', 'hugepages-x': '0' } } }),
  'huge pages, negative': container({ resources: { limits: { cpu: '1', 'hugepages-2Mi': '-2Mi' } } }),
  'huge pages, a fraction': container({ resources: { limits: { cpu: '1', 'hugepages-2Mi': '1500m' } } }),
  'native resource: request above limit': container({
    resources: { requests: { 'kubernetes.io/a': '2' }, limits: { 'kubernetes.io/a': '1' } },
  }),
  'native resource: a fraction': container({ resources: { requests: { 'kubernetes.io/a': '1.5' } } }),
  'driver: capitals': pod({ volumes: [{ name: 'v', csi: { driver: 'D' } }] }),
  'driver: long and wrong': pod({ volumes: [{ name: 'v', csi: { driver: '_'.repeat(64) } }] }),
  'claim: order': claim(
    {
      accessModes: [],
      resources: {},
      selector: { matchLabels: { _: 'a' } },
      storageClassName: '_',
      volumeMode: 'x',
      dataSource: {},
      dataSourceRef: { kind: 'X', name: 'x', apiGroup: '_' },
      volumeAttributesClassName: '_',
    },
    {
      name: 'n',
      namespace: 'n',
      labels: { _: 'a' },
      finalizers: ['x'],
      generateName: 'x',
      annotations: { _: 'a' },
      ownerReferences: [{}],
      uid: 'x',
      resourceVersion: 'x',
    },
  ),
  ...each('claim: metadata', (metadata) => claim(STORAGE, metadata === null ? {} : Object(metadata)), [
    { deletionGracePeriodSeconds: 5 },
    { deletionTimestamp: '2020-01-01T00:00:00Z' },
    { creationTimestamp: '2020-01-01T00:00:00Z' },
    { generation: 5 },
    { selfLink: 'x' },
    { managedFields: [{ manager: 'x' }] },
  ]),
  'init: name twice, restart policy and ports': pod({
    initContainers: [
      {
        name: 'c',
        image: 'i',
        restartPolicy: 'x',
        ports: [
          { containerPort: 1, hostPort: 7 },
          { containerPort: 2, hostPort: 7 },
        ],
        lifecycle: {},
      },
    ],
  }),
  'restartable: name twice and probes': pod({
    initContainers: [
      { name: 'c', image: 'i', restartPolicy: 'Always', lifecycle: { postStart: {} }, startupProbe: {}, readinessProbe: {} },
    ],
  }),
  'host network: order of ports, init containers and context': pod({
    hostNetwork: true,
    containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 1, hostPort: 2 }] }],
    initContainers: [{ name: 'd', image: '' }],
    restartPolicy: 'x',
    nodeSelector: { _: 'a' },
    securityContext: { fsGroup: -1 },
    hostPID: true,
    shareProcessNamespace: true,
  }),
  'ephemeral: everything wrong': ephemeral({
    name: '_',
    image: ' ',
    targetContainerName: 'x',
    ports: [{ containerPort: 0 }],
    env: [{}],
    envFrom: [{}],
    livenessProbe: {},
    readinessProbe: {},
    startupProbe: {},
    lifecycle: { preStop: {} },
    resources: { limits: { x: '1' } },
    volumeMounts: [
      { name: 'v', mountPath: '/a', subPath: 'a' },
      { name: 'v', mountPath: '/b', subPathExpr: '/a' },
      { name: 'w', mountPath: '' },
    ],
    volumeDevices: [{ name: 'v', devicePath: '/d' }],
    terminationMessagePolicy: 'x',
    imagePullPolicy: 'x',
    restartPolicy: 'x',
    securityContext: { runAsUser: -1, seccompProfile: {} },
  }),
  'ephemeral: name of another': ephemeral({ name: 'd' }),
  'ephemeral: target': ephemeral({ targetContainerName: 'c' }),
  'ephemeral: init target': ephemeral({ targetContainerName: 'd' }),
  'ephemeral: target itself': ephemeral({ targetContainerName: 'e' }),
  'ephemeral: empty members': ephemeral({ resources: {}, livenessProbe: null, lifecycle: {} }),
  'ephemeral: resize policy': ephemeral({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'x' }] }),
  'ephemeral: twice': pod({
    ephemeralContainers: [
      { name: 'e', image: 'i' },
      { name: 'e', image: '' },
    ],
  }),
  ...[
    'kernel.shmall',
    'kernel.shmmax',
    'kernel.shmmni',
    'kernel.shm_rmid_forced',
    'kernel.msgmax',
    'kernel.msgmnb',
    'kernel.msgmni',
    'kernel/sem',
    'fs/mqueue/a',
    'fs.mqueue',
    'net',
    'net.',
    'kernel.sem.a',
  ].reduce(
    (all, name) => ({
      ...all,
      [`sysctl ${name} of the host`]: pod({ hostNetwork: true, hostIPC: true, securityContext: { sysctls: [{ name, value: '1' }] } }),
    }),
    {},
  ),
  'sysctl: twice, of the host': pod({
    hostIPC: true,
    securityContext: {
      sysctls: [
        { name: 'kernel.sem', value: '1' },
        { name: 'kernel.sem', value: '1' },
      ],
    },
  }),
  'matchLabelKeys of a label': { metadata: { labels: { x: 'y' } }, ...near({ matchLabelKeys: ['x', 'z'] }) },
  'mismatchLabelKeys of a label': { metadata: { labels: { x: 'y' } }, ...near({ mismatchLabelKeys: ['z', 'x'] }) },
  'matchLabelKeys twice of a label': { metadata: { labels: { x: 'y' } }, ...near({ matchLabelKeys: ['z', 'x', 'x'] }) },
  'mismatchLabelKeys twice of a label': { metadata: { labels: { x: 'y' } }, ...near({ mismatchLabelKeys: ['x', 'x'] }) },
  'matchLabelKeys of a malformed label': { metadata: { labels: { _: 'y' } }, ...near({ matchLabelKeys: ['_'] }) },
  ...each('windows user of a long domain', (domain) => pod({ securityContext: { windowsOptions: { runAsUserName: `${domain}\\u` } } }), [
    'd_e.fffffffffffffffff',
    '-ddddddddddddddddd',
    'dddddddddddddddddd-',
    'ddddddddddddddd..e',
    'dddddddddddddddd.e-f.g',
    'ddddddddddddddddddd e',
    'ddddddddddddddd.-e',
    'd.ddddddddddddddd.',
    'DDDDDDDDDDDDDDDDDDDDD.1',
    '1234567890123456',
    'äääääääääääääää',
    'ääääääääääääääää',
  ]),
  'AppArmor: profiles become annotations': pod({
    securityContext: { appArmorProfile: { type: 'Unconfined' } },
    initContainers: [{ name: 'd', image: 'i', securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'x' } } }],
  }),
  'AppArmor: one profile becomes an annotation': containers(
    { name: 'c', image: 'i', securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } },
    { name: 'e', image: 'i' },
  ),
  'AppArmor: a profile on Windows': pod({ os: { name: 'windows' }, securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }),
  'AppArmor: padded name in the annotation': annotated({ 'container.apparmor.security.beta.kubernetes.io/c': 'localhost/ a' }),
  'AppArmor: annotation for a container with a context': annotated(
    { 'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default' },
    { containers: [{ name: 'c', image: 'i', securityContext: { runAsUser: 5 } }] },
  ),
  'restartable: context of Windows': initContainer({ restartPolicy: 'Always', securityContext: { windowsOptions: { hostProcess: true } } }),
};

function near(term: Body): Body {
  const selector = { matchLabels: { a: 'b' } };
  return pod({
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'k', labelSelector: selector, ...term }] },
    },
  });
}
