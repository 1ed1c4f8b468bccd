/** One row for each thing that a Service's fields may and may not say: ports, types, selectors, names and traffic. */
import type { Body, Json } from '../reference';
import type { BaseName, Case, Rule } from './case';

const LONG = 'a'.repeat(64);
const EVERY: readonly BaseName[] = ['cluster', 'headless', 'node', 'balancer', 'local', 'alias'];
const everywhere = (change: Body): Case[] => EVERY.map((base) => [base, change]);
const on = (base: BaseName, ...changes: readonly Body[]): Case[] => changes.map((change) => [base, change]);
/** The values of one member of the spec. */
const member = (base: BaseName, name: string, ...values: readonly Json[]): Case[] => values.map((value) => [base, { [name]: value }]);
/** The base's one port with something else in it. */
const port = (base: BaseName, ...parts: readonly Body[]): Case[] =>
  parts.map((part) => [base, { ports: [{ name: 'p', port: 80, ...part }] }]);
const ports = (base: BaseName, ...lists: readonly Body[][]): Case[] => lists.map((list) => [base, { ports: list }]);

export const PORT_RULES: readonly Rule[] = [
  {
    rule: 'a Service has ports, but for aliases and headless ones',
    cases: [...everywhere({ ports: [] }), ...on('cluster', { ports: null })],
  },
  { rule: 'numbers of ports', cases: port('cluster', ...[0, -1, 1, 65535, 65536, 2147483647].map((number) => ({ port: number }))) },
  {
    rule: 'names of ports',
    cases: [
      ...port('cluster', ...['', 'P', 'a.b', 'a_b', '-a', 'a-', '0', 'a'.repeat(63), LONG, 'ü'].map((name) => ({ name }))),
      ...ports(
        'cluster',
        [{ port: 80 }, { port: 81 }],
        [{ name: 'p', port: 80 }, { port: 81 }],
        [{ port: 80 }, { name: 'p', port: 81 }],
        [
          { name: 'p', port: 80 },
          { name: 'q', port: 81 },
        ],
        [
          { name: 'p', port: 80 },
          { name: 'p', port: 81 },
        ],
        [
          { name: 'p', port: 80 },
          { name: 'p', port: 81 },
          { name: 'p', port: 82 },
        ],
      ),
      ...ports('alias', [{ port: 80 }, { port: 81 }]),
    ],
  },
  {
    rule: 'protocols',
    cases: port('cluster', ...['TCP', 'UDP', 'SCTP', 'tcp', '', 'HTTP'].map((protocol) => ({ protocol }))),
  },
  {
    rule: 'a pair of protocol and port stands once',
    cases: [
      ...ports(
        'cluster',
        [
          { name: 'p', port: 80 },
          { name: 'q', port: 80, protocol: 'UDP' },
        ],
        [
          { name: 'p', port: 80, targetPort: 8080 },
          { name: 'q', port: 80, targetPort: 8081 },
        ],
        [
          { name: 'p', port: 80 },
          { name: 'q', port: 80 },
          { name: 'r', port: 80 },
        ],
        [{ port: 80 }, { port: 80 }],
      ),
      ...ports('headless', [
        { name: 'p', port: 80 },
        { name: 'q', port: 80 },
      ]),
    ],
  },
  {
    rule: 'target ports',
    cases: [
      ...port(
        'cluster',
        ...[
          0,
          -1,
          1,
          65535,
          65536,
          '',
          'http',
          'HTTP',
          'a--b',
          '-a',
          'a-',
          '123',
          '8080',
          'abcdefghijklmno',
          'abcdefghijklmnop',
          'a.b',
          'A--',
        ].map((targetPort) => ({ targetPort })),
      ),
      ...port('headless', { targetPort: 8080 }, { targetPort: 'http' }, { targetPort: 'HTTP' }),
      ...port('alias', { targetPort: 'HTTP' }),
    ],
  },
  {
    rule: 'application protocols',
    cases: port(
      'cluster',
      ...['http', 'example.com/h2c', 'platform.io/h2c', 'a/b/c', '', ' x', 'UPPER', '/a', 'a/', 'EXAMPLE.com/a', LONG].map(
        (appProtocol) => ({
          appProtocol,
        }),
      ),
    ),
  },
  { rule: 'the port of the nodes themselves', cases: EVERY.map((base) => [base, { ports: [{ name: 'p', port: 10250 }] }]) },
  {
    rule: 'node ports',
    cases: [
      ...port('cluster', { nodePort: 30911 }, { nodePort: 0 }, { nodePort: -1 }, { nodePort: 70000 }),
      ...port('headless', { nodePort: 30912 }),
      ...port('alias', { nodePort: 30913 }, { nodePort: 1 }),
      ...port(
        'node',
        { nodePort: 30914 },
        { nodePort: 0 },
        { nodePort: -1 },
        { nodePort: 70000 },
        { nodePort: 29999 },
        { nodePort: 32768 },
      ),
      ...port('balancer', { nodePort: 30915 }, { nodePort: 1 }),
      ...ports(
        'node',
        [
          { name: 'p', port: 80, nodePort: 30916 },
          { name: 'q', port: 80, protocol: 'UDP', nodePort: 30916 },
        ],
        [
          { name: 'p', port: 80, nodePort: 30917 },
          { name: 'q', port: 80, protocol: 'UDP' },
        ],
        [
          { name: 'p', port: 80, nodePort: 30918 },
          { name: 'q', port: 80, protocol: 'UDP', nodePort: 30919 },
        ],
        [
          { name: 'p', port: 80 },
          { name: 'q', port: 81 },
        ],
        [
          { name: 'q', port: 80 },
          { name: 'r', port: 81, nodePort: 30920 },
        ],
      ),
      ...on('cluster', {
        ports: [
          { name: 'p', port: 80, nodePort: 30921 },
          { name: 'q', port: 81, nodePort: 30922 },
        ],
      }),
    ],
  },
];

