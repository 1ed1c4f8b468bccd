import { EventEmitter } from 'node:events';
import { ManualClock } from '../../test/support/manual-clock';
import { Sessions } from './sessions';

const LIMITS = { headersMs: 30_000, idleMs: 90_000, checkMs: 5_000 };

class FakeSession extends EventEmitter {
  readonly done: string[] = [];
  close(): void {
    this.done.push('close');
  }
  destroy(): void {
    this.done.push('destroy');
    this.emit('close');
  }
  open(): EventEmitter {
    const stream = new EventEmitter();
    this.emit('stream', stream);
    return stream;
  }
}

function tracked(clock: ManualClock): FakeSession {
  const session = new FakeSession();
  new Sessions(clock, LIMITS).add(session);
  return session;
}

it('tells a connection to go whose first request does not come, and cuts it when it stays', () => {
  const clock = new ManualClock();
  const session = tracked(clock);
  clock.advance(29_000);
  expect(session.done).toEqual([]);
  clock.advance(2_000);
  expect(session.done).toEqual(['close']);
  clock.advance(5_000);
  expect(session.done).toEqual(['close', 'destroy']);
  clock.advance(100_000);
  expect(session.done).toHaveLength(2);
  expect(clock.pending).toBe(0);
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
  expect(session.done).toEqual(['close']);
});
