/**
 * Starts the server for health and metrics as the flags configure it, with its certificates and the clients of its
 * authorization. The given lifecycle ends all of them. What the server responds is left to serving/server.ts.
 */
import { connectReloadable } from '../shared/client/transport/reloadable-connection';
import { fileBackedKubeconfig } from '../shared/client/kubeconfig/file-backed-kubeconfig';
import type { RestClient } from '../shared/client/rest/rest-client';
import type { CertificateExpirations } from '../shared/pki/certificate-expirations';
import type { Clock } from '../shared/runtime/clock';
import { memoizeBySource } from '../shared/runtime/memoize-by-source';
import { readFlagFiles, readFlagFilesSync } from '../shared/runtime/process/flag-files';
import { listenErrorMessage, PermanentError } from '../shared/runtime/process/permanent-error';
import { errorCode } from '../shared/runtime/error-code';
import type { HealthChecks } from '../shared/runtime/health';
import type { Lifecycle } from '../shared/runtime/process/lifecycle';
import type { Logger } from '../shared/runtime/logger';
import type { ControllerFlags } from './flags';
import { PathAccess } from './serving/path-access';
import {
  readServingCertificates,
  watchServingCertificates,
  type ServingCertificates,
  type ServingPaths,
} from './serving/serving-certificates';
import { startServer, type ServingOptions } from './serving/server';

/** The flags of the server, and what its responses are made of. */
export interface ServingDependencies {
  readonly values: ControllerFlags;
  /**
   * Whether `--secure-port` was given. Without it, the process runs without the server when the default port is in use.
   */
  readonly isPortExplicit: boolean;
  /** The client of the process, for authentication and authorization without kubeconfigs of their own. */
  readonly client: RestClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  readonly health: HealthChecks;
  /** Receives the certificates of the server. */
  readonly certificates: CertificateExpirations;
  readonly metrics: ServingOptions['metrics'];
}

const CERTIFICATE_FILES = ['tls-cert-file', 'tls-private-key-file', 'client-ca-file'] as const;

/**
 * Resolves when the server listens, and without a server when `--secure-port` is 0 or its default port is in use. Throws
 * {@link PermanentError} when a file cannot be used or the server cannot be started otherwise.
 */
export async function startServing(deps: ServingDependencies): Promise<void> {
  const { values, isPortExplicit, clock, logger, lifecycle, health, certificates, metrics } = deps;
  const port = values['secure-port'];
  if (port === 0) return;
  const paths: ServingPaths = {
    certificate: values['tls-cert-file'],
    key: values['tls-private-key-file'],
    clientAuthorities: values['client-ca-file'],
  };
  let current = await readFlagFiles(values, CERTIFICATE_FILES, () => readServingCertificates(paths, clock));
  certificates.addChain('serving', () => current.certificate);
  certificates.addAuthorities('client-ca', () => current.clientAuthorities);
  const access = readFlagFilesSync(values, ['authentication-kubeconfig', 'authorization-kubeconfig'], () => createPathAccess(deps));
  try {
    const server = await startServer({
      host: values['bind-address'],
      port,
      certificates: current,
      access,
      health,
      metrics,
      clock,
      logger,
    });
    const renew = (renewed: ServingCertificates): void => {
      server.renew(renewed);
      current = renewed;
    };
    const unwatch = watchServingCertificates({ paths, current, clock, logger, renew });
    lifecycle.onStop({
      name: 'health and metrics',
      timeoutMs: 1_000,
      run: async () => {
        unwatch();
        await server.close();
      },
    });
  } catch (error) {
    if (!isPortExplicit && errorCode(error) === 'EADDRINUSE') {
      logger.info('the port for health and metrics is in use; they are not served', { port });
      return;
    }
    throw new PermanentError(`--secure-port=${port}: health and metrics cannot be served: ${listenErrorMessage(error)}`, { cause: error });
  }
}

function createPathAccess({ values, client, clock, logger, lifecycle }: ServingDependencies): PathAccess {
  const clientFor = (kubeconfig: string): RestClient => {
    if (kubeconfig === '') return client;
    const file = fileBackedKubeconfig(kubeconfig);
    lifecycle.onStop({ name: kubeconfig, timeoutMs: 1_000, run: file.watch(clock, logger) });
    const http1 = values['http1-only'];
    const { transport, credentials } = connectReloadable(
      memoizeBySource(file.current, (config) => ({ ...config, http1 })),
      clock,
    );
    lifecycle.onStop({ name: `connections of ${kubeconfig}`, timeoutMs: 1_000, run: () => transport.close() });
    return client.withCredentials(credentials, transport);
  };
  return new PathAccess({
    authenticationClient: clientFor(values['authentication-kubeconfig']),
    authorizationClient: clientFor(values['authorization-kubeconfig']),
    openPaths: values['authorization-always-allow-paths'],
    clock,
    logger,
  });
}