export const FIELD_RULES: readonly Rule[] = [
  { rule: 'types', cases: member('cluster', 'type', 'ClusterIP', '', null, 'Foo', 'clusterip', 'Headless') },
  {
    rule: 'selectors',
    cases: [
      ...member(
        'cluster',
        'selector',
        null,
        { a: 'c', 'x.y/z': 'V_1' },
        { a: '' },
        { '': 'x' },
        { 'a b': 'x', c: '_d' },
        { c: LONG },
        { [LONG]: 'x' },
        { 'a/b/c': 'x' },
      ),
      ...member('alias', 'selector', { a: 'b' }, { _a: '-' }),
      ...member('headless', 'selector', { '-': 'x' }),
    ],
  },
  {
    rule: 'session affinity',
    cases: [
      ...member('cluster', 'sessionAffinity', '', null, 'None', 'ClientIP', 'Foo', 'clientip'),
      ...[0, -1, 1, 86_400, 86_401, null].map((timeoutSeconds): Case => [
        'cluster',
        { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds } } },
      ]),
      ...on(
        'cluster',
        { sessionAffinity: 'ClientIP', sessionAffinityConfig: {} },
        { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: {} } },
        { sessionAffinity: 'None', sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } },
        { sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } },
        { sessionAffinity: 'Foo', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } },
      ),
      ...on('headless', { sessionAffinity: 'ClientIP' }),
      ...on('alias', { sessionAffinity: 'ClientIP' }),
    ],
  },
  {
    rule: 'external addresses',
    cases: [
      ...member(
        'cluster',
        'externalIPs',
        [],
        null,
        ['192.0.2.1'],
        ['2001:db8::1'],
        ['192.0.2.1', '192.0.2.1'],
        ['192.0.2.1', '2001:db8::1'],
      ),
      ...member(
        'cluster',
        'externalIPs',
        ['x'],
        [''],
        ['192.0.2.0/24'],
        ['host.example.com'],
        ['192.0.2.256'],
        ['1.2.3'],
        ['192.0.2.1', 'x', 'y'],
      ),
      ...member(
        'cluster',
        'externalIPs',
        ['0.0.0.0'],
        ['::'],
        ['127.0.0.1'],
        ['::1'],
        ['169.254.1.1'],
        ['fe80::1'],
        ['224.0.0.1'],
        ['ff02::1'],
      ),
      ...member(
        'cluster',
        'externalIPs',
        ['239.0.0.1'],
        ['ff05::1'],
        ['255.255.255.255'],
        ['::ffff:127.0.0.1'],
        ['fe80::1%eth0'],
        ['010.000.000.001'],
      ),
      ...member(
        'cluster',
        'externalIPs',
        ['2001:DB8:0::1'],
        ['2001:db8:0:0:0:0:0:2'],
        ['::ffff:192.0.2.5'],
        ['192.0.2.1', '192.000.002.002'],
      ),
      ...EVERY.filter((base) => base !== 'cluster').map((base): Case => [base, { externalIPs: ['192.0.2.1'] }]),
      ...on('alias', { externalIPs: ['127.0.0.1'] }),
    ],
  },
  {
    rule: 'names of aliases',
    cases: [
      ...member(
        'alias',
        'externalName',
        null,
        '',
        'a',
        'a.b.',
        'a..b',
        '.',
        'A.b',
        'a_b.c',
        '192.0.2.1',
        '2001:db8::1',
        'http://a.b',
        'a b',
        LONG,
        `${LONG}.b`,
      ),
      ...member(
        'alias',
        'externalName',
        Array.from({ length: 63 }, () => 'aaa').join('.'),
        `${Array.from({ length: 64 }, () => 'aaa').join('.')}.b`,
      ),
      ...member('cluster', 'externalName', 'a.b', 'A_B', ''),
      ...member('headless', 'externalName', 'a.b'),
    ],
  },
  {
    rule: 'aliases have no addresses',
    cases: on(
      'alias',
      { clusterIP: '10.96.91.1' },
      { clusterIP: 'None' },
      { clusterIP: '' },
      { clusterIP: 'x' },
      { clusterIPs: ['10.96.91.2'] },
      { clusterIP: '10.96.91.3', clusterIPs: ['10.96.91.3'] },
      { ipFamilies: ['IPv4'] },
      { ipFamilies: ['IPv5'] },
      { ipFamilies: [] },
      { ipFamilyPolicy: 'SingleStack' },
      { ipFamilyPolicy: 'Foo' },
      { clusterIP: '10.96.91.4', ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', externalName: '' },
    ),
  },
  {
    rule: 'traffic from outside',
    cases: [
      ...EVERY.flatMap((base) => member(base, 'externalTrafficPolicy', 'Local', 'Cluster', 'Foo')),
      ...member('node', 'externalTrafficPolicy', '', null),
      ...member('cluster', 'externalTrafficPolicy', ''),
      ...on(
        'cluster',
        { externalIPs: ['192.0.2.1'], externalTrafficPolicy: 'Local' },
        { externalIPs: ['192.0.2.1'], externalTrafficPolicy: 'Foo' },
        { externalIPs: [], externalTrafficPolicy: 'Cluster' },
      ),
      ...on('headless', { externalIPs: ['192.0.2.1'], externalTrafficPolicy: 'Local' }),
      ...on('alias', { externalIPs: ['192.0.2.1'], externalTrafficPolicy: 'Local' }),
    ],
  },
  { rule: 'traffic from inside', cases: EVERY.flatMap((base) => member(base, 'internalTrafficPolicy', 'Local', 'Foo', '')) },
  {
    rule: 'distribution of traffic',
    cases: [
      ...member('cluster', 'trafficDistribution', 'PreferClose', 'Foo', '', null, 'PreferSameZone', 'example.com/x'),
      ...member('alias', 'trafficDistribution', 'PreferClose', 'Foo'),
      ...member('headless', 'trafficDistribution', 'PreferClose'),
    ],
  },
  {
    rule: 'the port of the health check',
    cases: [
      ...EVERY.flatMap((base, index) => member(base, 'healthCheckNodePort', 30_930 + index)),
      ...member('local', 'healthCheckNodePort', 0, -1, 70_000, 29_999, 32_768, null),
      ...on('local', { healthCheckNodePort: 30_940, ports: [{ name: 'p', port: 80, nodePort: 30_940 }] }),
      ...on('node', { healthCheckNodePort: 30_941, externalTrafficPolicy: 'Local' }),
      ...on('balancer', { healthCheckNodePort: -1 }),
    ],
  },
];

