/** Security contexts of pods and containers, and the annotations that once stood for them: what is asked of the reference server. */
import type { Body, Json } from '../reference';
import { annotated, container, each, initContainer, long, pod, type Bodies } from './bodies';

const ofPod = (securityContext: Json): Body => pod({ securityContext });
const ofContainer = (securityContext: Json): Body => container({ securityContext });
/** A case for each value of a member. */
const podMember = (name: string, values: readonly Json[]): Bodies => each(`pod ${name}`, (value) => ofPod({ [name]: value }), values);
const member = (name: string, values: readonly Json[]): Bodies =>
  each(`container ${name}`, (value) => ofContainer({ [name]: value }), values);
const sysctls = (...all: Json[]): Body => ofPod({ sysctls: all });

const IDS = [0, 1, -1, 2147483647, 2147483648];
const SECCOMP = [
  {},
  { type: '' },
  { type: 'RuntimeDefault' },
  { type: 'Unconfined' },
  { type: 'x' },
  { type: 'Localhost' },
  { type: 'Localhost', localhostProfile: '' },
  { type: 'Localhost', localhostProfile: 'a/b' },
  { type: 'Localhost', localhostProfile: '/a' },
  { type: 'Localhost', localhostProfile: '../a' },
  { type: 'Localhost', localhostProfile: 'a..' },
  { type: 'RuntimeDefault', localhostProfile: 'a' },
  { type: 'RuntimeDefault', localhostProfile: '' },
  { type: 'x', localhostProfile: '/a' },
  { localhostProfile: 'a' },
];
const APP_ARMOR = [
  {},
  { type: 'RuntimeDefault' },
  { type: 'Unconfined' },
  { type: 'x' },
  { type: 'Localhost' },
  { type: 'Localhost', localhostProfile: '' },
  { type: 'Localhost', localhostProfile: 'a' },
  { type: 'Localhost', localhostProfile: ' a ' },
  { type: 'Localhost', localhostProfile: ' ' },
  { type: 'Localhost', localhostProfile: long(4095) },
  { type: 'Localhost', localhostProfile: long(4096) },
  { type: 'RuntimeDefault', localhostProfile: 'a' },
  { type: 'RuntimeDefault', localhostProfile: '' },
  { localhostProfile: 'a' },
];
const WINDOWS = [
  {},
  { gmsaCredentialSpecName: '' },
  { gmsaCredentialSpecName: 'a' },
  { gmsaCredentialSpecName: '_' },
  { gmsaCredentialSpecName: 'A.b' },
  { gmsaCredentialSpec: '' },
  { gmsaCredentialSpec: 'x' },
  { runAsUserName: '' },
  { runAsUserName: 'u' },
  { runAsUserName: 'd\\u' },
  { runAsUserName: 'a\\b\\c' },
  { runAsUserName: '\\u' },
  { runAsUserName: 'd\\' },
  { runAsUserName: 'u\u0001' },
  { runAsUserName: 'u*' },
  { runAsUserName: '. ' },
  { runAsUserName: ' ' },
  { runAsUserName: 'a b' },
  { runAsUserName: 'a/b' },
  { runAsUserName: long(104) },
  { runAsUserName: long(105) },
  { runAsUserName: `${'d'.repeat(256)}\\u` },
  { runAsUserName: `${'d'.repeat(257)}\\u` },
  { runAsUserName: '-d\\u' },
  { runAsUserName: 'd.e\\u' },
  { runAsUserName: '..d\\u' },
  { runAsUserName: 'd_e\\u' },
  { runAsUserName: 'd\\a@b' },
  { hostProcess: false },
  { hostProcess: true },
];

