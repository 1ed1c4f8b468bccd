import { createSecureServer, createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { freePort } from '../../../test/support/ports';
import { startSilentServer } from '../../../test/support/silent-server';
import { startTcpProxy } from '../../../test/support/tcp-proxy';
import { waitUntil } from '../../../test/support/programs';
import { ManualClock } from '../../../test/support/manual-clock';
import { CallError, UnaryCalls, type EtcdCredentials } from './unary';
import { RpcMessage } from './wire';

type Answer = (stream: ServerHttp2Stream) => void;

const frame = (text: string): Buffer => {
  const message = Buffer.from(text);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};
const NOTHING = new RpcMessage(frame(''));

const answers = (bytes: Buffer, trailers: Record<string, string>): Answer => {
  return (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.end(bytes);
  };
};

describe('UnaryCalls', () => {
  let server: Http2Server | undefined;
  let calls: UnaryCalls;
  let port: number;
  let answer: Answer;
  let sessions: ServerHttp2Session[];
  const soon = (): number => systemClock.monotonic() + 5_000;

  const listen = async (): Promise<void> => {
    const made = createServer();
    made.on('session', (session) => sessions.push(session));
    made.on('stream', (stream) => {
      stream.on('error', () => undefined);
      answer(stream);
    });
    await new Promise<void>((resolve) => made.listen(port, '127.0.0.1', resolve));
    server = made;
  };
  const stop = async (): Promise<void> => {
    const stopped = server;
    server = undefined;
    for (const session of sessions) session.destroy();
    if (stopped !== undefined) await new Promise((resolve) => stopped.close(resolve));
  };
  const failureOf = (call: Promise<unknown>): Promise<{ code: number; details: string; sent: boolean }> =>
    call.then(
      () => Promise.reject(new Error('the call succeeded')),
      (error: unknown) => {
        if (!(error instanceof CallError)) throw error;
        return { code: error.code, details: error.details, sent: error.sent };
      },
    );

  beforeEach(async () => {
    sessions = [];
    port = await freePort();
    calls = new UnaryCalls([{ origin: `http://127.0.0.1:${port}`, authority: 'store' }], systemClock);
  });
  afterEach(async () => {
    calls.close();
    await stop();
  });

  it('sends a framed message and returns the response, however it is split', async () => {
    const seen: { path: unknown; body: Buffer }[] = [];
    answer = (stream) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => seen.push({ path: stream.sentHeaders, body: Buffer.concat(chunks) }));
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      const bytes = frame('x'.repeat(300_000));
      stream.write(bytes.subarray(0, 3));
      stream.write(bytes.subarray(3, 70_000));
      stream.end(bytes.subarray(70_000));
    };
    await listen();
    expect((await calls.call('/a/B', new RpcMessage(frame('hello')), soon())).toString()).toBe('x'.repeat(300_000));
    await waitUntil('the request was read', () => seen.length === 1);
    expect(seen[0]?.body).toEqual(frame('hello'));
    expect((await Promise.all(Array.from({ length: 50 }, () => calls.call('/a/B', NOTHING, soon())))).length).toBe(50);
    expect(sessions.length).toBe(1);
  });

  it.each<[string, Answer, { code: number; details: string }]>([
    ['trailers', answers(Buffer.alloc(0), { 'grpc-status': '11', 'grpc-message': 'too%20old' }), { code: 11, details: 'too old' }],
    [
      'a response of headers only',
      (stream) => stream.respond({ ':status': 200, 'grpc-status': '8', 'grpc-message': 'not %zz' }, { endStream: true }),
      { code: 8, details: 'not %zz' },
    ],
    [
      'an HTTP status',
      (stream) => stream.respond({ ':status': 503 }, { endStream: true }),
      { code: 14, details: 'the server answered with HTTP status 503' },
    ],
    [
      'a truncated message',
      answers(frame('whole').subarray(0, 7), { 'grpc-status': '0' }),
      { code: 13, details: 'the answer is no whole message' },
    ],
  ])('rejects with the error of the server in %s', async (_, given, expected) => {
    answer = given;
    await listen();
    expect(await failureOf(calls.call('/a/B', NOTHING, soon()))).toEqual({ ...expected, sent: true });
  });

  it('reports a call as not sent while no server listens, and connects once one does', async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await failureOf(calls.call('/a/B', NOTHING, soon()))).toMatchObject({ code: 14, sent: false });
    }
    answer = answers(frame('ok'), { 'grpc-status': '0' });
    await listen();
    const text = await waitUntil('an answer', () =>
      calls.call('/a/B', NOTHING, soon()).then(
        (bytes) => bytes.toString(),
        () => undefined,
      ),
    );
    expect(text).toBe('ok');
  });

  it('reports a call as sent when the connection breaks before the response, and reconnects', async () => {
    answer = () => sessions.forEach((session) => session.destroy());
    await listen();
    expect(await failureOf(calls.call('/a/B', NOTHING, soon()))).toMatchObject({ code: 14, sent: true });
    answer = answers(frame('ok'), { 'grpc-status': '0' });
    expect((await calls.call('/a/B', NOTHING, soon())).toString()).toBe('ok');
    expect(sessions.length).toBe(2);
  });

  it('rejects at the deadline and resets the stream', async () => {
    const aborted = new Promise<void>((resolve) => {
      answer = (stream) => stream.on('close', () => resolve());
    });
    await listen();
    expect(await failureOf(calls.call('/a/B', NOTHING, systemClock.monotonic() + 50))).toEqual({
      code: 4,
      details: 'Deadline exceeded',
      sent: true,
    });
    await aborted;
  });

  it('opens a new session after GOAWAY', async () => {
    answer = answers(frame('ok'), { 'grpc-status': '0' });
    await listen();
    await calls.call('/a/B', NOTHING, soon());
    sessions[0]?.goaway();
    // What meets the farewell was not looked at.
    const text = await calls.call('/a/B', NOTHING, soon()).catch((error: unknown) => failureOf(Promise.reject(error)));
    expect(Buffer.isBuffer(text) || !text.sent).toBe(true);
    await waitUntil('a second session', () => calls.call('/a/B', NOTHING, soon()).then(() => sessions.length === 2));
  });

  it.each(['http', 'https'])('abandons a connection over %s on which the server sends nothing for five seconds', async (scheme) => {
    const clock = new ManualClock();
    const silent = await startSilentServer();
    const member = {
      origin: `${scheme}://127.0.0.1:${silent.port}`,
      authority: 'store',
      ...(scheme === 'https' && { tls: { credentials: () => ({}) } }),
    };
    const timed = new UnaryCalls([member], clock);
    const call = (limitMs = 60_000): ReturnType<typeof failureOf> => {
      return failureOf(timed.call('/a/B', NOTHING, clock.monotonic() + limitMs));
    };
    const details = `No connection established. Last error: ${member.origin}: no answer within 5 seconds of connecting`;
    for (const times of [1, 2]) {
      const failed = call();
      await waitUntil('a connection', () => silent.accepted() === times);
      clock.advance(5_000);
      expect(await failed).toEqual({ code: 14, details, sent: false });
      clock.advance(1_000);
    }
    // A call that ends in the midst of an attempt is told why the last one failed.
    const hurried = call(1_000);
    await waitUntil('a connection', () => silent.accepted() === 3);
    clock.advance(1_000);
    expect(await hurried).toEqual({ code: 14, details, sent: false });
    timed.close();
    await silent.close();
  });

  it('presents the current client certificate on each new connection', async () => {
    const common = { lifetimeMs: 3_600_000, clock: systemClock };
    const authority = await createAuthority({ ...common, subject: { commonName: 'ca' } });
    const issue = (commonName: string, usage: 'server' | 'client'): Promise<Credential> =>
      issueCertificate({ ...common, authority, usage, subject: { commonName }, names: usage === 'server' ? ['localhost'] : [] });
    const [own, first, second] = [await issue('member', 'server'), await issue('first', 'client'), await issue('second', 'client')];
    const names: unknown[] = [];
    const secure = createSecureServer({ key: own.key, cert: own.certificate, ca: authority.certificate, requestCert: true });
    secure.on('secureConnection', (socket: TLSSocket) => names.push(socket.getPeerCertificate().subject.CN));
    secure.on('session', (session) => sessions.push(session));
    secure.on('stream', (stream) => answers(frame('ok'), { 'grpc-status': '0' })(stream));
    await new Promise<void>((resolve) => secure.listen(port, resolve));

    let present = first;
    const credentials = (): EtcdCredentials => ({
      ca: Buffer.from(authority.certificate),
      cert: Buffer.from(present.certificate),
      key: Buffer.from(present.key),
    });
    const member = { origin: `https://localhost:${port}`, authority: 'localhost', tls: { credentials, servername: 'localhost' } };
    const renewing = new UnaryCalls([member], systemClock);
    const call = async (): Promise<string> => (await renewing.call('/a/B', NOTHING, soon())).toString();
    expect(await call()).toBe('ok');
    present = second;
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
    answer = answers(frame('ok'), { 'grpc-status': '0' });
    await listen();
    const silent = await startSilentServer();
    const members = [silent.port, port].map((each) => ({ origin: `http://127.0.0.1:${each}`, authority: 'store' }));
    const both = new UnaryCalls(members, new ManualClock());
    for (let count = 0; count < 3; count++) expect((await both.call('/a/B', NOTHING, 1_000)).toString()).toBe('ok');
    both.close();
    await silent.close();
  });

  it('tries each member once when a member has no leader', async () => {
    const other = await freePort();
    const cutOff = createServer();
    let refused = 0;
    const refusal = { 'grpc-status': '14', 'grpc-message': 'etcdserver: no leader' };
    const refuse: Answer = (stream) => {
      refused += 1;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...refusal }, { endStream: true });
    };
    let asked: unknown;
    cutOff.on('session', (session) => sessions.push(session));
    cutOff.on('stream', (stream, headers) => {
      asked = headers['hasleader'];
      refuse(stream);
    });
    await new Promise<void>((resolve) => cutOff.listen(other, '127.0.0.1', resolve));
    answer = answers(frame('yes'), { 'grpc-status': '0' });
    await listen();
    calls.close();
    calls = new UnaryCalls(
      [port, other].map((at) => ({ origin: `http://127.0.0.1:${at}`, authority: 'store' })),
      systemClock,
    );
    for (let call = 0; call < 6; call += 1) expect((await calls.call('/x', new RpcMessage(frame('q')), soon())).toString()).toBe('yes');
    expect([refused > 0, asked]).toEqual([true, 'true']);
    refused = 0;
    answer = refuse;
    expect(await failureOf(calls.call('/x', new RpcMessage(frame('q')), soon()))).toEqual({
      code: 14,
      details: 'etcdserver: no leader',
      sent: true,
    });
    expect(refused).toBe(2);
    await stop();
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => cutOff.close(resolve));
  });

  it('closes a session whose pings are not answered', async () => {
    const clock = new ManualClock();
    answer = answers(frame('ok'), { 'grpc-status': '0' });
    await listen();
    const proxy = await startTcpProxy(port);
    const timed = new UnaryCalls([{ origin: `http://127.0.0.1:${proxy.port}`, authority: 'store' }], clock);
    const call = (): Promise<string> => timed.call('/a/B', NOTHING, clock.monotonic() + 60_000).then((bytes) => bytes.toString());
    expect(await call()).toBe('ok');
    proxy.mute(true);
    const waiting = failureOf(timed.call('/a/B', NOTHING, clock.monotonic() + 60_000));
    clock.advance(10_000);
    clock.advance(5_000);
    expect(await waiting).toMatchObject({ code: 14, details: 'the server does not answer pings', sent: true });
    proxy.mute(false);
    expect(await call()).toBe('ok');
    expect(sessions.length).toBe(2);
    timed.close();
    await proxy.close();
  });
});
