/** Changes of a stored Pod: what is asked of the reference server. */
import type { Body, Json } from '../reference';
import { pod } from './bodies';

type Change = readonly [old: Body, body: Body];
type Changes = Readonly<Record<string, Change>>;

const TOLERATION: Body = { key: 'a', operator: 'Exists' };
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const PLAIN: Body = {
  containers: [{ name: 'c', image: 'i:1' }],
  initContainers: [{ name: 'd', image: 'i:1' }],
  tolerations: [TOLERATION],
  activeDeadlineSeconds: 100,
};
const GATED: Body = { ...PLAIN, schedulingGates: [{ name: 'g' }, { name: 'h' }], nodeSelector: { a: 'b' } };

/** The spec with some members replaced; null takes one away. */
function replaced(spec: Body, members: Body): Body {
  return pod(Object.fromEntries(Object.entries({ ...spec, ...members }).filter(([, value]) => value !== null)));
}

function all(title: string, spec: Body, changes: Readonly<Record<string, Body>>): Changes {
  return Object.fromEntries(Object.entries(changes).map(([name, members]) => [`${title}: ${name}`, [pod(spec), replaced(spec, members)]]));
}

const container = (members: Body): Body => ({ containers: [{ name: 'c', image: 'i:1', ...members }] });
const init = (members: Body): Body => ({ initContainers: [{ name: 'd', image: 'i:1', ...members }] });

