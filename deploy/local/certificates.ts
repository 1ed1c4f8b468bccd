/**
 * The credentials of a local control plane: certificates and keys in `<data-dir>/pki`, and the kubeconfigs beside that
 * folder. Writes only what is missing, invalid or expires soon; the running programs reload the files.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { Credential } from '../../shared/pki/certificates';
import { CredentialFolder, START_POLICY, type RenewalPolicy } from '../cluster/credentials';
import { writeFileAtomically } from '../cluster/files';
import { ADMIN_LEAF, CONTROLLERS_LEAF, PROXY_AUTHORITY, PROXY_LEAF, serverLeaf, SIMULATION_LEAF } from '../cluster/identities';
import { ADMINISTRATOR_NAME, formatKubeconfig } from '../cluster/kubeconfig';
import { readFileIfExists } from '../../shared/runtime/files/read-file-if-exists';
import type { CredentialsRequest } from './plan';

export interface Certificates {
  /** PEM. */
  readonly authority: string;
  readonly admin: Credential;
  readonly controllers: Credential;
  /** Descriptions of what this call created, for the console; empty when everything existed. */
  readonly made: readonly string[];
}

/**
 * Creates, and renews when they are due, all certificates and the kubeconfigs that contain them. Throws file system
 * errors.
 */
export async function ensureCredentials(request: CredentialsRequest, clock: Clock, policy: RenewalPolicy): Promise<Certificates> {
  const { layout, server, addresses } = request;
  const certificates = await ensureCertificates(layout.pki, clock, addresses, policy);
  writeKubeconfigs(layout, server, certificates);
  return certificates;
}

/**
 * Creates missing and replaces invalid files in `folder`. `addresses`: further addresses of the API servers. Throws
 * file system errors.
 */
export async function ensureCertificates(
  folder: string,
  clock: Clock,
  addresses: readonly string[] = [],
  policy: RenewalPolicy = START_POLICY,
): Promise<Certificates> {
  const made: string[] = [];
  const credentials = new CredentialFolder(folder, clock, (label) => made.push(label), policy);
  const authority = await clusterAuthority(credentials);
  await credentials.leaf(authority, serverLeaf(addresses));
  const admin = await credentials.leaf(authority, ADMIN_LEAF);
  const controllers = await credentials.leaf(authority, CONTROLLERS_LEAF);
  const { commonName, label, file } = PROXY_AUTHORITY;
  await credentials.leaf(await credentials.authority(commonName, label, file), PROXY_LEAF);
  await credentials.ensureSigningKeys();
  return { authority: authority.certificate, admin, controllers, made };
}

/** Writes the kubeconfigs that differ. */
export function writeKubeconfigs(layout: CredentialsRequest['layout'], server: string, certificates: Certificates): void {
  const { authority, admin, controllers } = certificates;
  const texts = [
    [layout.kubeconfig, formatKubeconfig(server, authority, ADMINISTRATOR_NAME, admin)],
    [layout.controllersKubeconfig, formatKubeconfig(server, authority, 'controllers', controllers)],
  ] as const;
  for (const [file, text] of texts) if (readFileIfExists(file)?.toString() !== text) writeFileAtomically(file, text, 0o600);
}

/** The certificate of the user that simulates nodes, in the folder of {@link ensureCertificates}. */
export async function ensureSimulationCertificate(folder: string, clock: Clock): Promise<Credential> {
  const credentials = new CredentialFolder(folder, clock, () => undefined, START_POLICY);
  return credentials.leaf(await clusterAuthority(credentials), SIMULATION_LEAF);
}

const clusterAuthority = (credentials: CredentialFolder): Promise<Credential> =>
  credentials.authority('platform-ca', 'the certificate authority');
