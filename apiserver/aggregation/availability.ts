/**
 * Checks whether an aggregated API server is available, from the state of its Service and its responses, and fetches its
 * discovery and OpenAPI documents. The reasons and messages are upstream's. Writing the condition is left to
 * availability-reconciler.ts.
 */
import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip, type ZlibOptions } from 'node:zlib';
import { isObject, type JsonObject } from '../../shared/values/json';
import { connectionErrorText } from '../../shared/runtime/connection-error';
import type { Clock } from '../../shared/runtime/clock';
import { tryParseObject } from '../../shared/client/rest/json-body';
import { MASTERS_GROUP } from '../../shared/api/identity/user';
import type { ServiceState } from '../webhook-client/service-resolver';
import { awaitResponse } from '../endpoints/forward/relay';
import { remoteResources } from '../discovery/remote-version';
import { remoteHeaders, type ExtensionServers } from './extension-servers';
import { undiscoveredServer, type OpenApiV2Document, type DiscoveredServer, type Registration } from './registrations';

/** The condition `Available` of an APIService. */
export interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The result of one check: the condition, and the documents that the server returned. */
export interface CheckResult extends Availability {
  /** An endpoint was expected to respond: none could be reached, or its response had an error status. */
  readonly hasNoResponse: boolean;
  readonly discovered: DiscoveredServer;
}

/** Time limit of one discovery request, as upstream's. */
const RESPONSE_TIMEOUT_MS = 5_000;
/** The error of Go's HTTP client at its time limit. */
const HEADERS_TIMEOUT_TEXT = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
/** A longer document is ignored. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
/** Number of attempts: each may use another endpoint, and a failed one may have used an endpoint that was just removed. */
const ATTEMPTS = 3;

/** The condition that follows from the state of the Service; `undefined` when the server must be contacted. */
function serviceError({ service: { namespace, name, port } }: Registration, state: ServiceState): Availability | undefined {
  const service = `service/${name} in "${namespace}"`;
  switch (state) {
    case 'absent':
      return unavailable('ServiceNotFound', `${service} is not present`);
    case 'no-port':
      return unavailable('ServicePortError', `${service} is not listening on port ${port}`);
    case 'no-endpoints':
      return unavailable('EndpointsNotFound', `cannot find endpoints for ${service}`);
    case 'none-ready':
      return unavailable('MissingEndpoints', `endpoints for ${service} have no addresses with port name ""`);
    case 'ready':
      return undefined;
  }
}

const unavailable = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

