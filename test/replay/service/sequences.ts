/** Changes of a stored Service: from type to type, of values that stay or go, through each kind of patch, and of its status. */
import type { Body } from '../reference';
import { BASES, type BaseName } from './case';

/**
 * `put`: the stored object with a merge patch in it; `replace`: nothing but what is written here; `status` and `status-merge`: at the status
 * endpoint; the others are the patches of those names.
 */
type Verb = 'create' | 'put' | 'replace' | 'merge' | 'strategic' | 'apply' | 'status' | 'status-merge' | 'status-apply';
export type SequenceStep = readonly [verb: Verb, body: Body] | readonly [verb: 'json', operations: readonly Body[]];
export type Sequence = readonly SequenceStep[];

const spec = (members: Body): Body => ({ spec: members });
const create = (base: BaseName, change: Body = {}): SequenceStep => ['create', { spec: { ...BASES[base], ...change } }];
const put = (members: Body): SequenceStep => ['put', spec(members)];
const replace = (members: Body): SequenceStep => ['replace', spec(members)];
const ingress = (...items: readonly Body[]): Body => ({ status: { loadBalancer: { ingress: [...items] } } });

const TYPES: Readonly<Record<string, Body>> = {
  ClusterIP: { type: 'ClusterIP' },
  NodePort: { type: 'NodePort' },
  LoadBalancer: { type: 'LoadBalancer' },
  ExternalName: { type: 'ExternalName', externalName: 'example.org' },
};
const EVERY: readonly BaseName[] = ['cluster', 'headless', 'node', 'balancer', 'local', 'alias'];
const PORT = { name: 'p', port: 80 };
const CLASS = { loadBalancerClass: 'example.com/internal' };

/** From every base to every type: with what the old type had left as it was, and said anew as a client does that keeps its own file. */
const TRANSITIONS: readonly Sequence[] = EVERY.flatMap((base) =>
  Object.values(TYPES).flatMap((type): Sequence[] => [
    [create(base), put(type)],
    [create(base), replace({ ...BASES[base], clusterIP: null, externalTrafficPolicy: null, ...type })],
  ]),
);

