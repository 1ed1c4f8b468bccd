/** Whether the server behind a registration can be asked: upstream's conditions, from what is known of its Service and what it says when it is asked. Writes nothing. */
import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { gzip } from 'node:zlib';
import { isObject, type JsonObject } from '../../shared/values/json';
import { connectionText } from '../../shared/runtime/connection-text';
import type { Clock } from '../../shared/runtime/clock';
import { tryParseObject } from '../../shared/client/rest/json-body';
import { MASTERS } from '../../shared/api/identity/user';
import type { ServiceState } from '../webhook-client/service-resolver';
import { answerOf } from '../endpoints/forward/relay';
import { remoteResources } from '../discovery/remote-version';
import { remoteHeaders, type Extensions } from './extension-servers';
import { unknown, type DescriptionText, type Learnt, type Registration } from './registrations';

export interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface CheckedServer extends Availability {
  /** The server was asked and its response was missing or invalid. */
  readonly isUnanswered: boolean;
  readonly learnt: Learnt;
}

const ANSWER_MS = 5_000;
/** Of one document. */
const MOST_BYTES = 4 * 1024 * 1024;
/** One that fails may have met an endpoint that has just gone. */
const ATTEMPTS = 3;

/** What the Service says; undefined = its server has to be asked. Pure. */
export function faultOf({ service: { namespace, name, port } }: Registration, state: ServiceState): Availability | undefined {
  const said = `service/${name} in "${namespace}"`;
  switch (state) {
    case 'absent':
      return unavailable('ServiceNotFound', `${said} is not present`);
    case 'no-port':
      return unavailable('ServicePortError', `${said} is not listening on port ${port}`);
    case 'no-endpoints':
      return unavailable('EndpointsNotFound', `cannot find endpoints for ${said}`);
    case 'none-ready':
      return unavailable('MissingEndpoints', `endpoints for ${said} have no addresses with port name ""`);
    case 'ready':
      return undefined;
  }
}

const unavailable = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

/** `before`: the description from an earlier check, valid while the server is registered. After an abort of `signal` the result is meaningless. Never rejects. */
export async function check(
  extensions: Asking['extensions'],
  registration: Registration,
  state: ServiceState,
  clock: Clock,
  before?: DescriptionText,
  signal?: AbortSignal,
): Promise<CheckedServer> {
  const fault = faultOf(registration, state);
  if (fault !== undefined) return { ...fault, isUnanswered: false, learnt: unknown(before) };
  const { group, version } = registration;
  const path = `/apis/${group}/${version}`;
  const asking = { extensions, registration, clock, signal };
  let told = '';
  for (let attempt = 0; attempt < ATTEMPTS && signal?.aborted !== true; attempt++) {
    const answer = await fetchDocument(asking, path);
    if ('body' in answer) {
      const resources = remoteResources(registration, answer.body ?? {});
      const [openApi, description] = await Promise.all([openApiOf(asking), descriptionOf(asking, before)]);
      const learnt = { resources, openApi, description };
      return { status: 'True', reason: 'Passed', message: 'all checks passed', isUnanswered: false, learnt };
    }
    told = answer.fault;
  }
  return {
    ...unavailable('FailedDiscoveryCheck', `failing or missing response from ${told}`),
    isUnanswered: true,
    learnt: unknown(before),
  };
}

/** Where the document of this version is; only one of this very version counts. */
async function openApiOf(asking: Asking): Promise<string | undefined> {
  const { registration } = asking;
  const answer = await fetchDocument(asking, '/openapi/v3');
  const paths = 'body' in answer ? answer.body?.['paths'] : undefined;
  const name = `apis/${registration.group}/${registration.version}`;
  const entry = isObject(paths) ? paths[name] : undefined;
  const url = isObject(entry) ? entry['serverRelativeURL'] : undefined;
  return typeof url === 'string' && url.startsWith(`/openapi/v3/${name}`) ? url : undefined;
}

/** What it says of itself in version 2; what it said before where it says nothing now, the same, or nonsense. */
async function descriptionOf(asking: Asking, before: DescriptionText | undefined): Promise<DescriptionText | undefined> {
  const known = before?.etag === undefined ? {} : { 'if-none-match': before.etag };
  const answer = await fetchBytes(asking, '/openapi/v2', { ...remoteHeaders({ name: 'system:aggregator', groups: [] }), ...known });
  const text = 'bytes' in answer ? answer.bytes : undefined;
  if (text === undefined || !('bytes' in answer)) return before;
  const id = createHash('sha512').update(text).digest('base64');
  if (id === before?.id && answer.etag === before.etag) return before;
  if (id !== before?.id && tryParseObject(text.toString())?.['swagger'] !== '2.0') return before;
  const packed = await new Promise<Buffer>((resolve, reject) =>
    gzip(text, { level: 1 }, (error, bytes) => (error === null ? resolve(bytes) : reject(error))),
  );
  return { id, packed, etag: answer.etag };
}

interface Asking {
  readonly extensions: Pick<Extensions, 'locate' | 'open'>;
  readonly registration: Registration;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

type Fetched = { readonly body: JsonObject | undefined } | { readonly fault: string };
/** `bytes`: undefined = too many, or they do not come to an end. */
type FetchedBytes = { readonly bytes: Buffer | undefined; readonly etag: string | undefined } | { readonly fault: string };

async function fetchDocument(asking: Asking, path: string): Promise<Fetched> {
  const answer = await fetchBytes(asking, path, remoteHeaders({ name: 'system:kube-aggregator', groups: [MASTERS] }));
  if ('fault' in answer) return answer;
  return { body: answer.bytes === undefined ? undefined : tryParseObject(answer.bytes.toString()) };
}

async function fetchBytes(
  { extensions, registration, clock, signal }: Asking,
  path: string,
  as: OutgoingHttpHeaders,
): Promise<FetchedBytes> {
  if (signal?.aborted === true) return { fault: 'the check was cut short' };
  const url = extensions.locate(registration);
  if (!(url instanceof URL)) return { fault: url.fault };
  const asked = `${url.protocol}//${url.hostname}:${url.port === '' ? '443' : url.port}${path}`;
  const headers = { accept: 'application/json', ...as };
  const request = extensions.open(registration, url, { method: 'GET', path, headers, alone: true });
  const cut = (): void => void request.destroy();
  signal?.addEventListener('abort', cut);
  let isLate = false;
  const timer = clock.after(ANSWER_MS, () => {
    isLate = true;
    request.destroy();
  });
  try {
    const answered = answerOf(request);
    request.end();
    const answer = await answered;
    if (answer.type === 'upgraded') answer.socket.destroy();
    if (answer.type !== 'answer') {
      const late = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
      const text = isLate ? late : connectionText(answer.type === 'failure' ? answer.error : new Error('unexpected upgrade'), url);
      return { fault: `${asked}: Get ${JSON.stringify(asked)}: ${text}` };
    }
    const { statusCode = 0 } = answer.message;
    if (statusCode < 200 || statusCode > 299) return { fault: `${asked}: bad status from ${asked}: ${statusCode}` };
    return { bytes: await bytesOf(answer.message), etag: answer.message.headers.etag };
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', cut);
    request.destroy();
  }
}

/** Undefined = they are too many, or do not come to an end. */
async function bytesOf(message: AsyncIterable<unknown>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of message) {
      if (!Buffer.isBuffer(chunk)) continue;
      length += chunk.length;
      if (length > MOST_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
