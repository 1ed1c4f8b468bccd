/**
 * The files of a cluster in containers: certificates, keys and kubeconfigs. Each component has its own folder with only
 * the keys that it needs. Expiring certificates are renewed and the rest is kept.
 *
 * The etcd members have their own authority: a certificate of the cluster's authority must not give access to the
 * store past the API.
 */
import path from 'node:path';
import type { Clock } from '../../shared/runtime/clock';
import type { Credential } from '../../shared/pki/certificates';
import type { Random } from '../../shared/runtime/random';
import { CredentialFolder, type Leaf } from '../cluster/credentials';
import { ADMIN_LEAF, CONTROLLERS_LEAF, PROXY_AUTHORITY, PROXY_LEAF, serverLeaf, SIMULATION_LEAF } from '../cluster/identities';
import { ADMINISTRATOR_NAME, formatKubeconfig } from '../cluster/kubeconfig';

const ETCD_MEMBERS = ['etcd1', 'etcd2', 'etcd3'];
/** Names of the API servers: the load balancer's, their own, and the first address of the service range. */
const SERVER_NAMES = ['front', 'apiserver', '10.0.0.1'];
const INTERNAL_ADDRESS = 'https://front:6443';

/** A certificate has no names of other members: a member resolves them all when a peer connects. */
const memberLeaf = (name: string): Leaf => ({
  file: 'member',
  label: `the certificate of ${name}`,
  usage: 'peer',
  subject: { commonName: name },
  names: [name, 'localhost', '127.0.0.1'],
});

const STORE_CLIENT: Leaf = {
  file: 'etcd-client',
  label: 'the certificate of the API servers for etcd',
  usage: 'client',
  subject: { commonName: 'apiserver' },
  names: [],
};

