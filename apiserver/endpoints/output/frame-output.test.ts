/** The buffering and flow of watch frames to one client. */
import { EventEmitter } from 'node:events';
import { flushPromises, ManualClock } from '../../../test/support/clock/manual-clock';
import { encodeChunk } from './frame';
import { FrameOutput } from './frame-output';
import { Outbox } from './outbox';

const outbox = new Outbox(new ManualClock());

/** A fake HTTP/2 stream that records the pieces written to it. */
class FakeClient extends EventEmitter {
  readonly pieces: Buffer[] = [];
  /** The bytes that wait in the stream itself. */
  writableLength = 0;
  destroyed = false;
  readonly output = FrameOutput.forResponse(this, outbox);

  write(piece: Buffer): void {
    this.pieces.push(piece);
  }

  get texts(): string[] {
    return this.pieces.map(String);
  }
}

const frame = (text: string): Buffer => encodeChunk(Buffer.from(text));

it('FrameOutput sends all frames of one turn in one piece, in order', async () => {
  const client = new FakeClient();
  for (const text of ['one ', 'two ', 'three']) client.output.write(frame(text));
  expect(client.texts).toEqual([]);
  expect(client.output.waitingBytes()).toBeGreaterThanOrEqual(12);
  await flushPromises();
  client.output.write(frame('four'));
  await flushPromises();
  expect(client.texts).toEqual(['one two three', 'four']);
  expect(client.output.waitingBytes()).toBe(0);
});

it('FrameOutput sends one buffer to two clients with the same frames', async () => {
  const frames = [frame('1'), frame('2')];
  const [first, second] = [new FakeClient(), new FakeClient()];
  for (const { output } of [first, second]) frames.forEach((chunk) => output.write(chunk));
  await flushPromises();
  expect(first.texts).toEqual(['12']);
  expect(second.pieces[0]).toBe(first.pieces[0]);
});

it('FrameOutput sends each client its own frames when clients have different ones', async () => {
  const [first, second, third] = [frame('1'), frame('2'), frame('3')];
  const framesOfClients = [[first, second], [first], [first, third], [first, second]];
  const clients = framesOfClients.map((frames) => {
    const client = new FakeClient();
    frames.forEach((chunk) => client.output.write(chunk));
    return client;
  });
  await flushPromises();
  expect(clients.map(({ texts }) => texts)).toEqual([['12'], ['1'], ['13'], ['12']]);
});

it('FrameOutput sends at once when more than 64 KiB wait', () => {
  const client = new FakeClient();
  const large = frame('x'.repeat(40_000));
  client.output.write(large);
  client.output.write(large);
  expect(client.pieces.map(({ length }) => length)).toEqual([80_000]);
});

it('FrameOutput sends waiting frames when it is flushed, and not again at the end of the turn', async () => {
  const client = new FakeClient();
  client.output.write(frame('x'));
  client.output.flush();
  expect(client.texts).toEqual(['x']);
  await flushPromises();
  expect(client.texts).toEqual(['x']);
});

it('FrameOutput refuses a frame while more than 1 MiB waits for the client', () => {
  const slow = new FakeClient();
  slow.writableLength = 1024 * 1024 - 100;
  expect(slow.output.write(frame('x'.repeat(200)))).toBe(true);
  expect(slow.output.write(frame('y'))).toBe(false);
});

it('FrameOutput writes nothing to a destroyed stream', async () => {
  const client = new FakeClient();
  client.output.write(frame('x'));
  client.destroyed = true;
  await flushPromises();
  expect(client.pieces).toEqual([]);
});

it.each([
  ['has read everything', 'drain'],
  ['has disconnected', 'close'],
])('FrameOutput.whenDrained sends waiting frames and resolves when the client %s', async (_, event) => {
  const client = new FakeClient();
  client.output.write(frame('x'));
  const drained = client.output.whenDrained();
  expect(client.texts).toEqual(['x']);
  client.emit(event);
  await drained;
  expect(client.listenerCount('drain') + client.listenerCount('close')).toBe(0);
});
