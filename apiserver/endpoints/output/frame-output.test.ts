import { EventEmitter } from 'node:events';
import { settle } from '../../../test/support/manual-clock';
import { ManualClock } from '../../../test/support/manual-clock';
import { chunked } from './frame';
import { FrameOutput } from './frame-output';
import { Outbox } from './outbox';

const outbox = new Outbox(new ManualClock());

/** What an output needs of an HTTP/2 stream, and what it was given. */
class Client extends EventEmitter {
  readonly pieces: Buffer[] = [];
  writableLength = 0;
  destroyed = false;
  readonly output = FrameOutput.to(this, outbox);

  write(piece: Buffer): void {
    this.pieces.push(piece);
  }

  get texts(): string[] {
    return this.pieces.map(String);
  }
}

const frame = (text: string): Buffer => chunked(Buffer.from(text));

it('sends what was written in one turn in one piece, in order', async () => {
  const client = new Client();
  for (const text of ['one ', 'two ', 'three']) client.output.write(frame(text));
  expect(client.texts).toEqual([]);
  expect(client.output.waiting()).toBeGreaterThanOrEqual(12);
  await settle();
  client.output.write(frame('four'));
  await settle();
  expect(client.texts).toEqual(['one two three', 'four']);
  expect(client.output.waiting()).toBe(0);
});

it('makes a piece once for all who get the same, and another for those who do not', async () => {
  const [one, two, three] = [frame('1'), frame('2'), frame('3')];
  const [all, alike, fewer, others, again] = [new Client(), new Client(), new Client(), new Client(), new Client()];
  for (const client of [all, alike, again]) for (const chunk of [one, two]) client.output.write(chunk);
  fewer.output.write(one);
  for (const chunk of [one, three]) others.output.write(chunk);
  await settle();
  expect([all, alike, fewer, others, again].map(({ texts }) => texts)).toEqual([['12'], ['12'], ['1'], ['13'], ['12']]);
  expect(alike.pieces[0]).toBe(all.pieces[0]);
});

it('waits for no turn when much has come, and sends at once when it is told to', async () => {
  const client = new Client();
  const large = frame('x'.repeat(40_000));
  client.output.write(large);
  client.output.write(large);
  expect(client.pieces.map(({ length }) => length)).toEqual([80_000]);
  client.output.write(frame('last'));
  client.output.flush();
  expect(client.texts[1]).toBe('last');
  await settle();
  expect(client.pieces).toHaveLength(2);
});

it('takes nothing for a client that has too much to read, and writes nothing to one that is gone', async () => {
  const slow = new Client();
  slow.writableLength = 1024 * 1024 - 100;
  expect(slow.output.write(frame('x'.repeat(200)))).toBe(true);
  expect(slow.output.write(frame('y'))).toBe(false);
  slow.destroyed = true;
  await settle();
  expect(slow.pieces).toEqual([]);
});

it('lets wait until the client has read, or is gone', async () => {
  const client = new Client();
  client.output.write(frame('x'));
  const [read, gone] = [client.output.drained(), client.output.drained()];
  expect(client.texts).toEqual(['x']);
  client.emit('drain');
  await read;
  client.emit('close');
  await gone;
  expect(client.listenerCount('drain') + client.listenerCount('close')).toBe(0);
});
