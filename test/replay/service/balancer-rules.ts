/** The same for load balancers and annotations, and in which order everything is said. */
import type { Case, Rule } from './case';
import { EVERY, LONG, member, on } from './rows';

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
