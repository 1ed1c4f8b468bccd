/**
 * Connects a command to a control plane with an administrator's kubeconfig, and finds out which naming the control plane
 * has. Requests of the command are in that naming.
 */
import path from 'node:path';
import { ConfigError } from '../../../../shared/client/kubeconfig/client-config';
import { readKubeconfig } from '../../../../shared/client/kubeconfig/kubeconfig';
import { RestClient } from '../../../../shared/client/rest/rest-client';
import { connect } from '../../../../shared/client/transport/connect';
import { readFileIfExists } from '../../../../shared/runtime/files/read-file-if-exists';
import { layoutOf } from '../../../local/plan';
import { NODE_DIALECT } from '../../../nodes/cluster-objects';
import { readDefaultService, type DefaultService } from '../../../nodes/prepare';
import { CommandError, type CommandHost } from '../../terminal/host';
import type { ClusterFlags } from './flags';

/** A connected control plane. */
export interface OpenCluster {
  readonly client: RestClient;
  /** The Service of the API servers, which has the cluster's naming. */
  readonly service: DefaultService;
  /** Aborted when the command is interrupted. */
  readonly signal: AbortSignal;
}

/** For each request: a server that is overloaded may still respond. */
const TIMEOUT_MS = 20_000;

/**
 * Closes the connections when `use` has ended. Throws {@link CommandError} without a usable kubeconfig and while the
 * control plane has no Service, and errors of the server.
 */
export async function withCluster<T>(flags: ClusterFlags, host: CommandHost, use: (cluster: OpenCluster) => Promise<T>): Promise<T> {
  const { clock, random } = host;
  const { transport, credentials } = connect(readConfig(kubeconfigOf(flags, host)), clock);
  const interrupted = new AbortController();
  host.process.on('SIGINT', () => interrupted.abort());
  const { signal } = interrupted;
  const options = { transport, credentials, userAgent: 'platform', clock, random, timeoutMs: TIMEOUT_MS };
  try {
    const service = await readDefaultService(new RestClient({ ...options, dialect: 'platform' }), signal);
    if (service === undefined) throw new CommandError('the control plane has not created its Service yet; try again when it is ready');
    return await use({ client: new RestClient({ ...options, dialect: service.naming }), service, signal });
  } finally {
    transport.close();
  }
}

/** Throws {@link CommandError} for another naming, because real nodes use upstream's names and signatures only. */
export function assertServesNodes({ service }: OpenCluster): void {
  if (service.naming === NODE_DIALECT) return;
  throw new CommandError(`real nodes need a control plane with upstream's names: start it with --naming=${NODE_DIALECT}`);
}

function kubeconfigOf(flags: ClusterFlags, { directory }: CommandHost): string {
  if (flags.kubeconfig !== '') return path.resolve(directory, flags.kubeconfig);
  const { kubeconfig } = layoutOf(path.resolve(directory, flags['data-dir']));
  if (readFileIfExists(kubeconfig) !== undefined) return kubeconfig;
  throw new CommandError(`${kubeconfig} does not exist: 'platform start' creates it; --kubeconfig names another one`);
}

function readConfig(file: string): ReturnType<typeof readKubeconfig> {
  try {
    return readKubeconfig(file);
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError(error.message);
    throw error;
  }
}
