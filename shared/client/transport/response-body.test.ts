import { Readable } from 'node:stream';
import { ResponseBody } from './response-body';
import { ConnectionError } from './transport';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function readAll(chunks: ResponseBody): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

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
  let given = 0;
  const stream = new Readable({
    read() {
      given += 16_384;
      this.push(given > 4_000_000 ? null : Buffer.alloc(16_384));
    },
  });
  const chunks = new ResponseBody(stream, undefined);
  for (let i = 0; i < 50; i += 1) await nextTurn();
  expect(given).toBeLessThan(500_000);
  expect((await readAll(chunks)).length).toBe(3_997_696);
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
