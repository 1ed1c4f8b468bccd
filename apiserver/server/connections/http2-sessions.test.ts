import { EventEmitter } from 'node:events';
import { ManualClock } from '../../../test/support/manual-clock';
import { markAsWatch, notePieceWritten } from '../../endpoints/output/write-progress';
import { Sessions } from './http2-sessions';
import type { Unread } from './stall-tracker';

const LIMITS = { headersMs: 30_000, idleMs: 90_000, checkMs: 5_000, unreadMs: 60_000 };

class FakeStream extends EventEmitter {
  writableLength = 0;
  destroyed = false;
  closed = false;
  /** A reset ends the stream only once it is written. */
  isStuck = false;
  readonly codes: number[] = [];
  close(code: number): void {
    this.codes.push(code);
    this.closed = true;
    if (this.isStuck) return;
    this.destroyed = true;
    this.emit('close');
  }
}

class FakeSession extends EventEmitter {
  readonly done: string[] = [];
  readonly state = { outboundQueueSize: 0 };
  readonly socket = { bytesWritten: 0, destroy: () => this.done.push('cut') };
  hangs = false;
  destroyed = false;
  goaway(code: number): void {
    this.done.push(`GOAWAY ${code}`);
  }
  close = (): void => void this.done.push('close');
  destroy(): void {
    this.destroyed = true;
    this.done.push('destroy');
    if (!this.hangs) this.emit('close');
  }
  open(): FakeStream {
    const stream = new FakeStream();
    this.emit('stream', stream);
    return stream;
  }
}

const ended: Unread[] = [];
beforeEach(() => void (ended.length = 0));

function tracked(clock: ManualClock): FakeSession {
  const session = new FakeSession();
  new Sessions(clock, LIMITS, (unread) => ended.push(unread)).add(session, session.socket);
  return session;
}

const DRAINED = ['GOAWAY 0', 'close', 'destroy'];

it('sends GOAWAY to a connection whose first request does not come in time, and ends it', () => {
  const clock = new ManualClock();
  const session = tracked(clock);
  clock.advance(29_000);
  expect(session.done).toEqual([]);
  clock.advance(2_000);
  expect(session.done).toEqual(DRAINED);
  clock.advance(100_000);
  expect(session.done).toHaveLength(3);
  expect(clock.pending).toBe(0);
});

it('closes a draining session in Node only after its last stream, when nothing is read', () => {
  const clock = new ManualClock();
  const session = tracked(clock);
  const open = session.open();
  session.close();
  session.close();
  expect(session.done).toEqual(['GOAWAY 0']);
  clock.advance(200_000);
  expect(session.done).toEqual(['GOAWAY 0']);
  open.emit('close');
  expect(session.done).toEqual(['GOAWAY 0']);
  clock.advance(1);
  expect(session.done).toEqual(DRAINED);
});

it('lets a connection be while it has a stream, and for a while after the last', () => {
  const clock = new ManualClock();
  const session = tracked(clock);
  const [one, other] = [session.open(), session.open()];
  clock.advance(500_000);
  one.emit('close');
  clock.advance(500_000);
  expect(session.done).toEqual([]);
  other.emit('close');
  clock.advance(85_000);
  expect(session.done).toEqual([]);
  clock.advance(5_000);
  expect(session.done).toEqual(DRAINED);
});

it('cuts the socket of a connection whose session cannot end', () => {
  const clock = new ManualClock();
  const session = tracked(clock);
  session.hangs = true;
  clock.advance(35_000);
  expect(session.done).toEqual([...DRAINED, 'cut']);
});

it('resets a stream of which nothing is read for the time for unread answers, and no other', () => {
  const clock = new ManualClock();
  const session = tracked(clock);
  const [unread, watch, slow, empty] = [session.open(), session.open(), session.open(), session.open()];
  for (const stream of [unread, watch, slow]) stream.writableLength = 100;
  markAsWatch(watch);
  for (let second = 0; second < 65; second += 5) {
    expect(unread.codes).toEqual([]);
    if (second % 30 === 0) notePieceWritten(slow);
    clock.advance(5_000);
  }
  expect([unread, watch, slow, empty].map(({ codes }) => codes)).toEqual([[8], [8], [], []]);
  expect(ended).toEqual(['response', 'watch']);
  expect(session.done).toEqual([]);
});

it('resets the stream with the most bytes when more wait on one connection than may', () => {
  const clock = new ManualClock();
  const session = tracked(clock);
  const [short, long] = [session.open(), session.open()];
  short.writableLength = 16 * 1024 * 1024;
  long.writableLength = 17 * 1024 * 1024;
  clock.advance(5_000);
  expect([short.codes, long.codes]).toEqual([[], [8]]);
});

it('cuts a connection that takes no byte of what waits, whatever its streams do', () => {
  const clock = new ManualClock();
  const session = tracked(clock);
  session.open();
  session.state.outboundQueueSize = 1;
  clock.advance(60_000);
  session.socket.bytesWritten += 1;
  clock.advance(60_000);
  expect(session.done).toEqual([]);
  clock.advance(5_000);
  expect([session.done, ended]).toEqual([['cut'], ['connection']]);
});

it('destroys a connection on which a reset is not written for the time for unread answers', () => {
  const clock = new ManualClock();
  const session = tracked(clock);
  const stream = session.open();
  stream.writableLength = 100;
  stream.isStuck = true;
  clock.advance(70_000);
  expect(ended).toEqual(['response']);
  session.socket.bytesWritten += 1;
  clock.advance(55_000);
  expect(session.done).toEqual([]);
  clock.advance(10_000);
  expect(session.done).toEqual(['cut']);
  expect(stream.codes).toEqual([8]);
  expect(ended).toEqual(['response', 'connection']);
});