const LEFTOVERS: readonly Sequence[] = [
  [create('node', { ports: [{ ...PORT, nodePort: 30_960 }] }), put({ type: 'ClusterIP', ports: [{ ...PORT, nodePort: 30_961 }] })],
  [
    create('node', { ports: [{ ...PORT, nodePort: 30_962 }] }),
    put({ type: 'ClusterIP', ports: [{ ...PORT, port: 81, nodePort: 30_962 }] }),
  ],
  ...[
    [{ ...PORT, nodePort: 30_963 }],
    [{ ...PORT, port: 81, name: 'q', nodePort: 30_964 }],
    [
      { ...PORT, nodePort: 30_963 },
      { ...PORT, port: 81, name: 'q', protocol: 'UDP' },
    ],
    [
      { ...PORT, nodePort: 30_964 },
      { ...PORT, port: 81, name: 'q', nodePort: 30_963 },
    ],
    [
      { ...PORT, nodePort: 30_963 },
      { ...PORT, port: 81, name: 'q', nodePort: 30_965 },
    ],
    [PORT, { port: 82, name: 'r' }],
  ].map((ports): Sequence => [
    create('node', {
      ports: [
        { ...PORT, nodePort: 30_963 },
        { port: 81, name: 'q', nodePort: 30_964 },
      ],
    }),
    put({ type: 'ClusterIP', ports }),
  ]),
  [create('node'), put({ type: 'ClusterIP', externalTrafficPolicy: 'Local' })],
  [create('node', { externalTrafficPolicy: 'Local' }), put({ type: 'ClusterIP' })],
  [create('node', { externalTrafficPolicy: 'Local' }), put({ type: 'ClusterIP', externalIPs: ['192.0.2.1'] })],
  [create('cluster', { externalIPs: ['192.0.2.1'], externalTrafficPolicy: 'Local' }), put({ externalIPs: null })],
  [create('cluster', { externalIPs: ['192.0.2.1'] }), put({ externalIPs: ['192.0.2.2'] })],
  [create('balancer', CLASS), put({ loadBalancerClass: 'other' })],
  [create('balancer', CLASS), put({ loadBalancerClass: null })],
  [create('balancer', CLASS), put({ type: 'NodePort' })],
  [create('balancer', CLASS), put({ type: 'NodePort', loadBalancerClass: 'other' })],
  [create('balancer', CLASS), put({ type: 'ClusterIP' }), put({ type: 'LoadBalancer', loadBalancerClass: 'other' })],
  [create('balancer'), put(CLASS)],
  [create('balancer', { allocateLoadBalancerNodePorts: false }), put({ type: 'NodePort' })],
  [create('balancer', { allocateLoadBalancerNodePorts: false }), put({ type: 'NodePort', allocateLoadBalancerNodePorts: true })],
  [create('balancer', { allocateLoadBalancerNodePorts: false }), put({ allocateLoadBalancerNodePorts: true })],
  [create('balancer'), put({ allocateLoadBalancerNodePorts: false })],
  [create('balancer'), put({ allocateLoadBalancerNodePorts: false, ports: [PORT] })],
  [create('balancer'), put({ allocateLoadBalancerNodePorts: null })],
  [create('balancer', { loadBalancerSourceRanges: ['192.0.2.0/24'] }), put({ type: 'ClusterIP' })],
  [create('balancer', { loadBalancerIP: '192.0.2.1' }), put({ type: 'ClusterIP' })],
  [create('local', { healthCheckNodePort: 30_970 }), put({ healthCheckNodePort: 30_971 })],
  [create('local', { healthCheckNodePort: 30_972 }), put({ healthCheckNodePort: null })],
  [create('local', { healthCheckNodePort: 30_973 }), put({ externalTrafficPolicy: 'Cluster' })],
  [create('local', { healthCheckNodePort: 30_974 }), put({ externalTrafficPolicy: 'Cluster', healthCheckNodePort: 30_975 })],
  [create('local', { healthCheckNodePort: 30_976 }), put({ externalTrafficPolicy: 'Cluster', healthCheckNodePort: 0 })],
  [create('local', { healthCheckNodePort: 30_977 }), put({ type: 'NodePort' })],
  [create('local', { healthCheckNodePort: 30_978 }), put({ type: 'ClusterIP', healthCheckNodePort: 30_979 })],
  [create('balancer'), put({ externalTrafficPolicy: 'Local' })],
  [create('balancer'), put({ externalTrafficPolicy: 'Local', healthCheckNodePort: 30_980 })],
  [
    create('local', CLASS),
    put({ clusterIP: 'None', clusterIPs: ['None'], healthCheckNodePort: 1, loadBalancerClass: 'x y', ports: [{ port: 0 }] }),
  ],
  [create('balancer', { loadBalancerIP: '01.2.3.4' }), put({ ports: [{ ...PORT, port: 81 }] }), ['status', ingress({ ip: '192.0.2.7' })]],
  [create('cluster', { clusterIP: '10.96.092.5' }), put({ clusterIP: '10.96.92.5', clusterIPs: ['10.96.92.5'] })],
  [create('alias', { externalIPs: ['010.0.0.1'], loadBalancerIP: 'x' }), put({ externalIPs: null })],
  [create('cluster', { sessionAffinity: 'ClientIP' }), put({ sessionAffinity: 'None' })],
  [create('cluster', { sessionAffinity: 'ClientIP' }), put({ sessionAffinityConfig: null })],
  [create('cluster', { internalTrafficPolicy: 'Local' }), put({ type: 'ExternalName', externalName: 'a.b' })],
  [create('cluster', { trafficDistribution: 'PreferClose' }), put({ trafficDistribution: 'Foo' })],
  [create('cluster', { trafficDistribution: 'PreferClose' }), put({ trafficDistribution: null })],
  [create('cluster'), put({ type: 'ExternalName', externalName: 'a.b', clusterIP: 'None' })],
  [create('cluster'), put({ type: 'ExternalName', externalName: 'a.b', clusterIP: null })],
  [create('cluster'), put({ type: 'ExternalName', externalName: 'a.b', clusterIPs: null })],
  [create('cluster'), put({ type: 'ExternalName', externalName: 'a.b', ipFamilies: ['IPv6'] })],
  [create('cluster'), put({ type: 'ExternalName', externalName: 'a.b', ipFamilyPolicy: 'PreferDualStack' })],
  [create('cluster'), put({ type: 'ExternalName' })],
  [create('alias'), put({ type: 'ClusterIP', clusterIP: '10.96.92.1', ports: [PORT] })],
  [create('alias'), put({ type: 'ClusterIP', clusterIP: 'None' })],
  [create('alias'), put({ type: 'ClusterIP', externalName: null, ports: [PORT] }), put({ type: 'NodePort' })],
  [create('alias', { ports: [{ ...PORT, nodePort: 30_981 }] }), put({ type: 'NodePort' })],
  [create('headless'), put({ clusterIP: '10.96.92.2', clusterIPs: null })],
  [create('cluster'), put({ clusterIP: '10.96.92.3' })],
  [create('cluster'), put({ clusterIP: 'None' })],
  [create('cluster'), put({ clusterIP: 'None', clusterIPs: ['None'] })],
  [create('cluster'), put({ clusterIPs: ['10.96.92.4'] })],
];

