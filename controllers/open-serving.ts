/** From the command line to served health and metrics. */
import { connectFollowed } from '../shared/client/transport/followed-connection';
import { followKubeconfig } from '../shared/client/kubeconfig/kubeconfig-file';
import type { RestClient } from '../shared/client/rest/rest-client';
import type { Clock } from '../shared/runtime/clock';
import { derived } from '../shared/runtime/derived';
import { errorCode } from '../shared/runtime/error-code';
import type { Health } from '../shared/runtime/health';
import type { Lifecycle } from '../shared/runtime/process/lifecycle';
import type { Logger } from '../shared/runtime/logger';
import type { ControllerFlags } from './flags';
import { PathAccess } from './serving/path-access';
import { readServingFiles, watchServingFiles, type ServingPaths } from './serving/serving-files';
import { serve, type ServingOptions } from './serving/server';

export interface ServingParts {
  readonly values: ControllerFlags;
  /** A port that nobody asked for is done without when another program has it. */
  readonly isPortAskedFor: boolean;
  readonly client: RestClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  readonly health: Health;
  readonly metrics: ServingOptions['metrics'];
}

/** Stops the process where it cannot serve what was asked for. */
export async function openServing(parts: ServingParts): Promise<void> {
  const { values, isPortAskedFor, clock, logger, lifecycle, health, metrics } = parts;
  const port = values['secure-port'];
  if (port === 0) return;
  const paths: ServingPaths = {
    certificate: values['tls-cert-file'],
    key: values['tls-private-key-file'],
    clientAuthorities: values['client-ca-file'],
  };
  try {
    const files = await readServingFiles(paths, clock);
    const serving = await serve({ host: values['bind-address'], port, files, access: accessOf(parts), health, metrics, clock, logger });
    const unwatch = watchServingFiles(paths, files, clock, logger, (renewed) => serving.renew(renewed));
    lifecycle.onStop({
      name: 'health and metrics',
      timeoutMs: 1_000,
      run: async () => {
        unwatch();
        await serving.close();
      },
    });
  } catch (error) {
    if (!isPortAskedFor && errorCode(error) === 'EADDRINUSE') {
      logger.info('the port for health and metrics is taken; done without', { port });
      return;
    }
    logger.error('health and metrics cannot be served', { port, error });
    await lifecycle.stop('no health and metrics', 1);
  }
}

function accessOf({ values, client, clock, logger, lifecycle }: ServingParts): PathAccess {
  const asking = (kubeconfig: string): RestClient => {
    if (kubeconfig === '') return client;
    const file = followKubeconfig(kubeconfig);
    lifecycle.onStop({ name: kubeconfig, timeoutMs: 1_000, run: file.watch(clock, logger) });
    const http1 = values['http1-only'];
    const { transport, credentials } = connectFollowed(
      derived(file.current, (config) => ({ ...config, http1 })),
      clock,
    );
    lifecycle.onStop({ name: `connections of ${kubeconfig}`, timeoutMs: 1_000, run: () => transport.close() });
    return client.as(credentials, transport);
  };
  return new PathAccess({
    tokens: asking(values['authentication-kubeconfig']),
    rights: asking(values['authorization-kubeconfig']),
    openPaths: values['authorization-always-allow-paths'],
    clock,
    logger,
  });
}
