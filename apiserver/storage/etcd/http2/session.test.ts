/**
 * The HTTP/2 client session against Node's HTTP/2 server, and against servers that send frames by hand where Node would
 * not.
 */
import * as http2 from 'node:http2';
import { connect, createServer, type Socket } from 'node:net';
import { systemClock } from '../../../../shared/runtime/clock';
import { freePort } from '../../../../test/support/ports';
import { waitUntil } from '../../../../test/support/programs';
import { stopAfterTest, useForEachTest } from '../../../../test/support/use-resource';
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

/** A call that can be cancelled; resolves with its outcome, be it a response or a failure. */
type Call = Promise<Outcome> & { readonly cancel: () => void };

/** A session with a server, and what it has reported. */
class ClientSession {
  /** How often the session has reported that it accepts no more calls. */
  closingCount = 0;
  readonly session: Http2ClientSession;

  private constructor(socket: Socket) {
    this.session = new Http2ClientSession({ socket, peer: PEER, clock: systemClock, onClosing: () => (this.closingCount += 1) });
  }

  static async open(port: number): Promise<ClientSession> {
    const socket = connect(port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    return new ClientSession(socket);
  }

  call(body: Buffer | string): Call {
    let cancel: () => void = () => undefined;
    const outcome = new Promise<Outcome>((resolve) => {
      cancel = this.session.call('/a/B', Buffer.from(body), {
        onResponse: ({ status }, trailers, chunks) =>
          resolve({ body: Buffer.concat(chunks).toString('latin1'), status, trailer: trailers?.grpcStatus }),
        onFailure: resolve,
      });
    });
    return Object.assign(outcome, { cancel });
  }
}

const ok = (body: string): Outcome => ({ body, status: '200', trailer: '0' });

type Responder = (stream: http2.ServerHttp2Stream, body: Buffer) => void;

/** Responds with the body and the gRPC status 0. */
const reply: Responder = (stream, body) => {
  stream.respond({ ':status': 200 }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(body);
};

/** A server of Node with one session of the client. `respond` is called for each request once its body has arrived. */
class NodeServer {
  readonly sessions: http2.ServerHttp2Session[] = [];
  openStreams = 0;
  /** The most streams that were open at the same time. */
  maxStreams = 0;
  /** The error code of each closed stream, in the order in which they were closed. */
  readonly resetCodes: number[] = [];
  private readonly server: http2.Http2Server;

  private constructor(
    public respond: Responder,
    settings: http2.Settings,
  ) {
    this.server = http2.createServer({ settings });
    this.server.on('session', (opened) => this.sessions.push(opened));
    this.server.on('stream', (stream) => this.onStream(stream));
  }

  static async start(respond: Responder, settings: http2.Settings, port: number): Promise<NodeServer> {
    const started = new NodeServer(respond, settings);
    await new Promise<void>((resolve) => started.server.listen(port, '127.0.0.1', resolve));
    return started;
  }

  async close(): Promise<void> {
    for (const opened of this.sessions) opened.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private onStream(stream: http2.ServerHttp2Stream): void {
    const chunks: Buffer[] = [];
    this.openStreams += 1;
    this.maxStreams = Math.max(this.maxStreams, this.openStreams);
    stream.on('close', () => {
      this.openStreams -= 1;
      this.resetCodes.push(stream.rstCode);
    });
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => this.respond(stream, Buffer.concat(chunks)));
  }
}

const destroyAfterTest = stopAfterTest((client: ClientSession) => client.session.destroy());

describe('HTTP/2 client session with a Node server', () => {
  const closeAfterTest = stopAfterTest((started: NodeServer) => started.close());

  async function open(
    respond: Responder,
    settings: http2.Settings = {},
  ): Promise<{ readonly server: NodeServer; readonly client: ClientSession }> {
    const port = await freePort();
    const server = closeAfterTest(await NodeServer.start(respond, settings, port));
    return { server, client: destroyAfterTest(await ClientSession.open(port)) };
  }

  it('cancels a call in the event-loop turn that made it', async () => {
    const { server, client } = await open((stream, body) => reply(stream, body));
    const cancelled = client.call('up');
    const completed = client.call('kept');
    cancelled.cancel();
    expect(await completed).toEqual(ok('kept'));
    await waitUntil('both streams are closed', () => server.resetCodes.length === 2);
    expect([...server.resetCodes].sort((a, b) => a - b)).toEqual([NO_ERROR, CANCEL]);
  });

  it('sends large bodies within the flow-control window, concurrently with short ones', async () => {
    // The server responds with the size of the body, its first character and the number of different characters.
    const { client } = await open(
      (stream, body) => reply(stream, Buffer.from(`${body.length} ${body.subarray(0, 1).toString()} ${new Set(body).size}`)),
      { initialWindowSize: 1000 },
    );
    const sizes = [5, 300_000, 70_000, 17_000, 5, 1_000_000, 1001];
    // Each body repeats one digit, so parts of another body in it would show.
    const outcomes = await Promise.all(sizes.map((size, index) => client.call(Buffer.alloc(size, String(index)))));
    expect(outcomes).toEqual(sizes.map((size, index) => ok(`${size} ${index} 1`)));
    expect(await client.call('again')).toEqual(ok('5 a 4'));
  });

  it('sends short requests ahead of long ones that wait for the flow-control window', async () => {
    const order: string[] = [];
    const { client } = await open((stream, body) => {
      order.push(String(body.length));
      reply(stream, body);
    });
    await Promise.all([
      client.call(Buffer.alloc(1_000_000)),
      client.call(Buffer.alloc(900_000)),
      client.call(Buffer.alloc(10)),
      client.call(Buffer.alloc(2_000)),
      client.call(Buffer.alloc(30)),
    ]);
    expect(order.slice(0, 3)).toEqual(['10', '2000', '30']);
  });

  it('receives a response that is larger than its flow-control windows', async () => {
    const large = Buffer.alloc(70 << 20, 'y');
    const { server, client } = await open((stream) => reply(stream, large));
    const outcome = await client.call('want');
    expect('body' in outcome ? outcome.body.length : outcome).toBe(large.length);
    server.respond = reply;
    expect(await client.call('small')).toEqual(ok('small'));
  });

  it('opens at most SETTINGS_MAX_CONCURRENT_STREAMS streams', async () => {
    const { server, client } = await open((stream, body) => setImmediate(() => reply(stream, body)), { maxConcurrentStreams: 3 });
    expect(await client.call('first')).toEqual(ok('first'));
    server.maxStreams = 0;
    const before = Array.from({ length: 20 }, (_, index) => String(index));
    const after = Array.from({ length: 20 }, (_, index) => String(100 + index));
    const callsBefore = before.map((body) => client.call(body));
    // Cancelled while it waits for a stream.
    client.call('unwanted').cancel();
    const callsAfter = after.map((body) => client.call(body));
    expect(await Promise.all([...callsBefore, ...callsAfter])).toEqual([...before, ...after].map(ok));
    expect(server.maxStreams).toBe(3);
  });

  it('responds to pings and sends pings', async () => {
    const { server, client } = await open(reply);
    await client.call('one');
    await new Promise<void>((resolve) => server.sessions[0]?.ping(() => resolve()));
    await new Promise<void>((resolve) => client.session.ping(resolve));
  });

  it('resets the streams of cancelled calls and stays usable', async () => {
    const { server, client } = await open(() => undefined, { initialWindowSize: 10 });
    const waiting = client.call('waits');
    const blocked = client.call('does not fit at all');
    waiting.cancel();
    blocked.cancel();
    await waitUntil('both streams are reset', () => server.openStreams === 0 && server.maxStreams === 2);
    server.respond = reply;
    expect(await client.call('next')).toEqual(ok('next'));
    expect(server.resetCodes.slice(0, 2)).toEqual([CANCEL, CANCEL]);
  });

  it('finishes calls in flight after GOAWAY and rejects new ones', async () => {
    let release: () => void = () => undefined;
    const { server, client } = await open((stream, body) => (release = () => reply(stream, body)));
    const slow = client.call('slow');
    await waitUntil('the call is under way', () => server.openStreams === 1);
    server.sessions[0]?.close();
    await waitUntil('the session stops accepting calls', () => client.closingCount === 1);
    expect(await client.call('late')).toEqual({ reason: 'the connection is closing', wasSent: false });
    release();
    expect(await slow).toEqual(ok('slow'));
    await waitUntil('the session is closed', () => client.session.destroyed);
  });
});

describe('HTTP/2 client session with a scripted server', () => {
  /** `:status: 200` as an entry of the static table. */
  const RESPONSE_HEADERS = Buffer.from('88', 'hex');
  /** `grpc-status: 0` as literals: 00, a length and the name, a length and the value. */
  const TRAILERS = Buffer.from('000b677270632d7374617475730130', 'hex');
  /** The session, and a server that sends only the frames of the test. */
  const scripted = useForEachTest(openScripted, async ({ client, server, serverSocket }) => {
    client.session.destroy();
    serverSocket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const call = (body: Buffer | string): Call => scripted().client.call(body);
  const serverSends = (...frames: Buffer[]): boolean => scripted().serverSocket.write(Buffer.concat(frames));
  const receivedFrames = (): readonly Frame[] => scripted().received;
  const isSettingsAck = ({ type, flags }: Frame): boolean => type === FrameType.settings && flags === Flag.ack;
  /** Waits until the client has acknowledged `count` SETTINGS frames. */
  const waitForSettingsAcks = (count: number): Promise<unknown> =>
    waitUntil('the settings are acknowledged', () => receivedFrames().filter(isSettingsAck).length === count);
  const openedStreamCount = (): number => receivedFrames().filter(({ type }) => type === FrameType.headers).length;

  const startCalls = async (...bodies: string[]): Promise<Call[]> => {
    const before = openedStreamCount();
    const calls = bodies.map(call);
    await waitUntil('all calls have arrived', () => openedStreamCount() === before + bodies.length);
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
    expect(scripted().client.closingCount).toBe(1);
    serverSends(
      encodeFrame(FrameType.headers, Flag.endHeaders, 1, RESPONSE_HEADERS),
      encodeFrame(FrameType.headers, Flag.endHeaders | Flag.endStream, 1, TRAILERS),
    );
    expect(await first).toEqual(ok(''));
    await waitUntil('the session is closed', () => scripted().client.session.destroyed);
  });

  it('resets a request that got its response before its body was sent', async () => {
    const [first] = await startCalls('x'.repeat(100_000));
    // `:status: 413`.
    serverSends(encodeFrame(FrameType.headers, Flag.endHeaders | Flag.endStream, 1, Buffer.from('0803343133', 'hex')));
    expect(await first).toEqual({ body: '', status: '413', trailer: undefined });
    await waitUntil('a reset', () => receivedFrames().some(({ type, stream }) => type === FrameType.resetStream && stream === 1));
  });

  it('sends WINDOW_UPDATE for connection and stream as it reads', async () => {
    const [first] = await startCalls('x');
    // 1,100 frames are more than 17 MB. The client reports each half of its windows: 16 MiB of the connection, 2 MiB of
    // the stream.
    const dataFrame = encodeFrame(FrameType.data, 0, 1, Buffer.alloc(16_384));
    serverSends(encodeFrame(FrameType.headers, Flag.endHeaders, 1, RESPONSE_HEADERS), ...Array.from({ length: 1100 }, () => dataFrame));
    await waitUntil('a WINDOW_UPDATE of the connection', () =>
      receivedFrames().some(
        ({ type, stream, payload }) => type === FrameType.windowUpdate && stream === 0 && payload.readUInt32BE() === 16 << 20,
      ),
    );
    const streamUpdates = receivedFrames()
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
      scripted()
        .received.filter(({ type }) => type === FrameType.data)
        .reduce((sum, { payload }) => sum + payload.length, 0);
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
    expect(scripted().client.session.destroyed).toBe(true);
    expect(await call('next')).toMatchObject({ wasSent: false });
  });

  it('reports a call that waited for a stream as not sent when the connection is lost', async () => {
    serverSends(encodeSettingsFrame([[Setting.maxStreams, 1]]));
    await waitForSettingsAcks(2);
    const [first] = await startCalls('x');
    const second = call('y');
    scripted().serverSocket.destroy();
    expect(await first).toEqual({ reason: 'the connection was lost before the response was complete', wasSent: true });
    expect(await second).toEqual({ reason: 'the connection was lost before the response was complete', wasSent: false });
  });
});

/** `received`: the frames of the client. The server has sent its SETTINGS. */
async function openScripted() {
  const port = await freePort();
  const received: Frame[] = [];
  const server = createServer();
  const connected = new Promise<Socket>((resolve) => server.once('connection', resolve));
  server.once('connection', (socket: Socket) => recordFrames(socket, received));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const client = await ClientSession.open(port);
  const serverSocket = await connected;
  serverSocket.write(encodeSettingsFrame([]));
  return { client, server, serverSocket, received };
}

function recordFrames(socket: Socket, received: Frame[]): void {
  const reader = new FrameReader((frame) => received.push({ ...frame, payload: Buffer.from(frame.payload) }));
  let prefaceLeft = CONNECTION_PREFACE.length;
  socket.on('data', (chunk: Buffer) => {
    const skipped = Math.min(prefaceLeft, chunk.length);
    prefaceLeft -= skipped;
    reader.feed(chunk.subarray(skipped));
  });
  socket.on('error', () => undefined);
}
