/**
 * Progress requests, which depend on the versions of the etcd members, and retries of calls that had no effect. The
 * members are simulated.
 */
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { systemClock } from '../../../shared/runtime/clock';
import { FixedRandom } from '../../../test/support/clock/fixed-random';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { waitUntil } from '../../../test/support/programs';
import { failureOf } from '../../../test/support/store/store-helpers';
import type { Store, Watch } from '../store';
import { openEtcdStore } from './open';
import { WIRE_TYPES } from '../../../shared/serialization/protobuf/wire';
import { encodeRpcMessage } from './rpc-message';

interface Member {
  version: string;
  /** Called for a call of the service KV; `true` when it has responded. */
  respond: (stream: ServerHttp2Stream) => boolean;
  readonly endpoint: string;
  /** Destroys all connections. */
  disconnect(): void;
  close(): Promise<void>;
}

/** `WatchResponse.created`. */
const createdResponse = encodeRpcMessage((writer) => writer.field(3, WIRE_TYPES.varint).bool(true)).framed;
/** `StatusResponse.version`. */
const statusResponse = (version: string): Buffer => encodeRpcMessage((writer) => writer.field(2, WIRE_TYPES.bytes).text(version)).framed;

async function startMember(version: string): Promise<Member> {
  const sessions = new Set<ServerHttp2Session>();
  const server: Http2Server = createServer();
  const member: Member = {
    version,
    respond: () => false,
    get endpoint() {
      const address = server.address();
      return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
    },
    disconnect: () => sessions.forEach((session) => session.destroy()),
    close: async () => {
      member.disconnect();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (headers[':path']?.startsWith('/etcdserverpb.KV/') === true && member.respond(stream)) return;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    if (headers[':path'] === '/etcdserverpb.Watch/Watch') stream.write(createdResponse);
    else if (headers[':path'] === '/etcdserverpb.Maintenance/Status') stream.end(statusResponse(member.version));
    else stream.end(encodeRpcMessage(() => undefined).framed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return member;
}

describe('progress request of an etcd watch', () => {
  let members: Member[];
  let store: Store;
  let watch: Watch;
  let connected: number;

  async function open(...versions: string[]): Promise<void> {
    members = await Promise.all(versions.map(startMember));
    const endpoints = members.map(({ endpoint }) => endpoint);
    store = await openEtcdStore({ endpoints, clock: systemClock, random: new FixedRandom() });
    connected = 0;
    watch = store.watch({ start: '/', end: '0' }, 1, {
      events: () => undefined,
      progress: () => undefined,
      compacted: () => undefined,
      connection: (state) => (connected += state === 'connected' ? 1 : 0),
    });
    await waitUntil('the watch is confirmed', () => connected === 1);
  }
  afterEach(async () => {
    watch.close();
    await store.close();
    await Promise.all(members.map((member) => member.close()));
  });
  const waitForProgressRequest = (): Promise<unknown> => waitUntil('a progress request is accepted', () => watch.requestProgress());

  it.each(['3.4.31', '3.5.13', '3.6.0'])('is sent to a member of version %s', async (version) => {
    await open(version);
    await waitForProgressRequest();
  });

  it.each(['3.4.30', '3.5.12'])('is not sent to a member of version %s until the member is upgraded', async (version) => {
    await open(version);
    expect(watch.requestProgress()).toBe(false);
    members.forEach((member) => (member.version = '3.5.13'));
    watch.reopen();
    await waitForProgressRequest();
  });

  it('is not sent to a member of an old version, regardless of the versions of other members', async () => {
    await open('3.5.9', '3.5.16');
    expect(watch.requestProgress()).toBe(false);
    watch.reopen();
    await waitForProgressRequest();
    watch.reopen();
    expect(watch.requestProgress()).toBe(false);
    await waitUntil('the watch is back at the old member', () => connected === 3);
    expect(watch.requestProgress()).toBe(false);
  });

  it('is not sent to a member that restarts with an old version', async () => {
    await open('3.5.16');
    await waitForProgressRequest();
    for (const member of members) {
      member.version = '3.5.9';
      member.disconnect();
    }
    await waitUntil('the watch is confirmed again', () => connected === 2);
    expect(watch.requestProgress()).toBe(false);
  });
});

describe('a call to etcd', () => {
  const NO_LEADER = { ':status': 200, 'grpc-status': '14', 'grpc-message': 'etcdserver: no leader' };
  const refuse = (stream: ServerHttp2Stream): boolean => {
    received += 1;
    stream.respond({ 'content-type': 'application/grpc', ...NO_LEADER }, { endStream: true });
    return true;
  };
  let member: Member;
  let store: Store;
  let clock: ManualClock;
  let received: number;

  beforeEach(async () => {
    received = 0;
    clock = new ManualClock();
    member = await startMember('3.5.16');
    store = await openEtcdStore({ endpoints: [member.endpoint], clock, random: new FixedRandom() });
  });
  afterEach(async () => {
    await store.close();
    await member.close();
  });

  /** Advances the clock until the call has ended. */
  async function runToEnd<T>(call: Promise<T>): Promise<T> {
    let isOver = false;
    call.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    await waitUntil('the call to end', async () => {
      await clock.advanceAsync(50);
      return isOver;
    });
    return call;
  }
  const write = (): Promise<unknown> => store.transact({ compare: [], operations: [{ type: 'put', key: '/a', value: Buffer.from('1') }] });

  it.each([
    ['write', () => write()],
    ['read', () => store.revision()],
  ])('is sent again while no member has a leader: a %s', async (_kind, call) => {
    member.respond = (stream) => received < 5 && refuse(stream);
    await runToEnd(call());
    expect(received).toBe(5);
  });

  it.each([
    ['write', () => write()],
    ['read', () => store.revision()],
  ])('fails as unavailable when no member has had a leader for 7 s: a %s', async (_kind, call) => {
    member.respond = refuse;
    expect((await failureOf(runToEnd(call()))).failure).toBe('unavailable');
    expect(received).toBeGreaterThan(10);
    expect(clock.monotonic()).toBeLessThan(8_000);
  });

  it('is not sent again when it is a write whose response was lost', async () => {
    member.respond = () => {
      received += 1;
      member.disconnect();
      return true;
    };
    expect((await failureOf(runToEnd(write()))).failure).toBe('ambiguous');
    expect(received).toBe(1);
  });
});
