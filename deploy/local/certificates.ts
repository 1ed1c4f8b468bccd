/** The certificates and keys of a local control plane, in `<data-dir>/pki`. */
import type { Clock } from '../../shared/runtime/clock';
import type { Credential } from '../../shared/pki/certificates';
import { CredentialFolder } from '../cluster/credentials';
import { ADMIN_LEAF, CONTROLLERS_LEAF, PROXY_AUTHORITY, PROXY_LEAF, serverLeaf } from '../cluster/identities';

export interface Certificates {
  /** PEM. */
  readonly authority: string;
  readonly admin: Credential;
  readonly controllers: Credential;
  /** Descriptions of what this call created, for the console; empty when everything existed. */
  readonly made: readonly string[];
}

/**
 * Creates missing and replaces invalid files in `folder`. `addresses`: further addresses of the API servers. Throws
 * file system errors.
 */
export async function ensureCertificates(folder: string, clock: Clock, addresses: readonly string[] = []): Promise<Certificates> {
  const made: string[] = [];
  const credentials = new CredentialFolder(folder, clock, (label) => made.push(label));
  const authority = await credentials.authority('platform-ca', 'the certificate authority');
  await credentials.leaf(authority, serverLeaf(addresses));
  const admin = await credentials.leaf(authority, ADMIN_LEAF);
  const controllers = await credentials.leaf(authority, CONTROLLERS_LEAF);
  const { commonName, label, file } = PROXY_AUTHORITY;
  await credentials.leaf(await credentials.authority(commonName, label, file), PROXY_LEAF);
  await credentials.ensureSigningKeys();
  return { authority: authority.certificate, admin, controllers, made };
}
