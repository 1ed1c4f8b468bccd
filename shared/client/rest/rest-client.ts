/**
 * Verbs on resources over a transport: paths in the right dialect, credentials, deadlines, and repeats where they do no harm.
 *
 * A request is repeated when the server cannot have acted on it (it was never sent, or was answered with 429 or 503 and a time to come
 * back), and a reading request also when its answer was lost. What became of a write whose answer was lost is the caller's question:
 * its next look at the object tells. Objects go in and out in the dialect of the client.
 */
import { FENCE_HEADER, formatFence, type Fence } from '../../api/identity/fencing';
import { apiVersionOf } from '../../api/identity/identity';
import type { AutoscalingV1Scale, MetaV1ObjectMeta } from '../../api/types/generated/members';
import {
  arrayAt,
  isObject,
  objectAt,
  own,
  stringAt,
  stringifyJson,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
} from '../../values/json';
import { apiVersionInDialect, type Dialect } from '../../names/dialect';
import type { Clock } from '../../runtime/clock';
import type { Random } from '../../runtime/random';
import { ApiError, apiErrorOf } from './api-error';
import { apiObject, MalformedAnswer, parseObject, type ApiObject } from './api-object';
import { BackOff } from '../back-off';
import type { Credentials } from '../kubeconfig/credential-source';
import { collect, parseBody } from './json-body';
import { isBodyOf, pathOf, type Place, type Resource } from './resource';
import { pause, withDeadline } from '../signals';
import { ConnectionError, type Method, type Transport, type TransportRequest, type TransportResponse } from '../transport/transport';
import { watchEvent, type WatchEvent } from './watch-event';
import { acceptOf, eventsIn, listIn, refusalIn } from './wire-format';

export interface RestClientOptions {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly dialect: Dialect;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Time for a request with all its repeats, except watches and where a call says otherwise. Milliseconds; 60 s by default. */
  readonly timeoutMs?: number;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface Selectors {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends Selectors, RequestOptions {
  readonly limit?: number;
  readonly continue?: string;
  /** In the binary form, where the kind has one. */
  readonly protobuf?: boolean;
}

export interface ObjectList<Body extends JsonObject = JsonObject> {
  readonly resourceVersion: string;
  /** Set when there is more. */
  readonly continue: string | undefined;
  readonly items: readonly ApiObject<Body>[];
  /** Length of the answer. */
  readonly bytes: number;
}

export interface WatchOptions extends Selectors {
  /** Events after this version; `present` = first an event for each object that is there now, then a bookmark that ends them (a streaming list). */
  readonly from: { readonly resourceVersion: string } | 'present';
  /** The server ends the watch after this time. */
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal;
  /** In the binary form, where the kind has one. */
  readonly protobuf?: boolean;
}

export interface DeleteOptions extends RequestOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export type PatchType = 'merge' | 'json';

/** A JSON merge patch of a type: members that change, null for those that are removed. Lists are replaced as a whole. */
export type MergePatch<T> = T extends JsonPrimitive | readonly unknown[]
  ? T
  : string extends keyof T
    ? Record<string, T[keyof T] | null>
    : { [Member in keyof T]?: MergePatch<Exclude<T[Member], undefined>> | null };

const PATCH_MEDIA_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
};

/** The body of the `scale` subresources; no collection has such objects. */
const SCALE: Resource<AutoscalingV1Scale> = { group: 'autoscaling', version: 'v1', resource: '', kind: 'Scale', namespaced: true };

const APPLY_MEDIA_TYPE = 'application/apply-patch+yaml';

const ANSWER_LIMIT = 512 * 1024 * 1024;
const WATCH_LINE_LIMIT = 32 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 60_000;
/** The longest that a server's Retry-After is followed. */
const LONGEST_WAIT_MS = 30_000;
/** A watch that has not ended so long after its time is taken to be dead. */
const WATCH_GRACE_MS = 30_000;

interface Call extends RequestOptions {
  readonly method: Method;
  readonly path: string;
  readonly accept?: string;
  readonly body?: { readonly type: string; readonly value: JsonValue };
}

export class RestClient {
  readonly dialect: Dialect;

  constructor(
    private readonly options: RestClientOptions,
    private readonly fence?: Fence,
  ) {
    this.dialect = options.dialect;
  }

  /** The same client for the writes of one term of leadership: the server refuses them with 409 when the term is over. */
  fenced(fence: Fence): RestClient {
    return new RestClient(this.options, fence);
  }

  /** The same client as somebody else, over a transport that does not say who it is. */
  as(credentials: Credentials, transport: Transport): RestClient {
    return new RestClient({ ...this.options, credentials, transport }, this.fence);
  }

