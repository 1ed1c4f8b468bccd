/** Pods that are taken with a warning: what is asked of the reference server. */
import type { Body } from '../reference';
import { annotated, container, containers, each, pod, type Bodies } from './bodies';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const env = (...all: Body[]): Body => container({ env: all });
const ports = (...all: Body[]): Body => container({ ports: all });
const amounts = { requests: { memory: '1m', 'ephemeral-storage': '1m', cpu: '1m' }, limits: { memory: '2m', 'ephemeral-storage': '2m' } };

export const WARNINGS: Bodies = {
  'a variable three times': env({ name: 'A', value: '1' }, { name: 'A', value: '2' }, { name: 'A', value: '3' }),
  'a variable that uses the one it hides': env({ name: 'A', value: '1' }, { name: 'A', value: 'x$(A)y' }, { name: 'A', value: '2' }),
  'a variable that seems to use the one it hides': env({ name: 'A', value: '1' }, { name: 'A', value: '$$(A)' }),
  'a variable that another one uses': env({ name: 'A', value: '1' }, { name: 'B', value: '$(A)' }, { name: 'A', value: '2' }),
  'a variable and a field': env({ name: 'A', value: '1' }, { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
  'two ports of the host': ports({ containerPort: 1, hostPort: 1 }, { containerPort: 1, hostPort: 2 }),
  'a port with and without the host': ports({ containerPort: 1, hostPort: 1 }, { containerPort: 1 }),
  'a port of one address and of all': ports({ containerPort: 1, hostPort: 1, hostIP: '1.1.1.1' }, { containerPort: 1, hostPort: 1 }),
  'a port of all addresses and of one': ports(
    { containerPort: 1, hostPort: 1, hostIP: '0.0.0.0' },
    { containerPort: 1, hostPort: 1, hostIP: '1.1.1.1' },
  ),
  'a port of all addresses, in two spellings': ports(
    { containerPort: 1, hostPort: 1, hostIP: '0.0.0.0' },
    { containerPort: 1, hostPort: 1 },
  ),
  'a port of two addresses': ports(
    { containerPort: 1, hostPort: 1, hostIP: '1.1.1.1' },
    { containerPort: 1, hostPort: 1, hostIP: '1.1.1.2' },
  ),
  'two ports of an address': ports(
    { containerPort: 1, hostPort: 1, hostIP: '1.1.1.1' },
    { containerPort: 1, hostPort: 2, hostIP: '1.1.1.1' },
  ),
  'two ports of two addresses': ports({ containerPort: 1, hostPort: 1, hostIP: '1.1.1.1' }, { containerPort: 1, hostPort: 2 }),
  'addresses without ports': ports(
    { containerPort: 1, hostIP: '1.1.1.1', name: 'n' },
    { containerPort: 1, hostIP: '1.1.1.2' },
    { containerPort: 1 },
  ),
  'an address with and without a port': ports(
    { containerPort: 1, hostIP: '1.1.1.1', hostPort: 5 },
    { containerPort: 1, hostIP: '1.1.1.2' },
  ),
  'ports of three containers': containers(
    { name: 'c', image: 'i', ports: [{ containerPort: 1, hostPort: 1 }] },
    { name: 'd', image: 'i', ports: [{ containerPort: 1, hostPort: 2 }] },
    {
      name: 'e',
      image: 'i',
      ports: [
        { containerPort: 1, hostIP: '1.1.1.1' },
        { containerPort: 1, protocol: 'UDP' },
      ],
    },
  ),
  'ports of init containers': pod({
    containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 1 }, { containerPort: 1 }] }],
    initContainers: [
      { name: 'd', image: 'i', ports: [{ containerPort: 1 }] },
      { name: 'e', image: 'i', restartPolicy: 'Always', ports: [{ containerPort: 1, hostIP: '1.1.1.1' }] },
    ],
  }),
  'variables before ports, by container': pod({
    containers: [
      {
        name: 'c',
        image: 'i',
        resources: amounts,
        env: [{ name: 'A' }, { name: 'A' }],
        ports: [{ containerPort: 1, hostIP: '1.1.1.1' }, { containerPort: 1 }],
      },
      { name: 'd', image: 'i', resources: amounts, env: [{ name: 'A' }, { name: 'A' }], ports: [{ containerPort: 1, hostIP: '1.1.1.1' }] },
    ],
    initContainers: [{ name: 'e', image: 'i', resources: amounts, env: [{ name: 'A' }, { name: 'A' }] }],
  }),
  'a fraction of a claim': pod({
    volumes: [
      {
        name: 'v',
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1m' }, limits: { storage: '1m' } } },
          },
        },
      },
    ],
  }),
  ...each('old name of a label', (label) => pod({ nodeSelector: { [label]: 'x' } }), [
    'beta.kubernetes.io/instance-type',
    'failure-domain.beta.kubernetes.io/region',
    'failure-domain.beta.kubernetes.io/zone',
    'beta.kubernetes.io/arch',
    'beta.kubernetes.io/os',
  ]),
  'old names of labels in terms': pod({
    affinity: {
      nodeAffinity: {
        [REQUIRED]: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: 'beta.kubernetes.io/os', operator: 'Exists' },
                { key: 'a', operator: 'In', values: ['-'] },
              ],
            },
          ],
        },
        [PREFERRED]: [
          { weight: 1, preference: { matchExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', operator: 'Exists' }] } },
        ],
      },
      podAffinity: {
        [REQUIRED]: [{ topologyKey: 'failure-domain.beta.kubernetes.io/zone', labelSelector: {} }],
        [PREFERRED]: [{ weight: 1, podAffinityTerm: { topologyKey: 'k' } }],
      },
      podAntiAffinity: { [REQUIRED]: [{ topologyKey: 'k' }], [PREFERRED]: [{ weight: 1, podAffinityTerm: { topologyKey: 'k' } }] },
    },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'failure-domain.beta.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
      { maxSkew: 1, topologyKey: 'beta.kubernetes.io/arch', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
    ],
  }),
  'names more than once': pod({
    hostAliases: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }, { ip: '1.1.1.1' }],
    imagePullSecrets: [{ name: 'a' }, {}, { name: 'a' }, {}],
  }),
  'fractions of overhead': pod({ overhead: { 'ephemeral-storage': '1m', memory: '1m', cpu: '1m' } }),
  'a negative time to end': pod({ terminationGracePeriodSeconds: -1 }),
  'old annotations and profiles': annotated(
    { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default', 'container.seccomp.security.alpha.kubernetes.io/c': 'unconfined' },
    { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
  ),
  'everything worth a warning': annotated(
    {
      'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
      'scheduler.alpha.kubernetes.io/critical-pod': '',
      'container.apparmor.security.beta.kubernetes.io/c': 'unconfined',
      'container.seccomp.security.alpha.kubernetes.io/c': 'unconfined',
      'security.alpha.kubernetes.io/sysctls': 'x',
      'security.alpha.kubernetes.io/unsafe-sysctls': 'x',
    },
    {
      initContainers: [{ name: 'd', image: 'i', env: [{ name: 'A' }, { name: 'A' }], resources: { requests: { memory: '1m' } } }],
      containers: [
        {
          name: 'c',
          image: 'i',
          env: [{ name: 'A' }, { name: 'A' }],
          resources: { requests: { memory: '1m' } },
          ports: [{ containerPort: 1, hostIP: 'x' }],
        },
      ],
      volumes: [
        { name: 'v', gitRepo: { repository: 'r' } },
        { name: 'w', storageos: { volumeName: 'a' } },
      ],
      nodeSelector: { 'beta.kubernetes.io/os': 'x' },
      overhead: { memory: '1m' },
      imagePullSecrets: [{}],
      hostAliases: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }],
      affinity: { podAffinity: { [REQUIRED]: [{ topologyKey: 'k' }] } },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'failure-domain.beta.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
      ],
    },
  ),
};

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/c';
const near = (term: Body): Body => ({
  metadata: { labels: { x: 'y', z: 'w' } },
  ...pod({
    affinity: {
      podAffinity: { [REQUIRED]: [{ topologyKey: 'k', labelSelector: { matchLabels: { a: 'b' } }, ...term }] },
      podAntiAffinity: { [PREFERRED]: [{ weight: 1, podAffinityTerm: { topologyKey: 'k', labelSelector: {}, ...term } }] },
    },
  }),
});

