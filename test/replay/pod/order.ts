/** Several faults at once, where their order says which rule comes first: what is asked of the reference server. */
import type { Body } from '../reference';
import { annotated, container, containers, each, pod, type Bodies } from './bodies';

const TOKEN: Body = { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'p' } }] } };
const WINDOWS: Body = { windowsOptions: { hostProcess: true } };

export const ORDER: Bodies = {
  'order: what only pods are held to': pod({
    containers: [{ name: 'c', image: ' i', ports: [{ containerPort: 80, hostPort: 81 }], volumeMounts: [{ name: 'x', mountPath: '/x' }] }],
    initContainers: [{ name: 'd', image: ' i' }],
    volumes: [TOKEN],
    ephemeralContainers: [{ name: 'e', image: 'i' }],
    schedulingGates: [{ name: 'a' }],
    nodeName: 'n',
    hostNetwork: true,
    os: { name: 'x' },
    overhead: { x: '1' },
  }),
  'order: pod context': pod({
    hostPID: true,
    shareProcessNamespace: true,
    hostIPC: true,
    securityContext: {
      ...WINDOWS,
      sysctls: [
        { name: 'kernel.sem', value: '1' },
        { name: '_', value: '' },
      ],
      fsGroup: -1,
      seccompProfile: {},
      appArmorProfile: {},
    },
    imagePullSecrets: [{}],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } },
    dnsPolicy: 'None',
    os: { name: 'linux' },
    serviceAccountName: '_',
    topologySpreadConstraints: [{}],
  }),
  'order: host process': pod({
    containers: [
      { name: 'c', image: 'i', securityContext: { windowsOptions: { hostProcess: true } } },
      { name: 'd', image: 'i', securityContext: { windowsOptions: { hostProcess: false, runAsUserName: '' } } },
    ],
    securityContext: { windowsOptions: { hostProcess: false } },
    serviceAccountName: '_',
    topologySpreadConstraints: [{}],
    schedulingGates: [{}],
  }),
  'order: hosts of Windows': pod({
    os: { name: 'windows' },
    hostPID: true,
    serviceAccountName: '_',
    overhead: { x: '1' },
    topologySpreadConstraints: [{}],
    containers: [{ name: 'c', image: ' i', securityContext: { privileged: true } }],
    initContainers: [{ name: 'd', image: 'i', securityContext: { privileged: true } }],
    schedulingGates: [{ name: 'a' }],
    nodeName: 'n',
  }),
  'order: a container': containers(
    { name: 'c', image: 'i', ports: [{ containerPort: 1, hostPort: 7 }] },
    {
      name: 'c',
      image: '',
      ports: [{ containerPort: 1, hostPort: 7 }],
      env: [{ name: 'A', valueFrom: {} }],
      volumeMounts: [{ name: 'x', mountPath: '/x', mountPropagation: 'Bidirectional' }],
      resources: { requests: { x: '1' } },
      securityContext: { runAsUser: -1 },
      livenessProbe: {},
      lifecycle: { preStop: {} },
      restartPolicy: 'Always',
    },
  ),
  'order: an init container': pod({
    containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 1, hostPort: 7 }] }],
    initContainers: [
      {
        name: 'c',
        image: '',
        restartPolicy: 'Always',
        ports: [
          { containerPort: 1, hostPort: 7 },
          { containerPort: 2, hostPort: 7 },
        ],
        securityContext: { runAsUser: -1 },
        resources: { requests: { x: '1' } },
        livenessProbe: {},
        lifecycle: { preStop: {} },
      },
    ],
  }),
  'order: host ports on the host network': pod({
    hostNetwork: true,
    containers: [
      {
        name: 'c',
        image: 'i',
        ports: [
          { containerPort: 1 },
          { containerPort: 2, hostPort: 3 },
          { containerPort: 4, hostPort: 4, name: 'A' },
          { containerPort: 0, hostPort: 4 },
        ],
      },
      { name: 'd', image: '', ports: [{ containerPort: 1 }] },
    ],
  }),
  'order: a volume': pod({
    volumes: [
      { name: '_', hostPath: {}, nfs: {} },
      { name: '_', hostPath: {} },
    ],
  }),
  'order: a mount': pod({
    volumes: [{ name: 'v', emptyDir: {} }],
    containers: [
      {
        name: 'c',
        image: 'i',
        volumeMounts: [
          { name: 'v', mountPath: '/m', subPath: '/', mountPropagation: 'x' },
          { name: 'w', mountPath: '/m', subPath: '..' },
        ],
        volumeDevices: [
          { name: 'v', devicePath: '/m' },
          { name: 'v', devicePath: '/m' },
          { name: 'w', devicePath: '..' },
        ],
      },
    ],
  }),
  'order: annotations': annotated(
    {
      'container.apparmor.security.beta.kubernetes.io/c': 'x',
      'container.seccomp.security.alpha.kubernetes.io/c': 'x',
      'seccomp.security.alpha.kubernetes.io/pod': 'x',
      'kubernetes.io/config.mirror': 'x',
      'controller.kubernetes.io/pod-deletion-cost': 'x',
      'scheduler.alpha.kubernetes.io/tolerations': '[{}]',
      _: 'x',
    },
    { volumes: [{}], containers: [{ name: 'c', image: ' i' }] },
  ),
  'order: annotations and profiles': annotated(
    {
      'container.apparmor.security.beta.kubernetes.io/c': 'unconfined',
      'container.apparmor.security.beta.kubernetes.io/d': 'unconfined',
      'container.seccomp.security.alpha.kubernetes.io/c': 'unconfined',
      'container.seccomp.security.alpha.kubernetes.io/d': 'localhost/a',
      'seccomp.security.alpha.kubernetes.io/pod': 'localhost/b',
    },
    {
      securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'x' }, appArmorProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'c',
          image: ' i',
          securityContext: { seccompProfile: { type: 'RuntimeDefault' }, appArmorProfile: { type: 'RuntimeDefault' } },
        },
      ],
      initContainers: [
        {
          name: 'd',
          image: ' i',
          securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'b' }, appArmorProfile: { type: 'RuntimeDefault' } },
        },
      ],
    },
  ),
  ...each(
    'seccomp of a container, annotation and profile',
    (seccompProfile) =>
      annotated(
        { 'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/a' },
        { containers: [{ name: 'c', image: 'i', securityContext: { seccompProfile } }] },
      ),
    [
      { type: 'Localhost', localhostProfile: 'a' },
      { type: 'Localhost', localhostProfile: 'b' },
      { type: 'Localhost' },
      { type: 'Unconfined' },
      {},
    ],
  ),
  ...each(
    'seccomp of the pod, annotation and profile',
    (annotation) =>
      annotated(
        { 'seccomp.security.alpha.kubernetes.io/pod': annotation },
        { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
      ),
    ['runtime/default', 'docker/default', 'localhost/a', 'x', ''],
  ),
  'two notations of seccomp, pod annotation and container profile': annotated(
    { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' },
    { containers: [{ name: 'c', image: 'i', securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }] },
  ),
  ...each(
    'AppArmor of a container, annotation and profile',
    (annotation) =>
      annotated(
        { 'container.apparmor.security.beta.kubernetes.io/c': annotation },
        { containers: [{ name: 'c', image: 'i', securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'a' } } }] },
      ),
    ['', 'x', 'runtime/default', 'localhost/', 'localhost/a', 'localhost/b'],
  ),
  'AppArmor of a container, annotation and an unknown profile': annotated(
    { 'container.apparmor.security.beta.kubernetes.io/c': 'localhost/a' },
    { containers: [{ name: 'c', image: 'i', securityContext: { appArmorProfile: { type: 'What' } } }] },
  ),
  'two notations of seccomp, annotation and an unknown profile': annotated(
    { 'seccomp.security.alpha.kubernetes.io/pod': 'localhost/a' },
    { securityContext: { seccompProfile: { type: 'What' } } },
  ),
  'AppArmor of an init and an ephemeral container': annotated(
    { 'container.apparmor.security.beta.kubernetes.io/d': 'unconfined', 'container.apparmor.security.beta.kubernetes.io/e': 'unconfined' },
    { initContainers: [{ name: 'd', image: 'i' }], ephemeralContainers: [{ name: 'e', image: 'i' }] },
  ),
  'token and an account': pod({ serviceAccountName: 'a', volumes: [TOKEN] }),
  'tokens in several volumes': pod({ volumes: [TOKEN, { ...TOKEN, name: 'w' }] }),
  ...each('windows user', (runAsUserName) => pod({ securityContext: { windowsOptions: { runAsUserName } } }), [
    `${'d'.repeat(15)}\\u`,
    `${'d'.repeat(16)}\\u`,
    `${'d'.repeat(63)}.e\\u`,
    `${'d'.repeat(64)}.e\\u`,
    'd!e\\u',
    'D E\\u',
    'd.e.\\u',
    '.d\\u',
    'd..e\\u',
    'd-\\u',
    'd-.e\\u',
    'dä\\u',
    'd/e\\u',
    'd:e\\u',
    'd*e\\u',
    'd?e\\u',
    'd"e\\u',
    'd<e\\u',
    'd|e\\u',
    'NT AUTHORITY\\u',
    'd_e.f\\u',
    'd\u007f\\u',
    'd\\*\u0001',
    'a\\b\\*',
    'ä',
    'u\u0085',
    `*${'a'.repeat(105)}`,
    '...',
    '"',
  ]),
  ...each(
    'reference of a claim with a source',
    (dataSourceRef) =>
      pod({
        volumes: [
          {
            name: 'v',
            ephemeral: {
              volumeClaimTemplate: {
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  resources: { requests: { storage: '1' } },
                  dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
                  dataSourceRef,
                },
              },
            },
          },
        ],
      }),
    [{ kind: 'PersistentVolumeClaim', name: 'b' }, { kind: 'PersistentVolumeClaim', name: 'a' }, {}],
  ),
  'container: claims and resize': container({ resources: { claims: [{}], requests: { cpu: '1' } }, resizePolicy: [{}] }),
};
