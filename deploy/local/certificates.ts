/**
 * The credentials of a local control plane: certificates and keys in `<data-dir>/pki`, and the kubeconfigs beside that
 * folder. Writes only certificates that are missing, invalid or expire soon, unless the policy replaces all end
 * certificates, and kubeconfigs that differ. Running programs reload the files. certificate-files.ts lists and renews them.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { Credential } from '../../shared/pki/certificates';
import { CredentialFolder, START_POLICY, type RenewalPolicy } from '../cluster/credentials';
import { writeFileAtomically } from '../cluster/files';
import {
  ADMIN_LEAF,
  CLUSTER_AUTHORITY,
  CONTROLLERS_LEAF,
  KUBELET_CLIENT_LEAF,
  PROXY_AUTHORITY,
  PROXY_LEAF,
  serverLeaf,
  SIMULATION_LEAF,
} from '../cluster/identities';
import { ADMINISTRATOR_NAME, formatKubeconfig } from '../cluster/kubeconfig';
import { readFileIfExists } from '../../shared/runtime/files/read-file-if-exists';
import type { CredentialsRequest } from './plan';

/** The credentials of a control plane that this process uses itself. */
export interface Certificates {
  /** PEM. */
  readonly authority: string;
  readonly admin: Credential;
  readonly controllers: Credential;
  /** Descriptions of what this call created or renewed, for the console; empty when nothing was due. */
  readonly made: readonly string[];
}

/**
 * Creates all certificates and the kubeconfigs that contain them, and renews them by the policy; those of the simulation
 * only for a request with simulated nodes. Rejects with file system errors, and when an authority in the folder cannot be
 * used.
 */
export async function ensureCredentials(request: CredentialsRequest, clock: Clock, policy: RenewalPolicy): Promise<Certificates> {
  const { layout, addresses } = request;
  const certificates = await ensureCertificates(layout.pki, clock, addresses, policy);
  writeKubeconfigs(request, certificates);
  if (!request.simulatesNodes) return certificates;
  const made = await ensureSimulationKubeconfig(request, clock, policy);
  return { ...certificates, made: [...certificates.made, ...made] };
}

/**
 * Creates missing certificates in `folder`, and replaces invalid ones and those that are due by the policy; writes no
 * kubeconfig. `addresses`: further names and addresses of the API servers. Rejects as {@link ensureCredentials} does.
 */
export async function ensureCertificates(
  folder: string,
  clock: Clock,
  addresses: readonly string[] = [],
  policy: RenewalPolicy = START_POLICY,
): Promise<Certificates> {
  const made: string[] = [];
  const credentials = new CredentialFolder(folder, clock, (label) => made.push(label), policy);
  const authority = await credentials.authority(CLUSTER_AUTHORITY);
  await credentials.leaf(authority, serverLeaf(addresses));
  const admin = await credentials.leaf(authority, ADMIN_LEAF);
  const controllers = await credentials.leaf(authority, CONTROLLERS_LEAF);
  await credentials.leaf(authority, KUBELET_CLIENT_LEAF);
  await credentials.leaf(await credentials.authority(PROXY_AUTHORITY), PROXY_LEAF);
  await credentials.ensureSigningKeys();
  return { authority: authority.certificate, admin, controllers, made };
}

/** The kubeconfigs beside the folder of certificates, with the name of their user. */
const KUBECONFIG_USERS = { kubeconfig: ADMINISTRATOR_NAME, controllersKubeconfig: 'controllers', simulationKubeconfig: 'simulation' };

export type KubeconfigFile = keyof typeof KUBECONFIG_USERS;

/** Where a kubeconfig is written, and what it contains besides the certificate of its user. */
export interface KubeconfigTarget {
  readonly layout: CredentialsRequest['layout'];
  /** The https URL of the API server. */
  readonly server: string;
  /** PEM. */
  readonly authority: string;
}

/** Writes the kubeconfigs that differ. */
export function writeKubeconfigs(
  { layout, server, externalServer }: Pick<CredentialsRequest, 'layout' | 'server' | 'externalServer'>,
  { authority, admin, controllers }: Certificates,
): void {
  writeKubeconfig({ layout, server: externalServer, authority }, 'kubeconfig', admin);
  writeKubeconfig({ layout, server, authority }, 'controllersKubeconfig', controllers);
}

/** Writes one kubeconfig, unless it has this content. */
export function writeKubeconfig({ layout, server, authority }: KubeconfigTarget, file: KubeconfigFile, credential: Credential): void {
  const text = formatKubeconfig({ server, authority, user: KUBECONFIG_USERS[file], credential });
  if (readFileIfExists(layout[file])?.toString() !== text) writeFileAtomically(layout[file], text, 0o600);
}

/**
 * The certificate of the user that simulates nodes, and its kubeconfig. Returns descriptions of what was created or
 * renewed. Call {@link ensureCertificates} first: it creates the authority that the API servers use.
 */
export async function ensureSimulationKubeconfig(
  { layout, server }: Pick<CredentialsRequest, 'layout' | 'server'>,
  clock: Clock,
  policy: RenewalPolicy = START_POLICY,
): Promise<readonly string[]> {
  const made: string[] = [];
  const credentials = new CredentialFolder(layout.pki, clock, (label) => made.push(label), policy);
  const authority = await credentials.authority(CLUSTER_AUTHORITY);
  const credential = await credentials.leaf(authority, SIMULATION_LEAF);
  writeKubeconfig({ layout, server, authority: authority.certificate }, 'simulationKubeconfig', credential);
  return made;
}
