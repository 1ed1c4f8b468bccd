/** Whether the server behind a registration can be asked: upstream's conditions, from what is known of its Service and what it says when it is asked. Writes nothing. */
import { isObject, type JsonObject } from '../../shared/values/json';
import { connectionText } from '../../shared/runtime/connection-text';
import type { Clock } from '../../shared/runtime/clock';
import { tryParseObject } from '../../shared/client/json-body';
import { MASTERS } from '../../shared/api/identity/user';
import type { ServiceState } from '../webhook-client/resolve';
import { answerOf } from '../endpoints/forward/relay';
import { remoteResources } from '../discovery/remote';
import { remoteHeaders, type Extensions } from './extensions';
import type { Learnt, Registration } from './registration';

export interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface CheckedServer extends Availability {
  readonly learnt: Learnt;
}

const ANSWER_MS = 5_000;
/** Of one document. */
const MOST_BYTES = 4 * 1024 * 1024;
/** One that fails may have met an endpoint that has just gone. */
const ATTEMPTS = 3;

const UNKNOWN: Learnt = { resources: undefined, openApi: undefined };

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

/** Never rejects. */
export async function check(extensions: Extensions, registration: Registration, state: ServiceState, clock: Clock): Promise<CheckedServer> {
  const fault = faultOf(registration, state);
  if (fault !== undefined) return { ...fault, learnt: UNKNOWN };
  const { group, version } = registration;
  const path = `/apis/${group}/${version}`;
  let told = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await fetchDocument(extensions, registration, path, clock);
    if ('body' in answer) {
      const resources = remoteResources(registration, answer.body ?? {});
      const learnt = { resources, openApi: await openApiOf(extensions, registration, clock) };
      return { status: 'True', reason: 'Passed', message: 'all checks passed', learnt };
    }
    told = answer.fault;
  }
  return { ...unavailable('FailedDiscoveryCheck', `failing or missing response from ${told}`), learnt: UNKNOWN };
}

/** Where the document of this version is; only one of this very version counts. */
async function openApiOf(extensions: Extensions, registration: Registration, clock: Clock): Promise<string | undefined> {
  const answer = await fetchDocument(extensions, registration, '/openapi/v3', clock);
  const paths = 'body' in answer ? answer.body?.['paths'] : undefined;
  const name = `apis/${registration.group}/${registration.version}`;
  const entry = isObject(paths) ? paths[name] : undefined;
  const url = isObject(entry) ? entry['serverRelativeURL'] : undefined;
  return typeof url === 'string' && url.startsWith(`/openapi/v3/${name}`) ? url : undefined;
}

type Fetched = { readonly body: JsonObject | undefined } | { readonly fault: string };

async function fetchDocument(extensions: Extensions, registration: Registration, path: string, clock: Clock): Promise<Fetched> {
  const url = extensions.locate(registration);
  if (!(url instanceof URL)) return { fault: url.fault };
  const asked = `${url.protocol}//${url.hostname}:${url.port === '' ? '443' : url.port}${path}`;
  const headers = { accept: 'application/json', ...remoteHeaders({ name: 'system:kube-aggregator', groups: [MASTERS] }) };
  const request = extensions.open(registration, url, { method: 'GET', path, headers, alone: true });
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
    return { body: await bodyOf(answer.message) };
  } finally {
    timer.cancel();
    request.destroy();
  }
}

/** Undefined = it is no object, or too long, or does not come to an end. */
async function bodyOf(message: AsyncIterable<unknown>): Promise<JsonObject | undefined> {
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
  return tryParseObject(Buffer.concat(chunks).toString());
}
