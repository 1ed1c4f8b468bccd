/** What is put at a Pod's endpoints of status and of ephemeral containers: what is asked of the reference server. */
import type { Body, Json } from '../reference';
import { pod } from './bodies';

const ARMOR = 'container.apparmor.security.beta.kubernetes.io/c';
const ANNOTATIONS: Body = { [ARMOR]: 'unconfined', 'kubernetes.io/config.mirror': 'm' };
/** On a node, as mirrors have to be. */
const annotated = (annotations: Body): Body => ({ metadata: { annotations }, ...pod({ nodeName: 'n' }) });

type Changes = Readonly<Record<string, readonly [old: Body, body: Body]>>;

const ephemeral = (...containers: Json[]): Body => ({ ephemeralContainers: containers });
const BASE: Body = pod({ volumes: [{ name: 'v', emptyDir: {} }], initContainers: [{ name: 'd', image: 'i' }] });
const holding = (members: Body): Body => ({ spec: { ...Object(BASE['spec']), ...members } });
const of = (members: Body): readonly [Body, Body] => [BASE, holding(ephemeral({ name: 'e', image: 'i', ...members }))];

export const EPHEMERAL: Changes = {
  'annotations that confine come': [annotated({}), annotated(ANNOTATIONS)],
  'annotations that confine go': [annotated(ANNOTATIONS), annotated({})],
  nothing: [BASE, BASE],
  one: of({}),
  two: [BASE, holding(ephemeral({ name: 'e', image: 'i' }, { name: 'f', image: 'i', targetContainerName: 'c' }))],
  empty: [BASE, holding(ephemeral({}))],
  twice: [BASE, holding(ephemeral({ name: 'e', image: 'i' }, { name: 'e', image: 'i' }))],
  'name of a container': of({ name: 'c' }),
  'name of an init container': of({ name: 'd' }),
  'malformed name': of({ name: '_' }),
  'no image': of({ image: '' }),
  'a spaced image': of({ image: ' i' }),
  'unknown target': of({ targetContainerName: 'x' }),
  'target is itself': of({ targetContainerName: 'e' }),
  ports: of({ ports: [{ containerPort: 1 }] }),
  probes: of({ livenessProbe: {}, readinessProbe: {}, startupProbe: {}, lifecycle: {} }),
  resources: of({ resources: { limits: { cpu: '1' } } }),
  'restart policy': of({ restartPolicy: 'Always' }),
  mounts: of({ volumeMounts: [{ name: 'v', mountPath: '/m' }] }),
  'mounts of a path': of({
    volumeMounts: [
      { name: 'v', mountPath: '/m', subPath: 'a' },
      { name: 'v', mountPath: '/n', subPathExpr: 'a' },
    ],
  }),
  'unknown mounts': of({ volumeMounts: [{ name: 'w' }] }),
  variables: of({ env: [{ name: '' }, { name: 'A', value: '1' }, { name: 'A', value: '2' }] }),
  'variables twice': of({
    env: [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ],
  }),
  policies: of({ imagePullPolicy: 'x', terminationMessagePolicy: 'x' }),
  context: of({ securityContext: { runAsUser: -1 } }),
  'another image of a container': [BASE, holding({ containers: [{ name: 'c', image: 'j' }] })],
  'a hostname': [BASE, holding({ hostname: 'x', ...ephemeral({ name: 'e', image: 'i' }) })],
  labels: [BASE, { metadata: { labels: { a: 'b', _: '-' } }, ...holding(ephemeral({ name: 'e', image: 'i' })) }],
  'everything wrong': of({
    name: '',
    image: '',
    targetContainerName: 'x',
    ports: [{}],
    resources: { limits: { x: '1' } },
    volumeMounts: [{}],
  }),
};

const address = (...ips: Json[]): Body => ({ podIPs: ips.map((ip) => ({ ip })) });
export const STATUSES: Readonly<Record<string, Body>> = Object.fromEntries(
  Object.entries<Body>({
    empty: {},
    running: { phase: 'Running' },
    'any phase': { phase: 'x' },
    'quality changes': { qosClass: 'Guaranteed' },
    'quality stays': { qosClass: 'BestEffort' },
    address: { podIP: '1.2.3.4' },
    'malformed address': { podIP: 'x' },
    addresses: address('1.2.3.4', '::1'),
    'addresses of a family': address('1.2.3.4', '1.2.3.5'),
    'malformed addresses': address('x', ''),
    'three addresses': address('1.2.3.4', '::1', '::2'),
    'an address twice': address('1.2.3.4', '1.2.3.4'),
    'addresses that disagree': { podIP: '1.2.3.4', podIPs: [{ ip: '1.2.3.5' }] },
    'host address': { hostIP: 'x' },
    'host addresses': { hostIP: '1.2.3.4', hostIPs: [{ ip: '1.2.3.4' }, { ip: '::1' }] },
    'host addresses that disagree': { hostIP: '1.2.3.4', hostIPs: [{ ip: '1.2.3.5' }] },
    'malformed host addresses': { hostIP: '1.2.3.4', hostIPs: [{ ip: '1.2.3.4' }, { ip: 'x' }] },
    'host addresses of a family': { hostIP: '1.2.3.4', hostIPs: [{ ip: '1.2.3.4' }, { ip: '1.2.3.5' }] },
    'three host addresses': { hostIP: '1.2.3.4', hostIPs: [{ ip: '1.2.3.4' }, { ip: '::1' }, { ip: '::2' }] },
    conditions: { conditions: [{ type: 'Ready', status: 'True' }] },
    'a malformed condition': {
      conditions: [
        { type: '_', status: 'x' },
        { type: '', status: '' },
      ],
    },
    'conditions twice': {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Ready', status: 'False' },
      ],
    },
    'node that was asked for': { nominatedNodeName: '_' },
    'a container': { containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, state: { running: {} } }] },
    'an unknown container': { containerStatuses: [{ name: 'x', image: 'i', imageID: '', ready: true, restartCount: -1 }] },
    'a terminated container': {
      containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode: 1 } } }],
    },
    'a container terminated as none': {
      containerStatuses: [
        { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode: 1 } }, lastState: {} },
      ],
      initContainerStatuses: [{ name: 'y', image: '', imageID: '', ready: false, restartCount: 0 }],
      ephemeralContainerStatuses: [{ name: 'z', image: '', imageID: '', ready: false, restartCount: 0 }],
    },
    'claims of resources': { resourceClaimStatuses: [{ name: 'x' }] },
  }).map(([title, status]) => [title, { ...pod({}), status }]),
);

