/** Time limits of HTTP/2 connections, with sessions and streams that are fakes and a manual clock. */
import { EventEmitter } from 'node:events';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { markAsWatch, recordPieceWritten } from '../../endpoints/output/write-progress';
import { Http2Sessions } from './http2-sessions';
import type { UnreadKind } from './stall-tracker';

const LIMITS = { headersMs: 30_000, idleMs: 90_000, checkMs: 5_000, unreadMs: 60_000 };

class FakeStream extends EventEmitter {
  writableLength = 0;
  destroyed = false;
  closed = false;
  /** Whether a reset cannot be written; only then does the stream remain after `close`. */
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
  readonly actions: string[] = [];
  readonly state = { outboundQueueSize: 0 };
  readonly socket = { bytesWritten: 0, destroy: () => this.actions.push('destroy socket') };
  /** Whether the session does not close after `destroy`. */
  isStuck = false;
  destroyed = false;
  goaway(code: number): void {
    this.actions.push(`GOAWAY ${code}`);
  }
  close = (): void => void this.actions.push('close');
  destroy(): void {
    this.destroyed = true;
    this.actions.push('destroy');
    if (!this.isStuck) this.emit('close');
  }
  open(): FakeStream {
    const stream = new FakeStream();
    this.emit('stream', stream);
    return stream;
  }
}

const ended: UnreadKind[] = [];
beforeEach(() => void (ended.length = 0));

function trackSession(clock: ManualClock): FakeSession {
  const session = new FakeSession();
  new Http2Sessions(clock, LIMITS, (unread) => ended.push(unread)).add(session, session.socket);
  return session;
}

/** The actions on a session that is drained and then ended. */
const DRAINED = ['GOAWAY 0', 'close', 'destroy'];
/** The code of a stream that is reset. */
const CANCEL = 8;

it('Http2Sessions sends GOAWAY to a connection without a first request in time, and ends it', () => {
  const clock = new ManualClock();
  const session = trackSession(clock);
  clock.advance(29_000);
  expect(session.actions).toEqual([]);
  clock.advance(2_000);
  expect(session.actions).toEqual(DRAINED);
  clock.advance(100_000);
  expect(session.actions).toHaveLength(3);
  expect(clock.pending).toBe(0);
});

it('Http2Sessions closes a draining session in Node only after its last stream has closed', () => {
  const clock = new ManualClock();
  const session = trackSession(clock);
  const open = session.open();
  session.close();
  session.close();
  expect(session.actions).toEqual(['GOAWAY 0']);
  clock.advance(200_000);
  expect(session.actions).toEqual(['GOAWAY 0']);
  open.emit('close');
  expect(session.actions).toEqual(['GOAWAY 0']);
  clock.advance(1);
  expect(session.actions).toEqual(DRAINED);
});

it('Http2Sessions keeps a connection while it has a stream, and for the idle time after the last one', () => {
  const clock = new ManualClock();
  const session = trackSession(clock);
  const first = session.open();
  const second = session.open();
  clock.advance(500_000);
  first.emit('close');
  clock.advance(500_000);
  expect(session.actions).toEqual([]);
  second.emit('close');
  clock.advance(85_000);
  expect(session.actions).toEqual([]);
  clock.advance(5_000);
  expect(session.actions).toEqual(DRAINED);
});

it('Http2Sessions destroys the socket of a connection when its session does not end', () => {
  const clock = new ManualClock();
  const session = trackSession(clock);
  session.isStuck = true;
  clock.advance(35_000);
  expect(session.actions).toEqual([...DRAINED, 'destroy socket']);
});

it('Http2Sessions resets a stream without read progress for the unread time, and no other stream', () => {
  const clock = new ManualClock();
  const session = trackSession(clock);
  const unread = session.open();
  const watch = session.open();
  const slow = session.open();
  const empty = session.open();
  for (const stream of [unread, watch, slow]) stream.writableLength = 100;
  markAsWatch(watch);
  for (let second = 0; second < 65; second += 5) {
    expect(unread.codes).toEqual([]);
    if (second % 30 === 0) recordPieceWritten(slow);
    clock.advance(5_000);
  }
  expect(unread.codes).toEqual([CANCEL]);
  expect(watch.codes).toEqual([CANCEL]);
  expect(slow.codes).toEqual([]);
  expect(empty.codes).toEqual([]);
  expect(ended).toEqual(['response', 'watch']);
  expect(session.actions).toEqual([]);
});

it('Http2Sessions resets the stream with the most waiting bytes when a connection exceeds its limit', () => {
  const clock = new ManualClock();
  const session = trackSession(clock);
  const short = session.open();
  const long = session.open();
  short.writableLength = 16 * 1024 * 1024;
  long.writableLength = 17 * 1024 * 1024;
  clock.advance(5_000);
  expect(short.codes).toEqual([]);
  expect(long.codes).toEqual([CANCEL]);
});

it('Http2Sessions destroys the socket of a connection that reads no byte while frames wait', () => {
  const clock = new ManualClock();
  const session = trackSession(clock);
  session.open();
  session.state.outboundQueueSize = 1;
  clock.advance(60_000);
  session.socket.bytesWritten += 1;
  clock.advance(60_000);
  expect(session.actions).toEqual([]);
  clock.advance(5_000);
  expect(session.actions).toEqual(['destroy socket']);
  expect(ended).toEqual(['connection']);
});

it('Http2Sessions destroys a connection on which a reset is not written for the unread time', () => {
  const clock = new ManualClock();
  const session = trackSession(clock);
  const stream = session.open();
  stream.writableLength = 100;
  stream.isStuck = true;
  clock.advance(70_000);
  expect(ended).toEqual(['response']);
  session.socket.bytesWritten += 1;
  clock.advance(55_000);
  expect(session.actions).toEqual([]);
  clock.advance(10_000);
  expect(session.actions).toEqual(['destroy socket']);
  expect(stream.codes).toEqual([CANCEL]);
  expect(ended).toEqual(['response', 'connection']);
});
