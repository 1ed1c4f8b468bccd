/**
 * Compiled API servers that the tests of a file share, each with its own folder. E2E_KUBECONFIG names a running server
 * that replaces one without options.
 */
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer, type ApiServerOptions } from './programs';
import { useResource } from './use-resource';

export interface TestApiServer {
  readonly folder: string;
  /**
   * Path of the administrator's kubeconfig, which exists once the server is started; kubectl's caches are beside it.
   */
  readonly kubeconfig: string;
  /** Throws before the server is started, and with E2E_KUBECONFIG. */
  readonly running: ApiServer;
}

type Options = Partial<Omit<ApiServerOptions, 'folder'>>;

/** The time limit for a start on a busy machine. */
const START_MS = 60_000;

/**
 * A server that starts before the tests of a file or block and stops after them. `options` may use files in its folder.
 */
export function useApiServer(name: string, options?: (folder: string) => Options | Promise<Options>): TestApiServer {
  const folder = temporaryFolder(`e2e-${name}`);
  const kubeconfig = path.join(folder, 'kubeconfig');
  const given = options === undefined ? process.env['E2E_KUBECONFIG'] : undefined;
  const server = useResource(
    async () => {
      const started =
        given === undefined ? await startApiServer({ folder, securePort: await freePort(), ...(await options?.(folder)) }) : undefined;
      copyFileSync(started?.kubeconfig ?? given ?? '', kubeconfig);
      return started;
    },
    async (started) => {
      await started?.process.stop();
      removeFolder(folder);
    },
    START_MS,
  );
  return {
    folder,
    kubeconfig,
    get running() {
      const started = server();
      if (started === undefined) throw new Error('the server of E2E_KUBECONFIG was started elsewhere');
      return started;
    },
  };
}
