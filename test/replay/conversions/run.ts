/**
 * Runs the cases against a server, the reference or ours: makes the definition, makes the requests, and notes what was answered and what the webhook was asked.
 * What is new in every run is masked.
 */
import { systemClock } from '../../../shared/runtime/clock';
import type { ConversionServer } from '../../support/conversion-server';
import { isBody, type Body, type Headers, type Json } from '../reference';
import { review } from './reviews';
import { DEFINITION, DEFINITIONS, GROUP, LAST, NAMESPACE, path, versions, type ConversionCase, type Step } from './case';

export interface ServerReply {
  readonly code: number;
  readonly text: string;
  readonly warnings: readonly string[];
}

export interface Asked {
  send(method: string, path: string, headers: Headers, body: string, opened?: () => void): Promise<ServerReply>;
}

type Place = Pick<ConversionServer, 'port' | 'caBundle'>;

/** Time for a definition to be served, or to be gone. */
const ROUNDS = 400;
const PAUSE_MS = 25;

export async function runCase(server: Asked, webhook: ConversionServer, one: ConversionCase): Promise<Body> {
  webhook.does = 'good';
  await removeDefinition(server);
  const made = await send(server, { method: 'POST', path: DEFINITIONS, body: definitionOf(one, webhook) });
  if (made.code !== 201) throw new Error(made.text);
  await until(server, { method: 'GET', path: path('v1') }, ({ code }) => code === 200);
  await until(server, { method: 'GET', path: path('v2') }, ({ code }) => code !== 404);
  const steps: Json[] = [];
  for (const step of one.before ?? []) await record(server, webhook, step);
  const clear = await review(one, webhook, (method, where, body) =>
    send(server, { method, path: where, ...(body === undefined ? {} : { body }) }),
  );
  await take(server, webhook, one.steps, steps);
  webhook.does = 'good';
  await clear();
  return { title: one.title, steps };
}

async function take(server: Asked, webhook: ConversionServer, some: readonly Step[], noted: Json[]): Promise<void> {
  for (const step of some) {
    webhook.does = step.does ?? webhook.does;
    const later: Json[] = [];
    const one = await record(server, webhook, step, () => take(server, webhook, step.during ?? [], later));
    if (step.silent !== true) noted.push(one);
    noted.push(...later);
  }
}

export async function removeDefinition(server: Asked): Promise<void> {
  const where = `${DEFINITIONS}/${DEFINITION}`;
  await until(server, { method: 'DELETE', path: where }, ({ code }) => code === 404);
}

function definitionOf(one: ConversionCase, webhook: ConversionServer): Json {
  const spec = {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
    versions: versions('v1'),
    conversion: conversionOf(one, webhook),
    ...one.definition,
  };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: DEFINITION }, spec };
}

function conversionOf({ webhook: more = {} }: ConversionCase, { port, caBundle }: Place): Json {
  const clientConfig = { url: `https://127.0.0.1:${port}/convert`, caBundle };
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig, ...more } };
  return parsed(JSON.stringify(conversion).replaceAll('<port>', String(port)).replaceAll('<ca>', caBundle));
}

async function until(server: Asked, step: Step, isSo: (reply: ServerReply) => boolean): Promise<ServerReply> {
  for (let round = 0; ; round += 1) {
    const reply = await send(server, step);
    if (isSo(reply)) return reply;
    if (round === ROUNDS) throw new Error(`${step.method} ${step.path}: ${reply.text.slice(0, 1000)}`);
    await systemClock.sleep(PAUSE_MS);
  }
}

function send(server: Asked, step: Step, opened?: () => void): Promise<ServerReply> {
  const { method, path: where, body, type = 'application/json', accept } = step;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return server.send(
    method,
    where,
    { 'user-agent': 'recorder/1', ...(text === '' ? {} : { 'content-type': type }), ...(accept === undefined ? {} : { accept }) },
    text,
    opened,
  );
}

