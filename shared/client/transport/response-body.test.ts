import { Readable } from 'node:stream';
import { ResponseBody } from './response-body';
import { ConnectionError } from './transport';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function readAll(chunks: ResponseBody): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

/** A stream to which the test pushes data. */
const silent = (): Readable => new Readable({ read: () => undefined });

test('ResponseBody returns data that arrived before the first read, even if the stream is closed', async () => {
  const stream = silent();
  const chunks = new ResponseBody(stream, undefined);
  stream.push('one ');
  stream.push('two');
  stream.push(null);
  await nextTurn();
  stream.destroy();
  await nextTurn();
  expect(await readAll(chunks)).toBe('one two');
});

test('ResponseBody throws after the received data when the stream is closed before its end', async () => {
  const stream = silent();
  const chunks = new ResponseBody(stream, undefined);
  stream.push('one');
  await nextTurn();
  stream.destroy(new Error('cut'));
  const read: string[] = [];
  const reading = (async () => {
    for await (const chunk of chunks) read.push(chunk.toString());
  })();
  await expect(reading).rejects.toThrow(ConnectionError);
  expect(read).toEqual(['one']);
});

test('ResponseBody throws the reason of an abort', async () => {
  const controller = new AbortController();
  const stream = silent();
  const chunks = new ResponseBody(stream, controller.signal);
  const reason = new Error('enough');
  controller.abort(reason);
  stream.destroy();
  await expect(readAll(chunks)).rejects.toBe(reason);
});

test('ResponseBody buffers a bounded part of a long response that is read slowly', async () => {
  const chunkCount = 250;
  let readCount = 0;
  const stream = new Readable({
    read() {
      readCount += 1;
      this.push(readCount > chunkCount ? null : Buffer.alloc(16_384));
    },
  });
  const body = new ResponseBody(stream, undefined);
  for (let i = 0; i < 50; i += 1) await nextTurn();
  // The buffer has 256 KiB, which are 16 chunks; the stream has a buffer of its own.
  expect(readCount).toBeLessThan(30);
  expect((await readAll(body)).length).toBe(chunkCount * 16_384);
});

test('ResponseBody destroys the stream when the reader stops early', async () => {
  const stream = silent();
  const chunks = new ResponseBody(stream, undefined);
  stream.push('one');
  for await (const chunk of chunks) {
    expect(chunk.toString()).toBe('one');
    break;
  }
  expect(stream.destroyed).toBe(true);
});
