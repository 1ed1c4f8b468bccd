/**
 * Nodes that report themselves, fall silent and come back, their taints, and the pods on them. The grace periods are short here (4 s, 6 s for new nodes), and a
 * node that is sound stands beside the others, because where nobody reports himself nothing is tainted.
 */
import type { Body, Json } from '../reference';
import { create, patch, remove, type Act, type Look, type Scenario } from './scenario';
import { pod, READY } from './pods';

const LOOKS: readonly Look[] = [{ path: '/api/v1/nodes', members: ['spec', 'status'] }];
const TOLD = ['involvedObject', 'type', 'reason', 'message', 'source'];
const EVENTS: Look = { path: 'events', members: TOLD };
const NODE_EVENTS: Look = { path: '/api/v1/namespaces/default/events', members: TOLD };
const PODS: Look = { path: 'pods', members: ['status'] };
const REST_MS = 7_000;

const at = (name: string): string => `/api/v1/nodes/$NS-${name}`;
const said = (condition: string, value: string): Body => ({
  type: condition,
  status: value,
  reason: 'Said',
  message: 'by hand',
  lastHeartbeatTime: '$NOW',
  lastTransitionTime: '2020-01-01T00:00:00Z',
});
const says = (name: string, conditions: Readonly<Record<string, string>>): Act =>
  patch(`${at(name)}/status`, { status: { conditions: Object.entries(conditions).map(([type, value]) => said(type, value)) as Json[] } });
const node = (name: string, metadata: Body = {}, spec: Body = {}): Act =>
  create('/api/v1/nodes', { metadata: { name: `$NS-${name}`, labels: { 'topology.kubernetes.io/zone': '$NS' }, ...metadata }, spec });
const sound = (name: string, metadata: Body = {}, spec: Body = {}): Act[] => [node(name, metadata, spec), says(name, { Ready: 'True' })];
const leftovers = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [at(name), `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/$NS-${name}`]);
const on = (name: string, spec: Body = {}): Body => ({ nodeName: `$NS-${name}`, ...spec });
const FINALIZERS = { finalizers: ['nobody.example.com/f'] };
const tolerates = (...tolerations: readonly Body[]): Body => ({ tolerations: [...tolerations] });

const FOR_LONG: Body = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };

const HEALTH: readonly Scenario[] = [
  {
    name: 'node-new',
    looks: [...LOOKS, NODE_EVENTS],
    leftovers: leftovers('a', 'z'),
    steps: [
      { title: 'a node that never reports itself', acts: [...sound('z'), node('a')], beats: ['z'], restMs: REST_MS },
      {
        title: 'it does',
        acts: [says('a', { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' })],
        beats: ['a', 'z'],
      },
      { title: 'it is deleted', acts: [remove(at('a'))], beats: ['z'] },
    ],
  },
  {
    name: 'node-silent',
    looks: [...LOOKS, NODE_EVENTS, PODS, EVENTS],
    leftovers: leftovers('a', 'z'),
    steps: [
      {
        title: 'a node with pods',
        acts: [
          ...sound('z'),
          ...sound('a'),
          ...pod('p', { spec: on('a', tolerates({ operator: 'Exists' })), phase: 'Running', conditions: [READY] }),
          ...pod('q', { spec: on('a', tolerates(FOR_LONG)), phase: 'Running', conditions: [READY] }),
          ...pod('r', { spec: on('a', tolerates({ operator: 'Exists' })), phase: 'Pending' }),
        ],
        beats: ['a', 'z'],
      },
      { title: 'it falls silent', acts: [], beats: ['z'], restMs: REST_MS },
      {
        title: 'another pod on it',
        acts: pod('s', { spec: on('a', tolerates({ operator: 'Exists' })) }),
        beats: ['z'],
      },
      { title: 'it comes back', acts: [says('a', { Ready: 'True' })], beats: ['a', 'z'] },
    ],
  },
  {
    name: 'node-unready',
    looks: [...LOOKS, PODS, EVENTS],
    leftovers: leftovers('a', 'z'),
    steps: [
      {
        title: 'a sound node',
        acts: [
          ...sound('z'),
          ...sound('a'),
          ...pod('p', { spec: on('a', tolerates({ operator: 'Exists' })), phase: 'Running', conditions: [READY] }),
        ],
        beats: ['a', 'z'],
      },
      { title: 'it says that it is not ready', acts: [says('a', { Ready: 'False' })], beats: ['a', 'z'] },
      { title: 'then it falls silent', acts: [], beats: ['z'], restMs: REST_MS },
      { title: 'and is not ready again', acts: [says('a', { Ready: 'False' })], beats: ['a', 'z'] },
      { title: 'and ready', acts: [says('a', { Ready: 'True' })], beats: ['a', 'z'] },
    ],
  },
  {
    name: 'node-heartbeats',
    looks: LOOKS,
    leftovers: leftovers('a', 'z'),
    steps: [
      {
        title: 'pressure',
        acts: [...sound('z'), node('a'), says('a', { Ready: 'True', MemoryPressure: 'True', DiskPressure: 'True', PIDPressure: 'True' })],
        beats: ['a', 'z'],
      },
      {
        title: 'less of it',
        acts: [says('a', { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'True', NetworkUnavailable: 'True' })],
        beats: ['a', 'z'],
      },
      { title: 'silence', acts: [], beats: ['z'], restMs: REST_MS },
      { title: 'none', acts: [says('a', { Ready: 'True' })], beats: ['a', 'z'] },
    ],
  },
  {
    name: 'node-taints',
    looks: LOOKS,
    leftovers: leftovers('a', 'z'),
    steps: [
      { title: 'a node that takes no pods', acts: [...sound('z'), ...sound('a', {}, { unschedulable: true })], beats: ['a', 'z'] },
      { title: 'it takes some', acts: [patch(at('a'), { spec: { unschedulable: false } })], beats: ['a', 'z'] },
      {
        title: 'taints of others, and one that is not true',
        acts: [
          patch(at('a'), {
            spec: {
              taints: [
                { key: 'mine', value: 'x', effect: 'NoSchedule' },
                { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' },
                { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
              ],
            },
          }),
        ],
        beats: ['a', 'z'],
      },
      { title: 'it is not ready', acts: [says('a', { Ready: 'False' })], beats: ['a', 'z'] },
      { title: 'its taints are removed', acts: [patch(at('a'), { spec: { taints: null } })], beats: ['a', 'z'] },
    ],
  },
  {
    name: 'node-labels',
    looks: LOOKS,
    leftovers: leftovers('a', 'z'),
    steps: [
      {
        title: 'a node with labels',
        acts: [...sound('z'), ...sound('a', { labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' } })],
        beats: ['a', 'z'],
      },
      {
        title: 'one is wrong',
        acts: [patch(at('a'), { metadata: { labels: { 'beta.kubernetes.io/os': 'windows' } } })],
        beats: ['a', 'z'],
      },
      {
        title: 'one is gone',
        acts: [patch(at('a'), { metadata: { labels: { 'beta.kubernetes.io/arch': null, 'kubernetes.io/os': null } } })],
        beats: ['a', 'z'],
      },
      {
        title: 'the annotation is changed',
        acts: [patch(at('a'), { metadata: { annotations: { 'node.alpha.kubernetes.io/ttl': '17' } } })],
        beats: ['a', 'z'],
      },
      {
        title: 'the annotation is removed',
        acts: [patch(at('a'), { metadata: { annotations: { 'node.alpha.kubernetes.io/ttl': null } } })],
        beats: ['a', 'z'],
      },
    ],
  },
];

const ZONES: readonly Scenario[] = [
  {
    name: 'node-zone',
    looks: LOOKS,
    leftovers: leftovers('a', 'b', 'c', 'd', 'z'),
    steps: [
      {
        // They count as lost before they say a word, so that the zone is never thought to be healthy.
        title: 'a zone of four, three of which are not ready',
        acts: [
          ...sound('z', { labels: { 'topology.kubernetes.io/zone': '$NS-z' } }),
          ...['a', 'b', 'c'].map((name) => node(name)),
          ...sound('d'),
          ...['a', 'b', 'c'].map((name) => says(name, { Ready: 'False' })),
          // The reference's admission taints new nodes; here only what the controller adds is to be seen.
          ...['a', 'b', 'c'].map((name) => patch(at(name), { spec: { taints: null } })),
        ],
        beats: ['a', 'b', 'c', 'd', 'z'],
      },
      { title: 'two are', acts: ['a', 'b'].map((name) => says(name, { Ready: 'True' })), beats: ['a', 'b', 'c', 'd', 'z'] },
    ],
  },
  {
    name: 'node-whole-zone',
    looks: LOOKS,
    leftovers: leftovers('a', 'b', 'z'),
    steps: [
      {
        title: 'a zone of two',
        acts: [...sound('z', { labels: { 'topology.kubernetes.io/zone': '$NS-z' } }), ...['a', 'b'].flatMap((name) => sound(name))],
        beats: ['a', 'b', 'z'],
      },
      { title: 'both fall silent', acts: [], beats: ['z'], restMs: REST_MS },
    ],
  },
];

const taint = (key: string, effect = 'NoExecute'): Json => ({ key, value: 'v', effect });
const tainted = (...taints: readonly Json[]): Act => patch(at('a'), { spec: { taints: [...taints] } });
const mine = (more: Body): Body => ({ key: 'mine', operator: 'Exists', effect: 'NoExecute', ...more });
const held = (name: string, spec: Body): Act[] =>
  pod(name, { metadata: FINALIZERS, spec: on('a', spec), phase: 'Running', conditions: [READY] });
const free = (...names: readonly string[]): Act[] => names.map((name) => patch(`pods/${name}`, { metadata: { finalizers: null } }));
const EVICTION_LOOKS = [PODS, EVENTS];

const EVICTIONS: readonly Scenario[] = [
  {
    name: 'taint-none',
    looks: EVICTION_LOOKS,
    leftovers: leftovers('a'),
    steps: [
      {
        title: 'pods that tolerate nothing, something and all',
        acts: [
          ...sound('a'),
          ...held('p', {}),
          ...held('q', tolerates({ key: 'other', operator: 'Exists' })),
          ...held('r', tolerates({ operator: 'Exists' })),
          ...held('s', tolerates({ key: 'mine', operator: 'Equal', value: 'v', effect: 'NoExecute' })),
          ...held('t', tolerates({ key: 'mine', operator: 'Equal', value: 'w', effect: 'NoExecute' })),
          ...held('u', tolerates({ key: 'mine', operator: 'Exists', effect: 'NoSchedule' })),
        ],
        beats: ['a'],
      },
      { title: 'a taint that evicts nobody', acts: [tainted(taint('mine', 'NoSchedule'))], beats: ['a'] },
      { title: 'one that does', acts: [tainted(taint('mine'))], beats: ['a'] },
      { title: 'the finalizers go', acts: free('p', 'q', 'r', 's', 't', 'u'), beats: ['a'] },
      { title: 'pods that come later', acts: [...pod('v', { spec: on('a') }), ...held('w', tolerates(mine({})))], beats: ['a'] },
      { title: 'the last finalizer goes', acts: free('w'), beats: ['a'] },
    ],
  },
  {
    name: 'taint-seconds',
    looks: EVICTION_LOOKS,
    leftovers: leftovers('a'),
    steps: [
      {
        title: 'pods that tolerate it for a time',
        acts: [
          ...sound('a'),
          ...held('p', tolerates(mine({ tolerationSeconds: 2 }))),
          ...held('q', tolerates(mine({ tolerationSeconds: 600 }))),
          ...held('r', tolerates(mine({ tolerationSeconds: 0 }))),
          ...held('s', tolerates(mine({ tolerationSeconds: -5 }))),
          ...held('t', tolerates(mine({ tolerationSeconds: 600 }), mine({ key: 'too', tolerationSeconds: 1 }))),
        ],
        beats: ['a'],
      },
      { title: 'the taint', acts: [tainted(taint('mine'))], beats: ['a'], restMs: 4_000 },
      { title: 'another one', acts: [tainted(taint('mine'), taint('too'))], beats: ['a'], restMs: 4_000 },
      { title: 'it goes', acts: [tainted()], beats: ['a'] },
      { title: 'the finalizers go', acts: free('p', 'q', 'r', 's', 't'), beats: ['a'] },
    ],
  },
  {
    name: 'taint-cancelled',
    looks: EVICTION_LOOKS,
    leftovers: leftovers('a'),
    steps: [
      {
        title: 'a pod that has three seconds',
        acts: [...sound('a'), ...held('p', tolerates(mine({ tolerationSeconds: 3 }))), tainted(taint('mine'))],
        restMs: 500,
        beats: ['a'],
      },
      { title: 'the taint goes before', acts: [tainted()], beats: ['a'], restMs: 5_000 },
      { title: 'the finalizer goes', acts: free('p'), beats: ['a'] },
    ],
  },
  {
    name: 'taint-tolerated',
    looks: EVICTION_LOOKS,
    leftovers: leftovers('a'),
    steps: [
      {
        title: 'a pod that has three seconds',
        acts: [...sound('a'), ...held('p', tolerates(mine({ tolerationSeconds: 3 }))), tainted(taint('mine'))],
        restMs: 500,
        beats: ['a'],
      },
      {
        title: 'it tolerates more',
        acts: [patch('pods/p', { spec: { tolerations: [mine({ tolerationSeconds: 3 }), mine({ value: '' })] } })],
        beats: ['a'],
        restMs: 5_000,
      },
      { title: 'the finalizer goes', acts: free('p'), beats: ['a'] },
    ],
  },
];

export const NODES: readonly Scenario[] = [...HEALTH, ...ZONES, ...EVICTIONS];

/** The whole cluster: played alone. */
export const NODE_BLACKOUT: readonly Scenario[] = [
  {
    name: 'blackout',
    looks: LOOKS,
    leftovers: leftovers('a', 'b'),
    steps: [
      { title: 'two sound nodes', acts: [...sound('a'), ...sound('b')], beats: ['a', 'b'] },
      { title: 'one falls silent', acts: [], beats: ['b'], restMs: REST_MS },
      { title: 'so does the other', acts: [], restMs: REST_MS },
      { title: 'one comes back', acts: [says('a', { Ready: 'True' })], beats: ['a'], restMs: REST_MS },
    ],
  },
];