export const BALANCER_RULES: readonly Rule[] = [
  {
    rule: 'the address of the load balancer',
    cases: [...member('balancer', 'loadBalancerIP', '192.0.2.1', 'x', ''), ...member('cluster', 'loadBalancerIP', '192.0.2.1')],
  },
  {
    rule: 'ranges that a load balancer lets in',
    cases: [
      ...member(
        'balancer',
        'loadBalancerSourceRanges',
        [],
        ['192.0.2.0/24'],
        ['2001:db8::/32'],
        ['192.0.2.5/24'],
        [' 192.0.2.0/24 '],
        ['0.0.0.0/0'],
      ),
      ...member(
        'balancer',
        'loadBalancerSourceRanges',
        ['192.0.2.1'],
        ['x'],
        [''],
        ['192.0.2.0/33'],
        ['192.0.2.0/-1'],
        ['192.0.2.0/24', 'x', 'y/8'],
      ),
      ...EVERY.filter((base) => base !== 'balancer').map((base): Case => [base, { loadBalancerSourceRanges: ['192.0.2.0/24'] }]),
      ...on('cluster', { loadBalancerSourceRanges: ['x'] }, { loadBalancerSourceRanges: [] }),
    ],
  },
  {
    rule: 'the same as an annotation',
    cases: [
      ...['192.0.2.0/24', ' 192.0.2.0/24 , 198.51.100.0/24', 'x', '192.0.2.0/24,x', '', ' ', ',', '0.0.0.0/0'].map((text): Case => [
        'balancer',
        { metadata: { annotations: { 'service.beta.platform.io/load-balancer-source-ranges': text } } },
      ]),
      ...(['cluster', 'node', 'alias'] as const).map((base): Case => [
        base,
        { metadata: { annotations: { 'service.beta.platform.io/load-balancer-source-ranges': '192.0.2.0/24' } } },
      ]),
      [
        'balancer',
        {
          metadata: { annotations: { 'service.beta.platform.io/load-balancer-source-ranges': 'x' } },
          spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] },
        },
      ],
      ['cluster', { metadata: { annotations: { 'service.beta.platform.io/load-balancer-source-ranges': '' } } }],
      [
        'cluster',
        {
          metadata: { annotations: { 'service.beta.platform.io/load-balancer-source-ranges': 'x' } },
          spec: { loadBalancerSourceRanges: ['y'] },
        },
      ],
    ],
  },
  {
    rule: 'node ports of load balancers',
    cases: [
      ...EVERY.flatMap((base) => member(base, 'allocateLoadBalancerNodePorts', true, false)),
      ...on('balancer', { allocateLoadBalancerNodePorts: false, ports: [{ name: 'p', port: 80, nodePort: 30_951 }] }),
    ],
  },
  {
    rule: 'the class of a load balancer',
    cases: [
      ...member('balancer', 'loadBalancerClass', 'internal', 'example.com/internal', '', 'a/b/c', 'x y', '-x', LONG),
      ...EVERY.filter((base) => base !== 'balancer').map((base): Case => [base, { loadBalancerClass: 'internal' }]),
      ...on('cluster', { loadBalancerClass: 'x y' }),
    ],
  },
  {
    rule: 'addresses for pods that are not ready',
    cases: [...member('cluster', 'publishNotReadyAddresses', true, false), ...member('alias', 'publishNotReadyAddresses', true)],
  },
  {
    rule: 'annotations that say the same in two ways',
    cases: [
      ['Auto', 'Auto'],
      ['Auto', 'Disabled'],
      ['', 'x'],
      [null, 'x'],
      ['Auto', null],
    ].map(([mode = null, hints = null]): Case => [
      'cluster',
      { metadata: { annotations: { 'service.platform.io/topology-mode': mode, 'service.platform.io/topology-aware-hints': hints } } },
    ]),
  },
  {
    rule: 'metadata comes first, and all that is wrong is said in order',
    cases: [
      ['cluster', { metadata: { labels: { 'a b': '_' }, annotations: { '-': 'x' }, finalizers: ['x'] }, spec: { type: 'Foo' } }],
      ['cluster', { metadata: { annotations: { '/x': '' } }, spec: { ports: [] } }],
      [
        'node',
        {
          ports: [
            { name: 'P', port: 0, protocol: 'X', targetPort: 'A--B', appProtocol: '/' },
            { name: 'P', port: 70_000, protocol: 'tcp', targetPort: 70_000 },
            { port: 70_000, protocol: 'tcp' },
          ],
          selector: { '-': '-' },
          sessionAffinity: 'Foo',
          externalIPs: ['x', '127.0.0.1'],
          externalTrafficPolicy: 'Foo',
          internalTrafficPolicy: 'Foo',
          trafficDistribution: 'Foo',
          healthCheckNodePort: 30_952,
          loadBalancerSourceRanges: ['x'],
          loadBalancerClass: 'x y',
          allocateLoadBalancerNodePorts: true,
        },
      ],
      [
        'balancer',
        {
          ports: [{ port: 10_250, protocol: 'X' }],
          sessionAffinity: 'ClientIP',
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
          loadBalancerSourceRanges: ['x'],
          loadBalancerClass: 'x y',
          externalTrafficPolicy: 'Foo',
          internalTrafficPolicy: 'Foo',
          trafficDistribution: 'Foo',
          healthCheckNodePort: 30_953,
          externalIPs: ['::1'],
        },
      ],
      [
        'alias',
        {
          externalName: 'A',
          ports: [{ port: 0 }],
          clusterIP: 'x',
          ipFamilies: ['IPv5'],
          externalTrafficPolicy: 'Local',
          loadBalancerSourceRanges: ['x'],
          sessionAffinity: 'Foo',
          selector: { '-': '-' },
          externalIPs: ['x'],
          healthCheckNodePort: 1,
        },
      ],
      [
        'cluster',
        {
          type: 'Foo',
          ports: [{ port: 0, nodePort: 5 }],
          externalTrafficPolicy: 'Local',
          loadBalancerSourceRanges: ['x'],
          sessionAffinity: 'Foo',
          healthCheckNodePort: 1,
          loadBalancerClass: 'x',
          allocateLoadBalancerNodePorts: false,
          internalTrafficPolicy: 'x',
        },
      ],
    ],
  },
];
