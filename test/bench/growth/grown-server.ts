/** A server that grows: starts it, and measures requests and memory at its present size. */
import { removeFolder, temporaryFolder, type ApiServer } from '../../support/programs';
import { startServer } from '../harness/bench-server';
import type { BenchClient } from '../harness/client';
import { raisePriority } from '../harness/comparison';
import { liveBytes, withInspection } from '../harness/inspected-process';
import { measureLoop } from '../harness/measure';
import { numberOption } from '../harness/settings';
import { forEachNumber as forEachNumberBy } from '../harness/timing';
import type { Growth, Operation } from './subject';

/** Duration of one measurement of an operation. */
const SECONDS = numberOption('growth-seconds', 0.7);
/** Requests in flight. */
const WORKERS = 8;

export interface GrownServer {
  readonly server: ApiServer;
  readonly client: BenchClient;
  readonly pid: number;
  /** An operation that repeats one request. Its cost is that of one. `send` is called with the number of earlier calls. */
  request(name: string, growth: Growth, send: (index: number) => Promise<unknown>): Operation;
  /** Bytes in use after a garbage collection. */
  liveBytes(): Promise<number>;
  /** Sends a POST. Rejects when the server rejects the object. */
  create(path: string, body: object): Promise<void>;
  /** Stops the server and deletes its data. */
  close(): Promise<void>;
}

/** `args`: flags of the API server. The caller closes the result. */
export async function openGrownServer(args: readonly string[] = []): Promise<GrownServer> {
  const folder = temporaryFolder('bench-growth');
  const { server, client } = await withInspection(() => startServer(folder, { args }));
  const { pid, child } = server.process;
  raisePriority(pid);
  let sent = 0;
  return {
    server,
    client,
    pid,
    request: (name, growth, send) => ({
      name,
      growth,
      measure: async () =>
        (await measureLoop(pid, { workers: WORKERS, seconds: SECONDS }, async () => void (await send(sent++)))).cpuMicros,
    }),
    liveBytes: () => liveBytes(child),
    create: async (path, body) => void (await client.send('POST', path, body)),
    close: async () => {
      client.close();
      await server.process.stop();
      removeFolder(folder);
    },
  };
}

/** Runs `action` for the numbers from `from` until before `to`, a few at a time. */
export const forEachNumber = (from: number, to: number, action: (index: number) => Promise<unknown>): Promise<void> =>
  forEachNumberBy({ from, to, workers: WORKERS }, action);
