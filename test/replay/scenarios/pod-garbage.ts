/** Pods that nobody runs: of nodes that are gone or out of service, that are deleted before they have a node, and finished ones over the threshold. */
import { create, patch, remove, type Act, type Look, type Scenario } from './scenario';
import type { Body } from '../reference';

const LOOKS: readonly Look[] = [{ path: 'pods', members: ['status'] }];
const NODES = '/api/v1/nodes';
const HOLD = 'example.com/hold';
/** The collector looks every 20 s, and waits 40 s before it believes that a node is gone. */
const REST_MS = 75_000;

const pod = (name: string, { node, phase = 'Running', held = true }: { node?: string; phase?: string; held?: boolean } = {}): Act[] => [
  create('pods', {
    metadata: { name, finalizers: held ? [HOLD] : [] },
    spec: {
      ...(node === undefined ? {} : { nodeName: `$NS-${node}` }),
      terminationGracePeriodSeconds: 600,
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'c', image: 'i' }],
    },
  }),
  patch(`pods/${name}/status`, { status: { phase } }),
];
const free = (name: string): Act => patch(`pods/${name}`, { metadata: { finalizers: null } });
const node = (name: string, spec: Body = {}): Act => create(NODES, { metadata: { name: `$NS-${name}` }, spec });

const scenario = (name: string, steps: Scenario['steps'], nodes: readonly string[] = []): Scenario => ({
  name: `podgc-${name}`,
  looks: LOOKS,
  steps: steps.map((step) => ({ restMs: REST_MS, ...step })),
  leftovers: nodes.map((one) => `${NODES}/$NS-${one}`),
});

export const POD_GARBAGE: readonly Scenario[] = [
  scenario('no-node', [
    {
      title: 'pods on a node that never was',
      acts: [
        ...pod('runs', { node: 'x' }),
        ...pod('waits', { node: 'x', phase: 'Pending' }),
        ...pod('failed', { node: 'x', phase: 'Failed' }),
        ...pod('done', { node: 'x', phase: 'Succeeded' }),
        ...pod('free', { node: 'x', held: false }),
      ],
    },
    { title: 'they are let go', acts: ['runs', 'waits', 'failed', 'done'].map(free), restMs: 3_000 },
  ]),
  scenario(
    'node-goes',
    [
      {
        title: 'pods on a node',
        acts: [node('a'), ...pod('runs', { node: 'a' }), ...pod('free', { node: 'a', held: false })],
        restMs: 3_000,
      },
      { title: 'it goes', acts: [remove(`${NODES}/$NS-a`)] },
      { title: 'one is let go', acts: [free('runs')], restMs: 3_000 },
    ],
    ['a'],
  ),
  scenario('unscheduled', [
    {
      title: 'pods without a node',
      acts: [...pod('held', { phase: 'Pending' }), ...pod('stays', { phase: 'Pending', held: false })],
      restMs: 3_000,
    },
    { title: 'one is deleted', acts: [remove('pods/held')], restMs: 35_000 },
    { title: 'it is let go', acts: [free('held')], restMs: 3_000 },
  ]),
  scenario(
    'out-of-service',
    [
      {
        title: 'pods on nodes',
        acts: [
          node('out', { taints: [{ key: 'node.kubernetes.io/out-of-service', value: 'x', effect: 'NoExecute' }] }),
          node('in'),
          ...pod('stuck', { node: 'out' }),
          ...pod('runs', { node: 'out' }),
          ...pod('going', { node: 'in' }),
        ],
        restMs: 3_000,
      },
      { title: 'two are deleted', acts: [remove('pods/stuck'), remove('pods/going')], restMs: 35_000 },
      { title: 'they are let go', acts: [free('stuck'), free('runs')], restMs: 3_000 },
    ],
    ['out', 'in'],
  ),
];

/** The reference and ours run with `--terminated-pod-gc-threshold=2`. */
export const POD_THRESHOLD: readonly Scenario[] = [
  scenario(
    'threshold',
    [
      {
        title: 'four finished pods',
        acts: [
          node('a'),
          ...pod('young', { node: 'a', phase: 'Running', held: false }),
          ...['a', 'b', 'c', 'd'].flatMap((name, index) =>
            pod(name, { node: 'a', phase: index === 1 ? 'Succeeded' : 'Failed', held: false }),
          ),
        ],
        restMs: 35_000,
      },
      {
        title: 'one that was evicted',
        acts: [
          ...pod('evicted', { node: 'a', phase: 'Running', held: false }),
          patch('pods/evicted/status', { status: { phase: 'Failed', reason: 'Evicted' } }),
        ],
        restMs: 35_000,
      },
    ],
    ['a'],
  ),
];
