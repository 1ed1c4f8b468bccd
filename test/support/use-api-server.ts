/** Compiled API servers of tests, each with its own folder: one for a file or block, or one that several files share. */
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer, type ApiServerOptions } from './programs';
import { useResource } from './use-resource';

export interface SharedApiServer {
  /** For files of the tests. */
  readonly folder: string;
  /**
   * Path of the administrator's kubeconfig, which exists once the server is started; kubectl's caches are beside it.
   */
  readonly kubeconfig: string;
}

export interface TestApiServer extends SharedApiServer {
  /** Throws before the server is started. */
  readonly running: ApiServer;
}

type Options = Partial<Omit<ApiServerOptions, 'folder'>>;

/** The time limit for a start on a busy machine. */
const START_MS = 60_000;

/**
 * A server that starts before the tests of a file or block and stops after them. `options` may use files in its folder.
 */
export function useApiServer(name: string, options: (folder: string) => Options | Promise<Options>): TestApiServer {
  const folder = temporaryFolder(`e2e-${name}`);
  const kubeconfig = path.join(folder, 'kubeconfig');
  const server = useResource(
    async () => {
      const started = await startApiServer({ folder, securePort: await freePort(), ...(await options(folder)) });
      copyFileSync(started.kubeconfig, kubeconfig);
      return started;
    },
    async (started) => {
      await started.process.stop();
      removeFolder(folder);
    },
    START_MS,
  );
  return {
    folder,
    kubeconfig,
    get running() {
      return server();
    },
  };
}

/**
 * A server with the usual flags for the tests of a file or block. The files of one process share it, so each uses
 * objects with names of its own. E2E_KUBECONFIG names a running server that replaces it.
 */
export function useSharedApiServer(): SharedApiServer {
  const server = sharedServers[0] ?? new CountedServer();
  sharedServers[0] = server;
  server.addUser();
  useResource(
    () => server.start(),
    () => server.release(),
    START_MS,
  );
  return server;
}

/** Started for the first of its users and stopped when the last one releases it. */
class CountedServer implements SharedApiServer {
  readonly folder = temporaryFolder('e2e-shared');
  readonly kubeconfig = path.join(this.folder, 'kubeconfig');
  private users = 0;
  private started: Promise<ApiServer | undefined> | undefined;

  /** Called while test files are loaded, so that all users are counted before the first test. */
  addUser(): void {
    this.users += 1;
  }

  async start(): Promise<void> {
    this.started ??= this.open();
    await this.started;
  }

  async release(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return;
    await (await this.started)?.process.stop();
    removeFolder(this.folder);
  }

  /** Resolves to `undefined` with E2E_KUBECONFIG. */
  private async open(): Promise<ApiServer | undefined> {
    const externalKubeconfig = process.env['E2E_KUBECONFIG'];
    const started =
      externalKubeconfig === undefined ? await startApiServer({ folder: this.folder, securePort: await freePort() }) : undefined;
    copyFileSync(started?.kubeconfig ?? externalKubeconfig ?? '', this.kubeconfig);
    return started;
  }
}

/** At most one: that of the files of this process. */
const sharedServers: CountedServer[] = [];
