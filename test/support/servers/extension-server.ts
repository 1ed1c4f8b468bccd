/**
 * An aggregated API server with one kind, as an APIService registers it. It records requests, and its behaviour can be
 * changed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { makeAuthority, makePair } from '../certificates/credential-files';
import { closeServer, listen } from './listen';

export const EXTENSION_GROUP = 'wardle.example.com';
const VERSION_PATH = `/apis/${EXTENSION_GROUP}/v1`;

export interface ExtensionCall {
  /** Method and target; the method of an upgrade is `UPGRADE`. */
  readonly line: string;
  /** The headers in their order, with names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Common name of the client certificate; `undefined` without one, and for an upgrade. */
  readonly commonName: string | undefined;
}

/**
 * The responses to requests, except upgrades: `normal` sends documents by path, `hang` nothing, `forbid` 403,
 * `invalid-json` 200 with text that does not parse, and `endless` 200 with a body that does not end.
 */
export type ExtensionBehaviour = 'normal' | 'hang' | 'forbid' | 'endless' | 'invalid-json';

export interface ExtensionServer {
  readonly port: number;
  /** The certificate of the authority, in base64. */
  readonly caBundle: string;
  /** Its own certificate alone, encoded like `caBundle`. */
  readonly certificate: string;
  /** Requests that arrived completely, and upgrades, in their order. */
  readonly calls: ExtensionCall[];
  /** The number of watches that neither side has closed. */
  readonly openWatches: number;
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

/** The documents by path. {@link respondNormally} handles the targets that have none. */
const DOCUMENTS: Readonly<Record<string, object>> = {
  [VERSION_PATH]: {
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
  '/openapi/v3': { paths: { [VERSION_PATH.slice(1)]: { serverRelativeURL: `/openapi/v3${VERSION_PATH}?hash=ABC` } } },
  [`/openapi/v3${VERSION_PATH}`]: { openapi: '3.0.0', info: { title: 'wardle', version: '1' }, paths: {} },
  [`${VERSION_PATH}/namespaces/default/flunders`]: {
    kind: 'FlunderList',
    apiVersion: `${EXTENSION_GROUP}/v1`,
    metadata: { resourceVersion: '1' },
    items: [{ kind: 'Flunder', apiVersion: `${EXTENSION_GROUP}/v1`, metadata: { name: 'a', namespace: 'default' } }],
  },
};

/** Resolves when the server listens on a free port of the loopback address. Its certificate is valid for this Service only. */
export async function startExtensionServer(service: string, namespace: string): Promise<ExtensionServer> {
  const authority = await makeAuthority('extensions');
  const serving = await makePair(authority, 'server', { names: [`${service}.${namespace}.svc`] });
  const calls: ExtensionCall[] = [];
  let openWatches = 0;
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
      if (isWatch(url)) {
        openWatches += 1;
        response.once('close', () => (openWatches -= 1));
      }
      respond(request, response, { behaviour, openApi });
    });
  });
  // Accepts every upgrade, and responds to the first bytes with the same in capital letters.
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
    get openWatches() {
      return openWatches;
    },
    publishOpenApi: (document, etag) => void (openApi = { document, etag }),
    setBehaviour: (value) => void (behaviour = value),
    close: () => closeServer(server),
  };
}

const isWatch = (url: string): boolean => url.includes('watch=');

interface ServerState {
  readonly behaviour: ExtensionBehaviour;
  readonly openApi: OpenApiDocument | undefined;
}

function respond(request: IncomingMessage, response: ServerResponse, { behaviour, openApi }: ServerState): void {
  switch (behaviour) {
    case 'normal':
      respondNormally(request, response, openApi);
      break;
    case 'hang':
      break;
    case 'forbid':
      response.writeHead(403, JSON_TYPE).end('{}');
      break;
    case 'invalid-json':
      response.writeHead(200, JSON_TYPE).end('[{"resources":7}');
      break;
    case 'endless':
      writeEndlessly(response.writeHead(200, JSON_TYPE));
  }
}

/**
 * A path that ends with `/redirect` redirects to a port on which nothing listens, and a watch sends one event and stays
 * open; other paths have documents or respond with 404.
 */
function respondNormally({ url = '', headers }: IncomingMessage, response: ServerResponse, openApi: OpenApiDocument | undefined): void {
  const path = url.split('?', 1)[0] ?? '';
  if (path === '/openapi/v2' && openApi !== undefined) {
    const matchesEtag = headers['if-none-match'] === openApi.etag;
    response.writeHead(matchesEtag ? 304 : 200, { ...JSON_TYPE, etag: openApi.etag });
    response.end(matchesEtag ? '' : JSON.stringify(openApi.document));
  } else if (path.endsWith('/redirect')) response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end();
  else if (isWatch(url)) response.writeHead(200, JSON_TYPE).write('{"type":"ADDED","object":{}}\n');
  else if (DOCUMENTS[path] === undefined) response.writeHead(404, JSON_TYPE).end('{"message":"says the extension"}');
  // The header shows that headers of a response are forwarded.
  else response.writeHead(200, { ...JSON_TYPE, 'x-own': '1' }).end(JSON.stringify(DOCUMENTS[path]));
}

/** `raw`: names and values in turn, as Node has them. */
function headerPairs(raw: readonly string[]): ExtensionCall['headers'] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? ''] as const] : []));
}

function commonNameOf(socket: Socket): string | undefined {
  const name: unknown = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Writes spaces, a chunk at a time, until the client closes the connection. */
function writeEndlessly(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const writeNext = (): void => {
    if (!response.destroyed) response.write(chunk, writeNext);
  };
  writeNext();
}
