/** What Services become, as pods, ports and the Services themselves change. */
import { create, patch, remove, replace, type Act, type Look, type Scenario } from './scenario';
import type { Body } from '../reference';

const LOOKS: readonly Look[] = [
  { path: '/apis/discovery.k8s.io/v1/namespaces/$NS/endpointslices' },
  { path: '/api/v1/namespaces/$NS/endpoints' },
];
const NODES = '/api/v1/nodes';

const ZONE = 'topology.kubernetes.io/zone';
const node = (name: string, zone?: string, labels: Body = {}): Act[] => [
  create(NODES, { metadata: { name: `$NS-${name}`, labels: { ...labels, ...(zone === undefined ? {} : { [ZONE]: zone }) } } }),
  patch(`${NODES}/$NS-${name}/status`, {
    status: {
      allocatable: { cpu: '4' },
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'x',
          message: 'x',
          lastHeartbeatTime: '2030-01-01T00:00:00Z',
          lastTransitionTime: '2020-01-01T00:00:00Z',
        },
      ],
    },
  }),
];
const NAMES = ['a', 'b', 'c'];
const leftovers = NAMES.map((name) => `${NODES}/$NS-${name}`);

const service = (name: string, spec: Body, metadata: Body = {}): Act =>
  create('services', { metadata: { name, ...metadata }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }], ...spec } });

const READY = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };

interface PodWishes {
  readonly node?: string;
  readonly spec?: Body;
  readonly labels?: Body;
  readonly status?: Body;
  readonly finalizers?: string[];
}

/** A pod that runs and is ready, unless its wishes say otherwise. */
const pod = (
  name: string,
  ip: string,
  { node: on = 'a', spec = {}, labels = { app: 'web' }, status = {}, finalizers }: PodWishes = {},
): Act[] => [
  create('pods', {
    metadata: { name, labels, ...(finalizers === undefined ? {} : { finalizers }) },
    spec: {
      nodeName: `$NS-${on}`,
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'c', image: 'i', ports: [{ name: 'http', containerPort: 8080 }] }],
      ...spec,
    },
  }),
  patch(`pods/${name}/status`, { status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions: [READY], ...status } }),
];
const unready = (name: string): Act => patch(`pods/${name}/status`, { status: { conditions: [{ ...READY, status: 'False' }] } });
const ready = (name: string): Act => patch(`pods/${name}/status`, { status: { conditions: [READY] } });
const kill = (name: string): Act => remove(`pods/${name}`, { gracePeriodSeconds: 0 });

const scenario = (name: string, steps: Scenario['steps'], looks = LOOKS): Scenario => ({ name, looks, steps, leftovers });

