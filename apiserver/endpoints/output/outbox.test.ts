/** The pacing of watch frames over turns of the event loop, with senders that take a given time of a manual clock. */
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { Outbox, type Sender } from './outbox';

/** A watch that takes `costMs` to send. */
class Watch implements Sender {
  /** The times at which it was flushed. */
  readonly sentAt: number[] = [];

  constructor(
    private readonly clock: ManualClock,
    private readonly costMs: number,
    readonly session?: object,
  ) {}

  flush(): void {
    this.sentAt.push(this.clock.monotonic());
    this.clock.advance(this.costMs);
  }
}

it('Outbox sends at the end of a turn while sending is cheap', async () => {
  const clock = new ManualClock();
  const outbox = new Outbox(clock);
  const watch = new Watch(clock, 0.9);
  for (let turn = 0; turn < 3; turn++) {
    outbox.add(watch);
    await flushPromises();
  }
  expect(watch.sentAt).toEqual([0, 0.9, 1.8]);
});

it.each([
  { title: 'pauses for the time that sending took', costMs: 8, pauseMs: 8, hasWaitingRequests: false },
  { title: 'pauses for four times the time while requests wait for a turn', costMs: 4, pauseMs: 16, hasWaitingRequests: true },
])('Outbox $title, and then sends later frames together', async ({ costMs, pauseMs, hasWaitingRequests }) => {
  const clock = new ManualClock();
  const outbox = new Outbox(clock, () => hasWaitingRequests);
  const watch = new Watch(clock, costMs);
  outbox.add(watch);
  await flushPromises();
  outbox.add(watch);
  await clock.advanceAsync(pauseMs - 1);
  expect(watch.sentAt).toEqual([0]);
  await clock.advanceAsync(1);
  expect(watch.sentAt).toEqual([0, costMs + pauseMs]);
  await clock.advanceAsync(100);
  outbox.add(watch);
  await flushPromises();
  expect(watch.sentAt).toHaveLength(3);
});

it('Outbox limits the length of a pause', async () => {
  const clock = new ManualClock();
  const outbox = new Outbox(clock);
  const watch = new Watch(clock, 500);
  outbox.add(watch);
  await flushPromises();
  outbox.add(watch);
  await clock.advanceAsync(20);
  expect(watch.sentAt).toEqual([0, 520]);
});

it('Outbox.flushBefore sends the frames for the connection of a response, and no others', async () => {
  const clock = new ManualClock();
  const outbox = new Outbox(clock);
  const ours = {};
  const theirs = {};
  const sameSession = new Watch(clock, 0, ours);
  const otherSession = new Watch(clock, 0, theirs);
  const noSession = new Watch(clock, 0);
  for (const watch of [sameSession, otherSession, noSession]) outbox.add(watch);
  expect(outbox.flushBefore({ session: undefined })).toBe(false);
  expect(outbox.flushBefore({ session: {} })).toBe(false);
  expect(outbox.flushBefore({ session: ours })).toBe(true);
  expect([sameSession, otherSession, noSession].map(({ sentAt }) => sentAt.length)).toEqual([1, 0, 0]);
  await flushPromises();
  expect([otherSession, noSession].map(({ sentAt }) => sentAt.length)).toEqual([1, 1]);
});

it('Outbox pauses when a sending has reached its time limit, and flushes each watch once', async () => {
  const clock = new ManualClock();
  const outbox = new Outbox(clock);
  const watches = Array.from({ length: 20 }, () => new Watch(clock, 1));
  for (const watch of watches) outbox.add(watch);
  const sentCount = (): number => watches.filter(({ sentAt }) => sentAt.length > 0).length;
  await flushPromises();
  // The clock is read after eight watches, which take twice the time limit of a sending.
  expect(sentCount()).toBe(8);
  // The pause is as long as the sending.
  await clock.advanceAsync(8);
  expect(sentCount()).toBe(16);
  await clock.advanceAsync(20);
  expect(watches.every(({ sentAt }) => sentAt.length === 1)).toBe(true);
});

it('Outbox sends a later event in the next sending while an event for thousands of watches is being sent', async () => {
  const clock = new ManualClock();
  const outbox = new Outbox(clock);
  const many = Array.from({ length: 2_000 }, () => new Watch(clock, 0.1));
  for (const watch of many) outbox.add(watch);
  await clock.advanceAsync(50);
  const sentBefore = many.filter(({ sentAt }) => sentAt.length > 0).length;
  expect(sentBefore).toBeLessThan(1_000);
  const later = new Watch(clock, 0.1);
  outbox.add(later);
  const addedAt = clock.monotonic();
  await clock.advanceAsync(20);
  expect(later.sentAt[0]).toBeLessThan(addedAt + 10);
  for (let ms = 0; ms < 400; ms += 10) await clock.advanceAsync(10);
  expect(many.filter(({ sentAt }) => sentAt.length !== 1)).toEqual([]);
});

it('Outbox sends to as many watches per turn as are encrypted and written in four milliseconds', async () => {
  const clock = new ManualClock();
  const outbox = new Outbox(clock);
  let inTurn = 0;
  /** Number of watches that were flushed in each turn. */
  const perTurn: number[] = [];
  const endTurn = (): void => {
    perTurn.push(inTurn);
    clock.advance(inTurn * 0.05);
    inTurn = 0;
  };
  // Costs nothing at once and 0.05 ms in the next turn, as a stream of HTTP/2 does.
  const sender: Sender = {
    flush(): void {
      if (inTurn === 0) setImmediate(endTurn);
      inTurn += 1;
    },
  };
  for (let watch = 0; watch < 500; watch += 1) outbox.add(sender);
  await flushPromises();
  for (let ms = 0; ms < 50; ms += 1) await clock.advanceAsync(1);
  // Starts with the minimum, then at most doubles up to 80 watches: 4 ms divided by 0.05 ms.
  expect(perTurn).toEqual([32, 64, 80, 80, 80, 80, 80, 4]);
});