/** Pods that are stored otherwise than they were sent. */
export const COMPLETED: Bodies = {
  'AppArmor: annotation': annotated({ [APP_ARMOR]: 'unconfined' }),
  'AppArmor: empty annotation': annotated({ [APP_ARMOR]: '' }),
  'AppArmor: annotation of a name': annotated({ [APP_ARMOR]: 'localhost/a' }),
  'AppArmor: annotation of no name': annotated({ [APP_ARMOR]: 'localhost/' }),
  'AppArmor: annotation of a padded name': annotated({ [APP_ARMOR]: 'localhost/ a' }),
  'AppArmor: annotation and another profile of the pod': annotated(
    { [APP_ARMOR]: 'unconfined' },
    { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } },
  ),
  'AppArmor: annotation and the profile of the pod': annotated(
    { [APP_ARMOR]: 'unconfined' },
    { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
  ),
  'AppArmor: profiles of the pod and of an init container': pod({
    securityContext: { appArmorProfile: { type: 'Unconfined' } },
    initContainers: [{ name: 'd', image: 'i', securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'x' } } }],
  }),
  'AppArmor: profile of one container': containers(
    { name: 'c', image: 'i', securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } },
    { name: 'e', image: 'i' },
  ),
  'AppArmor: annotation on Windows': annotated({ [APP_ARMOR]: 'unconfined' }, { os: { name: 'windows' } }),
  'AppArmor: annotation and a context': annotated(
    { [APP_ARMOR]: 'runtime/default' },
    { containers: [{ name: 'c', image: 'i', securityContext: { runAsUser: 5 } }] },
  ),
  'keys of labels': near({ matchLabelKeys: ['x', 'n'] }),
  'keys of other labels': near({ mismatchLabelKeys: ['n', 'z', 'x'] }),
  'keys of both': near({ matchLabelKeys: ['x'], mismatchLabelKeys: ['z'] }),
  'a negative time to end': pod({ terminationGracePeriodSeconds: -30 }),
  plain: pod({}),
};
