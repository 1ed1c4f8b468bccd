/**
 * Opens the store that the flags name, etcd or the embedded one, and logs when it is full. The caller closes the store;
 * the watches of its credential files end with the lifecycle.
 */
import { readFlagFilesSync } from '../../../shared/runtime/process/flag-files';
import { PermanentError } from '../../../shared/runtime/process/permanent-error';
import type { CertificateExpirations } from '../../../shared/pki/certificate-expirations';
import type { Clock } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import type { Logger } from '../../../shared/runtime/logger';
import type { Lifecycle } from '../../../shared/runtime/process/lifecycle';
import type { Random } from '../../../shared/runtime/random';
import type { GrpcCallCounters } from '../../storage/grpc-call-counters';
import { logFullStore, type SpaceObservedStore } from '../../storage/full-store-log';
import { StoreError, type Store } from '../../storage/store';
import { etcdCredentialFiles } from './client-credential-files';
import { createEtcdUnreachableLog } from './etcd-unreachable-log';
import type { ServerFlags } from '../flags/flags';

const ETCD_FILES = ['etcd-cafile', 'etcd-certfile', 'etcd-keyfile'] as const;

interface StoreDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  /** Receives the certificates for connections to etcd. */
  readonly expirations: CertificateExpirations;
}

/** What the operator has to do when a store of the type is full. */
const SPACE_REMEDIES = {
  embedded: 'free space on the device of --storage-dir',
  etcd3: "delete objects, then compact, defragment and disarm the alarm of etcd with etcdctl, or raise etcd's --quota-backend-bytes",
} as const;

/**
 * `calls` counts the calls to etcd; `undefined` when they are not counted. Rejects with PermanentError when a file is
 * unusable or the embedded store cannot be opened, and with StoreError when its device is full.
 */
export async function openStore(
  flags: ServerFlags,
  calls: GrpcCallCounters | undefined,
  deps: StoreDependencies,
): Promise<SpaceObservedStore> {
  const { clock, logger } = deps;
  return logFullStore(await openBackend(flags, calls, deps), { clock, logger, remedy: SPACE_REMEDIES[flags['storage-backend']] });
}

/** The client libraries of both stores are heavy, so only the one in use is loaded. */
async function openBackend(
  flags: ServerFlags,
  calls: GrpcCallCounters | undefined,
  { clock, random, logger, lifecycle, expirations }: StoreDependencies,
): Promise<Store> {
  switch (flags['storage-backend']) {
    case 'embedded': {
      const { openEmbeddedStore } = await import('../../storage/embedded/open.js');
      return openEmbeddedStore({ directory: flags['storage-dir'], clock, random, logger }).catch((error: unknown) => {
        throw isFull(error) ? error : new PermanentError(`--storage-dir=${flags['storage-dir']}: ${errorMessage(error)}`, { cause: error });
      });
    }
    case 'etcd3': {
      const { openEtcdStore } = await import('../../storage/etcd/open.js');
      const files = readFlagFilesSync(flags, ETCD_FILES, () =>
        etcdCredentialFiles({ ca: flags['etcd-cafile'], cert: flags['etcd-certfile'], key: flags['etcd-keyfile'] }),
      );
      expirations.addChain('etcd-client', () => files.current().cert);
      expirations.addAuthorities('etcd-ca', () => files.current().ca);
      lifecycle.onStop({ name: 'client credentials for etcd', timeoutMs: 1000, run: files.watch(clock, logger) });
      return openEtcdStore({
        endpoints: flags['etcd-servers'],
        credentials: files.current,
        onUnreachable: createEtcdUnreachableLog({ clock, logger, ownCertificate: () => files.current().cert }),
        clock,
        random,
        ...(calls === undefined ? {} : { callCounters: calls }),
      });
    }
  }
}

/** A full device is not a permanent error: it may get space before the supervisor starts the server again. */
const isFull = (error: unknown): boolean => error instanceof StoreError && error.failure === 'no-space';
