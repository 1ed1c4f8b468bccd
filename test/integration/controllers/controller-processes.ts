/** An API server process and a controllers process that the tests of a file share. */
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { adminClient, startControllers } from '../../support/control-plane';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer, type ProgramProcess } from '../../support/programs';

/** The members except `folder` are available after the `beforeAll` hook. */
export interface ControllerProcesses {
  readonly folder: string;
  readonly server: ApiServer;
  readonly client: RestClient;
  readonly controllers: ProgramProcess;
}

interface ProcessOptions {
  readonly serverArgs?: readonly string[];
  /** Called before the controllers start; returns their flags. */
  readonly prepare?: (server: ApiServer) => Promise<readonly string[]>;
}

/**
 * Registers hooks that start the processes before the first test, and after the last one stop them and check that the
 * controllers exit with 0.
 */
export function useControllers(name: string, { serverArgs = [], prepare }: ProcessOptions = {}): ControllerProcesses {
  const folder = temporaryFolder(name);
  let processes: Omit<ControllerProcesses, 'folder'>;

  beforeAll(async () => {
    const server = await startApiServer({ folder, securePort: await freePort(), args: serverArgs });
    const client = adminClient([server.address], server.certificates);
    const controllers = startControllers(server, ...((await prepare?.(server)) ?? []));
    processes = { server, client, controllers };
  }, 60_000);

  afterAll(async () => {
    expect(await processes.controllers.stop()).toBe(0);
    processes.client.close();
    await processes.server.process.stop();
    removeFolder(folder);
  }, 60_000);

  return {
    folder,
    get server() {
      return processes.server;
    },
    get client() {
      return processes.client;
    },
    get controllers() {
      return processes.controllers;
    },
  };
}
