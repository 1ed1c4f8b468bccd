/**
 * The certificates and keys of a cluster with components on several machines, as one folder for each component with only the
 * keys that it needs. A later run renews expiring certificates and keeps the rest; the components reload their files.
 *
 * The etcd members have their own authority: a certificate of the cluster's authority must not give access to the
 * store past the API.
 */
import path from 'node:path';
import type { Clock } from '../../shared/runtime/clock';
import type { Credential } from '../../shared/pki/certificates';
import { hostWithoutBrackets } from '../../shared/values/network/host-url';
import { CredentialFolder, type Authority, type Leaf } from './credentials';
import {
  ADMIN_LEAF,
  CLUSTER_AUTHORITY,
  CONTROLLERS_LEAF,
  KUBELET_CLIENT_LEAF,
  PROXY_AUTHORITY,
  PROXY_LEAF,
  serverLeaf,
} from './identities';
import { ADMINISTRATOR_NAME, formatKubeconfig } from './kubeconfig';

/** In the order in which a copy of the folders is written: what others are issued from comes first. */
export const COMPONENTS = [
  /** The authorities of clients, servers and the front proxy, with their keys. */
  'authority',
  /** The authority of etcd, with its key; no component gets it. */
  'etcd-authority',
  'apiserver',
  'etcd',
  'controllers',
  /** The key that signs service account tokens. */
  'tokens',
  'monitoring',
  'admin',
] as const;

export type Component = (typeof COMPONENTS)[number];

/** The folders of the components other than etcd. */
export interface ComponentFolders extends Readonly<Record<Exclude<Component, 'etcd'>, CredentialFolder>> {
  /** Another folder beside them. */
  readonly open: (name: string) => CredentialFolder;
}

/** The certificate that etcd members present to clients and to each other: `<folder>/<file>.crt` and `.key`. */
export interface EtcdCertificate {
  readonly folder: string;
  readonly file: string;
  readonly names: readonly string[];
}

/** The addresses and names that the files contain. */
export interface ComponentFilesOptions {
  /** The https URL of the API servers for external clients, in the administrator's kubeconfig. */
  readonly externalAddress: string;
  /** The https URL of the API servers for the controllers. */
  readonly internalAddress: string;
  /** Names and addresses of the API servers besides those in the two URLs. */
  readonly serverNames: readonly string[];
  /** Names under which the metrics of the controllers are read, besides `controllers` and the loopback names. */
  readonly controllersNames: readonly string[];
  /** Empty when etcd gets its certificates elsewhere. */
  readonly etcdCertificates: readonly EtcdCertificate[];
}

const STORE_CLIENT: Leaf = {
  file: 'etcd-client',
  label: 'the certificate of the API servers for etcd',
  usage: 'client',
  subject: { commonName: 'apiserver' },
  names: [],
};

const SCRAPER: Leaf = {
  file: 'prometheus',
  label: "Prometheus's certificate",
  usage: 'client',
  subject: { commonName: 'prometheus', organizations: ['system:monitoring'] },
  names: [],
};

const LOOPBACK_NAMES = ['localhost', '127.0.0.1'];

const etcdLeaf = ({ folder, file, names }: EtcdCertificate): Leaf => ({
  file,
  label: `the certificate of ${folder}`,
  usage: 'peer',
  subject: { commonName: folder },
  names: [...names, ...LOOPBACK_NAMES],
});

const controllersServer = (names: readonly string[]): Leaf => ({
  file: 'serving',
  label: 'the serving certificate of the controllers',
  usage: 'server',
  subject: { commonName: 'controllers' },
  names: ['controllers', ...names, ...LOOPBACK_NAMES],
});

/** The folders below `root`; `onCreated` receives a description of each created file. */
export function openComponentFolders(root: string, clock: Clock, onCreated: (label: string) => void): ComponentFolders {
  const open = (name: string): CredentialFolder => new CredentialFolder(path.join(root, name), clock, onCreated);
  return {
    open,
    authority: open('authority'),
    'etcd-authority': open('etcd-authority'),
    apiserver: open('apiserver'),
    controllers: open('controllers'),
    tokens: open('tokens'),
    monitoring: open('monitoring'),
    admin: open('admin'),
  };
}