  /** The same client with another User-Agent header. The first part of the header is the field manager of its writes. */
  withUserAgent(userAgent: string): RestClient {
    return new RestClient({ ...this.options, userAgent }, this.fence);
  }

  async get<Body extends JsonObject>(
    resource: Resource<Body>,
    place: Required<Pick<Place, 'name'>> & Place,
    options: RequestOptions = {},
  ): Promise<ApiObject<Body>> {
    const accept = acceptOf(this.dialect, { of: 'object', metadataOnly: isMetadataOnly(resource), protobuf: false });
    return parseObject(resource, await this.call({ method: 'GET', path: this.path(resource, place), accept, ...options }));
  }

  async list<Body extends JsonObject>(resource: Resource<Body>, options: ListOptions = {}): Promise<ObjectList<Body>> {
    const { limit, protobuf = false } = options;
    const query = selectorQuery(options);
    if (limit !== undefined) query.set('limit', String(limit));
    if (options.continue !== undefined) query.set('continue', options.continue);
    const path = `${this.path(resource, options)}${suffix(query)}`;
    const accept = acceptOf(this.dialect, { of: 'list', metadataOnly: isMetadataOnly(resource), protobuf });
    const { type, bytes } = await this.answer({ method: 'GET', path, accept, ...callOptions(options) });
    return listOf(resource, listIn(type, bytes, resource), bytes.length);
  }

  async create<Body extends JsonObject>(
    resource: Resource<Body>,
    object: NoInfer<Body>,
    options: RequestOptions = {},
  ): Promise<ApiObject<Body>> {
    const namespace = stringAt(objectAt(object, 'metadata'), 'namespace');
    const path = this.path(resource, namespace === undefined ? {} : { namespace });
    return parseObject(resource, await this.call({ method: 'POST', path, body: json(this.typed(resource, object)), ...options }));
  }

  /** Creates an object that is never stored, such as a review: the response is the object with its status. */
  async review<Body extends JsonObject>(resource: Resource<Body>, object: NoInfer<Body>, options: RequestOptions = {}): Promise<Body> {
    const answer = await this.call({ method: 'POST', path: this.path(resource, {}), body: json(this.typed(resource, object)), ...options });
    if (!isBodyOf(resource, answer)) throw new MalformedAnswer(`the answer of ${resource.resource} is no object`);
    return answer;
  }

  /** Asks something of an object: a body with its own kind to one of its subresources. */
  async ask(resource: Resource, place: Required<Place>, value: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const answer = await this.call({
      method: 'POST',
      path: this.path(resource, place),
      body: { type: 'application/json', value },
      ...options,
    });
    if (!isObject(answer)) throw new MalformedAnswer(`the answer of ${resource.resource}/${place.subresource} is no object`);
    return answer;
  }

  /** PUT; `object` names its namespace, name and, for an optimistic write, resourceVersion. */
  async update<Body extends JsonObject>(
    resource: Resource<Body>,
    object: NoInfer<Body>,
    { subresource, ...options }: RequestOptions & { readonly subresource?: string } = {},
  ): Promise<ApiObject<Body>> {
    const { namespace, name } = apiObject<JsonObject>(object);
    const path = this.path(resource, { namespace, name, ...(subresource === undefined ? {} : { subresource }) });
    return parseObject(resource, await this.call({ method: 'PUT', path, body: json(this.typed(resource, object)), ...options }));
  }

  /** PUT of a Scale to an object's `scale` subresource. */
  async updateScale(resource: Resource, object: AutoscalingV1Scale, options: RequestOptions = {}): Promise<ApiObject<AutoscalingV1Scale>> {
    const { namespace, name } = apiObject(object);
    const path = this.path(resource, { namespace, name, subresource: 'scale' });
    return parseObject(SCALE, await this.call({ method: 'PUT', path, body: json(this.typed(SCALE, object)), ...options }));
  }

  /** A merge patch has members of the resource's type; a JSON patch is a list of operations. */
  patch<Body extends JsonObject>(
    resource: Resource<Body>,
    place: Place,
    type: 'merge',
    patch: MergePatch<NoInfer<Body>>,
    options?: RequestOptions,
  ): Promise<ApiObject<Body>>;
  patch<Body extends JsonObject>(
    resource: Resource<Body>,
    place: Place,
    type: 'json',
    patch: JsonObject[],
    options?: RequestOptions,
  ): Promise<ApiObject<Body>>;
  async patch<Body extends JsonObject>(
    resource: Resource<Body>,
    place: Place,
    type: PatchType,
    patch: JsonValue,
    options: RequestOptions = {},
  ): Promise<ApiObject<Body>> {
    const body = { type: PATCH_MEDIA_TYPES[type], value: patch };
    return parseObject(resource, await this.call({ method: 'PATCH', path: this.path(resource, place), body, ...options }));
  }

