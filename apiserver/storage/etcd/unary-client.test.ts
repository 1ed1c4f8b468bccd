/**
 * Unary calls to gRPC servers of this process: what is sent, how failures are classified, and when another connection
 * or member is used.
 */
import {
  constants,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { TLSSocket } from 'node:tls';
import { systemClock, type Clock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { freePort } from '../../../test/support/ports';
import { listen } from '../../../test/support/servers/listen';
import { startSilentServer } from '../../../test/support/servers/silent-server';
import { startTcpProxy } from '../../../test/support/servers/tcp-proxy';
import { waitUntil } from '../../../test/support/programs';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { stopAfterTest } from '../../../test/support/use-resource';
import type { EtcdCredentials, EtcdMember } from './member-connection';
import { CallError, UnaryClient } from './unary-client';
import { RpcMessage } from './rpc-message';

/** A gRPC server, one member of a cluster. */
interface FakeMember {
  readonly port: number;
  /** All sessions so far, the oldest first. */
  readonly sessions: readonly ServerHttp2Session[];
  /** The number of calls received. */
  calls(): number;
  /** Responds to each call; tests replace it. */
  respond: Responder;
}

type Responder = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** The message behind gRPC's prefix: a byte 0 (not compressed) and the length in four bytes. */
function frameMessage(text: string): Buffer {
  const message = Buffer.from(text);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

const EMPTY_MESSAGE = new RpcMessage(frameMessage(''));

function respondWith(bytes: Buffer, trailers: Record<string, string>): Responder {
  return (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.end(bytes);
  };
}

const respondOk = respondWith(frameMessage('ok'), { 'grpc-status': '0' });

const respondWithoutLeader: Responder = (stream) => {
  const status = { 'grpc-status': '14', 'grpc-message': 'etcdserver: no leader' };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
};

const stopMemberAfterTest = stopAfterTest((stop: () => Promise<unknown>) => stop());
const closeAfterTest = stopAfterTest((resource: { close(): unknown }) => resource.close());

/** Starts a member, over TLS when `tls` is given. `port` 0 is any free port. */
async function startMember(respond: Responder, { port = 0, tls }: { port?: number; tls?: SecureServerOptions } = {}): Promise<FakeMember> {
  const server = tls === undefined ? createServer() : createSecureServer(tls);
  const sessions: ServerHttp2Session[] = [];
  let calls = 0;
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    calls += 1;
    member.respond(stream, headers);
  });
  const member: FakeMember = { port: await listen(server, port), sessions, calls: () => calls, respond };
  stopMemberAfterTest(() => {
    for (const session of sessions) session.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return member;
}

const addressOf = ({ port }: { readonly port: number }): EtcdMember => ({ origin: `http://127.0.0.1:${port}`, authority: 'store' });

function openClient(addresses: readonly EtcdMember[], clock: Clock = systemClock): UnaryClient {
  const client = new UnaryClient(addresses, clock);
  closeAfterTest(client);
  return client;
}

/** Makes a call with an empty message; resolves with the message of the response. */
async function call(client: UnaryClient, { clock = systemClock, timeoutMs = 5_000 }: { clock?: Clock; timeoutMs?: number } = {}) {
  const response = await client.call('/a/B', EMPTY_MESSAGE, clock.monotonic() + timeoutMs);
  return response.toString();
}

async function failureOf(pendingCall: Promise<unknown>): Promise<{ code: number; details: string; wasSent: boolean }> {
  try {
    await pendingCall;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { code: error.code, details: error.details, wasSent: error.wasSent };
  }
  throw new Error('the call succeeded');
}

describe('a call over one connection', () => {
  it('sends a framed message and returns the response, however it is split', async () => {
    const requests: Buffer[] = [];
    const member = await startMember((stream) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => requests.push(Buffer.concat(chunks)));
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      const bytes = frameMessage('x'.repeat(300_000));
      // The first part ends within the prefix of the message.
      stream.write(bytes.subarray(0, 3));
      stream.write(bytes.subarray(3, 70_000));
      stream.end(bytes.subarray(70_000));
    });
    const client = openClient([addressOf(member)]);
    const response = await client.call('/a/B', new RpcMessage(frameMessage('hello')), systemClock.monotonic() + 5_000);
    expect(response.toString()).toBe('x'.repeat(300_000));
    await waitUntil('the request was read', () => requests.length === 1);
    expect(requests).toEqual([frameMessage('hello')]);
  });

  it('shares one session with concurrent calls', async () => {
    const member = await startMember(respondOk);
    const client = openClient([addressOf(member)]);
    await Promise.all(Array.from({ length: 50 }, () => call(client)));
    expect(member.sessions).toHaveLength(1);
  });

  it('asks the member to refuse it without a leader', async () => {
    const leaderHeaders: unknown[] = [];
    const member = await startMember((stream, headers) => {
      leaderHeaders.push(headers['hasleader']);
      respondOk(stream, headers);
    });
    await call(openClient([addressOf(member)]));
    expect(leaderHeaders).toEqual(['true']);
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
  ])('rejects with the error of the server in %s', async (_title, respond, expected) => {
    const client = openClient([addressOf(await startMember(respond))]);
    expect(await failureOf(call(client))).toEqual({ ...expected, wasSent: true });
  });

  it('rejects at the deadline and resets the stream', async () => {
    const member = await startMember(() => undefined);
    const isReset = new Promise<void>((resolve) => {
      member.respond = (stream) => stream.on('close', () => resolve());
    });
    const failure = await failureOf(call(openClient([addressOf(member)]), { timeoutMs: 500 }));
    expect(failure).toEqual({ code: 4, details: 'Deadline exceeded', wasSent: true });
    await isReset;
  });
});

describe('the connection to a member', () => {
  it('is opened once a server listens; until then calls are reported as not sent', async () => {
    const port = await freePort();
    const client = openClient([addressOf({ port })]);
    for (let attempt = 0; attempt < 3; attempt++) expect(await failureOf(call(client))).toMatchObject({ code: 14, wasSent: false });
    await startMember(respondOk, { port });
    // Attempts to connect are delayed after failed ones.
    const response = await waitUntil('a response', () => call(client).catch(() => undefined));
    expect(response).toBe('ok');
  });

  it('is opened again when it breaks before the response, and the call is reported as sent', async () => {
    const member = await startMember(() => undefined);
    member.respond = () => member.sessions.forEach((session) => session.destroy());
    const client = openClient([addressOf(member)]);
    expect(await failureOf(call(client))).toMatchObject({ code: 14, wasSent: true });
    member.respond = respondOk;
    expect(await call(client)).toBe('ok');
    expect(member.sessions).toHaveLength(2);
  });

  it('is opened again after GOAWAY', async () => {
    const member = await startMember(respondOk);
    const client = openClient([addressOf(member)]);
    await call(client);
    member.sessions[0]?.goaway();
    // This call either precedes GOAWAY and succeeds, or meets it and was not processed.
    await call(client).catch((error: unknown) => expect(error).toMatchObject({ wasSent: false }));
    await waitUntil('a second session', () => call(client).then(() => member.sessions.length === 2));
  });

  it.each(['http', 'https'])('is abandoned when the server sends nothing over %s for five seconds', async (scheme) => {
    const clock = new ManualClock();
    const silentServer = await startSilentServer();
    closeAfterTest(silentServer);
    const origin = `${scheme}://127.0.0.1:${silentServer.port}`;
    const tls = scheme === 'https' ? { tls: { credentials: () => ({}) } } : {};
    const client = openClient([{ origin, authority: 'store', ...tls }], clock);
    const expected = {
      code: 14,
      details: `No connection established. Last error: ${origin}: no response within 5 seconds of connecting`,
      wasSent: false,
    };
    for (const connections of [1, 2]) {
      const failure = failureOf(call(client, { clock, timeoutMs: 60_000 }));
      await waitUntil('a connection', () => silentServer.accepted() === connections);
      clock.advance(5_000);
      expect(await failure).toEqual(expected);
      // The delay of the next attempt.
      clock.advance(1_000);
    }
    // A call that reaches its deadline during an attempt reports the failure of the previous one.
    const shortCall = failureOf(call(client, { clock, timeoutMs: 1_000 }));
    await waitUntil('a connection', () => silentServer.accepted() === 3);
    clock.advance(1_000);
    expect(await shortCall).toEqual(expected);
  });

  it('is closed when its pings are not acknowledged', async () => {
    const clock = new ManualClock();
    const member = await startMember(respondOk);
    const proxy = await startTcpProxy(member.port);
    closeAfterTest(proxy);
    const client = openClient([addressOf(proxy)], clock);
    expect(await call(client, { clock })).toBe('ok');
    proxy.mute();
    const failure = failureOf(call(client, { clock, timeoutMs: 60_000 }));
    // The interval of pings, and the time limit of the response.
    clock.advance(10_000);
    clock.advance(5_000);
    expect(await failure).toMatchObject({ code: 14, details: 'the server does not respond to pings', wasSent: true });
    proxy.unmute();
    expect(await call(client, { clock })).toBe('ok');
    expect(member.sessions).toHaveLength(2);
  });

  it('presents the client certificate that is current when it is opened', async () => {
    const shared = { lifetimeMs: 3_600_000, clock: systemClock };
    const authority = await createAuthority({ ...shared, subject: { commonName: 'ca' } });
    const issue = (commonName: string, usage: 'server' | 'client'): Promise<Credential> =>
      issueCertificate({ ...shared, authority, usage, subject: { commonName }, names: usage === 'server' ? ['localhost'] : [] });
    const { key, certificate } = await issue('member', 'server');
    const first = await issue('first', 'client');
    const second = await issue('second', 'client');
    const member = await startMember(respondOk, { tls: { key, cert: certificate, ca: authority.certificate, requestCert: true } });
    const clientNames = () =>
      member.sessions.map(({ socket }) => (socket instanceof TLSSocket ? socket.getPeerCertificate().subject.CN : undefined));

    let current = first;
    const credentials = (): EtcdCredentials => ({
      ca: Buffer.from(authority.certificate),
      cert: Buffer.from(current.certificate),
      key: Buffer.from(current.key),
    });
    const tls = { credentials, servername: 'localhost' };
    const client = openClient([{ origin: `https://127.0.0.1:${member.port}`, authority: 'localhost', tls }]);
    expect(await call(client)).toBe('ok');
    current = second;
    expect(await call(client)).toBe('ok');
    expect(clientNames()).toEqual(['first']);
    member.sessions[0]?.destroy();
    await waitUntil('another connection', () =>
      call(client).then(
        () => member.sessions.length === 2,
        () => false,
      ),
    );
    expect(clientNames()).toEqual([undefined, 'second']);
  });
});

describe('a call with several members', () => {
  it('is made to a member that responds while another one does not', async () => {
    const member = await startMember(respondOk);
    const silentServer = await startSilentServer();
    closeAfterTest(silentServer);
    const clock = new ManualClock();
    const client = openClient([silentServer, member].map(addressOf), clock);
    for (let count = 0; count < 3; count++) expect(await call(client, { clock })).toBe('ok');
  });

  it('is made to another member when one has no leader', async () => {
    const leaderless = await startMember(respondWithoutLeader);
    const client = openClient([await startMember(respondOk), leaderless].map(addressOf));
    await waitUntil('the member without a leader to be called', async () => {
      expect(await call(client)).toBe('ok');
      return leaderless.calls() > 0;
    });
  });

  it('fails after one attempt at each connected member when none has a leader', async () => {
    const members = [await startMember(respondOk), await startMember(respondOk)];
    const client = openClient(members.map(addressOf));
    await waitUntil('a call to each member', async () => {
      await call(client);
      return members.every((member) => member.calls() > 0);
    });
    const callsBefore = members.map((member) => member.calls());
    for (const member of members) member.respond = respondWithoutLeader;
    expect(await failureOf(call(client))).toEqual({ code: 14, details: 'etcdserver: no leader', wasSent: true });
    expect(members.map((member) => member.calls())).toEqual(callsBefore.map((calls) => calls + 1));
  });

  it.each<[string, Responder]>([
    // Responds to the first call; the GOAWAY of a later one names the stream before it as the last processed one.
    ['sends GOAWAY', (stream, headers) => (stream.id === 1 ? respondOk(stream, headers) : stream.session?.goaway(0, (stream.id ?? 0) - 2))],
    ['refuses the stream', (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM)],
  ])('is made to another member when a member %s before it processes the call', async (_title, respond) => {
    const leaving = await startMember(respond);
    const client = openClient([await startMember(respondOk), leaving].map(addressOf));
    await waitUntil('the leaving member to be called repeatedly', async () => {
      expect(await call(client)).toBe('ok');
      return leaving.calls() > 2;
    });
  });
});
