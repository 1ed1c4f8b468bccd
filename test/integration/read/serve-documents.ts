/** A plain HTTP server with nothing but discovery and OpenAPI, for real clients to read. It serves no objects. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DocumentAnswer, Documents } from '../../../apiserver/discovery/document';

export interface DocumentServer {
  readonly url: string;
  /** `METHOD path -> status`, in order. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export async function serveDocuments(documents: readonly Documents[]): Promise<DocumentServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const method = request.method ?? '';
    const { accept, 'if-none-match': ifNoneMatch } = request.headers;
    void answerOf(documents, { path, query, accept, ifNoneMatch, pretty: false }).then((answer) => {
      requests.push(`${method} ${path} -> ${answer.status}`);
      for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, typeof value === 'string' ? value : [...value]);
      response.writeHead(answer.status).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${portOf(server)}`, requests, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function answerOf(documents: readonly Documents[], request: Parameters<Documents['handle']>[0]): Promise<DocumentAnswer> {
  for (const each of documents) {
    const answer = await each.handle(request);
    if (answer !== undefined) return answer;
  }
  return { status: 404, headers: {}, body: Buffer.alloc(0) };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
