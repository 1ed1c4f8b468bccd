/** With what etcd is connected to, in its files. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { readCertificateBundle } from '../../shared/pki/certificate-bundle';
import { FileBackedValue } from '../../shared/runtime/files/file-backed-value';
import type { EtcdCredentials } from '../storage/etcd/unary-client';

/** '' = none. */
export interface EtcdCredentialPaths {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Throws where the files cannot be used. Connections that stand stay as they are when they change. */
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
  // Says whether certificate and key belong together.
  createSecureContext(credentials);
  return credentials;
}
