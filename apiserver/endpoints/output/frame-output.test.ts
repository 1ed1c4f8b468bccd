/** The buffering and flow of watch frames to one client. */
import { EventEmitter } from 'node:events';
import { flushPromises, ManualClock } from '../../../test/support/clock/manual-clock';
import { encodeChunk } from './frame';
import { FrameOutput } from './frame-output';
import { Outbox } from './outbox';

const outbox = new Outbox(new ManualClock());

/** A fake HTTP/2 stream that records the pieces written to it. */
class Client extends EventEmitter {
  readonly pieces: Buffer[] = [];
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
  const client = new Client();
  for (const text of ['one ', 'two ', 'three']) client.output.write(frame(text));
  expect(client.texts).toEqual([]);
  expect(client.output.waitingBytes()).toBeGreaterThanOrEqual(12);
  await flushPromises();
  client.output.write(frame('four'));
  await flushPromises();
  expect(client.texts).toEqual(['one two three', 'four']);
  expect(client.output.waitingBytes()).toBe(0);
});

it('FrameOutput shares one buffer between clients with the same frames only', async () => {
  const first = frame('1');
  const second = frame('2');
  const third = frame('3');
  const original = new Client();
  const alike = new Client();
  const fewer = new Client();
  const others = new Client();
  const again = new Client();
  for (const client of [original, alike, again]) for (const chunk of [first, second]) client.output.write(chunk);
  fewer.output.write(first);
  for (const chunk of [first, third]) others.output.write(chunk);
  await flushPromises();
  expect([original, alike, fewer, others, again].map(({ texts }) => texts)).toEqual([['12'], ['12'], ['1'], ['13'], ['12']]);
  expect(alike.pieces[0]).toBe(original.pieces[0]);
});

it('FrameOutput sends at once when many bytes wait or when it is flushed', async () => {
  const client = new Client();
  const large = frame('x'.repeat(40_000));
  client.output.write(large);
  client.output.write(large);
  expect(client.pieces.map(({ length }) => length)).toEqual([80_000]);
  client.output.write(frame('last'));
  client.output.flush();
  expect(client.texts[1]).toBe('last');
  await flushPromises();
  expect(client.pieces).toHaveLength(2);
});

it('FrameOutput refuses frames when too many bytes wait, and writes nothing to a destroyed stream', async () => {
  const slow = new Client();
  slow.writableLength = 1024 * 1024 - 100;
  expect(slow.output.write(frame('x'.repeat(200)))).toBe(true);
  expect(slow.output.write(frame('y'))).toBe(false);
  slow.destroyed = true;
  await flushPromises();
  expect(slow.pieces).toEqual([]);
});

it('FrameOutput.whenDrained resolves when the client has read everything, or has disconnected', async () => {
  const client = new Client();
  client.output.write(frame('x'));
  const read = client.output.whenDrained();
  const disconnected = client.output.whenDrained();
  expect(client.texts).toEqual(['x']);
  client.emit('drain');
  await read;
  client.emit('close');
  await disconnected;
  expect(client.listenerCount('drain') + client.listenerCount('close')).toBe(0);
});
