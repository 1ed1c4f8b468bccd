/**
 * HTTP/2 responses to a client that grants no flow-control window, which the server aborts before the client grants
 * one.
 */
import type { TLSSocket } from 'node:tls';
import {
  connectionPreface,
  ERROR_CODE,
  FRAME,
  frameTypes,
  headersFrame,
  pseudoHeaders,
  resetFrame,
  streamWindow,
  windowUpdate,
} from '../../support/http/raw-http2';
import { waitUntil } from '../../support/programs';
import { useHostileTarget, CONFIGMAPS, openRawConnection } from './hostile-client';

const target = useHostileTarget();
/** Streams of one connection, and the bytes that a window update grants each. */
const STREAMS = 20;
const WINDOW = 100_000;

/** A request that fails with 504 after half a second, about when its handler fails. */
const timedOutRequest = (stream: number): Buffer =>
  headersFrame(stream, pseudoHeaders('GET', `${CONFIGMAPS}?resourceVersion=99999999999&timeout=500ms`));

/**
 * Whether the server still responds. A server that does not is killed immediately, because it would use up all memory.
 */
async function isAlive(): Promise<boolean> {
  const { client, server } = target();
  const { status } = await client.get('/livez', { timeoutMs: 5_000 }).catch(() => ({ status: 0 }));
  if (status !== 200) await server.process.kill();
  return status === 200;
}

/** An HTTP/2 connection on which the server may send headers and no data. */
async function connectWithoutWindow(): Promise<TLSSocket> {
  const socket = await openRawConnection(target().client, ['h2']);
  socket.on('error', () => undefined);
  socket.write(Buffer.concat([connectionPreface(), streamWindow(0)]));
  return socket;
}

const streamIds = Array.from({ length: STREAMS }, (_, index) => 2 * index + 1);

/** A window update of 0 bytes is a protocol error. */
const protocolError = windowUpdate(0, 0);

it.each<readonly [event: string, frameAfterAbort: (stream: number) => Buffer]>([
  ['the client grants a window', (stream) => windowUpdate(stream, WINDOW)],
  ['the client resets it', (stream) => resetFrame(stream, ERROR_CODE.cancel)],
  ['the client grants a window and breaks the protocol', (stream) => Buffer.concat([windowUpdate(stream, WINDOW), protocolError])],
])(
  'the server keeps serving when it has aborted a stream with an unread response and then %s',
  async (_event, frameAfterAbort) => {
    const socket = await connectWithoutWindow();
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => void (received = Buffer.concat([received, chunk])));
    socket.write(Buffer.concat(streamIds.map(timedOutRequest)));
    await waitUntil('the response headers', () => frameTypes(received).filter((type) => type === FRAME.headers).length >= STREAMS);
    expect(await isAlive()).toBe(true);
    socket.write(Buffer.concat(streamIds.map(frameAfterAbort)));
    expect(await isAlive()).toBe(true);
    socket.destroy();
    expect(await isAlive()).toBe(true);
  },
  60_000,
);
