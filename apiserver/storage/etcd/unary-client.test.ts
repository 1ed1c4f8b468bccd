/**
 * Unary calls to gRPC servers of this process: what is sent, how failures are classified, and when another connection
 * or member is used.
 */
import { constants, createSecureServer, createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { freePort } from '../../../test/support/ports';
import { startSilentServer } from '../../../test/support/servers/silent-server';
import { startTcpProxy } from '../../../test/support/servers/tcp-proxy';
import { waitUntil } from '../../../test/support/programs';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import type { EtcdCredentials } from './member-connection';
import { CallError, UnaryClient } from './unary-client';
import { RpcMessage } from './rpc-message';

type Responder = (stream: ServerHttp2Stream) => void;

/** The text behind gRPC's prefix: a byte 0 (not compressed) and the length in four bytes. */
const frameMessage = (text: string): Buffer => {
  const message = Buffer.from(text);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};
const EMPTY_MESSAGE = new RpcMessage(frameMessage(''));

const respondWith = (bytes: Buffer, trailers: Record<string, string>): Responder => {
  return (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.end(bytes);
  };
};

describe('UnaryClient', () => {
  let server: Http2Server | undefined;
  let client: UnaryClient;
  let port: number;
  let respond: Responder;
  let sessions: ServerHttp2Session[];
  const deadline = (): number => systemClock.monotonic() + 5_000;

  const listen = async (): Promise<void> => {
    const newServer = createServer();
    newServer.on('session', (session) => sessions.push(session));
    newServer.on('stream', (stream) => {
      stream.on('error', () => undefined);
      respond(stream);
    });
    await new Promise<void>((resolve) => newServer.listen(port, '127.0.0.1', resolve));
    server = newServer;
  };
  const stop = async (): Promise<void> => {
    const stopped = server;
    server = undefined;
    for (const session of sessions) session.destroy();
    if (stopped !== undefined) await new Promise((resolve) => stopped.close(resolve));
  };
  const failureOf = (call: Promise<unknown>): Promise<{ code: number; details: string; wasSent: boolean }> =>
    call.then(
      () => Promise.reject(new Error('the call succeeded')),
      (error: unknown) => {
        if (!(error instanceof CallError)) throw error;
        return { code: error.code, details: error.details, wasSent: error.wasSent };
      },
    );

  beforeEach(async () => {
    sessions = [];
    port = await freePort();
    client = new UnaryClient([{ origin: `http://127.0.0.1:${port}`, authority: 'store' }], systemClock);
  });
  afterEach(async () => {
    client.close();
    await stop();
  });

  it('sends a framed message and returns the response, however it is split', async () => {
    const requests: Buffer[] = [];
    respond = (stream) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => requests.push(Buffer.concat(chunks)));
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      const bytes = frameMessage('x'.repeat(300_000));
      stream.write(bytes.subarray(0, 3));
      stream.write(bytes.subarray(3, 70_000));
      stream.end(bytes.subarray(70_000));
    };
    await listen();
    expect((await client.call('/a/B', new RpcMessage(frameMessage('hello')), deadline())).toString()).toBe('x'.repeat(300_000));
    await waitUntil('the request was read', () => requests.length === 1);
    expect(requests).toEqual([frameMessage('hello')]);
  });

  it('makes concurrent calls over one session', async () => {
    respond = respondWith(frameMessage('ok'), { 'grpc-status': '0' });
    await listen();
    await Promise.all(Array.from({ length: 50 }, () => client.call('/a/B', EMPTY_MESSAGE, deadline())));
    expect(sessions).toHaveLength(1);
  });

  it.each<[string, Responder, { code: number; details: string }]>([
    ['trailers', respondWith(Buffer.alloc(0), { 'grpc-status': '11', 'grpc-message': 'too%20old' }), { code: 11, details: 'too old' }],
    [
      'a response of headers only',
      (stream) => stream.respond({ ':status': 200, 'grpc-status': '8', 'grpc-message': 'not %zz' }, { endStream: true }),
      { code: 8, details: 'not %zz' },
    ],
    [
      'an HTTP status',
      (stream) => stream.respond({ ':status': 503 }, { endStream: true }),
      { code: 14, details: 'the server responded with HTTP status 503' },
    ],
    [
      'a truncated message',
      respondWith(frameMessage('whole').subarray(0, 7), { 'grpc-status': '0' }),
      { code: 13, details: 'the response is not a complete message' },
    ],
  ])('rejects with the error of the server in %s', async (_, reply, expected) => {
    respond = reply;
    await listen();
    expect(await failureOf(client.call('/a/B', EMPTY_MESSAGE, deadline()))).toEqual({ ...expected, wasSent: true });
  });

  it('reports a call as not sent while no server listens, and connects once a server listens', async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await failureOf(client.call('/a/B', EMPTY_MESSAGE, deadline()))).toMatchObject({ code: 14, wasSent: false });
    }
    respond = respondWith(frameMessage('ok'), { 'grpc-status': '0' });
    await listen();
    const text = await waitUntil('a response', () =>
      client.call('/a/B', EMPTY_MESSAGE, deadline()).then(
        (bytes) => bytes.toString(),
        () => undefined,
      ),
    );
    expect(text).toBe('ok');
  });

  it('reports a call as sent when the connection breaks before the response, and reconnects', async () => {
    respond = () => sessions.forEach((session) => session.destroy());
    await listen();
    expect(await failureOf(client.call('/a/B', EMPTY_MESSAGE, deadline()))).toMatchObject({ code: 14, wasSent: true });
    respond = respondWith(frameMessage('ok'), { 'grpc-status': '0' });
    expect((await client.call('/a/B', EMPTY_MESSAGE, deadline())).toString()).toBe('ok');
    expect(sessions.length).toBe(2);
  });

  it('rejects at the deadline and resets the stream', async () => {
    const aborted = new Promise<void>((resolve) => {
      respond = (stream) => stream.on('close', () => resolve());
    });
    await listen();
    expect(await failureOf(client.call('/a/B', EMPTY_MESSAGE, systemClock.monotonic() + 500))).toEqual({
      code: 4,
      details: 'Deadline exceeded',
      wasSent: true,
    });
    await aborted;
  });

  it('opens a new session after GOAWAY', async () => {
    respond = respondWith(frameMessage('ok'), { 'grpc-status': '0' });
    await listen();
    await client.call('/a/B', EMPTY_MESSAGE, deadline());
    sessions[0]?.goaway();
    // This call either precedes GOAWAY and succeeds, or meets it and was not processed.
    await client.call('/a/B', EMPTY_MESSAGE, deadline()).catch((error: unknown) => expect(error).toMatchObject({ wasSent: false }));
    await waitUntil('a second session', () => client.call('/a/B', EMPTY_MESSAGE, deadline()).then(() => sessions.length === 2));
  });

  it.each(['http', 'https'])('abandons a connection over %s on which the server sends nothing for five seconds', async (scheme) => {
    const clock = new ManualClock();
    const silent = await startSilentServer();
    const member = {
      origin: `${scheme}://127.0.0.1:${silent.port}`,
      authority: 'store',
      ...(scheme === 'https' && { tls: { credentials: () => ({}) } }),
    };
    const timed = new UnaryClient([member], clock);
    const call = (limitMs = 60_000): ReturnType<typeof failureOf> => {
      return failureOf(timed.call('/a/B', EMPTY_MESSAGE, clock.monotonic() + limitMs));
    };
    const details = `No connection established. Last error: ${member.origin}: no response within 5 seconds of connecting`;
    for (const times of [1, 2]) {
      const failed = call();
      await waitUntil('a connection', () => silent.accepted() === times);
      clock.advance(5_000);
      expect(await failed).toEqual({ code: 14, details, wasSent: false });
      clock.advance(1_000);
    }
    // A call that reaches its deadline during an attempt reports the failure of the previous one.
    const shortCall = call(1_000);
    await waitUntil('a connection', () => silent.accepted() === 3);
    clock.advance(1_000);
    expect(await shortCall).toEqual({ code: 14, details, wasSent: false });
    timed.close();
    await silent.close();
  });

  it('presents the current client certificate on each new connection', async () => {
    const shared = { lifetimeMs: 3_600_000, clock: systemClock };
    const authority = await createAuthority({ ...shared, subject: { commonName: 'ca' } });
    const issue = (commonName: string, usage: 'server' | 'client'): Promise<Credential> =>
      issueCertificate({ ...shared, authority, usage, subject: { commonName }, names: usage === 'server' ? ['localhost'] : [] });
    const serverCredential = await issue('member', 'server');
    const first = await issue('first', 'client');
    const second = await issue('second', 'client');
    const names: unknown[] = [];
    const secure = createSecureServer({
      key: serverCredential.key,
      cert: serverCredential.certificate,
      ca: authority.certificate,
      requestCert: true,
    });
    secure.on('secureConnection', (socket: TLSSocket) => names.push(socket.getPeerCertificate().subject.CN));
    secure.on('session', (session) => sessions.push(session));
    secure.on('stream', (stream) => respondWith(frameMessage('ok'), { 'grpc-status': '0' })(stream));
    await new Promise<void>((resolve) => secure.listen(port, resolve));

    let currentCredential = first;
    const credentials = (): EtcdCredentials => ({
      ca: Buffer.from(authority.certificate),
      cert: Buffer.from(currentCredential.certificate),
      key: Buffer.from(currentCredential.key),
    });
    const member = { origin: `https://localhost:${port}`, authority: 'localhost', tls: { credentials, servername: 'localhost' } };
    const renewing = new UnaryClient([member], systemClock);
    const call = async (): Promise<string> => (await renewing.call('/a/B', EMPTY_MESSAGE, deadline())).toString();
    expect(await call()).toBe('ok');
    currentCredential = second;
    expect(await call()).toBe('ok');
    expect(names).toEqual(['first']);
    sessions[0]?.destroy();
    await waitUntil('another connection', () =>
      call().then(
        () => names.length === 2,
        () => false,
      ),
    );
    expect(names).toEqual(['first', 'second']);
    renewing.close();
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => secure.close(resolve));
  });

  it('uses a member that responds while another one does not', async () => {
    respond = respondWith(frameMessage('ok'), { 'grpc-status': '0' });
    await listen();
    const silent = await startSilentServer();
    const members = [silent.port, port].map((memberPort) => ({ origin: `http://127.0.0.1:${memberPort}`, authority: 'store' }));
    const clientOfBoth = new UnaryClient(members, new ManualClock());
    for (let count = 0; count < 3; count++) expect((await clientOfBoth.call('/a/B', EMPTY_MESSAGE, 1_000)).toString()).toBe('ok');
    clientOfBoth.close();
    await silent.close();
  });

  it('tries each member once when a member has no leader', async () => {
    const otherPort = await freePort();
    const leaderless = createServer();
    let refused = 0;
    const refusal = { 'grpc-status': '14', 'grpc-message': 'etcdserver: no leader' };
    const refuse: Responder = (stream) => {
      refused += 1;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...refusal }, { endStream: true });
    };
    let leaderHeader: unknown;
    leaderless.on('session', (session) => sessions.push(session));
    leaderless.on('stream', (stream, headers) => {
      leaderHeader = headers['hasleader'];
      refuse(stream);
    });
    await new Promise<void>((resolve) => leaderless.listen(otherPort, '127.0.0.1', resolve));
    respond = respondWith(frameMessage('yes'), { 'grpc-status': '0' });
    await listen();
    client.close();
    client = new UnaryClient(
      [port, otherPort].map((at) => ({ origin: `http://127.0.0.1:${at}`, authority: 'store' })),
      systemClock,
    );
    for (let call = 0; call < 6; call += 1)
      expect((await client.call('/x', new RpcMessage(frameMessage('q')), deadline())).toString()).toBe('yes');
    expect(refused).toBeGreaterThan(0);
    expect(leaderHeader).toBe('true');
    // Now both members refuse the call.
    refused = 0;
    respond = refuse;
    expect(await failureOf(client.call('/x', new RpcMessage(frameMessage('q')), deadline()))).toEqual({
      code: 14,
      details: 'etcdserver: no leader',
      wasSent: true,
    });
    expect(refused).toBe(2);
    await stop();
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => leaderless.close(resolve));
  });

  it.each<[string, Responder]>([
    // Responds to the first call; the GOAWAY of a later one names the stream before it as the last processed one.
    ['sends GOAWAY', (stream) => (stream.id === 1 ? respond(stream) : stream.session?.goaway(0, (stream.id ?? 0) - 2))],
    ['refuses the stream', (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM)],
  ])('sends a call to the next member when a member %s before it processes the call', async (_, end) => {
    const otherPort = await freePort();
    const leaving = createServer();
    let received = 0;
    leaving.on('session', (session) => sessions.push(session));
    leaving.on('stream', (stream) => {
      stream.on('error', () => undefined);
      received += 1;
      end(stream);
    });
    await new Promise<void>((resolve) => leaving.listen(otherPort, '127.0.0.1', resolve));
    respond = respondWith(frameMessage('yes'), { 'grpc-status': '0' });
    await listen();
    client.close();
    client = new UnaryClient(
      [port, otherPort].map((at) => ({ origin: `http://127.0.0.1:${at}`, authority: 'store' })),
      systemClock,
    );
    await waitUntil('the leaving member to be called', async () => {
      expect((await client.call('/x', EMPTY_MESSAGE, deadline())).toString()).toBe('yes');
      return received > 2;
    });
    await stop();
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => leaving.close(resolve));
  });

  it('closes a session whose pings are not acknowledged', async () => {
    const clock = new ManualClock();
    respond = respondWith(frameMessage('ok'), { 'grpc-status': '0' });
    await listen();
    const proxy = await startTcpProxy(port);
    const timed = new UnaryClient([{ origin: `http://127.0.0.1:${proxy.port}`, authority: 'store' }], clock);
    const call = (): Promise<string> => timed.call('/a/B', EMPTY_MESSAGE, clock.monotonic() + 60_000).then((bytes) => bytes.toString());
    expect(await call()).toBe('ok');
    proxy.mute();
    const waiting = failureOf(timed.call('/a/B', EMPTY_MESSAGE, clock.monotonic() + 60_000));
    // The interval of pings, and the time limit of the response.
    clock.advance(10_000);
    clock.advance(5_000);
    expect(await waiting).toMatchObject({ code: 14, details: 'the server does not respond to pings', wasSent: true });
    proxy.unmute();
    expect(await call()).toBe('ok');
    expect(sessions.length).toBe(2);
    timed.close();
    await proxy.close();
  });
});