  /** A merge patch of the metadata of an object of any kind. */
  async patchMetadata<Body extends JsonObject>(
    resource: Resource<Body>,
    place: Place,
    metadata: MergePatch<MetaV1ObjectMeta>,
    options: RequestOptions = {},
  ): Promise<ApiObject<Body>> {
    const body = { type: PATCH_MEDIA_TYPES.merge, value: { metadata } };
    return parseObject(resource, await this.call({ method: 'PATCH', path: this.path(resource, place), body, ...options }));
  }

  /** Server-side apply of a configuration that has its namespace and name. Forces conflicts: fields are taken over from other managers. */
  async apply<Body extends JsonObject>(
    resource: Resource<Body>,
    configuration: NoInfer<Body>,
    { fieldManager, subresource, ...options }: RequestOptions & { readonly fieldManager: string; readonly subresource?: string },
  ): Promise<ApiObject<Body>> {
    const { namespace, name } = apiObject<JsonObject>(configuration);
    const query = new URLSearchParams({ fieldManager, force: 'true' });
    const path = `${this.path(resource, { namespace, name, ...(subresource === undefined ? {} : { subresource }) })}${suffix(query)}`;
    const body = { type: APPLY_MEDIA_TYPE, value: this.typed(resource, configuration) };
    return parseObject(resource, await this.call({ method: 'PATCH', path, body, ...options }));
  }

  async delete(resource: Resource, place: Place, options: DeleteOptions = {}): Promise<void> {
    await this.call({ method: 'DELETE', path: this.path(resource, place), body: json(deleteBody(options)), ...callOptions(options) });
  }

  /** Deletes what the selectors show; the answer, which lists it, is read and dropped. */
  async deleteCollection(resource: Resource, options: DeleteOptions & Selectors & { readonly limit?: number } = {}): Promise<void> {
    const query = selectorQuery(options);
    if (options.limit !== undefined) query.set('limit', String(options.limit));
    const path = `${this.path(resource, options)}${suffix(query)}`;
    const call: Call = {
      method: 'DELETE',
      path,
      accept: acceptOf(this.dialect, { of: 'list', metadataOnly: true, protobuf: false }),
      body: json(deleteBody(options)),
      ...callOptions(options),
    };
    await this.answer(call);
  }

  /** A document such as `/apis`. */
  async document(path: string, accept: string, options: RequestOptions = {}): Promise<JsonObject> {
    const value = await this.call({ method: 'GET', path, accept, ...options });
    if (!isObject(value)) throw new MalformedAnswer(`${path} is no object`);
    return value;
  }

  /**
   * Events from the stream, in order, until the server ends it. Never repeats anything: errors (ApiError when the server refuses,
   * ConnectionError when the stream is cut) are thrown, and whoever watches goes on from the last version that it saw.
   */
  async *watch<Body extends JsonObject>(resource: Resource<Body>, options: WatchOptions): AsyncGenerator<WatchEvent<Body>> {
    const { from, timeoutSeconds, protobuf = false } = options;
    const query = selectorQuery(options);
    const beginning = from === 'present' ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' } : from;
    for (const [name, value] of Object.entries({ watch: '1', allowWatchBookmarks: 'true', ...beginning, timeoutSeconds })) {
      query.set(name, String(value));
    }
    const path = `${this.path(resource, options)}${suffix(query)}`;
    const late = (): Error => new ConnectionError('the watch did not end when it should have', true);
    const deadline = withDeadline(this.options.clock, timeoutSeconds * 1000 + WATCH_GRACE_MS, late, [options.signal]);
    try {
      const accept = acceptOf(this.dialect, { of: 'object', metadataOnly: isMetadataOnly(resource), protobuf });
      const response = await this.attempt({ method: 'GET', path, accept }, deadline.signal);
      if (response.status !== 200) throw await refusal(response);
      const type = response.header('content-type') ?? '';
      for await (const event of eventsIn(type, response.body, WATCH_LINE_LIMIT, resource)) yield watchEvent(resource, event);
    } finally {
      deadline.release();
    }
  }

  close(): void {
    this.options.transport.close();
  }

  private async call(call: Call): Promise<JsonValue> {
    return parseBody((await this.answer(call)).bytes.toString('utf8'));
  }

