/** With what etcd is connected to, in its files: read at the start, and again when they change. What cannot be used leaves the old in use. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { readBundle } from '../../shared/runtime/certificate-bundle';
import type { Clock } from '../../shared/runtime/clock';
import { watchFiles } from '../../shared/runtime/file-watch';
import type { Logger } from '../../shared/runtime/logger';
import type { EtcdCredentials } from '../storage/etcd/unary';

/** '' = none. */
export interface EtcdCredentialPaths {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export class EtcdCredentialFiles {
  private credentials: EtcdCredentials;

  /** Throws where the files cannot be used. */
  constructor(private readonly paths: EtcdCredentialPaths) {
    this.credentials = read(paths);
  }

  /** Connections that stand stay as they are. */
  readonly current = (): EtcdCredentials => this.credentials;

  /** Returns what ends the watch. */
  watch(clock: Clock, logger: Logger): () => void {
    const paths = Object.values(this.paths).filter((path) => path !== '');
    return watchFiles({
      paths,
      clock,
      changed: () => {
        try {
          this.credentials = read(this.paths);
          logger.info('the credentials for etcd were renewed', { files: paths });
        } catch (error) {
          logger.error('the changed credentials for etcd cannot be used', { files: paths, error });
        }
        return Promise.resolve();
      },
    });
  }
}

function read({ ca, cert, key }: EtcdCredentialPaths): EtcdCredentials {
  const credentials = {
    ...(ca === '' ? {} : { ca: readBundle(ca) }),
    ...(cert === '' ? {} : { cert: readFileSync(cert) }),
    ...(key === '' ? {} : { key: readFileSync(key) }),
  };
  // Says whether certificate and key belong together.
  createSecureContext(credentials);
  return credentials;
}
