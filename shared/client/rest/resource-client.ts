/**
 * The verbs on the objects of one resource, in one namespace or at cluster scope. By the scope of the resource,
 * `RestClient.of` decides which of them the compiler offers. Encoding is in request-encoding.ts and wire-format.ts;
 * sending, with retries, in request-sender.ts.
 */
import { apiVersionOf } from '../../api/identity/identity';
import type { AutoscalingV1Scale, MetaV1ObjectMeta } from '../../api/types/generated/members';
import { apiVersionInDialect } from '../../names/dialect';
import { isObject, type JsonObject, type JsonValue } from '../../values/json';
import { withDeadline } from '../signals';
import { ConnectionError, type Method } from '../transport/transport';
import { apiObject, MalformedResponse, parseApiObject, type ApiObject } from './api-object';
import { parseList } from './parse-list';
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
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  ListOptions,
  MergePatch,
  ObjectList,
  PatchType,
  RequestOptions,
  SubresourceOptions,
  WatchOptions,
} from './request-options';
import type { ApiRequest, RequestSender } from './request-sender';
import { isBodyOf, resourcePath, type Resource } from './resource';
import { parseWatchEvent, type WatchEvent } from './watch-event';
import { acceptHeader, decodeList, decodeWatchEvents, type AcceptOptions } from './wire-format';

/** The verbs on a cluster-scoped resource, or on a resource in one namespace. */
export type ObjectClient<Body extends JsonObject = JsonObject> = Omit<ResourceClient<Body>, 'namespace'>;

/** The verbs on a resource in all namespaces. */
export type AllNamespacesClient<Body extends JsonObject = JsonObject> = Pick<ResourceClient<Body>, 'list' | 'watch' | 'namespace'>;

/** The body of `scale` subresources. `resource` is empty, because Scales are not a resource with paths of its own. */
const SCALE: Resource<AutoscalingV1Scale> = { group: 'autoscaling', version: 'v1', resource: '', kind: 'Scale', namespaced: true };

/** Limit of one watch event, which contains one object. */
const MAX_WATCH_EVENT_BYTES = 32 * 1024 * 1024;
/** A watch that is still open this long after its timeout is considered dead. */
const WATCH_GRACE_MS = 30_000;

/**
 * The verbs on one resource. Methods resolve after the response. They reject with ApiError when the server refuses the
 * request, with ConnectionError when there is no complete response, with MalformedResponse when the response has another
 * form, and with the reason of an aborted signal.
 */
export class ResourceClient<Body extends JsonObject> {
  constructor(
    private readonly sender: RequestSender,
    private readonly resource: Resource<Body>,
    /** `''` for all namespaces and for cluster-scoped resources. */
    private readonly namespaceName: string,
  ) {}

  /** The verbs in one namespace. `name` is `''` for a resource that is known to be cluster-scoped only at run time. */
  namespace(name: string): ObjectClient<Body> {
    return new ResourceClient(this.sender, this.resource, name);
  }

  /** GET of one object. */
  async get(name: string, options: RequestOptions = {}): Promise<ApiObject<Body>> {
    return this.parse(await this.send('GET', this.path(name), { accept: this.accept('object', { protobuf: false }), ...options }));
  }

  /** GET of one page of the collection. */
  async list(options: ListOptions = {}): Promise<ObjectList<Body>> {
    const { limit, protobuf = false } = options;
    const query = selectorQuery(options);
    if (limit !== undefined) query.set('limit', String(limit));
    if (options.continue !== undefined) query.set('continue', options.continue);
    const { type, bytes } = await this.sender.send({
      method: 'GET',
      path: `${this.path()}${queryString(query)}`,
      accept: this.accept('list', { protobuf }),
      ...requestOptions(options),
    });
    return parseList(this.resource, decodeList(type, bytes, this.resource), bytes.length);
  }

