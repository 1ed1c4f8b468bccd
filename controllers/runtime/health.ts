/** Health and metrics over plain HTTP, for this machine only. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HealthSource {
  /** What keeps the process from working; empty = it is well. Texts are shown to whoever asks. */
  problems(): readonly string[];
  metrics(): Promise<{ readonly type: string; readonly text: string }>;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Rejects when the address cannot be had. `port` 0 = any that is free. */
export function serveHealth(host: string, port: number, source: HealthSource): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, 'method not allowed');
    void handle(path, source, response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({ port: portOf(server), close: () => close(server) });
    });
  });
}

async function handle(path: string, source: HealthSource, response: ServerResponse): Promise<void> {
  switch (path) {
    case '/healthz':
    case '/livez':
    case '/readyz': {
      const problems = source.problems();
      return problems.length === 0 ? answer(response, 200, 'ok') : answer(response, 500, problems.map((text) => `[-] ${text}\n`).join(''));
    }
    case '/metrics':
      try {
        const { type, text } = await source.metrics();
        return answer(response, 200, text, type);
      } catch (error) {
        return answer(response, 500, error instanceof Error ? error.message : String(error));
      }
    default:
      return answer(response, 404, 'not found');
  }
}

function answer(response: ServerResponse, code: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(code, { 'content-type': type, 'x-content-type-options': 'nosniff' });
  response.end(text);
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