const NODE_PORTS: readonly Sequence[] = [
  [create('node', { ports: [{ ...PORT, nodePort: 30_983 }] }), replace({ ...BASES.node, ports: [{ ...PORT, port: 81 }] })],
  [create('node', { ports: [{ ...PORT, nodePort: 30_984 }] }), replace({ ...BASES.node, ports: [{ name: 'q', port: 80 }] })],
  [
    create('node', { ports: [{ ...PORT, nodePort: 30_985 }] }),
    replace({ ...BASES.node, ports: [PORT, { name: 'q', port: 81, nodePort: 30_985 }] }),
  ],
  [create('node', { ports: [{ ...PORT, nodePort: 30_986 }] }), put({ ports: [{ ...PORT, nodePort: 30_987 }] })],
  [
    create('node', { ports: [{ ...PORT, nodePort: 30_988 }] }),
    put({
      ports: [
        { ...PORT, nodePort: 30_988 },
        { name: 'q', port: 81, protocol: 'UDP', nodePort: 30_988 },
      ],
    }),
  ],
  [create('node', { ports: [{ port: 80, nodePort: 30_989 }] }), replace({ ...BASES.node, ports: [{ port: 8080 }] })],
  [create('balancer', { ports: [{ ...PORT, nodePort: 30_990 }] }), replace(BASES.balancer)],
  [
    create('balancer', { allocateLoadBalancerNodePorts: false, ports: [{ ...PORT, nodePort: 30_991 }] }),
    replace({ ...BASES.balancer, allocateLoadBalancerNodePorts: false }),
  ],
  [create('node', { ports: [{ ...PORT, nodePort: 30_992 }] }), replace({ ...BASES.balancer })],
];

const PATCHES: readonly Sequence[] = [
  [create('cluster'), ['merge', spec({ ports: [{ name: 'p', port: 81 }] })]],
  [create('cluster'), ['merge', spec({ type: 'NodePort' })], ['merge', spec({ type: 'ClusterIP' })]],
  [create('cluster'), ['merge', spec({ type: 'ExternalName', externalName: 'A' })]],
  [create('cluster'), ['merge', spec({ clusterIP: '10.96.92.9' })]],
  [create('cluster'), ['merge', { metadata: { labels: { 'a b': 'c' } } }]],
  [create('cluster'), ['merge', spec({ ports: null })]],
  [create('cluster'), ['strategic', spec({ ports: [{ port: 81, name: 'q' }] })]],
  [create('cluster'), ['strategic', spec({ ports: [{ port: 80, targetPort: 'http' }] })]],
  [create('cluster'), ['strategic', spec({ ports: [{ port: 80, targetPort: 'A' }] })]],
  [create('cluster'), ['json', [{ op: 'replace', path: '/spec/ports/0/port', value: 0 }]]],
  [create('cluster'), ['json', [{ op: 'add', path: '/spec/externalIPs', value: ['127.0.0.1'] }]]],
  [create('cluster'), ['json', [{ op: 'remove', path: '/spec/clusterIP' }]]],
  [create('cluster'), ['apply', spec({ ports: [{ port: 80, protocol: 'TCP', targetPort: 'A' }] })]],
  [create('cluster'), ['apply', spec({ type: 'NodePort' })], ['apply', spec({})]],
  [create('cluster'), ['apply', spec({ externalName: 'a.b' })]],
  [
    ['apply', spec({ ports: [{ port: 80, protocol: 'TCP' }], selector: { a: 'b' } })],
    ['apply', spec({ ports: [{ port: 81, protocol: 'TCP' }] })],
  ],
  [['apply', spec({ ports: [{ port: 80 }], type: 'Foo' })]],
  [['apply', spec({ type: 'ExternalName' })]],
];

