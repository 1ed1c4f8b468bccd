/**
 * The API server that responses are recorded from, configured by a kubeconfig. Sends each request once, over HTTP/1.1.
 * `send` and `sendJson` interpret no failure: a rejection is a response like any other.
 */
import { request as httpsRequest } from 'node:https';
import type { ClientConfig, TlsOptions } from '../../../shared/client/kubeconfig/client-config';
import { connect, createTransport, type ClientConnection } from '../../../shared/client/transport/connect';
import { collectBody } from '../../../shared/client/rest/json-body';
import { readKubeconfig } from '../../../shared/client/kubeconfig/kubeconfig';
import type { Method, Transport } from '../../../shared/client/transport/transport';
import { systemClock } from '../../../shared/runtime/clock';
import { stringifyJson } from '../../../shared/values/json';
import type { RawResponse, Body, Headers, Json, JsonResponse } from '../json-response';
import { PATCH_MEDIA } from '../normalize/spelling';

/** A bound that no recorded response reaches. */
const MAX_RESPONSE_BYTES = 512 * 1024 * 1024;
const OPENING_BRACE = 0x7b;
/** The most characters of a rejection in an error. */
const MAX_EXCERPT = 2_000;

/** The methods of the client's transport. */
const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export interface ServerRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /**
   * Names in lower case. An `authorization` header replaces the credentials of the kubeconfig; an empty one sends none.
   */
  readonly headers?: Headers;
  readonly body?: Buffer;
}

export class ReferenceServer {
  private readonly connection: ClientConnection;
  /** Sends no client certificate. */
  private readonly anonymous: Transport;
  /** The options of the configuration without its client certificate. */
  private readonly anonymousTls: TlsOptions;

  private constructor(private readonly config: ClientConfig) {
    const { cert: _cert, key: _key, ...tls } = config.tls;
    this.anonymousTls = tls;
    this.connection = connect({ ...config, http1: true }, systemClock);
    this.anonymous = createTransport({ ...config, tls, http1: true }, systemClock);
  }

  /** Does not connect yet. Throws `ConfigError`. */
  static fromKubeconfig(file: string): ReferenceServer {
    return new ReferenceServer(readKubeconfig(file));
  }

  /** `onResponse` is called when the header of the response arrives. */
  async send({ method, path, headers = {}, body = Buffer.alloc(0) }: ServerRequest, onResponse?: () => void): Promise<RawResponse> {
    const { authorization = await this.connection.credentials.header(), ...rest } = headers;
    const sent = {
      path,
      headers: {
        'content-length': String(body.length),
        ...(authorization === undefined || authorization === '' ? {} : { authorization }),
        ...rest,
      },
      body,
    };
    const clientMethod = METHODS.find((name) => name === method);
    const hasOwnCredentials = headers['authorization'] !== undefined;
    if (clientMethod === undefined) return this.sendOther(hasOwnCredentials ? this.anonymousTls : this.config.tls, method, sent);
    const response = await (hasOwnCredentials ? this.anonymous : this.connection.transport).send({ method: clientMethod, ...sent });
    onResponse?.();
    const bytes = await collectBody(response.body, MAX_RESPONSE_BYTES);
    return { code: response.status, bytes, warnings: warningsIn(response.header('warning') ?? '') };
  }

  /** Sends OPTIONS or HEAD over a connection of its own, without the client certificates of an `exec` plugin. */
  private sendOther(tls: TlsOptions, method: string, { path, headers, body }: Omit<ServerRequest, 'method'>): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      const options = { ...tls, method, headers, agent: false };
      const request = httpsRequest(new URL(path, this.config.servers[0]), options, (response) => {
        void collectBody(response, MAX_RESPONSE_BYTES).then(
          (bytes) => resolve({ code: response.statusCode ?? 0, bytes, warnings: warningsIn(String(response.headers['warning'] ?? '')) }),
          reject,
        );
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  /**
   * Sends JSON and parses the response. The body is `{}` for a path that is not served, where the response is plain
   * text.
   */
  async sendJson(method: Method, path: string, body?: Json, contentType = 'application/json'): Promise<JsonResponse> {
    const sent = Buffer.from(body === undefined ? '' : stringifyJson(body));
    const { code, bytes, warnings } = await this.send({ method, path, headers: { 'content-type': contentType }, body: sent });
    const parsed: Body = code === 404 && bytes[0] !== OPENING_BRACE ? {} : JSON.parse(bytes.toString());
    return { code, body: parsed, warnings };
  }

  /** Sends a JSON merge patch. */
  mergePatch(path: string, patch: Json): Promise<JsonResponse> {
    return this.sendJson('PATCH', path, patch, PATCH_MEDIA['merge']);
  }

  /** Creates an object on which a recording depends, and returns it. Throws when the server rejects it. */
  async create(collection: string, object: Json): Promise<Body> {
    const { code, body } = await this.sendJson('POST', collection, object);
    if (code !== 201) throw new Error(`${collection}: ${JSON.stringify(body).slice(0, MAX_EXCERPT)}`);
    return body;
  }

  /** As {@link create}; an object of this name that exists already is kept. */
  async createIfAbsent(collection: string, object: Json): Promise<void> {
    const { code, body } = await this.sendJson('POST', collection, object);
    if (code >= 300 && code !== 409) throw new Error(`${collection}: ${JSON.stringify(body).slice(0, MAX_EXCERPT)}`);
  }

  /** Creates a namespace with its default service account, which a server without controllers lacks. */
  async createNamespace(name: string): Promise<void> {
    await this.createIfAbsent('/api/v1/namespaces', { metadata: { name } });
    await this.createIfAbsent(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
  }

  close(): void {
    this.connection.transport.close();
    this.anonymous.close();
  }
}

/** The texts of `Warning` headers with code 299. */
function warningsIn(header: string): string[] {
  return [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => quoted.replace(/\\(.)/g, '$1'));
}
