/**
 * The HTTP/2 client session against Node's HTTP/2 server, and against servers that send frames by hand where Node would
 * not.
 */
import {
  createServer as createHttp2Server,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { systemClock } from '../../../../shared/runtime/clock';
import { freePort } from '../../../../test/support/ports';
import { waitUntil } from '../../../../test/support/programs';
import {
  Flag,
  encodeFrame,
  FrameReader,
  FrameType,
  encodeUint32Frame,
  CONNECTION_PREFACE,
  Setting,
  encodeSettingsFrame,
  type Frame,
} from './frames';
import { Http2ClientSession } from './session';

/** Error codes of RST_STREAM (RFC 9113 §7). */
const NO_ERROR = 0;
const INTERNAL_ERROR = 2;
const REFUSED_STREAM = 7;
const CANCEL = 8;

const PEER = { scheme: 'http', authority: 'member' } as const;
type Outcome = { body: string; status: string | undefined; trailer: string | undefined } | { reason: string; wasSent: boolean };

let port: number;
let session: Http2ClientSession;
let goAways: number;

const openSession = async (): Promise<void> => {
  const socket = connect(port, '127.0.0.1');
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  goAways = 0;
  session = new Http2ClientSession({ socket, peer: PEER, clock: systemClock, onClosing: () => (goAways += 1) });
};

/** Makes a call and resolves with its outcome, be it a response or a failure. */
const call = (body: Buffer | string): Promise<Outcome> & { readonly cancel: () => void } => {
  let cancel: () => void = () => undefined;
  const outcome = new Promise<Outcome>((resolve) => {
    cancel = session.call('/a/B', Buffer.from(body), {
      onResponse: ({ status }, trailers, chunks) =>
        resolve({ body: Buffer.concat(chunks).toString('latin1'), status, trailer: trailers?.grpcStatus }),
      onFailure: resolve,
    });
  });
  return Object.assign(outcome, { cancel });
};

const ok = (body: string): Outcome => ({ body, status: '200', trailer: '0' });

beforeEach(async () => {
  port = await freePort();
});

describe('HTTP/2 client session with a Node server', () => {
  let server: Http2Server;
  let sessions: ServerHttp2Session[];
  let respond: (stream: ServerHttp2Stream, body: Buffer) => void;
  let openStreams: number;
  let maxStreams: number;
  let resetCodes: number[];

  const reply = (stream: ServerHttp2Stream, body: Buffer): void => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(body);
  };
  const listen = async (settings: Settings = {}): Promise<void> => {
    sessions = [];
    resetCodes = [];
    openStreams = maxStreams = 0;
    server = createHttp2Server({ settings });
    server.on('session', (opened) => sessions.push(opened));
    server.on('stream', (stream) => {
      const chunks: Buffer[] = [];
      maxStreams = Math.max(maxStreams, (openStreams += 1));
      stream.on('close', () => {
        openStreams -= 1;
        resetCodes.push(stream.rstCode);
      });
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => respond(stream, Buffer.concat(chunks)));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await openSession();
  };
  afterEach(async () => {
    session.destroy();
    for (const opened of sessions) opened.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('cancels a call in the event-loop turn that made it', async () => {
    respond = (stream, body) => reply(stream, body);
    await listen();
    const cancelled = call('up');
    const completed = call('kept');
    cancelled.cancel();
    expect(await completed).toEqual(ok('kept'));
    await waitUntil('both streams are closed', () => resetCodes.length === 2);
    expect([...resetCodes].sort((a, b) => a - b)).toEqual([NO_ERROR, CANCEL]);
  });

  it('sends large bodies within the flow-control window, concurrently with short ones', async () => {
    // The server responds with the size of the body, its first character and the number of different characters.
    respond = (stream, body) => reply(stream, Buffer.from(`${body.length} ${body.subarray(0, 1).toString()} ${new Set(body).size}`));
    await listen({ initialWindowSize: 1000 });
    const sizes = [5, 300_000, 70_000, 17_000, 5, 1_000_000, 1001];
    // Each body repeats one digit, so parts of another body in it would show.
    const outcomes = await Promise.all(sizes.map((size, index) => call(Buffer.alloc(size, String(index)))));
    expect(outcomes).toEqual(sizes.map((size, index) => ok(`${size} ${index} 1`)));
    expect(await call('again')).toEqual(ok('5 a 4'));
  });

  it('sends short requests ahead of long ones that wait for the flow-control window', async () => {
    const order: string[] = [];
    respond = (stream, body) => {
      order.push(String(body.length));
      reply(stream, body);
    };
    await listen();
    await Promise.all([
      call(Buffer.alloc(1_000_000)),
      call(Buffer.alloc(900_000)),
      call(Buffer.alloc(10)),
      call(Buffer.alloc(2_000)),
      call(Buffer.alloc(30)),
    ]);
    expect(order.slice(0, 3)).toEqual(['10', '2000', '30']);
  });

  it('receives a response that is larger than its flow-control windows', async () => {
    const large = Buffer.alloc(70 << 20, 'y');
    respond = (stream) => reply(stream, large);
    await listen();
    const outcome = await call('want');
    expect('body' in outcome ? outcome.body.length : outcome).toBe(large.length);
    respond = reply;
    expect(await call('small')).toEqual(ok('small'));
  });

  it('opens at most SETTINGS_MAX_CONCURRENT_STREAMS streams', async () => {
    respond = (stream, body) => setImmediate(() => reply(stream, body));
    await listen({ maxConcurrentStreams: 3 });
    expect(await call('first')).toEqual(ok('first'));
    maxStreams = 0;
    const before = Array.from({ length: 20 }, (_, index) => String(index));
    const after = Array.from({ length: 20 }, (_, index) => String(100 + index));
    const callsBefore = before.map(call);
    // Cancelled while it waits for a stream.
    call('unwanted').cancel();
    const callsAfter = after.map(call);
    expect(await Promise.all([...callsBefore, ...callsAfter])).toEqual([...before, ...after].map(ok));
    expect(maxStreams).toBe(3);
  });

  it('responds to pings and sends pings', async () => {
    respond = reply;
    await listen();
    await call('one');
    await new Promise<void>((resolve) => sessions[0]?.ping(() => resolve()));
    await new Promise<void>((resolve) => session.ping(resolve));
  });

  it('resets the streams of cancelled calls and stays usable', async () => {
    respond = () => undefined;
    await listen({ initialWindowSize: 10 });
    const waiting = call('waits');
    const blocked = call('does not fit at all');
    waiting.cancel();
    blocked.cancel();
    await waitUntil('both streams are reset', () => openStreams === 0 && maxStreams === 2);
    respond = reply;
    expect(await call('next')).toEqual(ok('next'));
    expect(resetCodes.slice(0, 2)).toEqual([CANCEL, CANCEL]);
  });

  it('finishes calls in flight after GOAWAY and rejects new ones', async () => {
    let release: () => void = () => undefined;
    respond = (stream, body) => (release = () => reply(stream, body));
    await listen();
    const slow = call('slow');
    await waitUntil('the call is under way', () => openStreams === 1);
    sessions[0]?.close();
    await waitUntil('the session stops accepting calls', () => goAways === 1);
    expect(await call('late')).toEqual({ reason: 'the connection is closing', wasSent: false });
    release();
    expect(await slow).toEqual(ok('slow'));
    await waitUntil('the session is closed', () => session.destroyed);
  });
});

describe('HTTP/2 client session with a scripted server', () => {
  let server: Server;
  let serverSocket: Socket;
  let received: Frame[];

  /** `:status: 200` as an entry of the static table. */
  const RESPONSE_HEADERS = Buffer.from('88', 'hex');
  /** `grpc-status: 0` as literals: 00, a length and the name, a length and the value. */
  const TRAILERS = Buffer.from('000b677270632d7374617475730130', 'hex');
  const serverSends = (...frames: Buffer[]): boolean => serverSocket.write(Buffer.concat(frames));
  /** Waits until the client has acknowledged `count` SETTINGS frames. */
  const waitForSettingsAcks = (count: number): Promise<unknown> =>
    waitUntil(
      'the settings are taken',
      () => received.filter(({ type, flags }) => type === FrameType.settings && flags === Flag.ack).length === count,
    );
  const streams = (): number[] => received.filter(({ type }) => type === FrameType.headers).map(({ stream }) => stream);

  beforeEach(async () => {
    received = [];
    const connected = new Promise<void>((resolve) => {
      server = createServer((socket) => {
        serverSocket = socket;
        const reader = new FrameReader((receivedFrame) => received.push({ ...receivedFrame, payload: Buffer.from(receivedFrame.payload) }));
        let preface = CONNECTION_PREFACE.length;
        socket.on('data', (chunk) => {
          const skipped = Math.min(preface, chunk.length);
          preface -= skipped;
          reader.feed(chunk.subarray(skipped));
        });
        socket.on('error', () => undefined);
        resolve();
      });
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await openSession();
    await connected;
    serverSends(encodeSettingsFrame([]));
  });
  afterEach(async () => {
    session.destroy();
    serverSocket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const startCalls = async (...bodies: string[]): Promise<(Promise<Outcome> & { cancel: () => void })[]> => {
    const before = streams().length;
    const calls = bodies.map(call);
    await waitUntil('all calls have arrived', () => streams().length === before + bodies.length);
    return calls;
  };

  it('reads padded frames, CONTINUATION frames, informational headers, and skips frames of unknown type', async () => {
    const [first] = await startCalls('x');
    serverSends(
      // `:status: 103`.
      encodeFrame(FrameType.headers, Flag.endHeaders, 1, Buffer.from('0803313033', 'hex')),
      // `:status: 200` in three parts, `2`, `0` and `0`; the first has one byte of padding.
      encodeFrame(FrameType.headers, Flag.padded, 1, Buffer.from('0108033200', 'hex')),
      encodeFrame(FrameType.continuation, 0, 1, Buffer.from('30', 'hex')),
      encodeFrame(FrameType.continuation, Flag.endHeaders, 1, Buffer.from('30', 'hex')),
      // `hi` with two bytes of padding.
      encodeFrame(FrameType.data, Flag.padded, 1, Buffer.from('0268690000', 'hex')),
      encodeFrame(0xee, 0xff, 1, Buffer.from('of no known type')),
      encodeFrame(FrameType.headers, Flag.endHeaders | Flag.endStream, 1, TRAILERS),
    );
    expect(await first).toEqual(ok('hi'));
  });

  it('reports a stream reset with REFUSED_STREAM as not sent and other resets as sent', async () => {
    const [first, second] = await startCalls('x', 'y');
    serverSends(encodeUint32Frame(FrameType.resetStream, 1, REFUSED_STREAM), encodeUint32Frame(FrameType.resetStream, 3, INTERNAL_ERROR));
    expect(await first).toEqual({ reason: 'the server reset the stream with code 7', wasSent: false });
    expect(await second).toEqual({ reason: 'the server reset the stream with code 2', wasSent: true });
  });

  it('reports calls above the last stream of GOAWAY as not sent', async () => {
    const [first, second] = await startCalls('x', 'y');
    // The last stream is 1, the error code 0.
    serverSends(encodeFrame(FrameType.goAway, 0, 0, Buffer.from([0, 0, 0, 1, 0, 0, 0, 0])));
    expect(await second).toEqual({ reason: 'the server is shutting down the connection', wasSent: false });
    expect(goAways).toBe(1);
    serverSends(
      encodeFrame(FrameType.headers, Flag.endHeaders, 1, RESPONSE_HEADERS),
      encodeFrame(FrameType.headers, Flag.endHeaders | Flag.endStream, 1, TRAILERS),
    );
    expect(await first).toEqual(ok(''));
    await waitUntil('the session is closed', () => session.destroyed);
  });

  it('resets a request that got its response before its body was sent', async () => {
    const [first] = await startCalls('x'.repeat(100_000));
    // `:status: 413`.
    serverSends(encodeFrame(FrameType.headers, Flag.endHeaders | Flag.endStream, 1, Buffer.from('0803343133', 'hex')));
    expect(await first).toEqual({ body: '', status: '413', trailer: undefined });
    await waitUntil('a reset', () => received.some(({ type, stream }) => type === FrameType.resetStream && stream === 1));
  });

  it('sends WINDOW_UPDATE for connection and stream as it reads', async () => {
    const [first] = await startCalls('x');
    // 1,100 frames are more than 17 MB. The client reports each half of its windows: 16 MiB of the connection, 2 MiB of
    // the stream.
    const dataFrame = encodeFrame(FrameType.data, 0, 1, Buffer.alloc(16_384));
    serverSends(encodeFrame(FrameType.headers, Flag.endHeaders, 1, RESPONSE_HEADERS), ...Array.from({ length: 1100 }, () => dataFrame));
    await waitUntil('a WINDOW_UPDATE of the connection', () =>
      received.some(({ type, stream, payload }) => {
        return type === FrameType.windowUpdate && stream === 0 && payload.readUInt32BE() === 16 << 20;
      }),
    );
    const streamUpdates = received
      .filter(({ type, stream }) => type === FrameType.windowUpdate && stream === 1)
      .map(({ payload }) => payload.readUInt32BE());
    expect(streamUpdates.length).toBeGreaterThanOrEqual(8);
    expect(new Set(streamUpdates)).toEqual(new Set([2 << 20]));
    serverSends(encodeFrame(FrameType.data, Flag.endStream, 1));
    expect(await first).toMatchObject({ status: '200', trailer: undefined });
  });

  it('follows changes of the initial window size in streams in flight', async () => {
    serverSends(encodeSettingsFrame([[Setting.initialWindow, 10]]));
    await waitForSettingsAcks(2);
    const sentBytes = (): number =>
      received.filter(({ type }) => type === FrameType.data).reduce((sum, { payload }) => sum + payload.length, 0);
    const [first] = await startCalls('x'.repeat(50));
    await waitUntil('ten bytes are sent', () => sentBytes() === 10);
    // The new size reduces the window of the stream to -6; the update raises it to 2.
    serverSends(encodeSettingsFrame([[Setting.initialWindow, 4]]), encodeUint32Frame(FrameType.windowUpdate, 1, 8));
    await waitUntil('two more bytes are sent', () => sentBytes() === 12);
    serverSends(encodeSettingsFrame([[Setting.initialWindow, 1000]]));
    await waitUntil('the whole body is sent', () => sentBytes() === 50);
    serverSends(
      encodeFrame(FrameType.headers, Flag.endHeaders, 1, RESPONSE_HEADERS),
      encodeFrame(FrameType.headers, Flag.endHeaders | Flag.endStream, 1, TRAILERS),
    );
    expect(await first).toEqual(ok(''));
  });

  it.each<[string, Buffer]>([
    ['a frame over the length limit', encodeFrame(FrameType.data, 0, 1, Buffer.alloc(16_385))],
    ['a header block that cannot be decoded', encodeFrame(FrameType.headers, Flag.endHeaders, 1, Buffer.from('be', 'hex'))],
    ['a header block without END_HEADERS', encodeFrame(FrameType.headers, 0, 1, RESPONSE_HEADERS)],
    ['DATA before HEADERS', encodeFrame(FrameType.data, 0, 1, Buffer.from('x'))],
    ['CONTINUATION without HEADERS', encodeFrame(FrameType.continuation, Flag.endHeaders, 1, RESPONSE_HEADERS)],
    ['PUSH_PROMISE', encodeFrame(FrameType.pushPromise, Flag.endHeaders, 1, Buffer.from('0000000288', 'hex'))],
    ['a truncated WINDOW_UPDATE', encodeFrame(FrameType.windowUpdate, 0, 0, Buffer.from('00', 'hex'))],
    ['a WINDOW_UPDATE of 0', encodeUint32Frame(FrameType.windowUpdate, 0, 0)],
    ['a WINDOW_UPDATE over the maximum window', encodeUint32Frame(FrameType.windowUpdate, 1, 2 ** 31 - 1)],
  ])('closes the connection after %s, and reports the call as sent', async (_, bytes) => {
    const [first] = await startCalls('x');
    serverSends(bytes, encodeFrame(FrameType.ping, 0, 0, Buffer.alloc(8)));
    expect(await first).toMatchObject({ wasSent: true });
    expect(session.destroyed).toBe(true);
    expect(await call('next')).toMatchObject({ wasSent: false });
  });

  it('reports a call that waited for a stream as not sent when the connection is lost', async () => {
    serverSends(encodeSettingsFrame([[Setting.maxStreams, 1]]));
    await waitForSettingsAcks(2);
    const [first] = await startCalls('x');
    const second = call('y');
    serverSocket.destroy();
    expect(await first).toEqual({ reason: 'the connection was lost before the response was complete', wasSent: true });
    expect(await second).toEqual({ reason: 'the connection was lost before the response was complete', wasSent: false });
  });
});