const ended = (exitCode: number): Body => ({
  name: 'c',
  image: 'i',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode } },
});
const running: Body = { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state: { running: {} } };
const state = (spec: Body, ...containerStatuses: Json[]): Body => ({ ...pod(spec), status: { containerStatuses } });
const initial = (spec: Body, ...initContainerStatuses: Json[]): Body => ({ ...pod(spec), status: { initContainerStatuses } });
const NEVER: Body = { restartPolicy: 'Never', initContainers: [{ name: 'd', image: 'i' }] };
const FAILURE: Body = { restartPolicy: 'OnFailure', initContainers: [{ name: 'd', image: 'i' }] };
const ALWAYS: Body = { restartPolicy: 'Never', initContainers: [{ name: 'd', image: 'i', restartPolicy: 'Always' }] };
const initEnded: Body = { ...ended(0), name: 'd' };
const initRunning: Body = { ...running, name: 'd' };

export const STATUS_CHANGES: Changes = {
  'annotations that confine come': [annotated({}), annotated(ANNOTATIONS)],
  'annotations that confine go': [annotated(ANNOTATIONS), annotated({})],
  'annotations that confine change': [annotated(ANNOTATIONS), annotated({ ...ANNOTATIONS, [ARMOR]: 'runtime/default' })],
  'annotations that confine stay': [annotated(ANNOTATIONS), annotated(ANNOTATIONS)],
  'a malformed annotation and a malformed status': [
    pod({}),
    { ...annotated({ 'controller.kubernetes.io/pod-deletion-cost': 'x' }), status: { nominatedNodeName: 'A_' } },
  ],
  'always: runs again': [state({}, ended(1)), state({}, running)],
  'never: runs again': [state(NEVER, ended(1)), state(NEVER, running)],
  'never: ends': [state(NEVER, running), state(NEVER, ended(1))],
  'on failure: runs again after failure': [state(FAILURE, ended(1)), state(FAILURE, running)],
  'on failure: runs again after success': [state(FAILURE, ended(0)), state(FAILURE, running)],
  'never: init runs again': [initial(NEVER, initEnded), initial(NEVER, initRunning)],
  'on failure: init runs again': [initial(FAILURE, initEnded), initial(FAILURE, initRunning)],
  'never: state goes': [state(NEVER, ended(1)), state(NEVER)],
  'quality changes': [
    { ...pod({}), status: { qosClass: 'BestEffort' } },
    { ...pod({}), status: { qosClass: 'Burstable' } },
  ],
  'everything wrong': [
    { ...pod(NEVER), status: { containerStatuses: [ended(1)], initContainerStatuses: [initEnded] } },
    {
      ...pod(NEVER),
      status: {
        containerStatuses: [running],
        initContainerStatuses: [initRunning],
        qosClass: 'Burstable',
        podIPs: [{ ip: 'x' }],
        hostIP: 'y',
        hostIPs: [{ ip: 'z' }],
        nominatedNodeName: '_',
        conditions: [{ type: '_', status: 'x' }],
        resourceClaimStatuses: [{ name: 'x' }],
      },
    },
  ],
  'restartable: init runs again': [initial(ALWAYS, initEnded), initial(ALWAYS, initRunning)],
  'never: an unknown container runs again': [state(NEVER, { ...ended(1), name: 'x' }), state(NEVER, { ...running, name: 'x' })],
  'always: init runs again': [
    initial({ ...NEVER, restartPolicy: 'Always' }, initEnded),
    initial({ ...NEVER, restartPolicy: 'Always' }, initRunning),
  ],
  'on failure: init runs again after failure': [initial(FAILURE, { ...ended(1), name: 'd' }), initial(FAILURE, initRunning)],
  'never: runs again behind another': [state(NEVER, ended(1)), state(NEVER, { ...running, name: 'x' }, running)],
  'never: waits again': [state(NEVER, ended(1)), state(NEVER, { ...running, state: { waiting: {} } })],
  'never: ends otherwise': [state(NEVER, ended(1)), state(NEVER, ended(2))],
  'the node': [pod({}), { spec: { ...Object(pod({})['spec']), nodeName: 'n' }, status: {} }],
};
