/**
 * Credentials with which this server connects to etcd, kubelets and aggregated API servers, read again when their files
 * change. New connections use the new credentials; open connections stay as they are. While changed files are unusable,
 * the previous credentials stay in use.
 */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { KubeletCredentials } from '../../endpoints/forward/backend';
import type { ProxyCredentials } from '../../aggregation/extension-servers';
import type { EtcdCredentials } from '../../storage/etcd/member-connection';
import { readCertificateBundle } from '../../../shared/pki/certificate-bundle';
import { FileBackedValue } from '../../../shared/runtime/files/file-backed-value';
import type { ServerFlags } from '../flags/flags';

/** Paths of PEM files; an empty path is not set. */
export interface ClientCredentialPaths {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Throws when the files are unusable. */
export const etcdCredentialFiles = (paths: ClientCredentialPaths): FileBackedValue<EtcdCredentials> =>
  credentialFiles('credentials for etcd', paths);

/** Throws when the files are unusable. */
export const kubeletCredentialFiles = (
  flags: Pick<ServerFlags, 'kubelet-certificate-authority' | 'kubelet-client-certificate' | 'kubelet-client-key'>,
): FileBackedValue<KubeletCredentials> =>
  credentialFiles('credentials for kubelets', {
    ca: flags['kubelet-certificate-authority'],
    cert: flags['kubelet-client-certificate'],
    key: flags['kubelet-client-key'],
  });

/** Throws when the files are unusable. */
export const proxyCredentialFiles = (
  flags: Pick<ServerFlags, 'proxy-client-cert-file' | 'proxy-client-key-file'>,
): FileBackedValue<ProxyCredentials> =>
  credentialFiles('credentials for other API servers', {
    ca: '',
    cert: flags['proxy-client-cert-file'],
    key: flags['proxy-client-key-file'],
  });

interface ClientCredentials {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

function credentialFiles(name: string, paths: ClientCredentialPaths): FileBackedValue<ClientCredentials> {
  const files = Object.values(paths).filter((path) => path !== '');
  return new FileBackedValue(name, () => ({ value: readCredentials(paths), files }));
}

function readCredentials({ ca, cert, key }: ClientCredentialPaths): ClientCredentials {
  const credentials = {
    ...(ca === '' ? {} : { ca: readCertificateBundle(ca) }),
    ...(cert === '' ? {} : { cert: readFileSync(cert) }),
    ...(key === '' ? {} : { key: readFileSync(key) }),
  };
  // Throws when certificate and key do not match.
  createSecureContext(credentials);
  return credentials;
}
