/**
 * An aggregated API server with one kind, as an APIService registers it. It records requests, and its behaviour can be
 * changed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate } from '../../../shared/pki/certificates';
import { closeServer, listen } from './listen';

export const EXTENSION_GROUP = 'wardle.example.com';
const VERSION = `/apis/${EXTENSION_GROUP}/v1`;

export interface ExtensionCall {
  /** Method and target. */
  readonly line: string;
  /** In their order, with names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Common name of the client certificate. */
  readonly commonName: string | undefined;
}

/** `hang` never responds, `forbid` responds with 403, `endless` sends bodies without end. */
export type ExtensionBehaviour = 'normal' | 'hang' | 'forbid' | 'endless' | 'invalid-json';

export interface ExtensionServer {
  readonly port: number;
  /** In base64. */
  readonly caBundle: string;
  /** Its own certificate alone, encoded like `caBundle`. */
  readonly certificate: string;
  readonly calls: ExtensionCall[];
  /** Sets the OpenAPI v2 document and its ETag; without a call the server has no such document. */
  publishOpenApi(document: object, etag: string): void;
  setBehaviour(behaviour: ExtensionBehaviour): void;
  close(): Promise<void>;
}

interface OpenApiDocument {
  readonly document: object;
  readonly etag: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** The responses by path. */
const DOCUMENTS: Readonly<Record<string, object>> = {
  [VERSION]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${EXTENSION_GROUP}/v1`,
    resources: [
      {
        name: 'flunders',
        singularName: 'flunder',
        namespaced: true,
        kind: 'Flunder',
        verbs: ['get', 'list', 'watch', 'create'],
        shortNames: ['fl'],
      },
      { name: 'flunders/status', singularName: '', namespaced: true, kind: 'Flunder', verbs: ['get'] },
    ],
  },
  '/openapi/v3': { paths: { [VERSION.slice(1)]: { serverRelativeURL: `/openapi/v3${VERSION}?hash=ABC` } } },
  [`/openapi/v3${VERSION}`]: { openapi: '3.0.0', info: { title: 'wardle', version: '1' }, paths: {} },
  [`${VERSION}/namespaces/default/flunders`]: {
    kind: 'FlunderList',
    apiVersion: `${EXTENSION_GROUP}/v1`,
    metadata: { resourceVersion: '1' },
    items: [{ kind: 'Flunder', apiVersion: `${EXTENSION_GROUP}/v1`, metadata: { name: 'a', namespace: 'default' } }],
  },
};

/** The certificate is valid for this Service. */
export async function startExtensionServer(service: string, namespace: string): Promise<ExtensionServer> {
  const lifetimeMs = 3_600_000;
  const authority = await createAuthority({ subject: { commonName: 'extensions' }, lifetimeMs, clock });
  const names = [`${service}.${namespace}.svc`];
  const serving = await issueCertificate({ subject: { commonName: 'extension' }, lifetimeMs, clock, authority, usage: 'server', names });
  const calls: ExtensionCall[] = [];
  let openApi: OpenApiDocument | undefined;
  let behaviour: ExtensionBehaviour = 'normal';
  const server = createServer({ cert: serving.certificate, key: serving.key, requestCert: true, rejectUnauthorized: false });
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', rawHeaders, socket } = request;
      const body = Buffer.concat(chunks).toString();
      calls.push({ line: `${method} ${url}`, headers: headerPairs(rawHeaders), body, commonName: commonNameOf(socket) });
      if (behaviour === 'forbid') response.writeHead(403, JSON_TYPE).end('{}');
      else if (behaviour === 'invalid-json') response.writeHead(200, JSON_TYPE).end('[{"resources":7}');
      else if (behaviour === 'endless') writeEndlessly(response.writeHead(200, JSON_TYPE));
      else if (behaviour === 'normal') respond(request, response, openApi);
    });
  });
  server.on('upgrade', (request, socket: Duplex) => {
    calls.push({ line: `UPGRADE ${request.url ?? ''}`, headers: headerPairs(request.rawHeaders), body: '', commonName: undefined });
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.on('data', (data: Buffer) => socket.end(data.toString().toUpperCase()));
  });
  return {
    port: await listen(server),
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    certificate: Buffer.from(serving.certificate).toString('base64'),
    calls,
    publishOpenApi: (document, etag) => void (openApi = { document, etag }),
    setBehaviour: (value) => void (behaviour = value),
    close: () => closeServer(server),
  };
}

function respond({ url = '', headers }: IncomingMessage, response: ServerResponse, openApi: OpenApiDocument | undefined): void {
  const path = url.split('?', 1)[0] ?? '';
  if (path === '/openapi/v2' && openApi !== undefined) {
    const matchesEtag = headers['if-none-match'] === openApi.etag;
    response.writeHead(matchesEtag ? 304 : 200, { ...JSON_TYPE, etag: openApi.etag });
    response.end(matchesEtag ? '' : JSON.stringify(openApi.document));
  } else if (path.endsWith('/redirect')) response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end();
  else if (url.includes('watch=')) response.writeHead(200, JSON_TYPE).write('{"type":"ADDED","object":{}}\n');
  else if (DOCUMENTS[path] === undefined) response.writeHead(404, JSON_TYPE).end('{"message":"says the extension"}');
  else response.writeHead(200, { ...JSON_TYPE, 'x-own': '1' }).end(JSON.stringify(DOCUMENTS[path]));
}

function headerPairs(raw: readonly string[]): ExtensionCall['headers'] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? ''] as const] : []));
}

function commonNameOf(socket: Socket): string | undefined {
  const name: unknown = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined;
  return typeof name === 'string' ? name : undefined;
}

interface Sink {
  readonly destroyed: boolean;
  write(chunk: Buffer, done: () => void): boolean;
}

function writeEndlessly(sink: Sink): void {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const next = (): void => {
    if (!sink.destroyed) sink.write(chunk, next);
  };
  next();
}