const balanced = ingress({ ip: '192.0.2.7' });
const STATUSES: readonly Sequence[] = [
  ...EVERY.map((base): Sequence => [create(base), ['status', balanced]]),
  ...[
    [{ ip: 'x' }],
    [{ ip: '' }],
    [{}],
    [{ ip: '192.0.2.7', ipMode: 'Proxy' }],
    [{ ip: '192.0.2.7', ipMode: 'Foo' }],
    [{ ip: '192.0.2.7', ipMode: '' }],
    [{ ip: '010.0.0.1' }],
    [{ ip: '2001:db8::7' }],
    [{ ip: '127.0.0.1' }],
    [{ hostname: 'a.b' }],
    [{ hostname: 'A' }],
    [{ hostname: '192.0.2.7' }],
    [{ hostname: 'a.b', ipMode: 'VIP' }],
    [{ hostname: 'a.b', ip: '192.0.2.7' }],
    [{ ip: '192.0.2.7' }, { ip: 'y' }, { hostname: '2001:db8::1' }],
    [{ ip: '192.0.2.7', ports: [{ port: 80, protocol: 'TCP' }] }],
    [{ ip: '192.0.2.7', ports: [{ port: 0, protocol: 'X', error: 'a b' }] }],
    [{ ip: '192.0.2.7', ports: [{ port: 80, protocol: 'TCP', error: 'example.com/NoIp' }] }],
    [{ ip: '192.0.2.7', ports: [{ protocol: 'TCP' }] }],
    [],
  ].map((items): Sequence => [create('balancer'), ['status', ingress(...items)]]),
  [
    create('balancer'),
    [
      'status',
      { status: { conditions: [{ type: 'A', status: 'True', reason: 'R', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' }] } },
    ],
  ],
  [create('balancer'), ['status', { status: { conditions: [{ type: 'a b', status: 'X', reason: '', lastTransitionTime: null }] } }]],
  [
    create('cluster'),
    [
      'status',
      { status: { conditions: [{ type: 'A', status: 'True', reason: 'R', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' }] } },
    ],
  ],
  [create('balancer'), ['status', { ...balanced, spec: { type: 'Foo' }, metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } }]],
  [create('balancer'), ['status', { ...balanced, metadata: { labels: { 'a b': '' } } }]],
  [create('balancer'), ['status-merge', balanced], ['status-merge', ingress({ ip: 'x' })], ['status-merge', { status: null }]],
  [create('balancer'), ['status-apply', balanced], ['status-apply', ingress({ hostname: 'x_y' })]],
  [create('balancer'), ['put', balanced]],
  [['create', { spec: BASES.balancer, ...balanced }]],
  [create('balancer'), ['status', balanced], put({ type: 'ClusterIP' })],
  [create('balancer'), ['status', balanced], put({ type: 'NodePort' }), put({ type: 'LoadBalancer' })],
  [create('balancer'), ['status', balanced], put({ type: 'ExternalName', externalName: 'a.b' })],
  [create('balancer'), ['status', balanced], put({ ports: [{ name: 'q', port: 90 }] })],
  [create('balancer'), ['status', balanced], replace(BASES.balancer)],
  [create('balancer'), ['status', balanced], ['status', ingress()]],
];

/** On a cluster with addresses of both families: from one to two, back, and over to names. */
const STACKS: readonly Sequence[] = (
  [
    [{ ipFamilyPolicy: 'PreferDualStack' }, { ipFamilyPolicy: 'SingleStack' }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { ipFamilyPolicy: 'SingleStack' }, { ipFamilyPolicy: 'PreferDualStack' }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { ipFamilies: ['IPv4'] }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { ipFamilies: ['IPv6'] }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { ipFamilies: ['IPv6', 'IPv4'] }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { ipFamilies: null }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { ipFamilyPolicy: null }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { ipFamilyPolicy: null, ipFamilies: null, clusterIPs: null }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { ipFamilyPolicy: 'SingleStack', clusterIPs: null }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { clusterIPs: ['10.0.92.1', 'fd00::921'] }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { clusterIP: '10.0.92.2' }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { clusterIP: '', clusterIPs: ['fd00::922'] }],
    [{ ipFamilyPolicy: 'RequireDualStack' }, { type: 'NodePort' }, { type: 'ExternalName', externalName: 'a.b' }, { type: 'ClusterIP' }],
    [
      { ipFamilyPolicy: 'PreferDualStack' },
      { type: 'ExternalName', externalName: 'a.b' },
      { type: 'LoadBalancer', ipFamilyPolicy: 'PreferDualStack' },
    ],
    [{ ipFamilies: ['IPv6'] }, { ipFamilyPolicy: 'PreferDualStack' }, { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' }],
    [{ ipFamilies: ['IPv6'] }, { ipFamilies: ['IPv4'] }],
    [{ ipFamilies: ['IPv6'] }, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }],
    [{ ipFamilies: ['IPv4'] }, { ipFamilies: ['IPv4', 'IPv6'] }],
    [{ ipFamilies: ['IPv4'] }, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' }],
    [
      { ipFamilyPolicy: 'RequireDualStack' },
      { clusterIP: 'fd00::951', clusterIPs: ['fd00::951', '10.0.93.1'], ipFamilies: ['IPv6', 'IPv4'] },
    ],
    [
      { ipFamilyPolicy: 'RequireDualStack' },
      { clusterIP: 'fd00::952', clusterIPs: ['fd00::952'], ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' },
    ],
    [
      {},
      { clusterIP: 'fd00::953', clusterIPs: ['fd00::953', '10.0.93.2'], ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' },
    ],
    [{}, { clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv6'] }],
    [{ clusterIP: 'None' }, { clusterIP: 'fd00::957', clusterIPs: ['fd00::957'], ipFamilies: ['IPv6'] }],
    [
      { clusterIP: 'None', ipFamilyPolicy: 'PreferDualStack' },
      { clusterIP: '10.0.93.9', clusterIPs: ['10.0.93.9', 'fd00::959'] },
    ],
    [{ clusterIP: 'None', selector: null }, { clusterIP: '1.2.3.4' }],
    [{ clusterIP: 'None', selector: null }, { clusterIP: '10.0.93.11' }],
    [{}, { clusterIP: 'None' }],
    [{ clusterIP: 'None' }, { ipFamilies: ['IPv6'] }],
    [{ clusterIP: 'None' }, { ipFamilyPolicy: 'PreferDualStack' }, { ipFamilyPolicy: 'SingleStack' }],
    [{ clusterIP: 'None' }, { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6', 'IPv4'] }, { ipFamilies: ['IPv6'] }],
    [{ clusterIP: 'None', selector: null }, { ipFamilyPolicy: 'SingleStack' }, { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] }],
    [{ clusterIP: 'None', selector: null }, { selector: { a: 'b' } }, { ipFamilies: null, ipFamilyPolicy: null }],
  ] satisfies Body[][]
).map(([first = {}, ...changes]): Sequence => [create('cluster', first), ...changes.map((change) => put(change))]);

export const SEQUENCES: readonly Sequence[] = [...TRANSITIONS, ...LEFTOVERS, ...NODE_PORTS, ...PATCHES, ...STATUSES];
export const DUAL_SEQUENCES: readonly Sequence[] = STACKS;
