import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isIssuedBy, coversNames, readCertificate } from '../../shared/pki/certificates';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { useFolder } from '../../test/support/use-resource';
import type { Clock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { ensureClusterFiles, type ClusterFilesOptions } from './cluster-files';

const DAY_MS = 86_400_000;
const folder = useFolder('cluster-files');

function setUp() {
  const root = mkdtempSync(path.join(folder, 'root-'));
  const ensure = (clock: Clock, more: Partial<ClusterFilesOptions> = {}): Promise<readonly string[]> =>
    ensureClusterFiles(root, {
      ...{ externalAddress: 'https://cluster.example.com:6443', names: ['192.0.2.7'], grafanaPassword: '', clock, random: systemRandom },
      ...more,
    });
  const text = (file: string): string => readFileSync(path.join(root, file), 'utf8');
  const pair = (name: string) => ({ certificate: text(`${name}.crt`), key: text(`${name}.key`) });
  return { root, ensure, text, pair };
}

test('ensureClusterFiles gives each component only the keys that it needs', async () => {
  const { root, ensure } = setUp();
  await ensure(new ManualClock());
  const keys = Object.fromEntries(
    readdirSync(root).map((part) => [
      part,
      readdirSync(path.join(root, part))
        .filter((file) => file.endsWith('.key'))
        .sort(),
    ]),
  );
  expect(keys).toEqual({
    admin: ['admin.key'],
    apiserver: ['apiserver.key', 'etcd-client.key', 'front-proxy-client.key', 'kubelet-client.key', 'sa.key'],
    authority: ['ca.key', 'front-proxy-ca.key'],
    controllers: ['controllers.key', 'serving.key'],
    'etcd-authority': ['ca.key'],
    etcd1: ['member.key'],
    etcd2: ['member.key'],
    etcd3: ['member.key'],
    grafana: [],
    monitoring: ['prometheus.key'],
    public: [],
    scheduler: ['scheduler.key'],
    simulation: ['simulation.key'],
    tokens: ['sa.key'],
  });
  for (const [part, files] of Object.entries(keys))
    for (const file of files) expect(statSync(path.join(root, part, file)).mode & 0o777).toBe(0o600);
});

test('ensureClusterFiles issues the certificates of etcd from an authority of its own', async () => {
  const { ensure, text, pair } = setUp();
  await ensure(new ManualClock());
  const store = text('etcd1/ca.crt');
  const cluster = text('public/ca.crt');
  for (const member of ['etcd1', 'etcd2', 'etcd3']) {
    expect(isIssuedBy(pair(`${member}/member`), store)).toBe(true);
    expect(coversNames(text(`${member}/member.crt`), [member, 'localhost'])).toBe(true);
  }
  expect(isIssuedBy(pair('apiserver/etcd-client'), store)).toBe(true);
  expect(isIssuedBy(pair('admin/admin'), store)).toBe(false);
  expect(isIssuedBy(pair('admin/admin'), cluster)).toBe(true);
});

test('ensureClusterFiles gives the API servers a client certificate that kubelets accept and authorize', async () => {
  const { ensure, text, pair } = setUp();
  await ensure(new ManualClock());
  // `kubeadm join` gives kubelets this authority.
  expect(isIssuedBy(pair('apiserver/kubelet-client'), text('public/ca.crt'))).toBe(true);
  const { keyUsage } = new X509Certificate(text('apiserver/kubelet-client.crt'));
  expect(keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  expect(readCertificate(text('apiserver/kubelet-client.crt'))).toMatchObject({
    commonName: 'kube-apiserver-kubelet-client',
    organizations: ['system:masters'],
  });
});

test('ensureClusterFiles covers the addresses of the servers and sets the users of the clients', async () => {
  const { ensure, text } = setUp();
  await ensure(new ManualClock());
  expect(
    coversNames(text('apiserver/apiserver.crt'), ['front', 'apiserver', '10.0.0.1', 'cluster.example.com', '192.0.2.7', 'localhost']),
  ).toBe(true);
  expect(text('admin/admin.kubeconfig')).toContain('server: https://cluster.example.com:6443');
  expect(text('controllers/kubeconfig')).toContain('server: https://front:6443');
  expect(readCertificate(text('monitoring/prometheus.crt'))).toMatchObject({
    commonName: 'prometheus',
    organizations: ['system:monitoring'],
  });
});

test('ensureClusterFiles keeps valid files and renews expiring certificates under the same authorities', async () => {
  const { ensure, text } = setUp();
  const clock = new ManualClock();
  await ensure(clock);
  const cluster = text('public/ca.crt');
  const store = text('etcd1/ca.crt');
  const tokenKey = text('apiserver/sa.key');
  expect(await ensure(clock)).toEqual([]);
  clock.advance(300 * DAY_MS);
  expect((await ensure(clock)).length).toBeGreaterThan(5);
  expect(text('public/ca.crt')).toBe(cluster);
  expect(text('etcd1/ca.crt')).toBe(store);
  expect(text('apiserver/sa.key')).toBe(tokenKey);
});

test('ensureClusterFiles removes the token signing key that an earlier release gave to the controllers', async () => {
  const { root, ensure, text } = setUp();
  mkdirSync(path.join(root, 'controllers'));
  writeFileSync(path.join(root, 'controllers/sa.key'), 'of an earlier release');
  await ensure(new ManualClock());
  expect(existsSync(path.join(root, 'controllers/sa.key'))).toBe(false);
  expect(text('tokens/sa.key')).toBe(text('apiserver/sa.key'));
});

test('ensureClusterFiles generates the password of the Grafana administrator once, unless one is given', async () => {
  const { root, ensure, text } = setUp();
  const clock = new ManualClock();
  expect(await ensure(clock)).toContain('the password of the Grafana administrator');
  const password = text('grafana/admin-password');
  expect(password).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(statSync(path.join(root, 'grafana/admin-password')).mode & 0o777).toBe(0o600);
  expect(await ensure(clock)).toEqual([]);
  expect(text('grafana/admin-password')).toBe(password);
  expect(await ensure(clock, { grafanaPassword: 'given' })).toEqual([]);
  expect(text('grafana/admin-password')).toBe('given');
  await ensure(clock);
  expect(text('grafana/admin-password')).toBe('given');
});
