/**
 * The baseline of the benchmark: starts the bare TLS server as a child process, and measures what the same bytes cost
 * it.
 */
import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { makeAuthority, makePair } from '../../support/certificates/credential-files';
import type { BareMessage } from './bare-server-process';
import { BenchClient } from './client';
import type { Side } from './comparison';
import { measureWarmLoop, type Cost } from './measure';

export class BareServer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly client: BenchClient,
  ) {}

  /**
   * Resolves when the server listens. Its certificate is of the same kind as those of the API server, but of an authority
   * of its own.
   */
  static async start(): Promise<BareServer> {
    const { certificate, key } = await makePair(await makeAuthority('bench-ca'), 'server');
    const child = fork(path.join(__dirname, 'bare-server-process.js'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const port = new Promise<number>((resolve) => child.once('message', (message) => resolve(Number(message))));
    child.send({ certificate, key } satisfies BareMessage);
    return new BareServer(child, new BenchClient(await port, 'none'));
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  /** Requests to which the server responds with `size` bytes. */
  responding(size: number): Side {
    const target = `/${size}`;
    this.send({ path: target, size });
    return { pid: this.pid, send: () => this.client.send('GET', target) };
  }

  /** The cost of responses with `size` bytes. */
  async measureResponse({ size, ...bounds }: { size: number; workers: number; seconds: number }): Promise<Cost> {
    const { pid, send } = this.responding(size);
    await send(0, 0);
    return measureWarmLoop(pid, bounds, async (index, worker) => void (await send(index, worker)));
  }

  send(message: BareMessage): void {
    this.child.send(message);
  }

  /** Opens a stream on which each message `push` writes. */
  watch(): ReturnType<BenchClient['open']> {
    return this.client.open('GET', '/watch');
  }

  stop(): void {
    this.client.close();
    this.child.disconnect();
  }
}
