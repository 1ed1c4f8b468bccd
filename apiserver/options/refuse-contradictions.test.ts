import { parseServerFlags } from '../../test/support/server-flags';
import { refuseContradictions } from './refuse-contradictions';

const ETCD = '--etcd-servers=http://127.0.0.1:2379';
const refuse = (...argv: readonly string[]): void => refuseContradictions(parseServerFlags(...argv), new Set());

it('refuseContradictions accepts the default values beside --etcd-servers', () => {
  expect(() => refuse(ETCD)).not.toThrow();
});

it.each<[flags: readonly string[], error: string]>([
  [[], '--etcd-servers is required, or --storage-backend=embedded'],
  [['--storage-backend=embedded'], '--storage-backend=embedded needs --storage-dir'],
  [[ETCD, '--tls-cert-file=a'], '--tls-cert-file and --tls-private-key-file must be set together'],
  [['--storage-backend=embedded', '--storage-dir=d', '--workers=2'], '--workers above 1 needs etcd'],
  [[ETCD, '--workers=2', '--audit-log-path=f'], '--workers above 1 cannot share --audit-log-path'],
  [[ETCD, '--advertise-address=host'], '--advertise-address must be an IP address'],
  [[ETCD, '--requestheader-username-headers=X-User'], 'headers of an authenticating proxy need --requestheader-client-ca-file'],
  [[ETCD, '--insecure-port=8080', '--insecure-bind-address=10.0.0.1'], '--insecure-bind-address must be a loopback address'],
])('refuseContradictions refuses the flags %j with the error: %s', (flags, error) => {
  expect(() => refuse(...flags)).toThrow(error);
});

it.each(['127.0.0.1', '127.1.2.3', '::1'])('refuseContradictions accepts the loopback address %s for the insecure port', (address) => {
  expect(() => refuse(ETCD, '--insecure-port=8080', `--insecure-bind-address=${address}`)).not.toThrow();
});
