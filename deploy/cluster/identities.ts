/**
 * The certificate authorities of a cluster, the certificates of its components (server names and client identities), and
 * the flags of an API server for its front proxy files.
 */
import { MASTERS_GROUP } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { formatIpAddress, parseIpRange } from '../../shared/values/network/ip-address';
import type { Authority, Leaf } from './credentials';

const serviceNames = Object.values(GENERATED_NAMES).flatMap(({ defaultService }) =>
  ['', '.default', '.default.svc', '.default.svc.cluster.local'].map((suffix) => defaultService + suffix),
);

/** Serving certificate of the API servers. `names`: further names and addresses of them. */
export const serverLeaf = (names: readonly string[]): Leaf => ({
  file: 'apiserver',
  label: 'the certificate of the API servers',
  usage: 'server',
  subject: { commonName: 'apiserver' },
  names: ['localhost', ...serviceNames, '127.0.0.1', '::1', ...names],
});

/** The address of the default Service, the first usable address of the first range; empty for an invalid range. */
export function serviceAddresses(serviceRanges: string): readonly string[] {
  const range = parseIpRange(serviceRanges.split(',', 1)[0]?.trim() ?? '');
  return range === undefined ? [] : [formatIpAddress({ family: range.family, value: range.first + 1n })];
}

/** The user of the administrator's kubeconfig. Its group is authorized for everything. */
export const ADMIN_LEAF: Leaf = {
  file: 'admin',
  label: 'the certificate of the administrator',
  usage: 'client',
  subject: { commonName: 'platform-admin', organizations: [MASTERS_GROUP] },
  names: [],
};

/** The user of the controllers. */
export const CONTROLLERS_LEAF: Leaf = {
  file: 'controllers',
  label: 'the certificate of the controllers',
  usage: 'client',
  // A default role allows this user to watch everything and to request tokens of the controllers' service accounts.
  subject: { commonName: 'system:kube-controller-manager' },
  names: [],
};

/** The user of the simulation of nodes; simulation-access.ts grants what it may do. */
export const SIMULATION_LEAF: Leaf = {
  file: 'simulation',
  label: 'the certificate of the simulation',
  usage: 'client',
  subject: { commonName: 'simulation' },
  names: [],
};

/** A default role of the API server is bound to this user. */
export const SCHEDULER_LEAF: Leaf = {
  file: 'scheduler',
  label: 'the certificate of the scheduler',
  usage: 'client',
  subject: { commonName: 'system:kube-scheduler' },
  names: [],
};

/**
 * Client certificate of the API servers for kubelets, with the name that kubeadm gives it. A kubelet authorizes the user of
 * the certificate by asking the API servers. They allow everything to its group, so no role has to exist for it. API
 * servers that present it gain nothing by that, because their own keys give access to everything anyway.
 */
export const KUBELET_CLIENT_LEAF: Leaf = {
  file: 'kubelet-client',
  label: 'the certificate of the API servers for kubelets',
  usage: 'client',
  subject: { commonName: 'kube-apiserver-kubelet-client', organizations: [MASTERS_GROUP] },
  names: [],
};

/** Signs the certificates of the API servers and of their clients. */
export const CLUSTER_AUTHORITY: Authority = {
  commonName: 'platform-ca',
  label: 'the certificate authority',
  file: 'ca',
};

/** A separate authority: a user's certificate must not allow impersonation through the front proxy. */
export const PROXY_AUTHORITY: Authority = {
  commonName: 'platform-front-proxy-ca',
  label: 'the front proxy certificate authority',
  file: 'front-proxy-ca',
};

/** Client certificate of the API servers for extension API servers. */
export const PROXY_LEAF: Leaf = {
  file: 'front-proxy-client',
  label: 'the certificate of the front proxy',
  usage: 'client',
  subject: { commonName: 'front-proxy-client' },
  names: [],
};

/** Flags of an API server with the front proxy files in `folder`. */
export const frontProxyFlags = (folder: string): string[] => [
  `--proxy-client-cert-file=${folder}/${PROXY_LEAF.file}.crt`,
  `--proxy-client-key-file=${folder}/${PROXY_LEAF.file}.key`,
  `--requestheader-client-ca-file=${folder}/${PROXY_AUTHORITY.file}.crt`,
  `--requestheader-allowed-names=${PROXY_LEAF.subject.commonName}`,
  '--requestheader-username-headers=X-Remote-User',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
];
