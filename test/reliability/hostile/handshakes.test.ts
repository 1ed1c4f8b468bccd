/**
 * TLS handshakes that exceed the server's time limit of 100 ms. A child process serves, because the failure under test would abort
 * the process.
 */
import { spawn } from 'node:child_process';
import { connect as connectTcp, type Socket } from 'node:net';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { makeAuthority, makePair, pairPaths, savePair } from '../../support/certificates/credential-files';
import { ProgramProcess, waitUntil } from '../../support/programs';
import { useFolder, useForEachTest, useResource } from '../../support/use-resource';

const HOOK = path.resolve(__dirname, '../../support/typescript-hook.cjs');
const SERVER = path.resolve(__dirname, 'handshake-server.ts');

const folder = useFolder('handshakes');
const program = useResource(startServer, (server) => server.process.kill(), 60_000);

async function startServer(): Promise<{ readonly process: ProgramProcess; readonly port: number }> {
  const files = pairPaths(folder, 'tls');
  savePair(files, await makePair(await makeAuthority('test-ca'), 'server'));
  const args = ['-r', HOOK, SERVER, files.cert, files.key];
  const server = new ProgramProcess(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }));
  const port = await waitUntil('the server to listen', () => Number(/port (\d+)/.exec(server.output)?.[1] ?? 0) || undefined, 30_000);
  return { process: server, port };
}

/** The number of handshakes that the server has aborted since its start. */
const countAborted = (): number => program().process.output.split('failed').length - 1;

/**
 * Passes bytes of the client to the server immediately, and holds back those of the server until `release` is called.
 */
class DelayedDuplex extends Duplex {
  private heldChunks: Buffer[] | undefined = [];

  constructor(private readonly socket: Socket) {
    super();
    socket.on('data', (chunk: Buffer) => (this.heldChunks === undefined ? this.push(chunk) : this.heldChunks.push(chunk)));
    socket.on('close', () => this.destroy());
  }

  release(): void {
    const { heldChunks = [] } = this;
    this.heldChunks = undefined;
    for (const chunk of heldChunks) this.push(chunk);
  }

  override _read(): void {
    // Bytes are pushed as they arrive.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, done);
  }
}

/** Whether a TLS connection over `transport` is established before it closes. */
function isEstablished(transport: Duplex, protocols: readonly string[]): Promise<boolean> {
  if (transport.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const client = connectTls({ socket: transport, ALPNProtocols: [...protocols], rejectUnauthorized: false });
    client.on('error', () => undefined);
    client.on('secureConnect', () => resolve(true));
    client.on('close', () => resolve(false));
  });
}

/** A TCP connection to the server, established or already closed again. */
async function openTcp(): Promise<Socket> {
  const socket = connectTcp(program().port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  return socket;
}

describe.each([{ protocols: ['h2'] }, { protocols: ['http/1.1'] }, { protocols: [] }])(
  'a TLS handshake that times out, with the ALPN protocols $protocols',
  ({ protocols }) => {
    const connection = useForEachTest(
      async () => ({ abortedBefore: countAborted(), socket: await openTcp() }),
      ({ socket }) => socket.destroy(),
    );

    afterEach(() => {
      expect(program().process.isRunning).toBe(true);
      expect(program().process.output).not.toContain('Assertion failed');
    });

    const waitForAbort = (): Promise<boolean> =>
      waitUntil('the handshake to be aborted', () => countAborted() > connection().abortedBefore);

    it('ends with a closed connection when the ClientHello arrives after the time limit', async () => {
      await waitForAbort();
      expect(await isEstablished(connection().socket, protocols)).toBe(false);
    });

    it('ends with a closed connection when only the ClientHello arrives in time', async () => {
      const delayed = new DelayedDuplex(connection().socket);
      const established = isEstablished(delayed, protocols);
      await waitForAbort();
      delayed.release();
      expect(await established).toBe(false);
    });

    it('ends without a byte from the server when the client sends nothing', async () => {
      const { socket } = connection();
      const received: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => received.push(chunk));
      await waitUntil('the connection to close', () => socket.closed);
      await waitForAbort();
      expect(Buffer.concat(received)).toHaveLength(0);
    });
  },
);
