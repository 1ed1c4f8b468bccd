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

it('--authorization-mode rejects a repeated mode, within one --authorization-mode flag or across several', () => {
  const repeated = (modes: string) => ({ kind: 'error', message: expect.stringContaining(`[${modes}] has mode specified more than once`) });
  expect(parse('--authorization-mode=RBAC,RBAC')).toMatchObject(repeated('"RBAC" "RBAC"'));
  expect(parse('--authorization-mode=RBAC,Node', '--authorization-mode=RBAC')).toMatchObject(repeated('"RBAC" "Node" "RBAC"'));
});

it('--authorization-mode merges the modes of several flags in their order', () => {
  expect(parse('--authorization-mode=Webhook', '--authorization-mode=Node,RBAC')).toMatchObject({
    values: { 'authorization-mode': ['Webhook', 'Node', 'RBAC'] },
  });
});

it.each([['--nonsense=1'], ['--authorization-mode=BuiltIn'], ['--secure-port=abc'], ['--storage-backend=sqlite']])(
  'the API server rejects the flag %s',
  (flag) => {
    expect(parse(flag).kind).toBe('error');
  },
);

/** The texts of the parsed ranges, or the error. */
const ranges = (text: string): unknown => {
  const parsed = parse(`--service-cluster-ip-range=${text}`);
  return parsed.kind === 'values' ? parsed.values['service-cluster-ip-range'].map((range) => range.text) : parsed;
};

it.each([
  ['10.0.0.5/24', ['10.0.0.0/24']],
  ['10.0.0.0/12', ['10.0.0.0/12']],
  ['10.0.0.0/29', ['10.0.0.0/29']],
  ['fd00::/64,10.96.0.0/16', ['fd00::/64', '10.96.0.0/16']],
])('--service-cluster-ip-range accepts %s', (text, expected) => expect(ranges(text)).toEqual(expected));

it.each([
  ['', 'entry 0 is not a valid CIDR'],
  ['10.0.0.0', 'entry 0 is not a valid CIDR'],
  ['10.0.0.0/24,', 'entry 1 is not a valid CIDR'],
  ['10.0.0.0/11', '10.0.0.0/11 is too large; for 32-bit addresses, the mask must be >= 12'],
  ['10.0.0.0/24,fd00::/63', 'fd00::/63 is too large; for 128-bit addresses, the mask must be >= 64'],
  ['10.0.0.0/30', '10.0.0.0/30 is too small; the service cluster IP range must be at least 8 IP addresses'],
  ['10.0.0.0/24,10.1.0.0/24', 'the two entries must be of different IP family'],
  ['10.0.0.0/24,fd00::/108,10.9.0.0/24', 'must not contain more than two entries'],
])('--service-cluster-ip-range rejects %j', (text, message) =>
  expect(ranges(text)).toMatchObject({ kind: 'error', message: expect.stringContaining(message) }),
);

it.each([
  ['30000-32767', { first: 30_000, size: 2768 }],
  ['30000', { first: 30_000, size: 1 }],
  ['100+50', { first: 100, size: 51 }],
  ['', { first: 0, size: 0 }],
])('--service-node-port-range accepts %j', (text, expected) =>
  expect(parse(`--service-node-port-range=${text}`)).toMatchObject({ values: { 'service-node-port-range': expected } }),
);

it.each([
  ['30000-20000', 'end port cannot be less than start port: 30000-20000'],
  ['30000-70000', 'the port range cannot be greater than 65535: 30000-70000'],
  ['abc', 'must be two ports'],
])('--service-node-port-range rejects %j', (text, message) =>
  expect(parse(`--service-node-port-range=${text}`)).toMatchObject({ kind: 'error', message: expect.stringContaining(message) }),
);
