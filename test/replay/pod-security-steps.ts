/**
 * What is asked of PodSecurity: each control by a pod that breaks it and one that keeps to it, under baseline and restricted, at the versions at which
 * something changed; and what namespaces' labels do.
 */
import type { Body } from './reference';

export interface SecurityStep {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: Body;
}

const post = (path: string, body: Body): SecurityStep => ({ method: 'POST', path, body });
const label = (mode: string): string => `pod-security.kubernetes.io/${mode}`;
const labels = (modes: Readonly<Record<string, string>>): Body =>
  Object.fromEntries(Object.entries(modes).map(([mode, value]) => [label(mode), value]));
const namespace = (name: string, modes: Readonly<Record<string, string>>): SecurityStep =>
  post('/api/v1/namespaces', { metadata: { name: `pss-${name}`, labels: labels(modes) } });

const CONFINED = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const container = (securityContext: Body = {}, more: Body = {}): Body => ({
  name: 'c',
  image: 'i',
  securityContext: { ...CONFINED, ...securityContext },
  ...more,
});
const KEPT = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };

/** A pod that restricted lets through, but for what is given. */
const spec = (more: Body = {}, own: Body = {}, ofContainer: Body = {}): Body => ({
  securityContext: { ...KEPT, ...own },
  containers: [container(ofContainer)],
  ...more,
});
const several = (contexts: readonly Body[], own: Body = {}, more: Body = {}): Body =>
  spec({ containers: contexts.map((context, index) => ({ ...container(context), name: `c${index}` })), ...more }, own);
const volume = (source: string, value: Body = {}): Body => spec({ volumes: [{ name: 'v', [source]: value }] });
const ports = (...hostPorts: number[]): Body[] => hostPorts.map((hostPort, index) => ({ containerPort: 80 + index, hostPort }));
const sysctl = (...names: string[]): Body => spec({}, { sysctls: names.map((name) => ({ name, value: '1' })) });
const WINDOWS = { os: { name: 'windows' } };
const BARE = { containers: [{ name: 'a', image: 'i' }] };