/** The authorities of the cluster, for certificates of further components. */
export interface ClusterAuthorities {
  readonly cluster: Credential;
  readonly frontProxy: Credential;
}

/** Creates missing and replaces invalid files. Throws file system errors. */
export async function ensureComponentFiles(folders: ComponentFolders, options: ComponentFilesOptions): Promise<ClusterAuthorities> {
  await ensureEtcdFiles(folders, options.etcdCertificates);
  const cluster = await folders.authority.authority(CLUSTER_AUTHORITY);
  const urls = [options.externalAddress, options.internalAddress];
  const hosts = urls.map((url) => hostWithoutBrackets(new URL(url)));
  await folders.apiserver.leaf(cluster, serverLeaf([...new Set([...options.serverNames, ...hosts])]));
  await folders.apiserver.leaf(cluster, KUBELET_CLIENT_LEAF);
  const frontProxy = await ensureProxyFiles(folders);
  await ensureTokenKeys(folders);
  await ensureControllersFiles(folders, cluster, options);
  await folders.monitoring.leaf(cluster, SCRAPER);
  await ensureAdministratorFiles(folders, cluster, options);
  const { apiserver, controllers, monitoring, admin } = folders;
  for (const target of [apiserver, controllers, monitoring, admin]) writeAuthority(target, 'ca', cluster);
  return { cluster, frontProxy };
}

/** The certificate of an authority, without its key. */
export function writeAuthority(target: CredentialFolder, name: string, { certificate }: Credential): void {
  target.writeIfChanged(`${name}.crt`, certificate, 0o644);
}

const ETCD_AUTHORITY: Authority = {
  commonName: 'platform-etcd-ca',
  label: 'the certificate authority of etcd',
  file: 'ca',
};

/** The certificates of the etcd members, and that of the API servers as their client. */
async function ensureEtcdFiles(folders: ComponentFolders, certificates: readonly EtcdCertificate[]): Promise<void> {
  if (certificates.length === 0) return;
  const { apiserver } = folders;
  const authority = await folders['etcd-authority'].authority(ETCD_AUTHORITY);
  for (const certificate of certificates) {
    const folder = folders.open(certificate.folder);
    await folder.leaf(authority, etcdLeaf(certificate));
    writeAuthority(folder, 'ca', authority);
  }
  await apiserver.leaf(authority, STORE_CLIENT);
  writeAuthority(apiserver, 'etcd-ca', authority);
}

/** The front proxy certificate of the API servers, and its authority for the servers that verify it. */
async function ensureProxyFiles({ authority, apiserver }: ComponentFolders): Promise<Credential> {
  const proxyAuthority = await authority.authority(PROXY_AUTHORITY);
  await apiserver.leaf(proxyAuthority, PROXY_LEAF);
  writeAuthority(apiserver, PROXY_AUTHORITY.file, proxyAuthority);
  return proxyAuthority;
}

async function ensureTokenKeys({ apiserver, tokens }: ComponentFolders): Promise<void> {
  const { privateKey } = await apiserver.ensureSigningKeys();
  tokens.writeIfChanged('sa.key', privateKey, 0o600);
}

async function ensureControllersFiles(
  { controllers }: ComponentFolders,
  authority: Credential,
  { internalAddress, controllersNames }: ComponentFilesOptions,
): Promise<void> {
  await controllers.leaf(authority, controllersServer(controllersNames));
  const credential = await controllers.leaf(authority, CONTROLLERS_LEAF);
  controllers.writeIfChanged(
    'kubeconfig',
    formatKubeconfig({ server: internalAddress, authority: authority.certificate, user: 'controllers', credential }),
    0o600,
  );
}

async function ensureAdministratorFiles(
  { admin }: ComponentFolders,
  authority: Credential,
  { externalAddress }: ComponentFilesOptions,
): Promise<void> {
  const credential = await admin.leaf(authority, ADMIN_LEAF);
  const kubeconfig = formatKubeconfig({ server: externalAddress, authority: authority.certificate, user: ADMINISTRATOR_NAME, credential });
  admin.writeIfChanged('admin.kubeconfig', kubeconfig, 0o600);
}