const OF_PLAIN = all('plain', PLAIN, {
  nothing: {},
  image: container({ image: 'j:1' }),
  'init image': init({ image: 'j:1' }),
  'no image': container({ image: '', imagePullPolicy: 'IfNotPresent' }),
  'no init image': init({ image: '', imagePullPolicy: 'IfNotPresent' }),
  'a spaced image': container({ image: ' i:1', imagePullPolicy: 'IfNotPresent' }),
  'a spaced init image': init({ image: ' i:1', imagePullPolicy: 'IfNotPresent' }),
  'two images wrong': {
    ...container({ image: ' i:1', imagePullPolicy: 'IfNotPresent' }),
    ...init({ image: '', imagePullPolicy: 'IfNotPresent' }),
  },
  'image and pull policy': container({ image: 'j:1', imagePullPolicy: 'Always' }),
  'another container': {
    containers: [
      { name: 'c', image: 'i:1' },
      { name: 'e', image: 'i' },
    ],
  },
  'another name': { containers: [{ name: 'e', image: 'i:1' }] },
  'no containers': { containers: [] },
  'no init containers': { initContainers: null },
  'another init container': {
    initContainers: [
      { name: 'd', image: 'i:1' },
      { name: 'e', image: 'i' },
    ],
  },
  'both lists': {
    initContainers: null,
    containers: [
      { name: 'c', image: 'i:1' },
      { name: 'e', image: 'i' },
    ],
  },
  'an ephemeral container': { ephemeralContainers: [{ name: 'e', image: 'i' }] },
  'a shorter deadline': { activeDeadlineSeconds: 50 },
  'a longer deadline': { activeDeadlineSeconds: 150 },
  'no deadline': { activeDeadlineSeconds: null },
  'no deadline, and a hostname': { activeDeadlineSeconds: null, hostname: 'x' },
  'a deadline of zero': { activeDeadlineSeconds: 0 },
  'a negative deadline': { activeDeadlineSeconds: -1 },
  'a deadline too long': { activeDeadlineSeconds: 2147483648 },
  'a longer deadline and a hostname': { activeDeadlineSeconds: 150, hostname: 'x' },
  'no tolerations': { tolerations: null },
  'a toleration more': { tolerations: [{ key: 'b', operator: 'Exists' }, TOLERATION] },
  'a toleration of the same key': { tolerations: [TOLERATION, { key: 'a', operator: 'Exists', effect: 'NoExecute' }] },
  'a toleration with an effect': { tolerations: [{ ...TOLERATION, effect: 'NoExecute' }] },
  'a toleration with a time': { tolerations: [{ ...TOLERATION, effect: 'NoExecute', tolerationSeconds: 5 }] },
  'a wrong toleration': { tolerations: [TOLERATION, { key: '_' }] },
  'another toleration and a hostname': { tolerations: [{ key: 'b', operator: 'Exists' }], hostname: 'x' },
  'a hostname': { hostname: 'x' },
  'a wrong hostname': { hostname: '_' },
  'a node': { nodeName: 'n' },
  'a node selector': { nodeSelector: { a: 'b' } },
  'a wrong node selector': { nodeSelector: { _: 'b' } },
  'a gate': { schedulingGates: [{ name: 'g' }] },
  'a wrong gate': { schedulingGates: [{ name: '_' }] },
  'a gate and a hostname': { schedulingGates: [{ name: 'g' }], hostname: 'x' },
  'an affinity': { affinity: { nodeAffinity: { [PREFERRED]: [{ weight: 1, preference: {} }] } } },
  'an empty affinity': { affinity: {} },
  'a time to end': { terminationGracePeriodSeconds: 1 },
  'a negative time to end': { terminationGracePeriodSeconds: -5 },
  'a restart policy': { restartPolicy: 'Never' },
  'a priority': { priority: 5 },
  'a class of priority': { priorityClassName: 'a' },
  'a volume': { volumes: [{ name: 'v', emptyDir: {} }] },
  'a wrong volume': { volumes: [{ name: '_', emptyDir: {} }] },
  'an account': { serviceAccountName: 'x' },
  'an operating system': { os: { name: 'linux' } },
  'the network of the host': { hostNetwork: true },
  spread: { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' }] },
  resources: container({ resources: { requests: { cpu: '1' } } }),
  'features that are off': { hostUsers: false, resourceClaims: [{ name: 'x' }] },
  'resources, gate and toleration': {
    ...container({ resources: { requests: { cpu: '1' } } }),
    schedulingGates: [{ name: 'g' }],
    tolerations: null,
  },
  'resources, and a pull policy': container({ resources: { requests: { cpu: '1' } }, imagePullPolicy: 'x' }),
  'a wrong toleration instead': { tolerations: [{ key: '_' }] },
  'everything at once': {
    ...container({ image: '', imagePullPolicy: 'IfNotPresent' }),
    activeDeadlineSeconds: -1,
    tolerations: [{ key: '_' }],
    schedulingGates: [{ name: '_' }],
    nodeSelector: { _: '-' },
    hostname: '_',
  },
  'deadline, gate and toleration': { activeDeadlineSeconds: 100, tolerations: [{ key: 'b' }], schedulingGates: [{ name: 'g' }] },
});

const node = (members: Body): Body => ({ affinity: { nodeAffinity: members } });
const terms = (...nodeSelectorTerms: Json[]): Body => node({ [REQUIRED]: { nodeSelectorTerms } });
const exists = (...keys: string[]): Body => ({ matchExpressions: keys.map((key) => ({ key, operator: 'Exists' })) });
const named = (...names: string[]): Body => ({
  matchFields: names.map((name) => ({ key: 'metadata.name', operator: 'In', values: [name] })),
});
const preferred = (weight: number): Body => ({ [PREFERRED]: [{ weight, preference: exists('a') }] });

const OF_GATED = all('gated', GATED, {
  nothing: {},
  'no gates': { schedulingGates: null },
  'one gate less': { schedulingGates: [{ name: 'h' }] },
  'another order': { schedulingGates: [{ name: 'h' }, { name: 'g' }] },
  'another gate': { schedulingGates: [{ name: 'h' }, { name: 'n' }] },
  'two gates more': { schedulingGates: [{ name: 'g' }, { name: 'n' }, { name: 'h' }, { name: 'm' }] },
  'a gate more and a hostname': { schedulingGates: [{ name: 'g' }, { name: 'n' }], hostname: 'x' },
  'a label more': { nodeSelector: { a: 'b', c: 'd' } },
  'another value': { nodeSelector: { a: 'c' } },
  'another label': { nodeSelector: { c: 'd' } },
  'no labels': { nodeSelector: null },
  'a wrong label': { nodeSelector: { a: 'b', _: 'c' } },
  'a label more and no gates': { nodeSelector: { a: 'b', c: 'd' }, schedulingGates: null },
  'another value and a hostname': { nodeSelector: { a: 'c' }, hostname: 'x' },
  'a node': { nodeName: 'n' },
  'a node and no gates': { nodeName: 'n', schedulingGates: null },
  'a term': terms(exists('a')),
  'a preference': node(preferred(1)),
  'empty affinity': { affinity: {} },
  'empty node affinity': node({}),
  'pod affinity': { affinity: { podAffinity: {} } },
  'a wrong term': terms(exists('_')),
  'no terms': terms(),
});

const WITH_TERMS: Body = { ...GATED, ...node({ [REQUIRED]: { nodeSelectorTerms: [exists('a'), exists('b')] }, ...preferred(1) }) };
const WITH_NAMES: Body = { ...GATED, ...terms(named('n')) };
const OF_TERMS = all('terms', WITH_TERMS, {
  'another preference': node({ [REQUIRED]: { nodeSelectorTerms: [exists('a'), exists('b')] }, ...preferred(2) }),
  'no preference': terms(exists('a'), exists('b')),
  'an expression more': terms(exists('a', 'x'), exists('b')),
  'an expression before': terms(exists('x', 'a'), exists('b')),
  'an expression less': terms({}, exists('b')),
  'another expression': terms(exists('x'), exists('b')),
  'a term more': terms(exists('a'), exists('b'), exists('c')),
  'a term less': terms(exists('a')),
  'two terms wrong': terms(exists('x'), exists('y')),
  'another order': terms(exists('b'), exists('a')),
  'a field more': terms({ ...exists('a'), ...named('n') }, exists('b')),
  'no terms': node(preferred(1)),
  'no affinity': { affinity: null },
});
const OF_PREFERENCES = all(
  'preferences',
  { ...GATED, ...node(preferred(1)) },
  {
    'no affinity': { affinity: null },
    'no node affinity': { affinity: {} },
    'pod affinity instead': { affinity: { podAffinity: {} } },
    'a term more': node({ ...preferred(1), [REQUIRED]: { nodeSelectorTerms: [exists('a')] } }),
  },
);
const OF_NAMES = all('names', WITH_NAMES, {
  'a field more': terms(named('n', 'm')),
  'another field': terms(named('m')),
  'an expression more': terms({ ...named('n'), ...exists('a') }),
});

const MIRROR = 'kubernetes.io/config.mirror';
const ARMOR = 'container.apparmor.security.beta.kubernetes.io/c';
const annotated = (annotations: Body, spec: Body = { nodeName: 'n' }): Body => ({ metadata: { annotations }, ...pod(spec) });
const OF_ANNOTATIONS: Changes = {
  'mirror comes': [annotated({}), annotated({ [MIRROR]: 'x' })],
  'mirror goes': [annotated({ [MIRROR]: 'x' }), annotated({})],
  'mirror changes': [annotated({ [MIRROR]: 'x' }), annotated({ [MIRROR]: 'y' })],
  'mirror comes without a node': [annotated({}, {}), annotated({ [MIRROR]: 'x' }, {})],
  'AppArmor and mirror go': [annotated({ [ARMOR]: '', [MIRROR]: 'x' }), annotated({})],
  'AppArmor and mirror come': [annotated({}), annotated({ [ARMOR]: '', [MIRROR]: 'x' })],
  'AppArmor comes': [annotated({}), annotated({ [ARMOR]: 'unconfined' })],
  'AppArmor goes': [annotated({ [ARMOR]: 'unconfined' }), annotated({})],
  'AppArmor changes': [annotated({ [ARMOR]: '' }), annotated({ [ARMOR]: 'unconfined' })],
  'AppArmor comes, malformed': [annotated({}), annotated({ [ARMOR]: 'x' })],
  'other annotations': [annotated({ a: 'b' }), annotated({ c: 'd' })],
  'wrong annotations': [
    annotated({}),
    annotated({ 'controller.kubernetes.io/pod-deletion-cost': 'x', 'seccomp.security.alpha.kubernetes.io/pod': 'x', _: 'y' }),
  ],
  'a wrong label': [pod({}), { metadata: { labels: { _: '-' } }, ...pod({}) }],
  'an old annotation comes': [annotated({}), annotated({ 'scheduler.alpha.kubernetes.io/critical-pod': '' })],
};

export const CHANGES: Changes = { ...OF_PLAIN, ...OF_GATED, ...OF_TERMS, ...OF_PREFERENCES, ...OF_NAMES, ...OF_ANNOTATIONS };