  /**
   * Yields the events in order until the server ends the stream. Never retries: throws ApiError when the server
   * rejects the watch and ConnectionError when the stream breaks; the caller resumes from the last version that it
   * received.
   */
  async *watch(options: WatchOptions): AsyncGenerator<WatchEvent<Body>> {
    const { from, timeoutSeconds, protobuf = false } = options;
    const query = selectorQuery(options);
    const startingPoint = from === 'present' ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' } : from;
    for (const [name, value] of Object.entries({ watch: '1', allowWatchBookmarks: 'true', ...startingPoint, timeoutSeconds })) {
      query.set(name, String(value));
    }
    const path = `${this.path()}${queryString(query)}`;
    const timeoutError = (): Error => new ConnectionError('the watch did not end at its timeout', { wasSent: true });
    const deadline = withDeadline(this.sender.options.clock, timeoutSeconds * 1000 + WATCH_GRACE_MS, timeoutError, [options.signal]);
    try {
      const response = await this.sender.open({ method: 'GET', path, accept: this.accept('object', { protobuf }) }, deadline.signal);
      const type = response.header('content-type') ?? '';
      for await (const event of decodeWatchEvents(type, response.body, MAX_WATCH_EVENT_BYTES, this.resource))
        yield parseWatchEvent(this.resource, event);
    } finally {
      deadline.release();
    }
  }

  /** POST; the response is the object as it was stored. */
  async create(object: Body, options: RequestOptions = {}): Promise<ApiObject<Body>> {
    return this.parse(await this.send('POST', this.path(), { body: this.objectBody(object), ...options }));
  }

  /** Creates an object that is never stored, such as a review: the response is the object with its status. */
  async review(object: Body, options: RequestOptions = {}): Promise<Body> {
    const response = await this.send('POST', this.path(), { body: this.objectBody(object), ...options });
    if (!isBodyOf(this.resource, response)) throw new MalformedResponse(`the response of ${this.resource.resource} is not an object`);
    return response;
  }

  /** PUT. `object` contains its name. With its resourceVersion, the write conflicts when the object has changed. */
  async update(object: Body, options: RequestOptions = {}): Promise<ApiObject<Body>> {
    return this.put(object, undefined, options);
  }

  /** PUT to the `status` subresource. */
  async updateStatus(object: Body, options: RequestOptions = {}): Promise<ApiObject<Body>> {
    return this.put(object, 'status', options);
  }

  /** PUT of the object to another subresource, such as `approval`. */
  async updateSubresource(subresource: string, object: Body, options: RequestOptions = {}): Promise<ApiObject<Body>> {
    return this.put(object, subresource, options);
  }

  /** PATCH with a merge patch, which has members of the resource's type, or with the list of operations of a JSON patch. */
  patch(name: string, type: 'merge', patch: MergePatch<Body>, options?: SubresourceOptions): Promise<ApiObject<Body>>;
  patch(name: string, type: 'json', patch: JsonObject[], options?: SubresourceOptions): Promise<ApiObject<Body>>;
  async patch(name: string, type: PatchType, patch: JsonValue, options: SubresourceOptions = {}): Promise<ApiObject<Body>> {
    const { subresource, ...others } = options;
    const body = { type: PATCH_MEDIA_TYPES[type], value: patch };
    return this.parse(await this.send('PATCH', this.path(name, subresource), { body, ...others }));
  }

  /** PATCH of the metadata only, with a merge patch. Not typed by the kind of the resource. */
  async patchMetadata(name: string, metadata: MergePatch<MetaV1ObjectMeta>, options: RequestOptions = {}): Promise<ApiObject<Body>> {
    const body = { type: PATCH_MEDIA_TYPES.merge, value: { metadata } };
    return this.parse(await this.send('PATCH', this.path(name), { body, ...options }));
  }

