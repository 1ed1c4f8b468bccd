/**
 * The baseline of the benchmarks: a TLS server that only sends prepared bytes. Runs as a child process. The parent first
 * sends `{ certificate, key }`; the child listens and sends its port. `{ path, size }` sets the size of the response to a
 * path. `/watch` keeps its connection; `{ push }` writes that many bytes to all of these connections.
 */
import { createServer } from 'node:https';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type BareMessage =
  | { readonly certificate: string; readonly key: string }
  | { readonly path: string; readonly size: number }
  | { readonly push: number };

const responses = new Map<string, Buffer>();
const watchers = new Set<ServerResponse>();

function listen(certificate: string, key: string): void {
  const server = createServer({ cert: certificate, key }, (request, response) => {
    if (request.url === '/watch') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      watchers.add(response);
      return;
    }
    const body = responses.get(request.url ?? '') ?? Buffer.alloc(0);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

process.on('message', (message: BareMessage) => {
  if ('certificate' in message) listen(message.certificate, message.key);
  else if ('path' in message) responses.set(message.path, Buffer.alloc(message.size, 'x'));
  else {
    const frame = Buffer.from(`${'x'.repeat(message.push - 1)}\n`);
    for (const watcher of watchers) watcher.write(frame);
  }
});
process.on('disconnect', () => process.exit(0));
