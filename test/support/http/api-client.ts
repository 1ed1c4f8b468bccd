/**
 * A small HTTPS client for tests that must see every byte and every failure: one request, one response, no retries, no
 * caches. Responses are returned whole; `watch` delivers events as they arrive.
 */
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { type Certificates } from '../../../deploy/local/certificates';

/** The members that tests read, of objects, lists and Statuses. The server may send others. */
export interface ApiObject {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion: string;
    readonly uid?: string;
    readonly continue?: string;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly items?: readonly ApiObject[];
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON. Throws when it is not JSON. */
  json(): ApiObject;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: ApiObject;
}

export interface ApiRequestOptions {
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** The connection is destroyed when it is idle for this time; 60 s by default. */
  readonly timeoutMs?: number;
}

export class ApiClient {
  private readonly agent: Agent;

  /** Uses at most this number of connections; each watch has one more. */
  constructor(
    readonly address: string,
    private readonly certificates: Certificates,
    connections = 8,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections, ...this.credentials() });
  }

  get(path: string, extras: ApiRequestOptions = {}): Promise<ApiResponse> {
    return this.send('GET', path, undefined, extras);
  }

  /** An object is sent as JSON; text and bytes are sent unchanged. */
  send(method: string, path: string, body?: object | string | Buffer, extras: ApiRequestOptions = {}): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      const type: Record<string, string> = payload === undefined ? {} : { 'content-type': 'application/json' };
      const length: Record<string, number> = payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) };
      const request = this.open({
        method,
        path,
        headers: { accept: 'application/json', ...type, ...length, ...extras.headers },
        agent: this.agent,
      });
      request.setTimeout(extras.timeoutMs ?? 60_000, () => request.destroy(new Error(`${method} ${path}: no response`)));
      // A broken connection may emit several errors; only the first one counts.
      request.on('error', reject);
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: () => JSON.parse(text) as ApiObject });
        });
      });
      request.end(payload);
    });
  }

  /**
   * Opens a watch on a connection of its own and calls `onEvent` with each event; {@link WatchStream.ended} reports the
   * end.
   */
  async watch(path: string, onEvent: (event: WatchEvent) => void): Promise<WatchStream> {
    const request = this.open({ method: 'GET', path, headers: { accept: 'application/json' }, agent: false });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('error', reject);
      request.once('response', resolve);
      request.end();
    });
    return new WatchStream(request, response, onEvent);
  }

  /** An HTTPS request with the client's credentials, for callers that send the body and read the response themselves. */
  open(options: RequestOptions): ClientRequest {
    const { hostname, port } = new URL(this.address);
    return httpsRequest({ hostname, port, ...this.credentials(), ...options });
  }

  /** The administrator's, as options of TLS. */
  credentials(): { ca: string; cert: string; key: string } {
    const { authority, admin } = this.certificates;
    return { ca: authority, cert: admin.certificate, key: admin.key };
  }

  /** Closes the connections. Requests in progress fail; watches continue. */
  close(): void {
    this.agent.destroy();
  }
}

/**
 * Whether a request failed because the server ended or refused its connection. Errors of Node come from another realm
 * than Jest's, so that `instanceof Error` is false for them.
 */
export function isConnectionCut(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code ?? '') || message === 'aborted';
}

export class WatchStream {
  readonly status: number;
  /** Resolves when the stream is closed, for any reason. */
  readonly ended: Promise<void>;
  private partialLine = '';

  constructor(
    private readonly request: ClientRequest,
    private readonly response: IncomingMessage,
    onEvent: (event: WatchEvent) => void,
  ) {
    this.status = response.statusCode ?? 0;
    const decoder = new StringDecoder('utf8');
    response.on('data', (chunk: Buffer) => {
      const lines = (this.partialLine + decoder.write(chunk)).split('\n');
      this.partialLine = lines.pop() ?? '';
      for (const line of lines) if (line !== '') onEvent(JSON.parse(line) as WatchEvent);
    });
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    this.ended = new Promise((resolve) => response.once('close', resolve));
  }

  pause(): void {
    this.response.pause();
  }

  close(): void {
    this.request.destroy();
  }
}