const POD: Bodies = {
  'pod context: empty': ofPod({}),
  ...podMember('runAsUser', IDS),
  ...podMember('runAsGroup', IDS),
  ...podMember('fsGroup', IDS),
  ...podMember('supplementalGroups', [[], [0, 1], [-1], [2147483648, -5]]),
  ...podMember('supplementalGroupsPolicy', ['x', 'Merge']),
  ...podMember('fsGroupChangePolicy', ['', 'Always', 'OnRootMismatch', 'x']),
  ...podMember('runAsNonRoot', [true, false]),
  'pod root that is not root': ofPod({ runAsNonRoot: true, runAsUser: 0 }),
  ...podMember('seLinuxOptions', [{}, { level: 'x', role: ' ' }]),
  ...podMember('seccompProfile', SECCOMP),
  ...podMember('appArmorProfile', APP_ARMOR),
  ...podMember('windowsOptions', WINDOWS),
  ...each('sysctl', (name) => sysctls({ name, value: '1' }), [
    '',
    'kernel.shm_rmid_forced',
    'net.ipv4.ip_local_port_range',
    'net/ipv4/a',
    'net/ipv4/a.b',
    'a',
    'a/b',
    'A.b',
    'a..b',
    'a-b.c',
    'a_b.c',
    '-a',
    '.a',
    'kernel.msgmax',
    'fs.mqueue.a',
    'net.core.somaxconn',
    'kernel.sem',
    'user.max_user_namespaces',
    { $text: 'a', $times: 253 },
    { $text: 'a', $times: 254 },
  ]),
  'sysctl: empty': sysctls({}),
  'sysctl: twice': sysctls({ name: 'a', value: '1' }, { name: 'a', value: '2' }),
  'sysctl: twice in two notations': sysctls({ name: 'a.b', value: '1' }, { name: 'a/b', value: '2' }),
  'sysctl: malformed twice': sysctls({ name: '_', value: '1' }, { name: '_', value: '2' }),
  ...['net.a', 'kernel.shm_a', 'kernel.msg_a', 'kernel.sem', 'fs.mqueue.a', 'kernel.a', 'net/a', 'ipc.a'].reduce(
    (all, name) => ({
      ...all,
      [`sysctl ${name} on the host network`]: pod({ hostNetwork: true, securityContext: { sysctls: [{ name, value: '1' }] } }),
      [`sysctl ${name} with the host's IPC`]: pod({ hostIPC: true, securityContext: { sysctls: [{ name, value: '1' }] } }),
    }),
    {},
  ),
  'pod context: everything wrong': ofPod({
    runAsUser: -1,
    runAsGroup: -1,
    fsGroup: -1,
    supplementalGroups: [-1],
    fsGroupChangePolicy: 'x',
    sysctls: [{}],
    seccompProfile: {},
    appArmorProfile: {},
    windowsOptions: { gmsaCredentialSpecName: '_', runAsUserName: '' },
  }),
};

const capabilities = (members: Body, more: Body = {}): Body => ofContainer({ capabilities: members, ...more });
const CONTAINER: Bodies = {
  'container context: empty': ofContainer({}),
  ...member('runAsUser', IDS),
  ...member('runAsGroup', IDS),
  ...member('seccompProfile', [{}, { type: 'x' }, { type: 'Localhost' }, { type: 'RuntimeDefault', localhostProfile: 'a' }]),
  ...member('appArmorProfile', [{}, { type: 'x' }, { type: 'Localhost' }, { type: 'RuntimeDefault', localhostProfile: 'a' }]),
  ...member('windowsOptions', [{}, { gmsaCredentialSpecName: '_' }, { runAsUserName: '' }, { hostProcess: true }]),
  ...member('procMount', ['', 'Default', 'Unmasked', 'x']),
  ...member('allowPrivilegeEscalation', [true, false]),
  'privileged without escalation': ofContainer({ privileged: true, allowPrivilegeEscalation: false }),
  'not privileged without escalation': ofContainer({ privileged: false, allowPrivilegeEscalation: false }),
  'CAP_SYS_ADMIN without escalation': capabilities({ add: ['CAP_SYS_ADMIN'] }, { allowPrivilegeEscalation: false }),
  'SYS_ADMIN without escalation': capabilities({ add: ['SYS_ADMIN'] }, { allowPrivilegeEscalation: false }),
  'privileged and CAP_SYS_ADMIN without escalation': capabilities(
    { add: ['CAP_SYS_ADMIN'] },
    { privileged: true, allowPrivilegeEscalation: false },
  ),
  'any capability': capabilities({ add: ['', 'x y'], drop: ['ALL', 'ALL'] }),
  'container context: everything wrong': ofContainer({
    runAsUser: -1,
    runAsGroup: -1,
    procMount: 'x',
    privileged: true,
    allowPrivilegeEscalation: false,
    seccompProfile: {},
    appArmorProfile: {},
    windowsOptions: { runAsUserName: '' },
  }),
  'context of an init container': initContainer({ securityContext: { runAsUser: -1, seccompProfile: {} } }),
};

const host = (hostProcess: Json, spec: Body, ofOne: Body = {}): Body =>
  pod({
    securityContext: { windowsOptions: { hostProcess } },
    containers: [{ name: 'c', image: 'i', ...ofOne }],
    ...spec,
  });
const HOST_PROCESS: Bodies = {
  'host process: on the host network': host(true, { hostNetwork: true }),
  'host process: not on the host network': host(true, {}),
  'host process: says no': host(false, {}, { securityContext: { windowsOptions: { hostProcess: true } } }),
  'host process: container says no': host(true, { hostNetwork: true }, { securityContext: { windowsOptions: { hostProcess: false } } }),
  'host process: container says yes': host(true, { hostNetwork: true }, { securityContext: { windowsOptions: { hostProcess: true } } }),
  'host process: of one container': pod({
    hostNetwork: true,
    containers: [
      { name: 'c', image: 'i', securityContext: { windowsOptions: { hostProcess: true } } },
      { name: 'd', image: 'i' },
    ],
  }),
  'host process: of all containers': pod({
    hostNetwork: true,
    containers: [{ name: 'c', image: 'i', securityContext: { windowsOptions: { hostProcess: true } } }],
  }),
  'host process: of all but the init container': pod({
    hostNetwork: true,
    containers: [{ name: 'c', image: 'i', securityContext: { windowsOptions: { hostProcess: true } } }],
    initContainers: [{ name: 'd', image: 'i', securityContext: { windowsOptions: { hostProcess: false } } }],
  }),
};

