import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { answerOf } from './relay';

/** A server that sends the same bytes to everyone. */
async function serverOf(bytes: string): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(bytes)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: Number(Object(server.address()).port) };
}

describe('the answer of a backend', () => {
  it.each(['000', '099', '101', '600', '999'])('is a failure when its status is %s', async (status) => {
    const { server, port } = await serverOf(`HTTP/1.1 ${status} x\r\nContent-Length: 2\r\n\r\nok`);
    const asked = request({ port, host: '127.0.0.1', agent: false });
    const answered = answerOf(asked);
    asked.end();
    const answer = await answered;
    expect(answer).toMatchObject({ type: 'failure', error: { message: `malformed HTTP status code "${Number(status)}"` } });
    server.close();
  });

  it.each(['HTTP/1.1 200 x', 'HTTP/1.1 599 x', 'HTTP/1.1 103 x\r\n\r\nHTTP/1.1 200 x'])('is taken when it is %j', async (head) => {
    const { server, port } = await serverOf(`${head}\r\nContent-Length: 0\r\n\r\n`);
    const asked = request({ port, host: '127.0.0.1', agent: false });
    const answered = answerOf(asked);
    asked.end();
    expect(await answered).toMatchObject({ type: 'answer' });
    asked.destroy();
    server.close();
  });
});
