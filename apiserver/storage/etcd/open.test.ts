/** Behaviour that depends on the version of the etcd members, with simulated members. */
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { systemClock } from '../../../shared/runtime/clock';
import { FixedRandom } from '../../../test/support/fixed-random';
import { waitUntil } from '../../../test/support/programs';
import type { Store, Watch } from '../store';
import { openEtcdStore } from './open';
import { RpcWriter } from './wire';

interface Member {
  version: string;
  readonly endpoint: string;
  /** Breaks all connections. */
  cut(): void;
  close(): Promise<void>;
}

const written = (write: (writer: RpcWriter) => void): Buffer => {
  const writer = new RpcWriter(100);
  write(writer);
  return writer.finish().framed;
};
const created = written((writer) => writer.flag(3));

async function startMember(version: string): Promise<Member> {
  const sessions = new Set<ServerHttp2Session>();
  const server: Http2Server = createServer();
  const member: Member = {
    version,
    get endpoint() {
      const address = server.address();
      return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
    },
    cut: () => sessions.forEach((session) => session.destroy()),
    close: async () => {
      member.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    if (headers[':path'] === '/etcdserverpb.Watch/Watch') stream.write(created);
    else if (headers[':path'] === '/etcdserverpb.Maintenance/Status') stream.end(written((writer) => writer.text(2, member.version)));
    else stream.end(written(() => undefined));
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
    await waitUntil('the watch stands', () => connected === 1);
  }
  afterEach(async () => {
    watch.close();
    await store.close();
    await Promise.all(members.map((member) => member.close()));
  });
  const answersProgress = (): Promise<unknown> => waitUntil('progress may be asked for', () => watch.requestProgress());

  it.each([
    ['3.4.30', false],
    ['3.4.31', true],
    ['3.5.12', false],
    ['3.5.13', true],
    ['3.6.0', true],
  ])('to a member of version %s is sent: %p', async (version, isOrdered) => {
    await open(version);
    if (isOrdered) await answersProgress();
    else {
      // The next member says that it can; by then the first one has said that it cannot.
      expect(watch.requestProgress()).toBe(false);
      members.forEach((member) => (member.version = '3.5.13'));
      watch.reopen();
      await answersProgress();
    }
  });

  it('is not sent to a member of an old version, whatever the versions of other members', async () => {
    await open('3.5.9', '3.5.16');
    expect(watch.requestProgress()).toBe(false);
    watch.reopen();
    await answersProgress();
    watch.reopen();
    expect(watch.requestProgress()).toBe(false);
    await waitUntil('it is back at the old one', () => connected === 3);
    expect(watch.requestProgress()).toBe(false);
  });

  it('is not sent to a member that restarts with an old version', async () => {
    await open('3.5.16');
    await answersProgress();
    for (const member of members) {
      member.version = '3.5.9';
      member.cut();
    }
    await waitUntil('the watch stands again', () => connected === 2);
    expect(watch.requestProgress()).toBe(false);
  });
});
