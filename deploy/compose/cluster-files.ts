/**
 * The files of a cluster in containers: the folders of its components (deploy/cluster/component-files.ts), one for each
 * etcd member, and those of the simulation, the scheduler, Grafana and the load balancer.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';
import {
  ensureComponentFiles,
  openComponentFolders,
  writeAuthority,
  type ClusterAuthorities,
  type EtcdCertificate,
} from '../cluster/component-files';
import type { CredentialFolder, Leaf } from '../cluster/credentials';
import { PROXY_AUTHORITY, SCHEDULER_LEAF, SIMULATION_LEAF } from '../cluster/identities';
import { formatKubeconfig } from '../cluster/kubeconfig';

/**
 * The certificate of a member has only its own name. etcd resolves all names in the certificate of a peer that connects,
 * so names of other members would only add lookups.
 */
const ETCD_CERTIFICATES: readonly EtcdCertificate[] = ['etcd1', 'etcd2', 'etcd3'].map((name) => ({
  folder: name,
  file: 'member',
  names: [name],
}));
/** Names of the API servers: the load balancer's, their own, and the first address of the service range. */
const SERVER_NAMES = ['front', 'apiserver', '10.0.0.1'];
const INTERNAL_ADDRESS = 'https://front:6443';

/** Grafana reads this file when it creates its database. */
const GRAFANA_PASSWORD_FILE = 'admin-password';
/** In characters. A generated password has 190 bits. */
const PASSWORD_LENGTH = 32;
const PASSWORD_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The addresses in the certificate of the API servers. */
export interface ClusterAddresses {
  /** The load balancer's https URL for external clients. */
  readonly externalAddress: string;
  /** Further names and addresses of the API servers. */
  readonly names: readonly string[];
}

/** The addresses, and what the generated files need. */
export interface ClusterFilesOptions extends ClusterAddresses {
  readonly clock: Clock;
  readonly random: Pick<Random, 'string'>;
  /** Empty to keep the existing password, or generate one when there is none. */
  readonly grafanaPassword: string;
}

/** Creates missing and replaces invalid files below `root`. Returns descriptions of what was created. */
export async function ensureClusterFiles(root: string, options: ClusterFilesOptions): Promise<readonly string[]> {
  const created: string[] = [];
  const folders = openComponentFolders(root, options.clock, (label) => created.push(label));
  const authorities = await ensureComponentFiles(folders, {
    externalAddress: options.externalAddress,
    internalAddress: INTERNAL_ADDRESS,
    serverNames: [...SERVER_NAMES, ...options.names],
    controllersNames: [],
    etcdCertificates: ETCD_CERTIFICATES,
  });
  // Earlier releases wrote the key that signs tokens to this folder.
  folders.controllers.remove('sa.key');
  const simulation = folders.open('simulation');
  await ensureClientKubeconfig(simulation, authorities, SIMULATION_LEAF);
  writeAuthority(simulation, PROXY_AUTHORITY.file, authorities.frontProxy);
  await ensureClientKubeconfig(folders.open('scheduler'), authorities, SCHEDULER_LEAF);
  if (ensurePassword(folders.open('grafana'), options)) created.push('the password of the Grafana administrator');
  writeAuthority(folders.open('public'), 'ca', authorities.cluster);
  return created;
}

/** The certificate of a client, and its kubeconfig. */
async function ensureClientKubeconfig(folder: CredentialFolder, { cluster }: ClusterAuthorities, leaf: Leaf): Promise<void> {
  const credential = await folder.leaf(cluster, leaf);
  folder.writeIfChanged(
    'kubeconfig',
    formatKubeconfig({ server: INTERNAL_ADDRESS, authority: cluster.certificate, user: leaf.file, credential }),
    0o600,
  );
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