const SPECS: readonly Body[] = [
  spec(),
  BARE,
  {
    containers: [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i' },
    ],
    initContainers: [{ name: 'x', image: 'i' }],
  },
  { hostNetwork: true, ...BARE },
  { hostNetwork: true, hostPID: true, hostIPC: true, ...BARE },
  spec({ hostPID: true }),
  spec({ hostIPC: true }),
  spec({ hostNetwork: true, containers: [container({}, { ports: ports(80) })] }),
  several([{ privileged: true, allowPrivilegeEscalation: true }]),
  several([
    { privileged: true, allowPrivilegeEscalation: true },
    { privileged: true, allowPrivilegeEscalation: true },
  ]),
  several([{ privileged: false }]),
  several([{ capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] } }]),
  several([{ capabilities: { add: ['NET_ADMIN', 'SYS_TIME', 'AUDIT_WRITE'], drop: ['ALL'] } }]),
  several([{ capabilities: { add: ['CHOWN', 'KILL'] } }, { capabilities: { add: ['SYS_ADMIN'], drop: ['all'] } }]),
  several([{ capabilities: { drop: ['KILL'] } }, {}]),
  volume('hostPath', { path: '/' }),
  spec({
    volumes: [
      { name: 'v', hostPath: { path: '/' } },
      { name: 'w', hostPath: { path: '/a' } },
      { name: 'n', nfs: { server: 's', path: '/p' } },
    ],
  }),
  ...['emptyDir', 'configMap', 'secret', 'downwardAPI', 'projected'].map((source) =>
    volume(
      source,
      source === 'configMap' ? { name: 'x' } : source === 'secret' ? { secretName: 'x' } : source === 'projected' ? { sources: [] } : {},
    ),
  ),
  volume('persistentVolumeClaim', { claimName: 'x' }),
  volume('csi', { driver: 'd.example.com' }),
  volume('ephemeral', { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } }),
  volume('nfs', { server: 's', path: '/p' }),
  volume('gcePersistentDisk', { pdName: 'x' }),
  volume('awsElasticBlockStore', { volumeID: 'x' }),
  volume('gitRepo', { repository: 'x' }),
  volume('iscsi', { targetPortal: 't', iqn: 'iqn.2001-04.com.example:storage', lun: 0 }),
  volume('glusterfs', { endpoints: 'x', path: 'p' }),
  volume('rbd', { monitors: ['m'], image: 'i' }),
  volume('flexVolume', { driver: 'a/b' }),
  volume('cinder', { volumeID: 'x' }),
  volume('cephfs', { monitors: ['m'] }),
  volume('flocker', { datasetName: 'x' }),
  volume('fc', { targetWWNs: ['x'], lun: 0 }),
  volume('azureFile', { secretName: 's', shareName: 'x' }),
  volume('vsphereVolume', { volumePath: 'x' }),
  volume('quobyte', { registry: 'r:1', volume: 'v' }),
  volume('azureDisk', { diskName: 'x', diskURI: '/subscriptions/x' }),
  volume('portworxVolume', { volumeID: 'x' }),
  volume('scaleIO', { gateway: 'g', system: 's', secretRef: { name: 'x' }, volumeName: 'v' }),
  volume('storageos', { volumeName: 'v' }),
  volume('photonPersistentDisk', { pdID: 'x' }),
  spec({ containers: [container({}, { ports: ports(80, 443) }), { ...container({}, { ports: ports(8080) }), name: 'd' }] }),
  spec({ containers: [container({}, { ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 0 }] })] }),
  ...['RuntimeDefault', 'Unconfined', 'Localhost'].flatMap((type) => {
    const profile = type === 'Localhost' ? { type, localhostProfile: 'p' } : { type };
    return [
      spec({}, { appArmorProfile: profile }),
      several([{ appArmorProfile: profile }, {}]),
      spec({}, { seccompProfile: profile }),
      several([{ seccompProfile: profile }, {}]),
      spec({}, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }, { seccompProfile: profile }),
    ];
  }),
  { ...several([{ seccompProfile: { type: 'RuntimeDefault' } }, {}]), securityContext: { runAsNonRoot: true } },
  {
    ...several([{ seccompProfile: { type: 'RuntimeDefault' } }, { seccompProfile: { type: 'Unconfined' } }]),
    securityContext: { runAsNonRoot: true },
  },
  several([{ seccompProfile: { type: 'Unconfined' } }, { seccompProfile: { type: 'Unconfined' } }], {
    seccompProfile: { type: 'Unconfined' },
  }),
  several([{ appArmorProfile: { type: 'Unconfined' } }], { appArmorProfile: { type: 'Unconfined' } }),
  ...['container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t', '', 'other_t'].map((type) =>
    spec({}, { seLinuxOptions: { type } }),
  ),
  spec({}, { seLinuxOptions: { type: 'container_t', user: 'u', role: 'r', level: 'l' } }),
  spec({}, { seLinuxOptions: { level: 'l' } }),
  several([{ seLinuxOptions: { type: 'x' } }, { seLinuxOptions: { role: 'r' } }, { seLinuxOptions: { type: 'y', user: 'u' } }], {
    seLinuxOptions: { type: 'x' },
  }),
  several([{ procMount: 'Unmasked' }, { procMount: 'Default' }]),
  several([{ procMount: 'Unmasked' }, { procMount: 'Unmasked' }], {}, { hostUsers: false }),
  sysctl('kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.tcp_syncookies', 'net.ipv4.ping_group_range'),
  sysctl('net.ipv4.ip_unprivileged_port_start', 'net.ipv4.ip_local_reserved_ports', 'net.ipv4.tcp_keepalive_time'),
  sysctl('net.ipv4.tcp_fin_timeout', 'net.ipv4.tcp_keepalive_intvl', 'net.ipv4.tcp_keepalive_probes'),
  sysctl('kernel.msgmax'),
  sysctl('kernel.sem', 'kernel.msgmax', 'net.ipv4.tcp_rmem'),
  several([{ allowPrivilegeEscalation: true }, {}]),
  several([{ allowPrivilegeEscalation: true }, { allowPrivilegeEscalation: true }]),
  several([{ runAsNonRoot: false }, {}]),
  several([{ runAsNonRoot: false }, { runAsNonRoot: false }], { runAsNonRoot: false }),
  spec({}, { runAsNonRoot: false }),
  { ...several([{ runAsNonRoot: true }, {}, {}]), securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
  { ...several([{ runAsNonRoot: true }]), securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
  several([{ runAsNonRoot: true }], { runAsNonRoot: false }),
  spec({}, { runAsUser: 0 }),
  spec({}, { runAsUser: 1 }),
  several([{ runAsUser: 0 }, { runAsUser: 5 }, { runAsUser: 0 }]),
  several([{ runAsUser: 5 }], { runAsUser: 0 }),
  { ...BARE, ...WINDOWS },
  { ...spec(WINDOWS), securityContext: { runAsNonRoot: true } },
  spec(
    { hostNetwork: true, containers: [{ name: 'c', image: 'i', securityContext: { windowsOptions: { hostProcess: true } } }], ...WINDOWS },
    { seccompProfile: null },
  ),
  { ...BARE, hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } },
  {
    hostNetwork: true,
    securityContext: { windowsOptions: { hostProcess: true } },
    containers: [
      { name: 'a', image: 'i', securityContext: { windowsOptions: { hostProcess: true } } },
      { name: 'b', image: 'i' },
    ],
  },
  spec({
    initContainers: [{ ...container({ privileged: true, allowPrivilegeEscalation: true }), name: 'x' }],
  }),
  {
    hostNetwork: true,
    hostPID: true,
    securityContext: {
      runAsUser: 0,
      seLinuxOptions: { user: 'u' },
      sysctls: [{ name: 'kernel.sem', value: '1' }],
      seccompProfile: { type: 'Unconfined' },
    },
    volumes: [{ name: 'v', hostPath: { path: '/' } }],
    initContainers: [{ name: 'x', image: 'i', securityContext: { privileged: true } }],
    containers: [
      {
        name: 'c',
        image: 'i',
        ports: [{ containerPort: 80, hostPort: 80 }],
        securityContext: { capabilities: { add: ['SYS_ADMIN'] }, runAsUser: 0, seLinuxOptions: { type: 'x' } },
      },
    ],
  },
];

