/** An API server process and a controllers process that the tests of a file share. */
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { adminClient, startControllers } from '../../support/control-plane';
import { freePort } from '../../support/ports';
import { startApiServer, type ApiServer, type ProgramProcess } from '../../support/programs';
import { useClosable, useFolder, useResource } from '../../support/use-resource';

/** The time limit for a start on a busy machine. */
const START_MS = 60_000;

/** The members are available to tests and hooks. */
export interface ControllerProcesses {
  readonly server: ApiServer;
  readonly client: RestClient;
  readonly controllers: ProgramProcess;
}

interface ProcessOptions {
  readonly serverArgs?: readonly string[];
  /** Called before the controllers start; returns their flags. */
  readonly prepare?: (server: ApiServer) => Promise<readonly string[]>;
}

/** Starts the processes before the first test. After the last one stops them and checks that the controllers exit with 0. */
export function useControllers(name: string, { serverArgs = [], prepare }: ProcessOptions = {}): ControllerProcesses {
  const folder = useFolder(name);
  const server = useResource(
    async () => startApiServer({ folder, securePort: await freePort(), args: serverArgs }),
    (started) => started.process.stop(),
    START_MS,
  );
  const client = useClosable(() => adminClient([server().address], server().certificates));
  const controllers = useResource(
    async () => startControllers(server(), ...((await prepare?.(server())) ?? [])),
    async (started) => expect(await started.stop()).toBe(0),
    START_MS,
  );
  return {
    get server() {
      return server();
    },
    get client() {
      return client();
    },
    get controllers() {
      return controllers();
    },
  };
}
