/**
 * A plain HTTPS client for the benchmark: keep-alive connections and one credential. `send` and `text` throw on any error
 * response.
 */
import { once } from 'node:events';
import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Credential } from '../../../shared/pki/certificates';

/** The header of a merge patch. */
export const MERGE = { 'content-type': 'application/merge-patch+json' };

/** An object is sent as JSON. */
type RequestBody = string | object;

export class BenchClient {
  private readonly agent: Agent;
  private readonly authorization: Record<string, string>;

  /** `credential`: a bearer token, or a client certificate. */
  constructor(
    readonly port: number,
    credential: string | Credential,
  ) {
    const isToken = typeof credential === 'string';
    const certificate = isToken ? {} : { cert: credential.certificate, key: credential.key };
    this.agent = new Agent({ keepAlive: true, maxSockets: 2048, rejectUnauthorized: false, ...certificate });
    this.authorization = isToken ? { authorization: `Bearer ${credential}` } : {};
  }

  /** Discards the body of the response, and returns its size in bytes. */
  async send(method: string, path: string, body?: RequestBody, headers: Record<string, string> = {}): Promise<number> {
    const response = await this.open(method, path, body, headers);
    let bytes = 0;
    for await (const chunk of response) bytes += Buffer.byteLength(chunk as Buffer);
    if ((response.statusCode ?? 0) >= 400) throw new Error(`${method} ${path}: ${response.statusCode}`);
    return bytes;
  }

  /** The body of the response. */
  async text(method: string, path: string, body?: RequestBody, headers: Record<string, string> = {}): Promise<string> {
    const response = await this.open(method, path, body, headers);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if ((response.statusCode ?? 0) >= 400) throw new Error(`${method} ${path}: ${text}`);
    return text;
  }

  /** The status of a response, which may be an error. */
  async status(method: string, path: string, body?: RequestBody): Promise<number> {
    const response = await this.open(method, path, body);
    await once(response.resume(), 'end');
    return response.statusCode ?? 0;
  }

  /** The revision at which a list was read. */
  async revision(path: string): Promise<number> {
    return Number(/"resourceVersion":"(\d+)"/.exec(await this.text('GET', path))?.[1]);
  }

  /** The response as soon as its headers arrive. */
  open(method: string, path: string, body?: RequestBody, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    return new Promise((resolve, reject) => {
      const request = httpsRequest(
        {
          method,
          port: this.port,
          host: '127.0.0.1',
          path,
          agent: this.agent,
          headers: {
            ...this.authorization,
            accept: 'application/json',
            ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
            ...headers,
          },
        },
        resolve,
      );
      request.on('error', reject);
      request.end(text);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** A ConfigMap of about 200 bytes besides a payload of `size` bytes; `stamp` makes its data differ. */
export function configMap(namespace: string, name: string, stamp: string, size = 1000): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { app: 'bench', shard: `s${name.length % 7}` } },
    data: { t: stamp, payload: 'x'.repeat(size) },
  });
}

/** A Deployment of about 200 fields: ten containers of twenty. */
export function deployment(namespace: string, name: string, stamp: string): string {
  const container = (index: number): object => ({
    name: `c-${index}`,
    image: `registry.example.com/app:${index}`,
    ports: [{ name: `p-${index}`, containerPort: 8000 + index }],
    env: ['A', 'B', 'C'].map((variable) => ({ name: variable, value: stamp })),
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 8000 + index }, periodSeconds: 3 },
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  });
  const labels = { app: name };
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { volumes: [{ name: 'data', emptyDir: {} }], containers: Array.from({ length: 10 }, (_, index) => container(index)) },
      },
    },
  });
}
