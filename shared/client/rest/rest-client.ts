/**
 * Typed verbs on resources over a transport: paths in the right dialect, credentials, deadlines and retries.
 *
 * A request is retried when the server cannot have processed it (it was never sent, or was answered with 429, or 503
 * with Retry-After), and a read also when its response was lost. After a lost response to a write the caller must read
 * the object again. Objects are in the dialect of the client in both directions.
 */
import { FENCE_HEADER, formatFence, type Fence } from '../../api/identity/fencing';
import { apiVersionOf } from '../../api/identity/identity';
import type { AutoscalingV1Scale, MetaV1ObjectMeta } from '../../api/types/generated/members';
import { isObject, objectAt, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../values/json';
import { apiVersionInDialect, type Dialect } from '../../names/dialect';
import type { Clock } from '../../runtime/clock';
import type { Random } from '../../runtime/random';
import { ApiError, createApiError } from './api-error';
import { apiObject, MalformedResponse, parseApiObject, type ApiObject } from './api-object';
import { BackOff } from '../back-off';
import type { Credentials } from '../kubeconfig/credential-source';
import { collectBody, parseBody } from './json-body';
import {
  APPLY_MEDIA_TYPE,
  deleteBody,
  jsonBody,
  PATCH_MEDIA_TYPES,
  queryString,
  requestOptions,
  selectorQuery,
  type RequestBody,
} from './request-encoding';
import type {
  DeleteOptions,
  ListOptions,
  MergePatch,
  ObjectList,
  PatchType,
  RequestOptions,
  Selectors,
  WatchOptions,
} from './request-options';
import { parseList } from './parse-list';
import { isBodyOf, resourcePath, type ResourceLocation, type Resource } from './resource';
import { retryDelay } from './retry-delay';
import { sleepUnlessAborted, withDeadline } from '../signals';
import { ConnectionError, type Method, type Transport, type TransportRequest, type TransportResponse } from '../transport/transport';
import { parseWatchEvent, type WatchEvent } from './watch-event';
import { acceptHeader, decodeWatchEvents, decodeList, decodeStatus } from './wire-format';

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

/** Body of `scale` subresources; it has no collection. */
const SCALE: Resource<AutoscalingV1Scale> = { group: 'autoscaling', version: 'v1', resource: '', kind: 'Scale', namespaced: true };

const MAX_RESPONSE_BYTES = 512 * 1024 * 1024;
const MAX_WATCH_EVENT_BYTES = 32 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 60_000;
/** A watch that is still open this long after its timeout is considered dead. */
const WATCH_GRACE_MS = 30_000;

interface ApiRequest extends RequestOptions {
  readonly method: Method;
  readonly path: string;
  readonly accept?: string;
  readonly body?: RequestBody;
}

export class RestClient {
  readonly dialect: Dialect;

  constructor(
    private readonly options: RestClientOptions,
    private readonly fence?: Fence,
  ) {
    this.dialect = options.dialect;
  }

  /**
   * Returns a client that fences its writes with a leader election term: the server rejects them with 409 when the
   * term is over.
   */
  withFence(fence: Fence): RestClient {
    return new RestClient(this.options, fence);
  }

  /** Returns a client with other credentials, over a transport without a client certificate. */
  withCredentials(credentials: Credentials, transport: Transport): RestClient {
    return new RestClient({ ...this.options, credentials, transport }, this.fence);
  }

  /**
   * Returns a client with another User-Agent header. The first part of the header is the field manager of its writes.
   */
  withUserAgent(userAgent: string): RestClient {
    return new RestClient({ ...this.options, userAgent }, this.fence);
  }

  async get<Body extends JsonObject>(
    resource: Resource<Body>,
    location: Required<Pick<ResourceLocation, 'name'>> & ResourceLocation,
    options: RequestOptions = {},
  ): Promise<ApiObject<Body>> {
    const accept = acceptHeader(this.dialect, { target: 'object', metadataOnly: isMetadataOnly(resource), protobuf: false });
    return parseApiObject(resource, await this.requestJson({ method: 'GET', path: this.path(resource, location), accept, ...options }));
  }

  async list<Body extends JsonObject>(resource: Resource<Body>, options: ListOptions = {}): Promise<ObjectList<Body>> {
    const { limit, protobuf = false } = options;
    const query = selectorQuery(options);
    if (limit !== undefined) query.set('limit', String(limit));
    if (options.continue !== undefined) query.set('continue', options.continue);
    const path = `${this.path(resource, options)}${queryString(query)}`;
    const accept = acceptHeader(this.dialect, { target: 'list', metadataOnly: isMetadataOnly(resource), protobuf });
    const { type, bytes } = await this.sendWithRetries({ method: 'GET', path, accept, ...requestOptions(options) });
    return parseList(resource, decodeList(type, bytes, resource), bytes.length);
  }

  async create<Body extends JsonObject>(
    resource: Resource<Body>,
    object: NoInfer<Body>,
    options: RequestOptions = {},
  ): Promise<ApiObject<Body>> {
    const namespace = stringAt(objectAt(object, 'metadata'), 'namespace');
    const path = this.path(resource, namespace === undefined ? {} : { namespace });
    return parseApiObject(
      resource,
      await this.requestJson({ method: 'POST', path, body: jsonBody(this.withTypeMeta(resource, object)), ...options }),
    );
  }

  /** Creates an object that is never stored, such as a review: the response is the object with its status. */
  async review<Body extends JsonObject>(resource: Resource<Body>, object: NoInfer<Body>, options: RequestOptions = {}): Promise<Body> {
    const response = await this.requestJson({
      method: 'POST',
      path: this.path(resource, {}),
      body: jsonBody(this.withTypeMeta(resource, object)),
      ...options,
    });
    if (!isBodyOf(resource, response)) throw new MalformedResponse(`the response of ${resource.resource} is not an object`);
    return response;
  }

  /** Posts a body of another kind to a subresource of an object, such as a TokenRequest. */
  async createSubresource(
    resource: Resource,
    location: Required<ResourceLocation>,
    value: JsonObject,
    options: RequestOptions = {},
  ): Promise<JsonObject> {
    const response = await this.requestJson({
      method: 'POST',
      path: this.path(resource, location),
      body: { type: 'application/json', value },
      ...options,
    });
    if (!isObject(response)) throw new MalformedResponse(`the response of ${resource.resource}/${location.subresource} is not an object`);
    return response;
  }

  /** PUT; `object` names its namespace, name and, for an optimistic write, resourceVersion. */
  async update<Body extends JsonObject>(
    resource: Resource<Body>,
    object: NoInfer<Body>,
    { subresource, ...options }: RequestOptions & { readonly subresource?: string } = {},
  ): Promise<ApiObject<Body>> {
    const { namespace, name } = apiObject<JsonObject>(object);
    const path = this.path(resource, { namespace, name, ...(subresource === undefined ? {} : { subresource }) });
    return parseApiObject(
      resource,
      await this.requestJson({ method: 'PUT', path, body: jsonBody(this.withTypeMeta(resource, object)), ...options }),
    );
  }

  /** GET of an object's `scale` subresource. */
  async getScale(
    resource: Resource,
    { namespace, name }: Required<Pick<ResourceLocation, 'name'>> & Pick<ResourceLocation, 'namespace'>,
    options: RequestOptions = {},
  ): Promise<ApiObject<AutoscalingV1Scale>> {
    const path = this.path(resource, { ...(namespace === undefined ? {} : { namespace }), name, subresource: 'scale' });
    return parseApiObject(SCALE, await this.requestJson({ method: 'GET', path, ...options }));
  }

  /** PUT of a Scale to an object's `scale` subresource. */
  async updateScale(resource: Resource, object: AutoscalingV1Scale, options: RequestOptions = {}): Promise<ApiObject<AutoscalingV1Scale>> {
    const { namespace, name } = apiObject(object);
    const path = this.path(resource, { namespace, name, subresource: 'scale' });
    return parseApiObject(
      SCALE,
      await this.requestJson({ method: 'PUT', path, body: jsonBody(this.withTypeMeta(SCALE, object)), ...options }),
    );
  }

  /** A merge patch has members of the resource's type; a JSON patch is a list of operations. */
  patch<Body extends JsonObject>(
    resource: Resource<Body>,
    location: ResourceLocation,
    type: 'merge',
    patch: MergePatch<NoInfer<Body>>,
    options?: RequestOptions,
  ): Promise<ApiObject<Body>>;
  patch<Body extends JsonObject>(
    resource: Resource<Body>,
    location: ResourceLocation,
    type: 'json',
    patch: JsonObject[],
    options?: RequestOptions,
  ): Promise<ApiObject<Body>>;
  async patch<Body extends JsonObject>(
    resource: Resource<Body>,
    location: ResourceLocation,
    type: PatchType,
    patch: JsonValue,
    options: RequestOptions = {},
  ): Promise<ApiObject<Body>> {
    const body = { type: PATCH_MEDIA_TYPES[type], value: patch };
    return parseApiObject(resource, await this.requestJson({ method: 'PATCH', path: this.path(resource, location), body, ...options }));
  }

  /** A merge patch of the metadata of an object of any kind. */
  async patchMetadata<Body extends JsonObject>(
    resource: Resource<Body>,
    location: ResourceLocation,
    metadata: MergePatch<MetaV1ObjectMeta>,
    options: RequestOptions = {},
  ): Promise<ApiObject<Body>> {
    const body = { type: PATCH_MEDIA_TYPES.merge, value: { metadata } };
    return parseApiObject(resource, await this.requestJson({ method: 'PATCH', path: this.path(resource, location), body, ...options }));
  }

  /**
   * Server-side apply of a configuration that has its namespace and name. Forces conflicts: fields are taken over from
   * other managers.
   */
  async apply<Body extends JsonObject>(
    resource: Resource<Body>,
    configuration: NoInfer<Body>,
    { fieldManager, subresource, ...options }: RequestOptions & { readonly fieldManager: string; readonly subresource?: string },
  ): Promise<ApiObject<Body>> {
    const { namespace, name } = apiObject<JsonObject>(configuration);
    const query = new URLSearchParams({ fieldManager, force: 'true' });
    const path = `${this.path(resource, { namespace, name, ...(subresource === undefined ? {} : { subresource }) })}${queryString(query)}`;
    const body = { type: APPLY_MEDIA_TYPE, value: this.withTypeMeta(resource, configuration) };
    return parseApiObject(resource, await this.requestJson({ method: 'PATCH', path, body, ...options }));
  }

  async delete(resource: Resource, location: ResourceLocation, options: DeleteOptions = {}): Promise<void> {
    await this.requestJson({
      method: 'DELETE',
      path: this.path(resource, location),
      body: jsonBody(deleteBody(options)),
      ...requestOptions(options),
    });
  }

  /** Deletes the selected objects. The list in the response is read and dropped. */
  async deleteCollection(resource: Resource, options: DeleteOptions & Selectors & { readonly limit?: number } = {}): Promise<void> {
    const query = selectorQuery(options);
    if (options.limit !== undefined) query.set('limit', String(options.limit));
    const path = `${this.path(resource, options)}${queryString(query)}`;
    const call: ApiRequest = {
      method: 'DELETE',
      path,
      accept: acceptHeader(this.dialect, { target: 'list', metadataOnly: true, protobuf: false }),
      body: jsonBody(deleteBody(options)),
      ...requestOptions(options),
    };
    await this.sendWithRetries(call);
  }

  /** Reads a discovery document such as `/apis`. */
  async getDocument(path: string, accept: string, options: RequestOptions = {}): Promise<JsonObject> {
    const value = await this.requestJson({ method: 'GET', path, accept, ...options });
    if (!isObject(value)) throw new MalformedResponse(`${path} is no object`);
    return value;
  }

  /**
   * Yields the events in order until the server ends the stream. Never retries: throws ApiError when the server
   * rejects the watch and ConnectionError when the stream breaks; the caller resumes from the last version that it
   * received.
   */
  async *watch<Body extends JsonObject>(resource: Resource<Body>, options: WatchOptions): AsyncGenerator<WatchEvent<Body>> {
    const { from, timeoutSeconds, protobuf = false } = options;
    const query = selectorQuery(options);
    const startingPoint = from === 'present' ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' } : from;
    for (const [name, value] of Object.entries({ watch: '1', allowWatchBookmarks: 'true', ...startingPoint, timeoutSeconds })) {
      query.set(name, String(value));
    }
    const path = `${this.path(resource, options)}${queryString(query)}`;
    const timeoutError = (): Error => new ConnectionError('the watch did not end at its timeout', true);
    const deadline = withDeadline(this.options.clock, timeoutSeconds * 1000 + WATCH_GRACE_MS, timeoutError, [options.signal]);
    try {
      const accept = acceptHeader(this.dialect, { target: 'object', metadataOnly: isMetadataOnly(resource), protobuf });
      const response = await this.sendOnce({ method: 'GET', path, accept }, deadline.signal);
      if (response.status !== 200) throw await readApiError(response);
      const type = response.header('content-type') ?? '';
      for await (const event of decodeWatchEvents(type, response.body, MAX_WATCH_EVENT_BYTES, resource))
        yield parseWatchEvent(resource, event);
    } finally {
      deadline.release();
    }
  }

  close(): void {
    this.options.transport.close();
  }

  private async requestJson(request: ApiRequest): Promise<JsonValue> {
    return parseBody((await this.sendWithRetries(request)).bytes.toString('utf8'));
  }

  /** Returns a successful response, after retries. */
  private async sendWithRetries(call: ApiRequest): Promise<{ readonly type: string; readonly bytes: Buffer }> {
    const { clock, random } = this.options;
    const timeoutError = (): Error => new ConnectionError(`no response to ${call.method} ${call.path} in time`, true);
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
          if (error instanceof ApiError && error.code === 401 && canRefresh && (await this.options.credentials.refreshAfterRejection())) {
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

  private path(resource: Resource, location: ResourceLocation): string {
    return resourcePath(resource, this.dialect, location);
  }

  /** Every body must contain its kind and API version. */
  private withTypeMeta(resource: Pick<Resource, 'group' | 'version' | 'kind'>, object: JsonObject): JsonObject {
    return { ...object, apiVersion: apiVersionInDialect(this.dialect, apiVersionOf(resource)), kind: resource.kind };
  }
}

const isMetadataOnly = ({ metadataOnly }: Resource): boolean => metadataOnly === true;

async function readApiError(response: TransportResponse): Promise<ApiError> {
  const bytes = await collectBody(response.body, MAX_RESPONSE_BYTES);
  const status = decodeStatus(response.header('content-type') ?? '', bytes);
  return createApiError(response.status, status, bytes.toString('utf8'), response.header('retry-after'));
}
