/** Responses of backends that do not keep to HTTP, which a raw TCP server sends. */
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { awaitResponse } from './relay';

/** Starts a server that sends the same bytes to every client. */
async function startRawServer(bytes: string): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(bytes)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: Number(Object(server.address()).port) };
}

describe('awaitResponse', () => {
  it.each(['000', '099', '101', '600', '999'])('reports a response with status %s as a failure', async (status) => {
    const { server, port } = await startRawServer(`HTTP/1.1 ${status} x\r\nContent-Length: 2\r\n\r\nok`);
    const sent = request({ port, host: '127.0.0.1', agent: false });
    const pending = awaitResponse(sent);
    sent.end();
    const response = await pending;
    expect(response).toMatchObject({ type: 'failure', error: { message: `malformed HTTP status code "${Number(status)}"` } });
    server.close();
  });

  it.each(['HTTP/1.1 200 x', 'HTTP/1.1 599 x', 'HTTP/1.1 103 x\r\n\r\nHTTP/1.1 200 x'])('accepts the response %j', async (head) => {
    const { server, port } = await startRawServer(`${head}\r\nContent-Length: 0\r\n\r\n`);
    const sent = request({ port, host: '127.0.0.1', agent: false });
    const pending = awaitResponse(sent);
    sent.end();
    expect(await pending).toMatchObject({ type: 'response' });
    sent.destroy();
    server.close();
  });
});
