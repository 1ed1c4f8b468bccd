/** Watches over HTTP/1.1 that tests observe while they are open. */
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { ADMIN } from './api-call';
import type { Fixture } from './fixture';

export interface OpenWatch {
  readonly response: IncomingMessage;
  /** The events received so far. */
  readonly events: Record<string, unknown>[];
  /** Whether the server has ended the response, or the connection is closed. */
  readonly isEnded: () => boolean;
  close(): void;
}

/** Resolves when the response has started. Sends the request as an administrator unless the headers have other credentials. */
export async function openWatch(api: Fixture, path: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenWatch> {
  const outgoing = request({
    host: '127.0.0.1',
    port: api.server.port,
    path,
    rejectUnauthorized: false,
    agent: false,
    headers: { authorization: `Bearer ${ADMIN}`, ...headers },
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject).end();
  });
  const events: Record<string, unknown>[] = [];
  let partialLine = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (partialLine + chunk).split('\n');
    partialLine = lines.pop() ?? '';
    for (const line of lines) events.push({ ...JSON.parse(line) });
  });
  response.on('error', () => undefined);
  return { response, events, isEnded: () => response.closed, close: () => outgoing.destroy() };
}
