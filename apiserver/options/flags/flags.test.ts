import { parseFlags } from '../../../shared/cli/flags';
import { FLAGS } from './flags';

const parse = (...argv: string[]) => parseFlags({ name: 'apiserver', description: '' }, FLAGS, argv);

it('the API server accepts the flag names of upstream', () => {
  expect(
    parse('--secure-port=1234', '--etcd-servers=http://a:1,http://b:2', '--anonymous-auth=false', '--request-timeout=1m30s'),
  ).toMatchObject({
    kind: 'values',
    values: { 'secure-port': 1234, 'etcd-servers': ['http://a:1', 'http://b:2'], 'anonymous-auth': false, 'request-timeout': 90_000 },
  });
});

it.each([['--nonsense=1'], ['--authorization-mode=BuiltIn'], ['--secure-port=abc'], ['--storage-backend=sqlite']])(
  'the API server rejects the flag %s',
  (flag) => {
    expect(parse(flag).kind).toBe('error');
  },
);

describe('--authorization-mode', () => {
  it.each([
    ['in one flag', ['--authorization-mode=RBAC,RBAC'], '["RBAC" "RBAC"] has mode specified more than once'],
    [
      'in several flags',
      ['--authorization-mode=RBAC,Node', '--authorization-mode=RBAC'],
      '["RBAC" "Node" "RBAC"] has mode specified more than once',
    ],
  ])('rejects a mode that is repeated %s', (_title, argv, message) => {
    expect(parse(...argv)).toMatchObject({ kind: 'error', message: expect.stringContaining(message) });
  });

  it('merges the modes of several flags in their order', () => {
    expect(parse('--authorization-mode=Webhook', '--authorization-mode=Node,RBAC')).toMatchObject({
      values: { 'authorization-mode': ['Webhook', 'Node', 'RBAC'] },
    });
  });
});

describe('--service-cluster-ip-range', () => {
  it.each([
    ['10.0.0.5/24', ['10.0.0.0/24']],
    ['10.0.0.0/12', ['10.0.0.0/12']],
    ['10.0.0.0/29', ['10.0.0.0/29']],
    ['fd00::/64,10.96.0.0/16', ['fd00::/64', '10.96.0.0/16']],
  ])('accepts %s', (text, expected) => {
    const ranges = expected.map((range) => expect.objectContaining({ text: range }));
    expect(parse(`--service-cluster-ip-range=${text}`)).toMatchObject({ values: { 'service-cluster-ip-range': ranges } });
  });

  it.each([
    ['', 'entry 0 is not a valid CIDR'],
    ['10.0.0.0', 'entry 0 is not a valid CIDR'],
    ['10.0.0.0/24,', 'entry 1 is not a valid CIDR'],
    ['10.0.0.0/11', '10.0.0.0/11 is too large; for 32-bit addresses, the mask must be >= 12'],
    ['10.0.0.0/24,fd00::/63', 'fd00::/63 is too large; for 128-bit addresses, the mask must be >= 64'],
    ['10.0.0.0/30', '10.0.0.0/30 is too small; the service cluster IP range must be at least 8 IP addresses'],
    ['10.0.0.0/24,10.1.0.0/24', 'the two entries must be of different IP family'],
    ['10.0.0.0/24,fd00::/108,10.9.0.0/24', 'must not contain more than two entries'],
  ])('rejects %j', (text, message) =>
    expect(parse(`--service-cluster-ip-range=${text}`)).toMatchObject({ kind: 'error', message: expect.stringContaining(message) }),
  );
});

describe('--service-node-port-range', () => {
  it.each([
    ['30000-32767', { first: 30_000, size: 2768 }],
    ['30000', { first: 30_000, size: 1 }],
    ['100+50', { first: 100, size: 51 }],
    ['', { first: 0, size: 0 }],
  ])('accepts %j', (text, expected) =>
    expect(parse(`--service-node-port-range=${text}`)).toMatchObject({ values: { 'service-node-port-range': expected } }),
  );

  it.each([
    ['30000-20000', 'end port cannot be less than start port: 30000-20000'],
    ['30000-70000', 'the port range cannot be greater than 65535: 30000-70000'],
    ['abc', 'must be two ports'],
  ])('rejects %j', (text, message) =>
    expect(parse(`--service-node-port-range=${text}`)).toMatchObject({ kind: 'error', message: expect.stringContaining(message) }),
  );
});
