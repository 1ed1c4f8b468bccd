/** One request for tests that choose protocol, credentials and headers themselves; on a connection of its own unless `options` have an agent. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';

export interface TextResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends the request to 127.0.0.1 unless `options` name a host; over plain HTTP when their protocol is `http:`. Resolves
 * with any response; rejects when the connection fails or is idle for their `timeout`.
 */
export function sendOnce(options: RequestOptions, body?: string | Buffer): Promise<TextResponse> {
  const request = options.protocol === 'http:' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.once('timeout', () => sent.destroy(new Error('timeout')));
    sent.once('error', reject).end(body);
  });
}