const UNCONFINED = { appArmorProfile: { type: 'Unconfined' } };

/** Several setters at once, and what stands where in the order. */
const MIXED: readonly Body[] = [
  several([UNCONFINED, UNCONFINED]),
  several([UNCONFINED, UNCONFINED], UNCONFINED),
  {
    hostNetwork: true,
    securityContext: {
      ...UNCONFINED,
      windowsOptions: { hostProcess: true },
      sysctls: [
        { name: 'kernel.sem', value: '1' },
        { name: 'kernel.msgmax', value: '1' },
      ],
      seccompProfile: { type: 'Unconfined' },
    },
    volumes: [
      { name: 'a', nfs: { server: 's', path: '/p' } },
      { name: 'b', hostPath: { path: '/' } },
    ],
    containers: [
      {
        name: 'c',
        image: 'i',
        ports: [{ containerPort: 9, hostPort: 9 }],
        securityContext: {
          privileged: true,
          capabilities: { add: ['SYS_ADMIN', 'SYS_ADMIN', 'ALL', 'B'] },
          seLinuxOptions: { type: 'x', role: 'y' },
          procMount: 'Unmasked',
          windowsOptions: { hostProcess: true },
        },
      },
      {
        name: 'd',
        image: 'i',
        ports: [{ containerPort: 10, hostPort: 10 }],
        securityContext: { capabilities: { add: ['A', 'SYS_ADMIN'] }, windowsOptions: { hostProcess: true } },
      },
    ],
  },
];

const annotated = (annotations: Readonly<Record<string, string>>): Body => ({ annotations });

const ANNOTATED: readonly Body[] = [
  ...['runtime/default', 'unconfined', 'localhost/x', ''].flatMap((value) => [
    annotated({ 'container.apparmor.security.beta.kubernetes.io/c': value }),
    annotated({ 'seccomp.security.alpha.kubernetes.io/pod': value, 'container.seccomp.security.alpha.kubernetes.io/c': value }),
  ]),
  annotated({
    'container.apparmor.security.beta.kubernetes.io/c': 'unconfined',
    'container.seccomp.security.alpha.kubernetes.io/c': 'unconfined',
  }),
];

let count = 0;
const pod = (at: string, body: Body, metadata: Body = {}): SecurityStep =>
  post(`/api/v1/namespaces/pss-${at}/pods?dryRun=All`, { metadata: { name: `p${++count}`, ...metadata }, spec: body });

const VERSIONS = [
  'v1.0',
  'v1.7',
  'v1.8',
  'v1.18',
  'v1.19',
  'v1.21',
  'v1.22',
  'v1.23',
  'v1.24',
  'v1.25',
  'v1.26',
  'v1.27',
  'v1.28',
  'v1.29',
  'v1.30',
  'v1.31',
];

const NAMED = {
  containers: [
    { name: 'c', image: 'i' },
    { name: 'd', image: 'i' },
  ],
};

