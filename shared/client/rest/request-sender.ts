/**
 * Sends requests to an API server: credentials, deadlines, retries and fences. What a request means is left to
 * `ResourceClient`. A request is retried when the server cannot have processed it (it was never sent, or was rejected
 * with 429, or 503 with Retry-After, or with 401 while other credentials are available), and a read also when its response
 * was lost. After a lost response to a write the
 * caller must read the object again.
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
   * Time limit of a request with all its retries, except for watches and unless a call overrides it. Milliseconds; 60
   * s by default.
   */
  readonly timeoutMs?: number;
}

/** Limit of a response; it must hold the largest page of a list. */
const MAX_RESPONSE_BYTES = 512 * 1024 * 1024;
/** Time limit of a request; an API server's own limit is 60 s too. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** One request. `path` includes the query; `accept` is JSON by default. */
export interface ApiRequest extends RequestOptions {
  readonly method: Method;
  readonly path: string;
  readonly accept?: string;
  readonly body?: RequestBody;
}

/** The successful response to a request. */
export interface ReceivedBody {
  /** The Content-Type header; '' when absent. */
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

  /** The JSON of a successful response. Rejects with ApiError, ConnectionError or MalformedResponse. */
  async sendForJson(request: ApiRequest): Promise<JsonValue> {
    return parseBody((await this.send(request)).bytes.toString('utf8'));
  }

  /**
   * A successful response, after retries. Rejects with ApiError, ConnectionError, MalformedResponse for a body beyond the
   * limit, or the reason of the signal.
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
          const response = await this.sendOnce(call, deadline.signal);
          if (response.status < 200 || response.status > 299) throw await readApiError(response);
          return { type: response.header('content-type') ?? '', bytes: await collectBody(response.body, MAX_RESPONSE_BYTES) };
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

  /** A response that is read as it arrives, without retries and without a deadline. Rejects as `send` does. */
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