  /** Server-side apply. By default it takes conflicting fields from other managers (`force`). */
  async apply(configuration: Body, { fieldManager, force = true, subresource, ...options }: ApplyOptions): Promise<ApiObject<Body>> {
    const query = new URLSearchParams({ fieldManager, force: String(force) });
    const path = `${this.path(nameOf(configuration), subresource)}${queryString(query)}`;
    const body = { type: APPLY_MEDIA_TYPE, value: this.withTypeMeta(this.resource, configuration) };
    return this.parse(await this.send('PATCH', path, { body, ...options }));
  }

  /** DELETE; resolves when the server has accepted it, although finalizers may keep the object. */
  async delete(name: string, options: DeleteOptions = {}): Promise<void> {
    await this.send('DELETE', this.path(name), { body: jsonBody(deleteBody(options)), ...requestOptions(options) });
  }

  /** Deletes the selected objects. The list of deleted objects in the response is read and dropped. */
  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<void> {
    const query = selectorQuery(options);
    if (options.limit !== undefined) query.set('limit', String(options.limit));
    await this.sender.send({
      method: 'DELETE',
      path: `${this.path()}${queryString(query)}`,
      accept: acceptHeader(this.sender.dialect, { target: 'list', metadataOnly: true, protobuf: false }),
      body: jsonBody(deleteBody(options)),
      ...requestOptions(options),
    });
  }

  /** Posts a body of another kind to a subresource of an object, such as a TokenRequest or an Eviction. */
  async createSubresource(name: string, subresource: string, value: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const response = await this.send('POST', this.path(name, subresource), { body: jsonBody(value), ...options });
    if (!isObject(response)) throw new MalformedResponse(`the response of ${this.resource.resource}/${subresource} is not an object`);
    return response;
  }

  /** GET of an object's `scale` subresource. */
  async getScale(name: string, options: RequestOptions = {}): Promise<ApiObject<AutoscalingV1Scale>> {
    return parseApiObject(SCALE, await this.send('GET', this.path(name, 'scale'), options));
  }

  /** PUT of a Scale to the `scale` subresource of the object of that name. */
  async updateScale(scale: AutoscalingV1Scale, options: RequestOptions = {}): Promise<ApiObject<AutoscalingV1Scale>> {
    const body = jsonBody(this.withTypeMeta(SCALE, scale));
    return parseApiObject(SCALE, await this.send('PUT', this.path(nameOf(scale), 'scale'), { body, ...options }));
  }

  private async put(object: Body, subresource: string | undefined, options: RequestOptions): Promise<ApiObject<Body>> {
    return this.parse(await this.send('PUT', this.path(nameOf(object), subresource), { body: this.objectBody(object), ...options }));
  }

  private send(method: Method, path: string, request: Omit<ApiRequest, 'method' | 'path'>): Promise<JsonValue> {
    return this.sender.sendForJson({ method, path, ...request });
  }

  private parse(value: JsonValue): ApiObject<Body> {
    return parseApiObject(this.resource, value);
  }

  private path(name?: string, subresource?: string): string {
    return resourcePath(this.resource, this.sender.dialect, {
      namespace: this.namespaceName,
      ...(name === undefined ? {} : { name }),
      ...(subresource === undefined ? {} : { subresource }),
    });
  }

  private accept(target: 'object' | 'list', { protobuf }: Pick<AcceptOptions, 'protobuf'>): string {
    return acceptHeader(this.sender.dialect, { target, metadataOnly: this.resource.metadataOnly === true, protobuf });
  }

  private objectBody(object: JsonObject): RequestBody {
    return jsonBody(this.withTypeMeta(this.resource, object));
  }

  /** Every body must contain its kind and API version. */
  private withTypeMeta(resource: Pick<Resource, 'group' | 'version' | 'kind'>, object: JsonObject): JsonObject {
    return { ...object, apiVersion: apiVersionInDialect(this.sender.dialect, apiVersionOf(resource)), kind: resource.kind };
  }
}

/** Throws {@link MalformedResponse} when the object has no name. */
const nameOf = (object: JsonObject): string => apiObject(object).name;
