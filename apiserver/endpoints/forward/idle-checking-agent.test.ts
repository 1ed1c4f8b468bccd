/** Connections that are kept between two requests, with a TLS server that sends data of its own accord. */
import { once } from 'node:events';
import { request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { createServer, type TLSSocket } from 'node:tls';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate } from '../../../shared/pki/certificates';
import { IdleCheckingAgent } from './idle-checking-agent';

/** A response of HTTP/1.1, as it is sent. */
const rawResponse = (text: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;

/** Starts a TLS server that responds to each request with the number of its connection, from 1. */
async function startServer() {
  const lifetimeMs = 3_600_000;
  const authority = await createAuthority({ subject: { commonName: 'a' }, lifetimeMs, clock });
  const { certificate, key } = await issueCertificate({
    authority,
    usage: 'server',
    subject: { commonName: 's' },
    names: ['localhost'],
    lifetimeMs,
    clock,
  });
  const sockets: TLSSocket[] = [];
  const server = createServer({ cert: certificate, key }, (socket) => {
    const text = String(sockets.push(socket));
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(rawResponse(text)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, sockets, port: Number(Object(server.address()).port) };
}

async function fetchText(options: RequestOptions): Promise<string> {
  const clientRequest = request({ host: '127.0.0.1', rejectUnauthorized: false, ...options });
  clientRequest.end();
  const [response]: IncomingMessage[] = await once(clientRequest, 'response');
  let text = '';
  for await (const chunk of response ?? []) text += String(chunk);
  return text;
}

it.each([
  ['a complete response', rawResponse('not requested')],
  ['the beginning of a response', 'HTTP/1.1 200 OK\r\nX: '],
  ['a single byte', '\n'],
])('IdleCheckingAgent closes an idle connection on which the server sends %s', async (_, bytes) => {
  const { server, sockets, port } = await startServer();
  const agent = new IdleCheckingAgent({ keepAlive: true });
  try {
    expect(await fetchText({ port, agent })).toBe('1');
    // The connection is kept.
    expect(await fetchText({ port, agent })).toBe('1');
    const [idleSocket] = sockets;
    idleSocket?.write(bytes);
    await once(Object(idleSocket), 'close');
    expect(await fetchText({ port, agent })).toBe('2');
  } finally {
    agent.destroy();
    server.close();
  }
});
