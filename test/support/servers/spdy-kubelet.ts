/**
 * A kubelet that runs commands over SPDY. It records streams and frames, and the test writes its output. It parses
 * headers only in the form in which our own server writes them.
 */
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { uint32Bytes } from '../http/raw-http2';
import { closeServer, listen } from './listen';

export interface RunningCommand {
  /** Sends text on the stream with this name. */
  send(stream: string, text: string): void;
  /** Like `send`, and closes the stream. */
  sendLast(stream: string, text: string): void;
  /** Sends a frame unchanged. */
  sendFrame(frame: Buffer): void;
  disconnect(): void;
}

export interface SpdyKubelet {
  readonly server: Server;
  readonly port: number;
  /** Requests, streams, data and frames in their order: `POST /exec… SPDY/3.1`, `opens stdin`, `stdin text`, `stdin ends`. */
  readonly received: string[];
  /** The protocols that the last request offered. */
  readonly offeredProtocols: string[];
  /** Calls `run` for each later connection when that number of its streams is open; never for 0. Ends `rejectUpgrades`. */
  whenOpened(streams: number, run: (command: RunningCommand) => void): void;
  /** Responds to upgrades with 403 and this body. */
  rejectUpgrades(body: string): void;
  /** The number of open connections that were upgraded or rejected. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * A SPDY/3.1 frame has a head of two big-endian words, with these bits:
 *   control: 1 (1)  version 3 (15)  type (16) | flags (8)  length (24) | content
 *   data:    0 (1)  stream id (31)            | flags (8)  length (24) | bytes of the stream
 * The length is that of what follows. The content of SYN_STREAM and SYN_REPLY begins with the id of the stream (32) and
 * ends with a compressed header block.
 */
const HEAD_BYTES = 8;
/** In the first byte. */
const CONTROL_BIT = 0x80;
/** Types of control frames. */
const SYN_STREAM = 1;
const SYN_REPLY = 2;
/** The flag of the last frame of a stream; the flags are the fifth byte. */
const FIN = 1;
/** The second word is the flags times this unit, plus the length. */
const FLAGS_UNIT = 2 ** 24;

/** The length of the frame that begins here, with its head. */
const frameBytes = (frame: Buffer): number => HEAD_BYTES + (frame.readUInt32BE(4) % FLAGS_UNIT);

/** A control frame of version 3 without flags. `type` fits in one byte. */
export function spdyFrame(type: number, content: Buffer): Buffer {
  const head = Buffer.from([CONTROL_BIT, 3, 0, type, 0, 0, 0, 0]);
  head.writeUInt32BE(content.length, 4);
  return Buffer.concat([head, content]);
}

/** An empty header block, compressed: as the first of a connection, and as any later one. */
const NO_HEADERS = [
  Buffer.from('78f9e3c6a7c2000400fbff00000000000000ffff', 'hex'),
  Buffer.from('000400fbff00000000000000ffff', 'hex'),
] as const;

/** Resolves when the server listens. `options` are those of TLS. */
export async function startSpdyKubelet(options: ServerOptions): Promise<SpdyKubelet> {
  const received: string[] = [];
  const offeredProtocols: string[] = [];
  let behaviour: CommandBehaviour = { streams: 0, run: () => undefined };
  /** The body of the rejection of upgrades; `undefined` while they are accepted. */
  let rejection: string | undefined;
  const sockets = new Set<Duplex>();
  const server = createServer(options);
  server.on('upgrade', (request, socket: Duplex) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    received.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.upgrade ?? ''}`);
    offeredProtocols.splice(0, offeredProtocols.length, ...String(request.headers['x-stream-protocol-version']).split(', '));
    if (rejection !== undefined) {
      socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Length: ${rejection.length}\r\n\r\n${rejection}`);
      return;
    }
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
    );
    serve(socket, received, behaviour);
  });
  const port = await listen(server);
  return {
    server,
    port,
    received,
    offeredProtocols,
    whenOpened: (streams, run) => {
      rejection = undefined;
      behaviour = { streams, run };
    },
    rejectUpgrades: (body) => void (rejection = body),
    connections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await closeServer(server);
    },
  };
}

/** See {@link SpdyKubelet.whenOpened}. */
interface CommandBehaviour {
  readonly streams: number;
  readonly run: (command: RunningCommand) => void;
}

/** Serves an upgraded connection until the client closes it. */
function serve(socket: Duplex, received: string[], { streams, run }: CommandBehaviour): void {
  /** The names of the streams in the order in which they were opened. Their ids are 1, 3, 5 and so on. */
  const names: string[] = [];
  let pending = Buffer.alloc(0);
  const sendData = (stream: string, text: string, flags: number): void => {
    const bytes = Buffer.from(text);
    const head = Buffer.concat([uint32Bytes(names.indexOf(stream) * 2 + 1), uint32Bytes(flags * FLAGS_UNIT + bytes.length)]);
    socket.write(Buffer.concat([head, bytes]));
  };
  const command: RunningCommand = {
    send: (stream, text) => sendData(stream, text, 0),
    sendLast: (stream, text) => sendData(stream, text, FIN),
    sendFrame: (frame) => void socket.write(frame),
    disconnect: () => void socket.destroy(),
  };
  const nameOf = (stream: number): string => names[(stream - 1) / 2] ?? String(stream);
  const openStream = (content: Buffer): void => {
    // The value of the header `streamtype`, which follows its length in four bytes.
    const name = /streamtype\0\0\0.([a-z]+)/s.exec(content.toString('latin1'))?.[1] ?? '?';
    names.push(name);
    received.push(`opens ${name}`);
    const streamId = content.subarray(0, 4);
    socket.write(spdyFrame(SYN_REPLY, Buffer.concat([streamId, NO_HEADERS[names.length === 1 ? 0 : 1]])));
    if (names.length === streams) run(command);
  };
  const receiveFrame = (frame: Buffer): void => {
    const content = frame.subarray(HEAD_BYTES);
    const isData = (frame[0] ?? 0) < CONTROL_BIT;
    const isLast = frame[4] === FIN;
    if (isData) received.push(`${nameOf(frame.readUInt32BE(0))} ${isLast ? 'ends' : content.toString()}`);
    else if (frame[3] === SYN_STREAM) openStream(content);
    else received.push(`frame ${frame[3] ?? 0} ${content.toString('hex')}`);
  };
  socket.on('data', (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes]);
    while (pending.length >= HEAD_BYTES && pending.length >= frameBytes(pending)) {
      const end = frameBytes(pending);
      const frame = pending.subarray(0, end);
      pending = Buffer.from(pending.subarray(end));
      receiveFrame(frame);
    }
  });
  socket.on('end', () => socket.end());
}