/** Its answer, once what is done meanwhile is done, too. */
async function sendWith(server: Asked, step: Step, meanwhile: () => Promise<void>): Promise<ServerReply> {
  if (step.during === undefined) return send(server, step);
  let done = Promise.resolve();
  const opened = (): void => void (done = meanwhile());
  const reply = await send(server, step, opened);
  await done;
  return reply;
}

async function record(
  server: Asked,
  webhook: ConversionServer,
  step: Step,
  meanwhile = (): Promise<void> => Promise.resolve(),
): Promise<Json> {
  webhook.calls.splice(0);
  webhook.reviews.splice(0);
  const sent = withVersion(withConversion(step, webhook), webhook);
  const wanted = step.until;
  const reply =
    wanted === undefined
      ? await sendWith(server, sent, meanwhile)
      : await until(server, sent, ({ text }) => JSON.stringify(valueAt(jsonOf(text), wanted[0])) === JSON.stringify(wanted[1]));
  const { code, text, warnings } = reply;
  if (step.silent === true && code >= 300) throw new Error(`${step.method} ${step.path}: ${text}`);
  webhook.lastVersion = versionIn(text) ?? webhook.lastVersion;
  const [call] = webhook.calls.splice(0);
  const asked = webhook.reviews
    .splice(0)
    .map(({ url, review: { request = {} } }) => ({ url: url.replace(/\?.*/, ''), request: masked(request) }));
  const noted = {
    request: `${step.method} ${step.path}`,
    ...(step.accept === undefined ? {} : { accept: step.accept }),
    does: webhook.does,
    code,
    body: masked(bodyOf(text)),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    ...(step.calls === undefined || call === undefined ? {} : { call: masked({ url: call.url, ...call.headers, review: call.review }) }),
    ...(asked.length === 0 ? {} : { asked }),
  };
  return parsed(JSON.stringify(noted).replaceAll(`:${webhook.port}`, ':<port>'));
}

function withConversion(step: Step, place: Place): Step {
  if (!JSON.stringify(step).includes('"<conversion>"')) return step;
  const text = JSON.stringify(step.body).replace('"<conversion>"', JSON.stringify(conversionOf({ title: '', steps: [] }, place)));
  return { ...step, body: parsed(text) };
}

function withVersion(step: Step, { lastVersion }: ConversionServer): Step {
  if (!isBody(step.body) || !JSON.stringify(step.body).includes(LAST)) return step;
  return { ...step, body: parsed(JSON.stringify(step.body).replace(LAST, lastVersion)) };
}

function versionIn(text: string): string | undefined {
  const found = valueAt(bodyOf(text), 'metadata.resourceVersion');
  return typeof found === 'string' ? found : undefined;
}

/** The events of a watch are a list. */
function bodyOf(text: string): Json {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length > 1 && lines.every((line) => line.startsWith('{"type":"')) ? lines.map(jsonOf) : jsonOf(text);
}

function jsonOf(text: string): Json {
  if (!text.startsWith('{')) return text;
  return parsed(text);
}

function valueAt(value: Json, where: string): Json | undefined {
  let found: Json | undefined = value;
  for (const member of where === '' ? [] : where.split('.')) {
    found = Array.isArray(found) ? found[Number(member)] : isBody(found) ? found[member] : undefined;
  }
  return found;
}

const UID = /(?!11111111-)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /(?!2001-)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const EPHEMERAL = /127\.0\.0\.1:\d+->/g;

function masked(value: Json, member = ''): Json {
  if (Array.isArray(value)) return value.map((item) => masked(item));
  if (isBody(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner, name)]));
  if (typeof value !== 'string') return value;
  if (member === 'resourceVersion' && value !== '' && value !== '7') return '*';
  if (member === 'continue' && value !== '') return '*';
  if (member === 'caBundle') return '<ca>';
  return value.replace(UID, '<uid>').replace(TIME, '<time>').replace(EPHEMERAL, '127.0.0.1:<own>->');
}

function parsed(text: string): Body {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`no object: ${text}`);
  return { ...value };
}

export const openNamespace = async (server: Asked): Promise<void> => {
  await send(server, { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
};
