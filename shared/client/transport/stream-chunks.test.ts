import { Readable } from 'node:stream';
import { StreamChunks } from './stream-chunks';
import { ConnectionError } from './transport';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function all(chunks: StreamChunks): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

const silent = (): Readable => new Readable({ read: () => undefined });

test('StreamChunks returns data that arrived before the first read, even if the stream is closed', async () => {
  const stream = silent();
  const chunks = new StreamChunks(stream, undefined);
  stream.push('one ');
  stream.push('two');
  stream.push(null);
  await settled();
  stream.destroy();
  await settled();
  expect(await all(chunks)).toBe('one two');
});

test('StreamChunks throws after the received data when the stream is closed before its end', async () => {
  const stream = silent();
  const chunks = new StreamChunks(stream, undefined);
  stream.push('one');
  await settled();
  stream.destroy(new Error('cut'));
  const read: string[] = [];
  const reading = (async () => {
    for await (const chunk of chunks) read.push(chunk.toString());
  })();
  await expect(reading).rejects.toThrow(ConnectionError);
  expect(read).toEqual(['one']);
});

test('StreamChunks throws the reason of an abort', async () => {
  const controller = new AbortController();
  const stream = silent();
  const chunks = new StreamChunks(stream, controller.signal);
  const reason = new Error('enough');
  controller.abort(reason);
  stream.destroy();
  await expect(all(chunks)).rejects.toBe(reason);
});

test('StreamChunks buffers a bounded part of a long response that is read slowly', async () => {
  let given = 0;
  const stream = new Readable({
    read() {
      given += 16_384;
      this.push(given > 4_000_000 ? null : Buffer.alloc(16_384));
    },
  });
  const chunks = new StreamChunks(stream, undefined);
  for (let i = 0; i < 50; i += 1) await settled();
  expect(given).toBeLessThan(500_000);
  expect((await all(chunks)).length).toBe(3_997_696);
});

test('StreamChunks destroys the stream when the reader stops early', async () => {
  const stream = silent();
  const chunks = new StreamChunks(stream, undefined);
  stream.push('one');
  for await (const chunk of chunks) {
    expect(chunk.toString()).toBe('one');
    break;
  }
  expect(stream.destroyed).toBe(true);
});