/** What breaks much at once, and what is judged by the version. */
const BY_VERSION: readonly Body[] = [
  SPECS.at(-1) ?? {},
  BARE,
  { ...BARE, ...WINDOWS },
  spec({}, { seLinuxOptions: { type: 'container_engine_t' } }),
  sysctl('net.ipv4.ip_local_reserved_ports', 'net.ipv4.tcp_keepalive_time'),
  several([{ runAsUser: 0, capabilities: { add: ['CHOWN'] }, seccompProfile: { type: 'Unconfined' } }]),
];

const AT = 'labels';
const NAMESPACE = `/api/v1/namespaces/pss-${AT}`;
const MERGE = 'application/merge-patch+json';
const relabel = (modes: Readonly<Record<string, string | null>>, more: Body = {}): SecurityStep => ({
  method: 'PATCH',
  path: NAMESPACE,
  type: MERGE,
  body: { metadata: { labels: Object.fromEntries(Object.entries(modes).map(([mode, value]) => [label(mode), value])), ...more } },
});
const stored = (name: string, body: Body, metadata: Body = {}): SecurityStep =>
  post(`${NAMESPACE}/pods`, { metadata: { name, ...metadata }, spec: body });
const template = (body: Body): Body => ({ metadata: { labels: { a: 'b' } }, spec: body });
const selector = { matchLabels: { a: 'b' } };
const never = (body: Body): Body => ({ ...body, restartPolicy: 'Never' });

const WORKLOADS: readonly (readonly [path: string, body: (spec: Body) => Body])[] = [
  ['/apis/apps/v1/namespaces/pss-labels/deployments', (body) => ({ spec: { selector, template: template(body) } })],
  ['/apis/apps/v1/namespaces/pss-labels/replicasets', (body) => ({ spec: { selector, template: template(body) } })],
  ['/apis/apps/v1/namespaces/pss-labels/daemonsets', (body) => ({ spec: { selector, template: template(body) } })],
  ['/apis/apps/v1/namespaces/pss-labels/statefulsets', (body) => ({ spec: { selector, serviceName: 's', template: template(body) } })],
  ['/apis/batch/v1/namespaces/pss-labels/jobs', (body) => ({ spec: { template: template(never(body)) } })],
  [
    '/apis/batch/v1/namespaces/pss-labels/cronjobs',
    (body) => ({ spec: { schedule: '* * * * *', jobTemplate: { spec: { template: template(never(body)) } } } }),
  ],
  [`${NAMESPACE}/replicationcontrollers`, (body) => ({ spec: { selector: { a: 'b' }, template: template(body) } })],
  [`${NAMESPACE}/podtemplates`, (body) => ({ template: template(body) })],
];

