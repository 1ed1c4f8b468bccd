/** Credentials for connections to etcd, read again when their files change. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { readCertificateBundle } from '../../../shared/pki/certificate-bundle';
import { FileBackedValue } from '../../../shared/runtime/files/file-backed-value';
import type { EtcdCredentials } from '../../storage/etcd/unary-client';

/** Empty paths are not set. */
export interface EtcdCredentialPaths {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Throws when the files are unusable. Existing connections keep their credentials when the files change. */
export function etcdCredentialFiles(paths: EtcdCredentialPaths): FileBackedValue<EtcdCredentials> {
  const files = Object.values(paths).filter((path) => path !== '');
  return new FileBackedValue('credentials for etcd', () => ({ value: read(paths), files }));
}

function read({ ca, cert, key }: EtcdCredentialPaths): EtcdCredentials {
  const credentials = {
    ...(ca === '' ? {} : { ca: readCertificateBundle(ca) }),
    ...(cert === '' ? {} : { cert: readFileSync(cert) }),
    ...(key === '' ? {} : { key: readFileSync(key) }),
  };
  // Throws when certificate and key do not match.
  createSecureContext(credentials);
  return credentials;
}
