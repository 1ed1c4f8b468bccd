/**
 * A client of an API server. `of(resource)` returns the verbs on a resource, typed by the resource:
 * - cluster-scoped: `client.of(NODES).get('node-1')`
 * - namespaced: `client.of(PODS).namespace('default').get('web-0')`; in all namespaces only `list` and `watch`
 *
 * Requests and responses have names in the spelling of the client's dialect (shared/names/dialect.ts). Retries are those
 * of `RequestSender`.
 */
import type { Fence } from '../../api/identity/fencing';
import type { Dialect } from '../../names/dialect';
import { isObject, type JsonObject } from '../../values/json';
import type { Credentials } from '../kubeconfig/credential-source';
import type { Transport } from '../transport/transport';
import { MalformedResponse } from './api-object';
import type { RequestOptions } from './request-options';
import { RequestSender, type RestClientOptions } from './request-sender';
import { ResourceClient, type AllNamespacesClient, type ObjectClient } from './resource-client';
import type { Resource } from './resource';

export type { RestClientOptions } from './request-sender';

/** A client of one API server, or of several replicas of it. Safe for concurrent use. */
export class RestClient {
  private readonly sender: RequestSender;

  constructor(options: RestClientOptions | RequestSender) {
    this.sender = options instanceof RequestSender ? options : new RequestSender(options);
  }

  /** The spelling of names in requests and responses. */
  get dialect(): Dialect {
    return this.sender.dialect;
  }

  /** The verbs on a cluster-scoped resource. */
  of<Body extends JsonObject>(resource: Resource<Body, false>): ObjectClient<Body>;
  /**
   * The verbs on a namespaced resource, and on one with a scope that is known only at run time. For a resource that then
   * turns out to be cluster-scoped, use `.namespace('')`.
   */
  of<Body extends JsonObject>(resource: Resource<Body>): AllNamespacesClient<Body>;
  of<Body extends JsonObject>(resource: Resource<Body>): ResourceClient<Body> {
    return new ResourceClient(this.sender, resource, '');
  }

  /**
   * Returns a client with writes that carry a term of leader election: the server rejects them with 409 when the term is
   * over.
   */
  withFence(fence: Fence): RestClient {
    return new RestClient(this.sender.withOptions({}, fence));
  }

  /**
   * Returns a client with other credentials. `transport` must not present a client certificate, because a server prefers
   * that to the credentials of a request. Closing the returned client closes `transport`.
   */
  withCredentials(credentials: Credentials, transport: Transport): RestClient {
    return new RestClient(this.sender.withOptions({ credentials, transport }));
  }

  /**
   * Returns a client with another User-Agent header. The first part of the header is the field manager of its writes.
   */
  withUserAgent(userAgent: string): RestClient {
    return new RestClient(this.sender.withOptions({ userAgent }));
  }

  /** Reads a JSON document that is not a resource, such as `/apis`. `accept` is the Accept header. */
  async getDocument(path: string, accept: string, options: RequestOptions = {}): Promise<JsonObject> {
    const value = await this.sender.sendForJson({ method: 'GET', path, accept, ...options });
    if (!isObject(value)) throw new MalformedResponse(`${path} is no object`);
    return value;
  }

  /**
   * Closes the connections; requests in flight fail. Clients from `withFence` and `withUserAgent` use the same connections.
   */
  close(): void {
    this.sender.options.transport.close();
  }
}
