/**
 * Sends one request, whatever it contains, on its own connection over HTTP/1.1 or HTTP/2. Returns the status, 0 when
 * there was no response.
 */
import { request as http1Request } from 'node:https';
import { connect } from 'node:http2';
import type { HostileStep } from './hostile-inputs';

export interface HostileRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly http2: boolean;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** '' for none. */
  readonly body: string;
}

export interface HostileClient {
  readonly origin: string;
  readonly http2: boolean;
  /** The bearer token; `undefined` for requests without credentials. */
  readonly token: string | undefined;
}

/** Adds the credentials of the client to a step; without a token it stays anonymous. */
export function hostileRequest(
  { method = 'GET', path = '/', headers = {}, body = '' }: HostileStep,
  { origin, http2, token }: HostileClient,
): HostileRequest {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return { origin, http2, method, path, headers: { ...headers, ...authorization }, body };
}

function sendHttp1({ origin, method, path, headers, body }: HostileRequest): Promise<number> {
  return new Promise((resolve) => {
    const sent = http1Request(`${origin}${path}`, { method, headers, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    sent.on('error', () => resolve(0));
    sent.end(body === '' ? undefined : body);
  });
}

function sendHttp2({ origin, method, path, headers, body }: HostileRequest): Promise<number> {
  return new Promise((resolve) => {
    const session = connect(origin, { rejectUnauthorized: false });
    const end = (status: number): void => {
      session.destroy();
      resolve(status);
    };
    session.on('error', () => end(0));
    const stream = session.request({ ':method': method, ':path': path, ...headers });
    let status = 0;
    stream.on('response', (response) => (status = response[':status'] ?? 0));
    stream.on('error', () => end(status));
    stream.on('close', () => end(status));
    stream.resume();
    stream.end(body === '' ? undefined : body);
  });
}

/** Resolves with the status of the response; 0 when there was none. Never rejects, and does not check certificates. */
export const sendHostileRequest = (request: HostileRequest): Promise<number> => (request.http2 ? sendHttp2(request) : sendHttp1(request));
