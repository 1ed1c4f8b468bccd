/** Sends one request for tests and measurements that choose protocol, connection, credentials and headers themselves. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';

export interface TextResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * `options` are those of Node. By default the request goes to 127.0.0.1, over TLS and a connection of its own. Resolves
 * with any response. Rejects when the connection fails or is idle for the option `timeout`.
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
