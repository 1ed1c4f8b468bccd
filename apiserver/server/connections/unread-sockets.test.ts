import { EventEmitter } from 'node:events';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { allowUnread, forbidUnread } from '../../endpoints/output/write-progress';
import type { UnreadKind } from './stall-tracker';
import { UnreadSockets } from './unread-sockets';

const CHECK_MS = 5_000;
const UNREAD_MS = 60_000;

/** As in Node, `bytesWritten` includes the `writableLength` bytes that the client has not read. */
class FakeSocket extends EventEmitter {
  writableLength = 0;
  bytesWritten = 0;
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/** A tracked socket with 1,000 bytes that its client does not read. */
function trackSocket(unreadMs = UNREAD_MS) {
  const clock = new ManualClock();
  const ended: UnreadKind[] = [];
  const sockets = new UnreadSockets(clock, { checkMs: CHECK_MS, unreadMs }, (unread) => ended.push(unread));
  const socket = new FakeSocket();
  sockets.add(socket);
  socket.bytesWritten = 1_000;
  socket.writableLength = 1_000;
  return { clock, ended, socket };
}

it('UnreadSockets destroys a socket without read progress for the unread time, and stops its timer', () => {
  const { clock, ended, socket } = trackSocket();
  // The time counts from the first check, which sees the socket CHECK_MS after its start.
  clock.advance(UNREAD_MS);
  expect(socket.destroyed).toBe(false);
  clock.advance(CHECK_MS);
  expect(socket.destroyed).toBe(true);
  expect(ended).toEqual(['response']);
  expect(clock.pending).toBe(0);
});

it('UnreadSockets keeps a socket with a slow client, even when as many bytes are written as it reads', () => {
  const { clock, socket } = trackSocket();
  for (let minute = 0; minute < 10; minute += 1) {
    // With an unchanged writableLength: 10 more bytes are written, and the client has read 10.
    socket.bytesWritten += 10;
    clock.advance(UNREAD_MS);
  }
  expect(socket.destroyed).toBe(false);
});

it('UnreadSockets keeps a socket that may stay unread until that permission ends', () => {
  const { clock, socket } = trackSocket();
  allowUnread(socket);
  clock.advance(10 * UNREAD_MS);
  expect(socket.destroyed).toBe(false);
  forbidUnread(socket);
  clock.advance(CHECK_MS);
  expect(socket.destroyed).toBe(true);
});

it('UnreadSockets ends no connection when the unread time is 0', () => {
  const { clock, socket } = trackSocket(0);
  clock.advance(10 * UNREAD_MS);
  expect(socket.destroyed).toBe(false);
  expect(clock.pending).toBe(0);
});
