/**
 * A kubelet that runs commands over SPDY: what is opened and sent is written down, and what it answers is said by the test. It understands headers only as our own server
 * writes them.
 */
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { closed, listening } from './listening';

export interface RunningCommand {
  /** On a stream, by its name. */
  say(stream: string, text: string, isLast?: boolean): void;
  /** Frames as they are. */
  raw(frame: Buffer): void;
  cut(): void;
}

export interface SpdyKubelet {
  readonly server: Server;
  readonly port: number;
  /** Requests, streams, data and frames in their order. */
  readonly heard: string[];
  /** The protocols that were offered with the last request. */
  readonly offered: string[];
  /** Once so many streams are open. */
  behave(streams: number, then: (command: RunningCommand) => void): void;
  refuse(body: string): void;
  connections(): number;
  close(): Promise<void>;
}

export function spdyFrame(type: number, content: Buffer): Buffer {
  const head = Buffer.from([0x80, 3, 0, type, 0, 0, 0, 0]);
  head.writeUInt32BE(content.length, 4);
  return Buffer.concat([head, content]);
}

export function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const NO_HEADERS = [
  Buffer.from('78f9e3c6a7c2000400fbff00000000000000ffff', 'hex'),
  Buffer.from('000400fbff00000000000000ffff', 'hex'),
] as const;

export async function startSpdyKubelet(options: ServerOptions): Promise<SpdyKubelet> {
  const heard: string[] = [];
  const offered: string[] = [];
  let behaviour: { streams: number; then: (command: RunningCommand) => void } = { streams: 0, then: () => undefined };
  let refusal: string | undefined;
  const sockets = new Set<Duplex>();
  const server = createServer(options);
  server.on('upgrade', (request, socket: Duplex) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    heard.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.upgrade ?? ''}`);
    offered.splice(0, offered.length, ...String(request.headers['x-stream-protocol-version']).split(', '));
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Length: ${refusal.length}\r\n\r\n${refusal}`);
      return;
    }
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
    );
    serve(socket, heard, behaviour);
  });
  const port = await listening(server);
  return {
    server,
    port,
    heard,
    offered,
    behave: (streams, then) => {
      refusal = undefined;
      behaviour = { streams, then };
    },
    refuse: (body) => void (refusal = body),
    connections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await closed(server);
    },
  };
}

function serve(socket: Duplex, heard: string[], { streams, then }: { streams: number; then: (command: RunningCommand) => void }): void {
  const names: string[] = [];
  let pending = Buffer.alloc(0);
  const command: RunningCommand = {
    say(stream, text, isLast = false) {
      const bytes = Buffer.from(text);
      const head = Buffer.concat([number32(names.indexOf(stream) * 2 + 1), number32((isLast ? 2 ** 24 : 0) + bytes.length)]);
      socket.write(Buffer.concat([head, bytes]));
    },
    raw: (frame) => void socket.write(frame),
    cut: () => void socket.destroy(),
  };
  const nameOf = (stream: number): string => names[(stream - 1) / 2] ?? String(stream);
  socket.on('data', (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes]);
    while (pending.length >= 8 && pending.length >= 8 + (pending.readUInt32BE(4) % 2 ** 24)) {
      const [head, end] = [pending, 8 + (pending.readUInt32BE(4) % 2 ** 24)];
      const content = head.subarray(8, end);
      pending = Buffer.from(head.subarray(end));
      const isLast = head[4] === 1;
      if ((head[0] ?? 0) < 0x80) heard.push(`${nameOf(head.readUInt32BE(0))} ${isLast ? 'ends' : content.toString()}`);
      else if (head[3] === 1) {
        names.push(/streamtype\0\0\0.([a-z]+)/s.exec(content.toString('latin1'))?.[1] ?? '?');
        heard.push(`opens ${names.at(-1) ?? ''}`);
        socket.write(spdyFrame(2, Buffer.concat([content.subarray(0, 4), NO_HEADERS[names.length === 1 ? 0 : 1]])));
        if (names.length === streams) then(command);
      } else heard.push(`frame ${head[3] ?? 0} ${content.toString('hex')}`);
    }
  });
  socket.on('end', () => socket.end());
}