/** The server of one check, and how it is contacted. `registration` is the state at the start of the check. */
export interface AvailabilityCheckContext {
  readonly extensions: Pick<ExtensionServers, 'locate' | 'open'>;
  readonly registration: Registration;
  readonly clock: Clock;
  /** Aborts the check; the result is then meaningless. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Checks the server once. An unreachable server is a result, not an error. Rejects when no request can be created, because
 * the `caBundle` or the client certificate is not valid PEM. `previous`: the OpenAPI v2 document from an earlier check,
 * which stays valid while the server is registered.
 */
export async function checkAvailability(
  context: AvailabilityCheckContext,
  state: ServiceState,
  previous: OpenApiV2Document | undefined,
): Promise<CheckResult> {
  const { registration, signal } = context;
  const error = serviceError(registration, state);
  if (error !== undefined) return { ...error, hasNoResponse: false, discovered: undiscoveredServer(previous) };
  const { group, version } = registration;
  const path = `/apis/${group}/${version}`;
  let lastError = '';
  for (let attempt = 0; attempt < ATTEMPTS && signal?.aborted !== true; attempt++) {
    const response = await fetchDocument(context, path);
    if ('body' in response) {
      const resources = remoteResources(registration, response.body ?? {});
      const [openApiV3Url, openApiV2] = await Promise.all([fetchOpenApiV3Url(context), fetchOpenApiV2(context, previous)]);
      const discovered = { resources, openApiV3Url, openApiV2 };
      return { status: 'True', reason: 'Passed', message: 'all checks passed', hasNoResponse: false, discovered };
    }
    lastError = response.error;
  }
  return {
    ...unavailable('FailedDiscoveryCheck', `failing or missing response from ${lastError}`),
    hasNoResponse: true,
    discovered: undiscoveredServer(previous),
  };
}

/** The URL of the OpenAPI v3 document; ignored unless it starts with the path of the document of this version. */
async function fetchOpenApiV3Url(context: AvailabilityCheckContext): Promise<string | undefined> {
  const { registration } = context;
  const response = await fetchDocument(context, '/openapi/v3');
  const paths = 'body' in response ? response.body?.['paths'] : undefined;
  const name = `apis/${registration.group}/${registration.version}`;
  const entry = isObject(paths) ? paths[name] : undefined;
  const url = isObject(entry) ? entry['serverRelativeURL'] : undefined;
  return typeof url === 'string' && url.startsWith(`/openapi/v3/${name}`) ? url : undefined;
}

/**
 * The OpenAPI v2 document, compressed and identified by its digest. `previous` when the server returns none, the same one
 * or an invalid one.
 */
async function fetchOpenApiV2(
  context: AvailabilityCheckContext,
  previous: OpenApiV2Document | undefined,
): Promise<OpenApiV2Document | undefined> {
  const ifNoneMatch = previous?.etag === undefined ? {} : { 'if-none-match': previous.etag };
  const response = await fetchBytes(context, '/openapi/v2', {
    ...remoteHeaders({ name: 'system:aggregator', groups: [] }),
    ...ifNoneMatch,
  });
  if ('error' in response || response.bytes === undefined) return previous;
  const { bytes, etag } = response;
  const id = createHash('sha512').update(bytes).digest('base64');
  const isSameDocument = id === previous?.id;
  if (isSameDocument && etag === previous.etag) return previous;
  if (!isSameDocument && tryParseObject(bytes.toString())?.['swagger'] !== '2.0') return previous;
  return { id, gzipped: await gzipFast(bytes), etag };
}

/** With the lowest level of compression, because the document is only kept in memory. */
const gzipFast = (bytes: Buffer): Promise<Buffer> => promisify<Buffer, ZlibOptions, Buffer>(gzip)(bytes, { level: 1 });

/** `body` is `undefined` when the response is not an object. */
type FetchedDocument = { readonly body: JsonObject | undefined } | { readonly error: string };
/** `bytes` is `undefined` when the body is too long or incomplete. */
type FetchedBytes = { readonly bytes: Buffer | undefined; readonly etag: string | undefined } | { readonly error: string };

async function fetchDocument(context: AvailabilityCheckContext, path: string): Promise<FetchedDocument> {
  const response = await fetchBytes(context, path, remoteHeaders({ name: 'system:kube-aggregator', groups: [MASTERS_GROUP] }));
  if ('error' in response) return response;
  return { body: response.bytes === undefined ? undefined : tryParseObject(response.bytes.toString()) };
}

/** Sends a GET request to an endpoint of the server. A failure and a response without status 2xx are an `error`. */
async function fetchBytes(
  { extensions, registration, clock, signal }: AvailabilityCheckContext,
  path: string,
  identity: OutgoingHttpHeaders,
): Promise<FetchedBytes> {
  if (signal?.aborted === true) return { error: 'the check was aborted' };
  const url = extensions.locate(registration);
  if (!(url instanceof URL)) return { error: url.error };
  const requestUrl = `${url.protocol}//${url.hostname}:${url.port === '' ? '443' : url.port}${path}`;
  const headers = { accept: 'application/json', ...identity };
  const clientRequest = extensions.open(registration, url, { method: 'GET', path, headers, needsOwnConnection: true });
  const abort = (): void => void clientRequest.destroy();
  signal?.addEventListener('abort', abort);
  let isTimedOut = false;
  const timer = clock.after(RESPONSE_TIMEOUT_MS, () => {
    isTimedOut = true;
    clientRequest.destroy();
  });
  try {
    const pending = awaitResponse(clientRequest);
    clientRequest.end();
    const response = await pending;
    if (response.type === 'upgraded') response.socket.destroy();
    if (response.type !== 'response') {
      const error = response.type === 'failure' ? response.error : new Error('unexpected upgrade');
      const text = isTimedOut ? HEADERS_TIMEOUT_TEXT : connectionErrorText(error, url);
      return { error: `${requestUrl}: Get ${JSON.stringify(requestUrl)}: ${text}` };
    }
    const { statusCode = 0 } = response.message;
    if (statusCode < 200 || statusCode > 299) return { error: `${requestUrl}: bad status from ${requestUrl}: ${statusCode}` };
    return { bytes: await readBytes(response.message), etag: response.message.headers.etag };
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', abort);
    clientRequest.destroy();
  }
}

/** `undefined` when the body is too long or incomplete. */
async function readBytes(message: AsyncIterable<unknown>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of message) {
      if (!Buffer.isBuffer(chunk)) continue;
      length += chunk.length;
      if (length > MAX_DOCUMENT_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
