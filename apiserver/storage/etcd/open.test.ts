/**
 * Progress requests, which depend on the versions of the etcd members, and retries of calls that had no effect. The
 * members are simulated.
 */
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { systemClock } from '../../../shared/runtime/clock';
import { FixedRandom } from '../../../test/support/clock/fixed-random';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { waitUntil } from '../../../test/support/programs';
import { stopAfterTest, useForEachTest } from '../../../test/support/use-resource';
import { failureOf } from '../../../test/support/store/store-helpers';
import { openEtcdStore } from './open';
import { WIRE_TYPES } from '../../../shared/serialization/protobuf/wire';
import { encodeRpcMessage } from './rpc-message';

/** A simulated etcd member. Responds to status calls with its version, and confirms watches. */
interface Member {
  version: string;
  /** Called for each call of the service KV; when it returns false, the call succeeds with an empty message. */
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

const closeAfterTest = stopAfterTest((resource: { close(): unknown }) => resource.close());

describe('progress request of an etcd watch', () => {
  /** Opens a watch at the first of new members with these versions, and waits until it is confirmed. */
  async function openWatch(...versions: readonly string[]) {
    const members = await Promise.all(versions.map(startMember));
    for (const member of members) closeAfterTest(member);
    const endpoints = members.map(({ endpoint }) => endpoint);
    const store = await openEtcdStore({ endpoints, clock: systemClock, random: new FixedRandom() });
    closeAfterTest(store);
    let confirmations = 0;
    const watch = store.watch({ start: '/', end: '0' }, 1, {
      events: () => undefined,
      progress: () => undefined,
      compacted: () => undefined,
      connection(state) {
        if (state === 'connected') confirmations += 1;
      },
    });
    closeAfterTest(watch);
    /** Waits until the watch has been confirmed this many times. */
    const waitForConfirmation = (number: number) => waitUntil(`confirmation ${number} of the watch`, () => confirmations === number);
    await waitForConfirmation(1);
    const waitForProgressRequest = () => waitUntil('a progress request is accepted', () => watch.requestProgress());
    return { members, watch, waitForConfirmation, waitForProgressRequest };
  }

  it.each(['3.4.31', '3.5.13', '3.6.0'])('is sent to a member of version %s', async (version) => {
    const { waitForProgressRequest } = await openWatch(version);
    await waitForProgressRequest();
  });

  it.each(['3.4.30', '3.5.12'])('is not sent to a member of version %s until the member is upgraded', async (version) => {
    const { members, watch, waitForProgressRequest } = await openWatch(version);
    expect(watch.requestProgress()).toBe(false);
    for (const member of members) member.version = '3.5.13';
    watch.reopen();
    await waitForProgressRequest();
  });

  it('is not sent to a member of an old version, regardless of the versions of other members', async () => {
    // The watch alternates between the members.
    const { watch, waitForConfirmation, waitForProgressRequest } = await openWatch('3.5.9', '3.5.16');
    expect(watch.requestProgress()).toBe(false);
    watch.reopen();
    await waitForProgressRequest();
    watch.reopen();
    expect(watch.requestProgress()).toBe(false);
    await waitForConfirmation(3);
    expect(watch.requestProgress()).toBe(false);
  });

  it('is not sent to a member that restarts with an old version', async () => {
    const { members, watch, waitForConfirmation, waitForProgressRequest } = await openWatch('3.5.16');
    await waitForProgressRequest();
    for (const member of members) {
      member.version = '3.5.9';
      member.disconnect();
    }
    await waitForConfirmation(2);
    expect(watch.requestProgress()).toBe(false);
  });
});

describe('a call to etcd', () => {
  const NO_LEADER = { ':status': 200, 'grpc-status': '14', 'grpc-message': 'etcdserver: no leader' };

  /** Responds that there is no leader. */
  function refuse(stream: ServerHttp2Stream): true {
    stream.respond({ 'content-type': 'application/grpc', ...NO_LEADER }, { endStream: true });
    return true;
  }

  const fixture = useForEachTest(
    async () => {
      const clock = new ManualClock();
      const member = await startMember('3.5.16');
      const store = await openEtcdStore({ endpoints: [member.endpoint], clock, random: new FixedRandom() });
      const write = (): Promise<unknown> =>
        store.transact({ compare: [], operations: [{ type: 'put', key: '/a', value: Buffer.from('1') }] });
      const read = (): Promise<unknown> => store.revision();
      return { clock, member, store, write, read };
    },
    async ({ store, member }) => {
      await store.close();
      await member.close();
    },
  );

  /** Advances the clock until the call has ended. */
  async function runToEnd<T>(call: Promise<T>): Promise<T> {
    const { clock } = fixture();
    let hasEnded = false;
    const onEnd = (): void => void (hasEnded = true);
    call.then(onEnd, onEnd);
    await waitUntil('the call to end', async () => {
      await clock.advanceAsync(50);
      return hasEnded;
    });
    return call;
  }

  describe.each(['write', 'read'] as const)('that is a %s', (kind) => {
    it('is sent again while no member has a leader', async () => {
      const { member, [kind]: call } = fixture();
      let refusals = 0;
      member.respond = (stream) => {
        if (refusals === 5) return false;
        refusals += 1;
        return refuse(stream);
      };
      await runToEnd(call());
      expect(refusals).toBe(5);
    });

    it('fails as unavailable when no member has had a leader for 7 s', async () => {
      const { clock, member, [kind]: call } = fixture();
      let refusals = 0;
      member.respond = (stream) => {
        refusals += 1;
        return refuse(stream);
      };
      expect((await failureOf(runToEnd(call()))).failure).toBe('unavailable');
      expect(refusals).toBeGreaterThan(10);
      expect(clock.monotonic()).toBeGreaterThan(5_000);
      expect(clock.monotonic()).toBeLessThan(8_000);
    });
  });

  it('is not sent again when it is a write and its response was lost', async () => {
    const { member, write } = fixture();
    let received = 0;
    member.respond = () => {
      received += 1;
      member.disconnect();
      return true;
    };
    expect((await failureOf(runToEnd(write()))).failure).toBe('ambiguous');
    expect(received).toBe(1);
  });
});
