/**
 * Raw requests to an API server, each on a connection of its own, so that tests see paths, headers and statuses that a
 * client library would hide.
 */
import type { ClientHttp2Stream } from 'node:http2';
import { request as plainRequest, type IncomingHttpHeaders } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { RunningServer } from '../../../apiserver/server/wiring/start-server';
import type { Credential } from '../../../shared/pki/certificates';

/** Tokens of an administrator and of a user without rights. */
export const ADMIN = 'admin-token';
export const ALICE = 'alice-token';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';
/** Objects as tables, for kubectl. */
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

export class ApiResponse {
  constructor(
    readonly status: number,
    readonly headers: IncomingHttpHeaders,
    readonly body: Buffer,
  ) {}

  get text(): string {
    return this.body.toString();
  }

  /** The body as a JSON object. Throws when it is not one. */
  get json(): Record<string, unknown> {
    const value: unknown = JSON.parse(this.text);
    if (typeof value !== 'object' || value === null) throw new Error(`no object: ${this.text}`);
    return { ...value };
  }

  /** Message of a Status. */
  get message(): unknown {
    return this.json['message'];
  }

  /** Code and message of a Status. */
  get refusal(): readonly [number, unknown] {
    return [this.status, this.message];
  }

  /** The texts of the Warning headers. */
  get warnings(): readonly string[] {
    const quoted = [...(this.headers['warning'] ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)];
    return quoted.map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
  }
}

/** Text and bytes are sent as they are, other values as JSON. */
export type RequestBody = string | Buffer | object;

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly accept?: string;
  readonly body?: RequestBody;
  /** Media type of the body, JSON by default. */
  readonly type?: string;
  /** `null`: no Authorization header. */
  readonly token?: string | null;
  readonly certificate?: Credential;
  /** Uses the loopback listener without TLS. */
  readonly local?: boolean;
  /** Called when the header of the response arrives. */
  readonly onResponse?: (() => void) | undefined;
}

export type Ports = Pick<RunningServer, 'port' | 'localPort'>;

/** Sends the path exactly as given. */
export function call({ server }: { readonly server: Ports }, path: string, options: CallOptions = {}): Promise<ApiResponse> {
  const { certificate, local = false, onResponse } = options;
  const body = bytesOf(options.body);
  const settings = { host: '127.0.0.1', method: options.method ?? 'GET', path, agent: false as const, headers: headersOf(options, body) };
  const pair = certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key };
  return new Promise((resolve, reject) => {
    const request = local
      ? plainRequest({ ...settings, port: server.localPort })
      : secureRequest({ ...settings, port: server.port, rejectUnauthorized: false, ...pair });
    request.on('error', reject);
    request.on('response', (response) => {
      onResponse?.();
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(new ApiResponse(response.statusCode ?? 0, response.headers, Buffer.concat(chunks))));
    });
    request.end(body);
  });
}

function bytesOf(body: RequestBody | undefined): string | Buffer | undefined {
  return body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

function headersOf({ token = ADMIN, type = 'application/json', accept, headers }: CallOptions, body: string | Buffer | undefined) {
  return {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)), 'content-type': type }),
    ...(accept === undefined ? {} : { accept }),
    ...headers,
  };
}

/** The status of a response over HTTP/2. */
export const responseStatus = (stream: ClientHttp2Stream): Promise<unknown> =>
  new Promise((resolve, reject) => void stream.on('response', (headers) => resolve(headers[':status'])).on('error', reject));

/** The bytes of an HTTP/1.1 request without a body. */
export const requestBytes = (line: string, headers: readonly string[] = [], token = ADMIN): string =>
  [`${line} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`, ...headers, '', ''].join('\r\n');