export const ENDPOINT_SLICES: readonly Scenario[] = [
  scenario('slice-life', [
    { title: 'a Service without pods', acts: [...node('a', 'z1'), service('web', {})] },
    { title: 'a pod', acts: pod('p1', '10.1.0.1') },
    { title: 'another one that is not ready', acts: pod('p2', '10.1.0.2', { status: { conditions: [] } }) },
    { title: 'it gets ready', acts: [ready('p2')] },
    { title: 'the first is not ready any more', acts: [unready('p1')] },
    { title: 'a pod goes', acts: [kill('p1')] },
    { title: 'the last pod goes', acts: [kill('p2')] },
    { title: 'the Service goes', acts: [remove('services/web')] },
  ]),
  scenario('slice-pods', [
    { title: 'a Service', acts: [...node('a'), service('web', {})] },
    { title: 'a pod that has succeeded', acts: pod('done', '10.1.0.1', { status: { phase: 'Succeeded' } }) },
    { title: 'a pod that has failed', acts: pod('failed', '10.1.0.2', { status: { phase: 'Failed' } }) },
    { title: 'a pod with other labels', acts: pod('other', '10.1.0.3', { labels: { app: 'other' } }) },
    { title: 'that gets the right ones', acts: [patch('pods/other', { metadata: { labels: { app: 'web' } } })] },
    { title: 'and loses them', acts: [patch('pods/other', { metadata: { labels: { app: 'x' } } })] },
    { title: 'a pod without an address', acts: pod('bare', '', { status: { podIP: null, podIPs: null } }) },
    {
      title: 'a pod with a name of its own below the Service',
      acts: pod('named', '10.1.0.4', { spec: { hostname: 'one', subdomain: 'web' } }),
    },
    {
      title: 'a pod with a name below another Service',
      acts: pod('elsewhere', '10.1.0.5', { spec: { hostname: 'two', subdomain: 'other' } }),
    },
  ]),
  scenario('slice-terminating', [
    { title: 'a pod that is kept', acts: [...node('a'), service('web', {}), ...pod('p', '10.1.0.1', { finalizers: ['x.example.com/y'] })] },
    { title: 'it is told to go', acts: [kill('p')] },
    { title: 'it is not ready any more', acts: [unready('p')] },
    { title: 'it goes', acts: [patch('pods/p', { metadata: { finalizers: null } })] },
  ]),
  scenario('slice-unready', [
    {
      title: 'a Service that publishes what is not ready',
      acts: [...node('a'), service('web', { publishNotReadyAddresses: true }), ...pod('p', '10.1.0.1', { status: { conditions: [] } })],
    },
    { title: 'it does so no more', acts: [patch('services/web', { spec: { publishNotReadyAddresses: false } })] },
    { title: 'a pod without a node that is there', acts: pod('lost', '10.1.0.2', { node: 'b' }) },
    { title: 'the node comes', acts: node('b', 'z2'), restMs: 20_000 },
  ]),
  scenario('slice-ports', [
    {
      title: 'ports by number and by name',
      acts: [
        ...node('a'),
        service('web', {
          ports: [
            { name: 'a', port: 80, targetPort: 8080 },
            { name: 'b', port: 81, targetPort: 'http', appProtocol: 'example.com/x' },
            { name: 'c', port: 82, targetPort: 'http', protocol: 'UDP' },
          ],
        }),
        ...pod('p1', '10.1.0.1'),
      ],
    },
    {
      title: 'a pod whose port of that name is another',
      acts: pod('p2', '10.1.0.2', { spec: { containers: [{ name: 'c', image: 'i', ports: [{ name: 'http', containerPort: 9090 }] }] } }),
    },
    { title: 'a pod without a port of that name', acts: pod('p3', '10.1.0.3', { spec: { containers: [{ name: 'c', image: 'i' }] } }) },
    { title: 'a port goes', acts: [patch('services/web', { spec: { ports: [{ name: 'a', port: 80, targetPort: 8080 }] } })] },
    { title: 'it gets another target', acts: [patch('services/web', { spec: { ports: [{ name: 'a', port: 80, targetPort: 8081 }] } })] },
  ]),
  scenario('slice-headless', [
    {
      title: 'without ports',
      acts: [
        ...node('a'),
        create('services', { metadata: { name: 'web' }, spec: { clusterIP: 'None', selector: { app: 'web' } } }),
        ...pod('p', '10.1.0.1'),
      ],
    },
    {
      title: 'with ports',
      acts: [
        create('services', { metadata: { name: 'two' }, spec: { clusterIP: 'None', selector: { app: 'web' }, ports: [{ port: 80 }] } }),
      ],
    },
  ]),
  scenario('slice-service', [
    {
      title: 'a Service with labels',
      acts: [...node('a'), service('web', {}, { labels: { a: 'b', 'service.kubernetes.io/headless': 'x' } }), ...pod('p', '10.1.0.1')],
    },
    { title: 'other labels', acts: [patch('services/web', { metadata: { labels: { a: 'c', d: 'e' } } })] },
    { title: 'another selector', acts: [patch('services/web', { spec: { selector: { app: 'x' } } })] },
    { title: 'the first selector', acts: [patch('services/web', { spec: { selector: { app: 'web' } } })] },
    {
      title: 'a name elsewhere',
      acts: [patch('services/web', { spec: { type: 'ExternalName', externalName: 'example.com', clusterIP: null, clusterIPs: null } })],
    },
    { title: 'no selector', acts: [create('services', { metadata: { name: 'bare' }, spec: { ports: [{ port: 80 }] } })] },
    {
      title: 'an empty selector',
      acts: [create('services', { metadata: { name: 'empty' }, spec: { selector: {}, ports: [{ port: 80 }] } })],
    },
  ]),
  scenario('slice-hands', [
    { title: 'a Service with a pod', acts: [...node('a'), service('web', {}), ...pod('p', '10.1.0.1')] },
    {
      title: 'its slices are deleted',
      acts: [remove('/apis/discovery.k8s.io/v1/namespaces/$NS/endpointslices?labelSelector=kubernetes.io/service-name=web')],
    },
    {
      title: 'a slice of somebody else',
      acts: [
        create('/apis/discovery.k8s.io/v1/namespaces/$NS/endpointslices', {
          metadata: { name: 'mine', labels: { 'kubernetes.io/service-name': 'web', 'endpointslice.kubernetes.io/managed-by': 'me' } },
          addressType: 'IPv4',
          endpoints: [{ addresses: ['10.9.9.9'] }],
          ports: [{ port: 80 }],
        }),
      ],
    },
    {
      title: 'an empty slice in the name of the controller',
      acts: [
        create('/apis/discovery.k8s.io/v1/namespaces/$NS/endpointslices', {
          metadata: {
            generateName: 'web-',
            labels: { 'kubernetes.io/service-name': 'web', 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' },
          },
          addressType: 'IPv4',
          endpoints: [],
          ports: [],
        }),
      ],
    },
  ]),
  scenario('slice-close', [
    {
      title: 'traffic prefers what is close',
      acts: [
        ...node('a', 'z1'),
        ...node('b', 'z2'),
        service('web', { trafficDistribution: 'PreferClose' }),
        ...pod('p1', '10.1.0.1'),
        ...pod('p2', '10.1.0.2', { node: 'b' }),
        ...pod('p3', '10.1.0.3', { node: 'b', status: { conditions: [] } }),
      ],
    },
    { title: 'it does so no more', acts: [patch('services/web', { spec: { trafficDistribution: null } })] },
  ]),
  scenario('slice-replaced', [
    {
      title: 'three pods',
      acts: [...node('a'), service('web', {}), ...pod('p1', '10.1.0.1'), ...pod('p2', '10.1.0.2'), ...pod('p3', '10.1.0.3')],
    },
    { title: 'one is replaced by another with its address', acts: [kill('p1'), ...pod('p4', '10.1.0.1')] },
    { title: 'all are replaced', acts: [kill('p2'), kill('p3'), kill('p4'), ...pod('q1', '10.1.0.11'), ...pod('q2', '10.1.0.12')] },
    { title: 'the Service is replaced', acts: [remove('services/web'), service('web', {}, { labels: { n: '2' } })] },
    {
      title: 'the Service is written again',
      acts: [replace('services/web', { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 90 }] } })],
    },
  ]),
];

