import { EventEmitter } from 'node:events';
import { StatusError } from '../../../shared/api/errors/status';
import { readBody } from './body';
import { ExchangeProgress } from './exchange-progress';

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
  const body = readBody(exchange, 10).catch((error: unknown) => error);
  for (const chunk of chunks) input.emit('data', Buffer.from(chunk));
  input.emit('end');
  input.emit('close');
  return body;
}

it('readBody reads a body up to the limit', async () => {
  expect(String(await sendBody('01234', '56789'))).toBe('0123456789');
  expect(String(await sendBody())).toBe('');
});

it.each([
  { body: 'whose first chunk is too long', chunks: ['0123456789+'] },
  { body: 'whose chunks together are too long', chunks: ['01234', '56789+', '0'] },
])('readBody rejects a body $body', async ({ chunks }) => {
  const error = await sendBody(...chunks);
  expect(error).toBeInstanceOf(StatusError);
  expect(error).toMatchObject({ status: { code: 413 } });
});
