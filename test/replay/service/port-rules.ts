/** One row for each thing that the ports of a Service may and may not say. */
import type { Rule } from './case';
import { EVERY, LONG, everywhere, on, port, ports } from './rows';

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