const EVENTS: Look = { path: 'events', members: ['involvedObject', 'reason', 'message', 'type', 'source'] };
const MODE = 'service.kubernetes.io/topology-mode';
const labelled = (name: string, labels: Body): Act => patch(`${NODES}/$NS-${name}`, { metadata: { labels } });
const annotated = (annotations: Body): Act => patch('services/web', { metadata: { annotations } });
/** What a change of nodes comes to when the Service is looked at next. */
const looked = (title: string, n: number, acts: readonly Act[]): Scenario['steps'] => [
  { title, acts },
  { title: `${title}: the Service is looked at`, acts: [patch('services/web', { metadata: { labels: { looked: String(n) } } })] },
];

const ZONES = [...node('a', 'z1'), ...node('b', 'z2')];
const FOUR = [
  ...pod('p1', '10.1.0.1'),
  ...pod('p2', '10.1.0.2'),
  ...pod('p3', '10.1.0.3', { node: 'b' }),
  ...pod('p4', '10.1.0.4', { node: 'b' }),
];
const AUTO = service('web', {}, { annotations: { [MODE]: 'Auto' } });

/** All nodes of the cluster count, so that these are played one after the other. */
const hints = (name: string, steps: Scenario['steps']): Scenario => ({
  name,
  looks: [...LOOKS, EVENTS],
  leftovers: [...leftovers, ...NAMES.map((node) => `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/$NS-${node}`)],
  shares: 'nodes',
  steps: steps.map((step) => ({ ...step, beats: NAMES })),
});