const CONTROLLERS_SERVER: Leaf = {
  file: 'serving',
  label: 'the serving certificate of the controllers',
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

/** Grafana reads this file when it creates its database. The generated password has 190 bits. */
const GRAFANA_PASSWORD_FILE = 'admin-password';
const PASSWORD_LENGTH = 32;
const PASSWORD_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export interface ClusterAddresses {
  /** The load balancer's https URL for external clients. */
  readonly externalAddress: string;
  /** Further names and addresses of the API servers. */
  readonly names: readonly string[];
}

export interface ClusterFilesOptions extends ClusterAddresses {
  readonly clock: Clock;
  readonly random: Pick<Random, 'string'>;
  /** Empty to keep the existing password, or generate one when there is none. */
  readonly grafanaPassword: string;
}

/** Creates missing and replaces invalid files below `root`. Returns descriptions of what was created. */
export async function ensureClusterFiles(root: string, options: ClusterFilesOptions): Promise<readonly string[]> {
  const created: string[] = [];
  const folders = openFolders(root, options.clock, (label) => created.push(label));
  await ensureEtcdFiles(folders);
  const authority = await folders.authority.authority('platform-ca', 'the certificate authority');
  await folders.apiserver.leaf(authority, serverLeaf([...SERVER_NAMES, new URL(options.externalAddress).hostname, ...options.names]));
  await ensureProxyFiles(folders);
  await ensureTokenKeys(folders);
  await ensureControllersFiles(folders, authority);
  await ensureSimulationFiles(folders, authority);
  await folders.monitoring.leaf(authority, SCRAPER);
  await ensureAdministratorFiles(folders, authority, options);
  if (ensurePassword(folders.grafana, options)) created.push('the password of the Grafana administrator');
  const { apiserver, controllers, monitoring, admin, public: publicFolder } = folders;
  for (const target of [apiserver, controllers, monitoring, admin, publicFolder]) writeAuthority(target, 'ca', authority);
  return created;
}

type ClusterFolders = ReturnType<typeof openFolders>;

/** Opens the folders, which docker-compose.yml mounts into the containers. */
function openFolders(root: string, clock: Clock, onCreated: (label: string) => void) {
  const open = (name: string): CredentialFolder => new CredentialFolder(path.join(root, name), clock, onCreated);
  return {
    /** The authorities of clients, servers and the front proxy, with their keys. */
    authority: open('authority'),
    /** The authority of etcd, with its key; mounted into no other container. */
    etcdAuthority: open('etcd-authority'),
    /** A folder for each etcd member. */
    members: ETCD_MEMBERS.map((name) => [name, open(name)] as const),
    apiserver: open('apiserver'),
    controllers: open('controllers'),
    /** The key that signs service account tokens. */
    tokens: open('tokens'),
    simulation: open('simulation'),
    monitoring: open('monitoring'),
    grafana: open('grafana'),
    admin: open('admin'),
    /** The certificate of the authority, without a key. */
    public: open('public'),
  } as const;
}

/** The certificates of the etcd members, and that of the API servers as their client. */
async function ensureEtcdFiles({ etcdAuthority, members, apiserver }: ClusterFolders): Promise<void> {
  const authority = await etcdAuthority.authority('platform-etcd-ca', 'the certificate authority of etcd');
  for (const [name, folder] of members) {
    await folder.leaf(authority, memberLeaf(name));
    writeAuthority(folder, 'ca', authority);
  }
  await apiserver.leaf(authority, STORE_CLIENT);
  writeAuthority(apiserver, 'etcd-ca', authority);
}

/** The front proxy certificate of the API servers, and its authority for the servers that verify it. */
async function ensureProxyFiles({ authority, apiserver, simulation }: ClusterFolders): Promise<void> {
  const { commonName, label, file } = PROXY_AUTHORITY;
  const proxyAuthority = await authority.authority(commonName, label, file);
  await apiserver.leaf(proxyAuthority, PROXY_LEAF);
  writeAuthority(apiserver, file, proxyAuthority);
  writeAuthority(simulation, file, proxyAuthority);
}

async function ensureTokenKeys({ apiserver, tokens, controllers }: ClusterFolders): Promise<void> {
  const { privateKey } = await apiserver.ensureSigningKeys();
  tokens.writeIfChanged('sa.key', privateKey, 0o600);
  // Earlier releases wrote the key to this folder.
  controllers.remove('sa.key');
}

async function ensureControllersFiles({ controllers }: ClusterFolders, authority: Credential): Promise<void> {
  await controllers.leaf(authority, CONTROLLERS_SERVER);
  const credential = await controllers.leaf(authority, CONTROLLERS_LEAF);
  controllers.writeIfChanged('kubeconfig', formatKubeconfig(INTERNAL_ADDRESS, authority.certificate, 'controllers', credential), 0o600);
}

async function ensureSimulationFiles({ simulation }: ClusterFolders, authority: Credential): Promise<void> {
  const credential = await simulation.leaf(authority, SIMULATION_LEAF);
  simulation.writeIfChanged('kubeconfig', formatKubeconfig(INTERNAL_ADDRESS, authority.certificate, 'simulation', credential), 0o600);
}

async function ensureAdministratorFiles(
  { admin }: ClusterFolders,
  authority: Credential,
  { externalAddress }: ClusterAddresses,
): Promise<void> {
  const credential = await admin.leaf(authority, ADMIN_LEAF);
  const kubeconfig = formatKubeconfig(externalAddress, authority.certificate, ADMINISTRATOR_NAME, credential);
  admin.writeIfChanged('admin.kubeconfig', kubeconfig, 0o600);
}

/**
 * Writes the configured password, or generates one when none is configured and none exists. Returns whether one was
 * generated.
 */
function ensurePassword(target: CredentialFolder, { grafanaPassword, random }: ClusterFilesOptions): boolean {
  const isMissing = grafanaPassword === '' && !target.has(GRAFANA_PASSWORD_FILE);
  const password = isMissing ? random.string(PASSWORD_LENGTH, PASSWORD_ALPHABET) : grafanaPassword;
  if (password !== '') target.writeIfChanged(GRAFANA_PASSWORD_FILE, password, 0o600);
  return isMissing;
}

function writeAuthority(target: CredentialFolder, name: string, { certificate }: Credential): void {
  target.writeIfChanged(`${name}.crt`, certificate, 0o644);
}
