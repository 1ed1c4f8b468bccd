/**
 * The one-shot service that makes the certificates of a cluster in containers: `node dist/deploy/compose/pki.js <folder>`. Each part of the cluster has a folder of
 * its own, so that it holds only the keys that it needs. Run again, it renews what runs out and leaves the rest; the parts read their files again by themselves.
 *
 * The members of etcd have an authority of their own: whoever has a certificate of the cluster's must not read the store past the API.
 */
import path from 'node:path';
import { systemClock, type Clock } from '../../shared/runtime/clock';
import type { Credential } from '../../shared/runtime/pki';
import { CredentialFolder, type Leaf } from '../cluster/credentials';
import { ADMIN_LEAF, CONTROLLERS_LEAF, PROXY_AUTHORITY, PROXY_LEAF, serverLeaf } from '../cluster/identities';
import { ADMINISTRATOR, kubeconfig } from '../cluster/kubeconfig';

const MEMBERS = ['etcd1', 'etcd2', 'etcd3'];
/** How the API servers are reached: by the balancer's name, by their own, and at the first address of the range of Services. */
const SERVER_NAMES = ['front', 'apiserver', '10.0.0.1'];
const INSIDE = 'https://front:6443';

const member = (name: string): Leaf => ({
  file: name,
  label: `the certificate of ${name}`,
  usage: 'peer',
  subject: { commonName: name },
  names: [name, 'localhost', '127.0.0.1'],
});

const STORE_CLIENT: Leaf = {
  file: 'etcd-client',
  label: "the API servers' certificate for etcd",
  usage: 'client',
  subject: { commonName: 'apiserver' },
  names: [],
};

const CONTROLLERS_SERVER: Leaf = {
  file: 'serving',
  label: "the controllers' serving certificate",
  usage: 'server',
  subject: { commonName: 'controllers' },
  names: ['controllers', 'localhost', '127.0.0.1'],
};

const SCRAPER: Leaf = {
  file: 'prometheus',
  label: "Prometheus's certificate",
  usage: 'client',
  subject: { commonName: 'prometheus', organizations: ['system:monitoring'] },
  names: [],
};

export interface ClusterAddresses {
  /** Where clients outside reach the balancer: an https address. */
  readonly outside: string;
  /** Other names and addresses that lead to the API servers. */
  readonly names: readonly string[];
}

/** Makes what is missing or no longer good below `root`. Returns what was made, in words. */
export async function ensureClusterFiles(root: string, { outside, names }: ClusterAddresses, clock: Clock): Promise<readonly string[]> {
  const made: string[] = [];
  const folder = (name: string): CredentialFolder => new CredentialFolder(path.join(root, name), clock, (label) => made.push(label));
  const [authorityFolder, stores, servers, controllers] = ['authority', 'etcd', 'apiserver', 'controllers'].map(folder);
  const [admin, monitoring, everybody] = ['admin', 'monitoring', 'public'].map(folder);
  if (!authorityFolder || !stores || !servers || !controllers || !admin || !monitoring || !everybody) throw new Error('no folders');

  const store = await folder('etcd-authority').authority('platform-etcd-ca', "etcd's certificate authority");
  for (const name of MEMBERS) await stores.leaf(store, member(name));
  await servers.leaf(store, STORE_CLIENT);
  vouch(stores, 'ca', store);
  vouch(servers, 'etcd-ca', store);

  const authority = await authorityFolder.authority('platform-ca', 'the certificate authority');
  await servers.leaf(authority, serverLeaf([...SERVER_NAMES, new URL(outside).hostname, ...names]));
  const { commonName, label, file } = PROXY_AUTHORITY;
  const proxies = await authorityFolder.authority(commonName, label, file);
  await servers.leaf(proxies, PROXY_LEAF);
  vouch(servers, file, proxies);
  const keys = await servers.signingKeys();
  await controllers.leaf(authority, CONTROLLERS_SERVER);
  const credential = await controllers.leaf(authority, CONTROLLERS_LEAF);
  controllers.put('sa.key', keys.privateKey, 0o600);
  controllers.put('kubeconfig', kubeconfig(INSIDE, authority.certificate, 'controllers', credential), 0o600);
  await monitoring.leaf(authority, SCRAPER);
  const administrator = await admin.leaf(authority, ADMIN_LEAF);
  admin.put('admin.kubeconfig', kubeconfig(outside, authority.certificate, ADMINISTRATOR, administrator), 0o600);
  for (const place of [servers, controllers, monitoring, admin, everybody]) vouch(place, 'ca', authority);
  return made;
}

function vouch(place: CredentialFolder, name: string, { certificate }: Credential): void {
  place.put(`${name}.crt`, certificate, 0o644);
}

async function main(): Promise<void> {
  const [root = '/pki'] = process.argv.slice(2);
  const { PLATFORM_ADDRESS: outside = 'https://127.0.0.1:6443', PLATFORM_NAMES: names = '' } = process.env;
  const made = await ensureClusterFiles(root, { outside, names: names.split(',').filter((name) => name !== '') }, systemClock);
  process.stdout.write(made.length === 0 ? 'all certificates are good\n' : `made ${made.join(', ')}\n`);
}

if (require.main === module) void main();
