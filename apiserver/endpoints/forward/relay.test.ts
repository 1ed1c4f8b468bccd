/** Responses of backends that do not keep to HTTP, which a raw TCP server sends. */
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { awaitResponse, type BackendResponse } from './relay';

/** Starts a server that sends the same bytes to every client. */
async function startRawServer(bytes: string): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(bytes)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: Number(Object(server.address()).port) };
}

/** The outcome of a request to a server that responds with these bytes. */
async function responseOf(bytes: string): Promise<BackendResponse> {
  const { server, port } = await startRawServer(bytes);
  const clientRequest = request({ port, host: '127.0.0.1', agent: false });
  const pending = awaitResponse(clientRequest);
  clientRequest.end();
  const response = await pending;
  clientRequest.destroy();
  server.close();
  return response;
}

describe('awaitResponse', () => {
  it.each(['000', '099', '101', '600', '999'])('reports a response with status %s as a failure', async (status) => {
    const response = await responseOf(`HTTP/1.1 ${status} x\r\nContent-Length: 2\r\n\r\nok`);
    expect(response).toMatchObject({ type: 'failure', error: { message: `malformed HTTP status code "${Number(status)}"` } });
  });

  it.each(['HTTP/1.1 200 x', 'HTTP/1.1 599 x', 'HTTP/1.1 103 x\r\n\r\nHTTP/1.1 200 x'])('accepts the response %j', async (head) => {
    expect(await responseOf(`${head}\r\nContent-Length: 0\r\n\r\n`)).toMatchObject({ type: 'response' });
  });
});
