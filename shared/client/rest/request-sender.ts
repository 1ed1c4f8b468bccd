/**
 * Sends requests to an API server, with credentials, deadlines, retries and fences (shared/api/identity/fencing.ts).
 * `ResourceClient` knows what the requests mean. A request is retried:
 * - when it was not sent, or was rejected with 429, or with 503 and Retry-After, since the server has not processed it
 * - once after 401, when other credentials are available
 * - when it is a read and its response was lost
 *
 * A write is not retried after a lost response; the caller reads the object again to learn whether it was stored.
 */
import { FENCE_HEADER, formatFence, type Fence } from '../../api/identity/fencing';
import type { Dialect } from '../../names/dialect';
import type { Clock } from '../../runtime/clock';
import type { Random } from '../../runtime/random';
import { stringifyJson, type JsonValue } from '../../values/json';
import { BackOff } from '../back-off';
import type { Credentials } from '../kubeconfig/credential-source';
import { sleepUnlessAborted, withDeadline } from '../signals';
import { ConnectionError, type Method, type Transport, type TransportRequest, type TransportResponse } from '../transport/transport';
import { ApiError, createApiError } from './api-error';
import { collectBody, parseBody } from './json-body';
import type { RequestBody } from './request-encoding';
import type { RequestOptions } from './request-options';
import { retryDelay } from './retry-delay';
import { decodeStatus } from './wire-format';

/** A connection to API servers, and how requests are made. */
export interface RestClientOptions {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly dialect: Dialect;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Time limit of a request with all its retries, unless the call has its own. Watches have none. Milliseconds; 60 s by
   * default.
   */
  readonly timeoutMs?: number;
}

/** Limit of a response; it must hold the largest page of a list. */
const MAX_RESPONSE_BYTES = 512 * 1024 * 1024;
/** Default of {@link RestClientOptions.timeoutMs}; an API server's own limit is 60 s too. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** One request. */
export interface ApiRequest extends RequestOptions {
  readonly method: Method;
  /** Path and query. */
  readonly path: string;
  /** The Accept header; JSON by default. */
  readonly accept?: string;
  readonly body?: RequestBody;
}

/** The successful response to a request. */
export interface ReceivedBody {
  /** The Content-Type header; `''` when absent. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** Sends the requests of one client. Safe for concurrent use. */
export class RequestSender {
  constructor(
    readonly options: RestClientOptions,
    private readonly fence?: Fence,
  ) {}

  /** A sender with other options, and the same fence unless another is given. */
  withOptions(options: Partial<RestClientOptions>, fence = this.fence): RequestSender {
    return new RequestSender({ ...this.options, ...options }, fence);
  }

  /** The spelling of names in requests and responses. */
  get dialect(): Dialect {
    return this.options.dialect;
  }

  /** The JSON of a successful response. Rejects as {@link send} does, and with MalformedResponse for a body that is no JSON. */
  async sendForJson(request: ApiRequest): Promise<JsonValue> {
    return parseBody((await this.send(request)).bytes.toString('utf8'));
  }

  /**
   * A successful response, after retries. Rejects with ApiError, with ConnectionError, with MalformedResponse for a body
   * longer than {@link MAX_RESPONSE_BYTES}, or with the reason of the signal.
   */
  async send(call: ApiRequest): Promise<ReceivedBody> {
    const { clock, random } = this.options;
    const timeoutError = (): Error => new ConnectionError(`no response to ${call.method} ${call.path} in time`, { wasSent: true });
    const deadline = withDeadline(clock, call.timeoutMs ?? this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS, timeoutError, [call.signal]);
    const backOff = new BackOff(random, { initialMs: 100, maxMs: 2_000 });
    let canRefresh = true;
    try {
      for (;;) {
        try {
          return await this.receive(call, deadline.signal);
        } catch (error) {
          const isUnauthorized = error instanceof ApiError && error.code === 401;
          if (isUnauthorized && canRefresh && (await this.options.credentials.refreshAfterRejection())) {
            canRefresh = false;
            continue;
          }
          const wait = deadline.signal.aborted ? undefined : retryDelay(error, call.method, backOff);
          if (wait === undefined || !(await sleepUnlessAborted(clock, wait, deadline.signal))) throw error;
        }
      }
    } finally {
      deadline.release();
    }
  }

  /** One attempt: the whole successful response. */
  private async receive(call: ApiRequest, signal: AbortSignal): Promise<ReceivedBody> {
    const response = await this.sendOnce(call, signal);
    if (response.status < 200 || response.status > 299) throw await readApiError(response);
    return { type: response.header('content-type') ?? '', bytes: await collectBody(response.body, MAX_RESPONSE_BYTES) };
  }

  /**
   * A response that the caller reads as it arrives, such as a watch. Makes one attempt, without a deadline of its own.
   * Rejects as {@link send} does, but leaves the length of the body to the caller.
   */
  async open(call: ApiRequest, signal: AbortSignal): Promise<TransportResponse> {
    const response = await this.sendOnce(call, signal);
    if (response.status !== 200) throw await readApiError(response);
    return response;
  }

  private async sendOnce(call: ApiRequest, signal: AbortSignal): Promise<TransportResponse> {
    return this.options.transport.send(await this.buildRequest(call, signal));
  }

  private async buildRequest(
    { method, path, accept = 'application/json', body }: ApiRequest,
    signal: AbortSignal,
  ): Promise<TransportRequest> {
    const authorization = await this.options.credentials.header();
    const bytes = body === undefined ? undefined : Buffer.from(stringifyJson(body.value));
    return {
      method,
      path,
      signal,
      headers: {
        accept,
        'user-agent': this.options.userAgent,
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined || bytes === undefined ? {} : { 'content-type': body.type, 'content-length': String(bytes.length) }),
        ...(method === 'GET' || this.fence === undefined ? {} : { [FENCE_HEADER]: formatFence(this.fence) }),
      },
      ...(bytes === undefined ? {} : { body: bytes }),
    };
  }
}

async function readApiError(response: TransportResponse): Promise<ApiError> {
  const bytes = await collectBody(response.body, MAX_RESPONSE_BYTES);
  const status = decodeStatus(response.header('content-type') ?? '', bytes);
  return createApiError(response.status, status, bytes.toString('utf8'), response.header('retry-after'));
}
