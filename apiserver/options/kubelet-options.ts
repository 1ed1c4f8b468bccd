/** With what kubelets are connected to, in its files. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { KubeletCredentials } from '../endpoints/forward/backend';
import { readBundle } from '../../shared/runtime/certificate-bundle';
import { FollowedFiles } from '../../shared/runtime/followed-files';
import type { ServerFlags } from './flags';

type KubeletFlags = Pick<ServerFlags, 'kubelet-certificate-authority' | 'kubelet-client-certificate' | 'kubelet-client-key'>;

/** Throws where the files cannot be used. */
export function kubeletCredentialFiles(flags: KubeletFlags): FollowedFiles<KubeletCredentials> {
  const paths = { ca: flags['kubelet-certificate-authority'], cert: flags['kubelet-client-certificate'], key: flags['kubelet-client-key'] };
  const files = Object.values(paths).filter((path) => path !== '');
  return new FollowedFiles('credentials for kubelets', () => ({ value: read(paths), files }));
}

function read({ ca, cert, key }: Readonly<Record<'ca' | 'cert' | 'key', string>>): KubeletCredentials {
  const credentials = {
    ...(ca === '' ? {} : { ca: readBundle(ca) }),
    ...(cert === '' ? {} : { cert: readFileSync(cert) }),
    ...(key === '' ? {} : { key: readFileSync(key) }),
  };
  // Says whether certificate and key belong together.
  createSecureContext(credentials);
  return credentials;
}
