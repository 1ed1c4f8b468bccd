/** Credentials for connections to kubelets and extension API servers, read again when their files change. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { KubeletCredentials } from '../../endpoints/forward/backend';
import type { ProxyCredentials } from '../../aggregation/extension-servers';
import { readCertificateBundle } from '../../../shared/pki/certificate-bundle';
import { FileBackedValue } from '../../../shared/runtime/files/file-backed-value';
import type { ServerFlags } from '../flags/flags';

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

type Paths = Readonly<Record<'ca' | 'cert' | 'key', string>>;

function credentialFiles(name: string, paths: Paths): FileBackedValue<KubeletCredentials> {
  const files = Object.values(paths).filter((path) => path !== '');
  return new FileBackedValue(name, () => ({ value: read(paths), files }));
}

function read({ ca, cert, key }: Paths): KubeletCredentials {
  const credentials = {
    ...(ca === '' ? {} : { ca: readCertificateBundle(ca) }),
    ...(cert === '' ? {} : { cert: readFileSync(cert) }),
    ...(key === '' ? {} : { key: readFileSync(key) }),
  };
  // Throws when certificate and key do not match.
  createSecureContext(credentials);
  return credentials;
}