export const ENDPOINT_HINTS: readonly Scenario[] = [
  hints('hints-life', [
    { title: 'two zones, two pods in each', acts: [...ZONES, ...FOUR] },
    { title: 'a Service', acts: [AUTO] },
    { title: 'one is not ready', acts: [unready('p4')] },
    { title: 'it is ready again', acts: [ready('p4')] },
    { title: 'one more', acts: pod('p5', '10.1.0.5') },
    { title: 'and one more in the other zone', acts: pod('p6', '10.1.0.6', { node: 'b' }) },
  ]),
  hints('hints-nodes', [
    { title: 'a Service', acts: [...ZONES, ...FOUR, AUTO] },
    ...looked('a node has no zone any more', 1, [labelled('b', { [ZONE]: null })]),
    ...looked('it has one again', 2, [labelled('b', { [ZONE]: 'z2' })]),
    ...looked('a node of the control plane in a third zone', 5, node('c', 'z3', { 'node-role.kubernetes.io/control-plane': '' })),
    ...looked('which is gone', 6, [remove(`${NODES}/$NS-c`)]),
  ]),
  hints('hints-one-zone', [
    { title: 'a Service', acts: [...ZONES, ...FOUR, AUTO] },
    ...looked('both are in one zone', 3, [labelled('b', { [ZONE]: 'z1' })]),
    ...looked('one is in another', 4, [labelled('b', { [ZONE]: 'z2' })]),
    { title: 'a pod on a node that is not there', acts: pod('p7', '10.1.0.7', { node: 'c' }) },
    { title: 'it is gone', acts: [kill('p7')] },
  ]),
  hints('hints-few', [
    { title: 'no pod', acts: [...ZONES, AUTO] },
    { title: 'one pod', acts: pod('q1', '10.1.1.1') },
    { title: 'one in each zone', acts: pod('q2', '10.1.1.2', { node: 'b' }) },
    { title: 'none again', acts: [kill('q1'), kill('q2')] },
  ]),
  hints('hints-modes', [
    { title: 'written small', acts: [...ZONES, ...FOUR, service('web', {}, { annotations: { [MODE]: 'auto' } })] },
    { title: 'Disabled', acts: [annotated({ [MODE]: 'Disabled' })] },
    { title: 'the older annotation', acts: [annotated({ [MODE]: null, 'service.kubernetes.io/topology-aware-hints': 'Auto' })] },
    { title: 'something else', acts: [annotated({ [MODE]: 'Other', 'service.kubernetes.io/topology-aware-hints': null })] },
    { title: 'on again', acts: [annotated({ [MODE]: 'Auto' })] },
    { title: 'besides what is close', acts: [patch('services/web', { spec: { trafficDistribution: 'PreferClose' } })] },
    { title: 'without the annotation', acts: [annotated({ [MODE]: null })] },
    { title: 'neither', acts: [patch('services/web', { spec: { trafficDistribution: null } })] },
  ]),
];
