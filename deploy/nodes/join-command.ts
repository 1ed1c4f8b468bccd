/**
 * The command line with which kubeadm joins a machine to the cluster. It identifies the authorities by their public keys,
 * so that the machine trusts no other server at the address.
 */
import { createHash, createPublicKey } from 'node:crypto';
import { shellQuote } from '../../shared/cli/shell-quote';
import { splitCertificatePems } from '../../shared/pki/certificate-bundle';
import type { BootstrapToken } from '../../shared/api/identity/bootstrap-token';
import type { ClusterAddress } from '../cluster/kubeconfig';
import { formatToken } from './bootstrap-tokens';

/**
 * The hash of a certificate's public key (SubjectPublicKeyInfo), by which a joining machine recognizes the authority of
 * the cluster. It stays the same when the authority is renewed with its key.
 */
export function publicKeyPin(certificate: string): string {
  const key = createPublicKey(certificate).export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** For a shell: the address is text of a ConfigMap, and the host of a URL may contain `$(…)` and `;`. */
export function joinCommand({ server, authority }: ClusterAddress, token: BootstrapToken): string {
  const pins = splitCertificatePems(authority).map((certificate) => `--discovery-token-ca-cert-hash ${publicKeyPin(certificate)}`);
  return ['kubeadm join', shellQuote(endpointOf(server)), `--token ${formatToken(token)}`, ...pins].join(' ');
}

/** `host:port` of an https URL. */
export function endpointOf(server: URL): string {
  return server.port === '' ? `${server.host}:443` : server.host;
}