const LABELLED: readonly SecurityStep[] = [
  post('/api/v1/namespaces', { metadata: { name: 'pss-bad', labels: labels({ enforce: 'none' }) } }),
  post('/api/v1/namespaces', {
    metadata: {
      name: 'pss-bad',
      labels: labels({ 'enforce-version': '1.2', audit: 'x', 'audit-version': 'v2', warn: 'Baseline', 'warn-version': 'v1.x' }),
    },
  }),
  post('/api/v1/namespaces', { metadata: { name: 'pss-bad', labels: labels({ enforce: '', 'warn-version': '' }) } }),
  post('/api/v1/namespaces', { metadata: { name: 'pss-bad', labels: labels({ 'enforce-version': 'v1.100', 'warn-version': 'v1.031' }) } }),
  namespace(AT, {}),
  stored('good', spec()),
  stored('bare', BARE),
  stored('bare2', { containers: [{ name: 'b', image: 'i' }] }),
  stored('host', { ...BARE, hostNetwork: true }),
  stored(
    'owned1',
    { ...BARE, hostPID: true },
    { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: '1', controller: true }] },
  ),
  stored(
    'owned2',
    { ...BARE, hostNetwork: true, hostIPC: true },
    { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: '1', controller: true }] },
  ),
  relabel({ enforce: 'none' }),
  relabel({ enforce: 'baseline' }),
  relabel({ enforce: 'baseline', warn: 'restricted' }),
  relabel({ enforce: 'restricted' }),
  relabel({ enforce: 'restricted', 'enforce-version': 'v1.20' }),
  relabel({ enforce: 'restricted', 'enforce-version': 'v1.40', 'warn-version': 'v1.50' }),
  relabel({ enforce: 'restricted', 'enforce-version': 'v1.x' }),
  relabel({}, { annotations: { a: 'b' } }),
  relabel({ enforce: 'baseline', 'enforce-version': null }),
  relabel({ enforce: 'restricted' }),
  relabel({ enforce: 'baseline' }),
  relabel({ enforce: 'privileged' }),
  { method: 'PATCH', path: `${NAMESPACE}/status`, type: MERGE, body: { metadata: { labels: labels({ enforce: 'none' }) } } },
  relabel({ enforce: null, warn: 'baseline', 'warn-version': null }),
  ...WORKLOADS.flatMap(([path, body]): SecurityStep[] =>
    [spec(), { ...BARE, hostNetwork: true }].map((one, index) => post(path, { metadata: { name: `w${index}` }, ...body(one) })),
  ),
  post(WORKLOADS[0]?.[0] ?? '', { metadata: { name: 'armor' }, ...(WORKLOADS[0]?.[1]({ ...BARE, securityContext: UNCONFINED }) ?? {}) }),
  relabel({ enforce: 'baseline', warn: 'restricted', audit: 'restricted' }),
  ...WORKLOADS.slice(0, 1).flatMap(([path, body]): SecurityStep[] => [
    post(path, { metadata: { name: 'w2' }, ...body(BARE) }),
    { method: 'PATCH', path: `${path}/w2`, type: MERGE, body: { metadata: { labels: { a: 'c' } } } },
    { method: 'PATCH', path: `${path}/w2`, type: MERGE, body: { spec: { replicas: 2 } } },
    { method: 'PATCH', path: `${path}/w2/scale`, type: MERGE, body: { spec: { replicas: 3 } } },
    { method: 'PATCH', path: `${path}/w2/status`, type: MERGE, body: { status: { replicas: 3 } } },
  ]),
  stored('refused', { ...BARE, hostNetwork: true }),
  stored('warned', BARE),
  stored('', BARE, { generateName: 'made-' }),
  { method: 'PATCH', path: `${NAMESPACE}/pods/host`, type: MERGE, body: { metadata: { labels: { a: 'b' } } } },
  { method: 'PATCH', path: `${NAMESPACE}/pods/host`, type: MERGE, body: { metadata: { annotations: { a: 'b' } } } },
  {
    method: 'PATCH',
    path: `${NAMESPACE}/pods/host`,
    type: MERGE,
    body: { metadata: { annotations: { 'container.seccomp.security.alpha.kubernetes.io/x': 'unconfined' } } },
  },
  { method: 'PATCH', path: `${NAMESPACE}/pods/host`, type: MERGE, body: { spec: { activeDeadlineSeconds: 100 } } },
  { method: 'PATCH', path: `${NAMESPACE}/pods/host`, type: MERGE, body: { spec: { containers: [{ name: 'a', image: 'j' }] } } },
  { method: 'PATCH', path: `${NAMESPACE}/pods/host/status`, type: MERGE, body: { status: { phase: 'Running' } } },
  {
    method: 'PATCH',
    path: `${NAMESPACE}/pods/host/ephemeralcontainers`,
    type: 'application/strategic-merge-patch+json',
    body: { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } },
  },
  {
    method: 'PATCH',
    path: `${NAMESPACE}/pods/good/ephemeralcontainers`,
    type: 'application/strategic-merge-patch+json',
    body: { spec: { ephemeralContainers: [{ name: 'e', image: 'i', securityContext: { privileged: true } }] } },
  },
  {
    method: 'PATCH',
    path: `${NAMESPACE}/pods/good/ephemeralcontainers`,
    type: 'application/strategic-merge-patch+json',
    body: { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } },
  },
  stored('of-root', { containers: [{ name: 'c', image: 'i', securityContext: { runAsUser: 0 } }], initContainers: [], ...WINDOWS }),
];

export const SECURITY_SUITES: Readonly<Record<string, readonly SecurityStep[]>> = {
  'pod-security-controls': [
    ...['baseline', 'restricted'].flatMap((level) => [
      namespace(level, { warn: level }),
      ...SPECS.map((one) => pod(level, one)),
      ...MIXED.map((one) => pod(level, one)),
      ...ANNOTATED.map((metadata) => pod(level, spec(), metadata)),
    ]),
  ],
  'pod-security-versions': VERSIONS.flatMap((version) =>
    ['baseline', 'restricted'].flatMap((level) => {
      const at = `${level}-${version.replace('.', '-')}`;
      return [
        namespace(at, { warn: level, 'warn-version': version }),
        ...BY_VERSION.map((one) => pod(at, one)),
        ...ANNOTATED.map((metadata) => pod(at, NAMED, metadata)),
        ...MIXED.slice(-1).map((one) => pod(at, one)),
      ];
    }),
  ),
  'pod-security-labels': LABELLED,
};
