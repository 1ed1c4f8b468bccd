/**
 * The baseline of the benchmark: starts the bare TLS server as a child process, and measures what the same bytes cost
 * it.
 */
import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import type { Credential } from '../../../shared/pki/certificates';
import type { BareMessage } from './bare-server-process';
import { BenchClient } from './client';
import { measureWarmLoop, type Cost } from './measure';

export class BareServer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly client: BenchClient,
  ) {}

  static async start(credential: Credential): Promise<BareServer> {
    const child = fork(path.join(__dirname, 'bare-server-process.js'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const port = new Promise<number>((resolve) => child.once('message', (message) => resolve(Number(message))));
    child.send({ certificate: credential.certificate, key: credential.key } satisfies BareMessage);
    return new BareServer(child, new BenchClient(await port, 'none'));
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  /** The cost of responses with `size` bytes. */
  async measureResponse(size: number, workers: number, seconds: number): Promise<Cost> {
    const target = `/${size}`;
    this.send({ path: target, size });
    await this.client.send('GET', target);
    return measureWarmLoop(this.pid, { workers, seconds }, async () => void (await this.client.send('GET', target)));
  }

  send(message: BareMessage): void {
    this.child.send(message);
  }

  watch(): ReturnType<BenchClient['open']> {
    return this.client.open('GET', '/watch');
  }

  stop(): void {
    this.client.close();
    this.child.disconnect();
  }
}