const APP_ARMOR_KEY = 'container.apparmor.security.beta.kubernetes.io/c';
const armored = (value: Json, spec: Body = {}): Body => annotated({ [APP_ARMOR_KEY]: value }, spec);
const confined = (securityContext: Json): Body => ({ containers: [{ name: 'c', image: 'i', securityContext }] });
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const ANNOTATIONS: Bodies = {
  ...each('annotation of AppArmor', (value) => armored(value), ['', 'runtime/default', 'unconfined', 'localhost/a', 'localhost/', 'x']),
  'annotation of AppArmor for no container': annotated({ 'container.apparmor.security.beta.kubernetes.io/x': 'unconfined' }),
  'annotation of AppArmor for nothing': annotated({ 'container.apparmor.security.beta.kubernetes.io/': 'unconfined' }),
  'annotation of AppArmor and the same profile': armored('unconfined', confined({ appArmorProfile: { type: 'Unconfined' } })),
  'annotation of AppArmor and another profile': armored('unconfined', confined({ appArmorProfile: { type: 'RuntimeDefault' } })),
  'annotation of AppArmor and another name': armored(
    'localhost/a',
    confined({ appArmorProfile: { type: 'Localhost', localhostProfile: 'b' } }),
  ),
  'annotation of AppArmor and the same name': armored(
    'localhost/a',
    confined({ appArmorProfile: { type: 'Localhost', localhostProfile: 'a' } }),
  ),
  'annotation of AppArmor and a pod profile': armored('unconfined', { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }),
  'annotation of AppArmor on Windows': armored('unconfined', { os: { name: 'windows' } }),
  ...each('annotation of seccomp for a pod', (value) => annotated({ 'seccomp.security.alpha.kubernetes.io/pod': value }), [
    '',
    'runtime/default',
    'docker/default',
    'unconfined',
    'localhost/a',
    'localhost/',
    'localhost//a',
    'localhost/..',
    'x',
  ]),
  ...each('annotation of seccomp for a container', (value) => annotated({ 'container.seccomp.security.alpha.kubernetes.io/c': value }), [
    'unconfined',
    'x',
    'localhost/../a',
  ]),
  'annotation of seccomp for no container': annotated({ 'container.seccomp.security.alpha.kubernetes.io/x': 'x' }),
  'annotation of seccomp and a profile': annotated(
    { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' },
    { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
  ),
  'annotation of a mirror': annotated({ 'kubernetes.io/config.mirror': 'x' }),
  'annotation of a mirror, with a node': annotated({ 'kubernetes.io/config.mirror': 'x' }, { nodeName: 'n' }),
  'annotation of a source': annotated({ 'kubernetes.io/config.source': 'x', 'kubernetes.io/config.hash': 'x' }),
  ...each('annotation of a deletion cost', (value) => annotated({ 'controller.kubernetes.io/pod-deletion-cost': value }), [
    '',
    '0',
    '1',
    '-1',
    '+1',
    '01',
    '-0',
    'x',
    '1.5',
    '2147483647',
    '2147483648',
    '-2147483648',
    '-2147483649',
  ]),
  ...each('annotation of tolerations', (value) => annotated({ [TOLERATIONS]: value }), [
    '',
    '[]',
    'x',
    '{}',
    '[{}]',
    '[{"operator":"Exists"}]',
    '[{"key":"_"}]',
    '[{"key":"a","operator":"x","effect":"y"}]',
  ]),
  ...each('annotation of affinity', (value) => annotated({ 'scheduler.alpha.kubernetes.io/affinity': value }), ['', 'x']),
  'annotations of old': annotated({
    'pod.beta.kubernetes.io/hostname': '_',
    'pod.beta.kubernetes.io/subdomain': '_',
    'pod.alpha.kubernetes.io/init-containers': 'x',
    'pod.beta.kubernetes.io/init-containers': 'x',
    'security.alpha.kubernetes.io/sysctls': 'a=b',
    'security.alpha.kubernetes.io/unsafe-sysctls': '=',
    'scheduler.alpha.kubernetes.io/critical-pod': 'x',
    'endpoints.alpha.kubernetes.io/hostnames-map': 'x',
    'kubectl.kubernetes.io/default-container': 'x',
    'cluster-autoscaler.kubernetes.io/safe-to-evict': 'x',
    'scheduler.alpha.kubernetes.io/preferAvoidPods': 'x',
  }),
};

export const SECURITY: Bodies = { ...POD, ...CONTAINER, ...HOST_PROCESS, ...ANNOTATIONS };