  /** A successful answer, after as many attempts as the rules allow. */
  private async answer(call: Call): Promise<{ readonly type: string; readonly bytes: Buffer }> {
    const { clock, random } = this.options;
    const late = (): Error => new ConnectionError(`no answer to ${call.method} ${call.path} in time`, true);
    const deadline = withDeadline(clock, call.timeoutMs ?? this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS, late, [call.signal]);
    const backOff = new BackOff(random, { firstMs: 100, longestMs: 2_000 });
    let mayRefresh = true;
    try {
      for (;;) {
        try {
          const response = await this.attempt(call, deadline.signal);
          if (response.status < 200 || response.status > 299) throw await refusal(response);
          return { type: response.header('content-type') ?? '', bytes: await collect(response.body, ANSWER_LIMIT) };
        } catch (error) {
          if (error instanceof ApiError && error.code === 401 && mayRefresh && (await this.options.credentials.refused())) {
            mayRefresh = false;
            continue;
          }
          const wait = deadline.signal.aborted ? undefined : waitBefore(error, call.method, backOff);
          if (wait === undefined || !(await pause(clock, wait, deadline.signal))) throw error;
        }
      }
    } finally {
      deadline.release();
    }
  }

  private async attempt(call: Call, signal: AbortSignal): Promise<TransportResponse> {
    return this.options.transport.send(await this.request(call, signal));
  }

  private async request({ method, path, accept = 'application/json', body }: Call, signal: AbortSignal): Promise<TransportRequest> {
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

  private path(resource: Resource, place: Place): string {
    return pathOf(resource, this.dialect, place);
  }

  /** Kind and version belong to every body that is sent. */
  private typed(resource: Pick<Resource, 'group' | 'version' | 'kind'>, object: JsonObject): JsonObject {
    return { ...object, apiVersion: apiVersionInDialect(this.dialect, apiVersionOf(resource)), kind: resource.kind };
  }
}

const isMetadataOnly = ({ metadataOnly }: Resource): boolean => metadataOnly === true;

function listOf<Body extends JsonObject>(resource: Resource<Body>, value: JsonValue, bytes: number): ObjectList<Body> {
  if (!isObject(value)) throw new MalformedAnswer(`the list of ${resource.resource} is no object`);
  const metadata = objectAt(value, 'metadata');
  const resourceVersion = stringAt(metadata, 'resourceVersion');
  if (resourceVersion === undefined) throw new MalformedAnswer(`the list of ${resource.resource} has no resourceVersion`);
  const token = stringAt(metadata, 'continue');
  const items = own(value, 'items') === null ? [] : (arrayAt(value, 'items') ?? []);
  return {
    resourceVersion,
    continue: token === '' ? undefined : token,
    items: items.map((item) => parseObject(resource, item)),
    bytes,
  };
}

/** Milliseconds to wait before the request may be repeated; undefined = it may not. */
function waitBefore(error: unknown, method: Method, backOff: BackOff): number | undefined {
  if (error instanceof ConnectionError) return !error.sent || method === 'GET' ? backOff.next() : undefined;
  if (!(error instanceof ApiError)) return undefined;
  if (error.code !== 429 && (error.code !== 503 || error.retryAfterSeconds === undefined)) return undefined;
  return Math.min(Math.max((error.retryAfterSeconds ?? 0) * 1000, backOff.next()), LONGEST_WAIT_MS);
}

async function refusal(response: TransportResponse): Promise<ApiError> {
  const bytes = await collect(response.body, ANSWER_LIMIT);
  const status = refusalIn(response.header('content-type') ?? '', bytes);
  return apiErrorOf(response.status, status, bytes.toString('utf8'), response.header('retry-after'));
}

function selectorQuery({ labelSelector, fieldSelector }: Selectors): URLSearchParams {
  const query = new URLSearchParams();
  if (labelSelector !== undefined) query.set('labelSelector', labelSelector);
  if (fieldSelector !== undefined) query.set('fieldSelector', fieldSelector);
  return query;
}

function suffix(query: URLSearchParams): string {
  return query.size === 0 ? '' : `?${query.toString()}`;
}

function callOptions({ signal, timeoutMs }: RequestOptions): RequestOptions {
  return { ...(signal === undefined ? {} : { signal }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

function json(value: JsonValue): { readonly type: string; readonly value: JsonValue } {
  return { type: 'application/json', value };
}

function deleteBody({ gracePeriodSeconds, propagationPolicy, preconditions }: DeleteOptions): JsonObject {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions: { ...preconditions } }),
  };
}
