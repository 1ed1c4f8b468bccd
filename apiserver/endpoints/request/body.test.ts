/** The size limit of request bodies that arrive in chunks. */
import { EventEmitter } from 'node:events';
import { StatusError } from '../../../shared/api/errors/status';
import { readBody } from './body';
import { ExchangeProgress } from './exchange-progress';

/** The size limit of the bodies, in bytes. */
const LIMIT = 10;

/** Sends the chunks as the body of a request without Content-Length, and reads it. */
function sendBody(...chunks: readonly string[]) {
  const input = Object.assign(new EventEmitter(), { aborted: false });
  const exchange = {
    input,
    progress: new ExchangeProgress(),
    header: () => undefined,
    acquireSlot: () => undefined,
    trace: undefined,
  };
  const body = readBody(exchange, LIMIT).catch((error: unknown) => error);
  for (const chunk of chunks) input.emit('data', Buffer.from(chunk));
  input.emit('end');
  input.emit('close');
  return body;
}

it.each([
  { body: 'of exactly the limit', chunks: ['01234', '56789'] },
  { body: 'without chunks', chunks: [] },
])('readBody reads a body $body', async ({ chunks }) => {
  expect(String(await sendBody(...chunks))).toBe(chunks.join(''));
});

it.each([
  { body: 'with a first chunk that is too long', chunks: ['0123456789+'] },
  { body: 'with chunks that are too long together', chunks: ['01234', '56789+', '0'] },
])('readBody rejects a body $body', async ({ chunks }) => {
  const error = await sendBody(...chunks);
  expect(error).toBeInstanceOf(StatusError);
  expect(error).toMatchObject({ status: { code: 413 } });
});
