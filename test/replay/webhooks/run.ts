/**
 * Runs the cases against a server, the reference or ours: makes the configurations, waits until they are in force, makes the requests and notes what was answered
 * and what the webhooks were asked. What is new in every run is masked.
 */
import { systemClock } from '../../../shared/runtime/clock';
import type { ReviewServer } from '../../support/review-server';
import type { Called } from '../../support/webhook-server';
import { GENERATED, TIME, UID } from '../new-values';
import { isBody, type Body, type Headers, type Json } from '../reference';
import { createMap, NAMESPACE, type Hook, type Step, type WebhookCase } from './case';

export interface ServerReply {
  readonly code: number;
  readonly text: string;
  readonly warnings: readonly string[];
}

export interface Asked {
  send(method: string, path: string, headers: Headers, body: string): Promise<ServerReply>;
  /** What the audit log says besides of a request that brought this id. */
  annotations(auditId: string): Promise<Body>;
}

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const KINDS = { mutating: 'mutatingwebhookconfigurations', validating: 'validatingwebhookconfigurations' } as const;
const MARKER = 'marker';
/** Time for a configuration to be seen. */
const ROUNDS = 200;
const PAUSE_MS = 25;

let count = 0;

export async function runCase(server: Asked, webhooks: ReviewServer, one: WebhookCase): Promise<Body> {
  for (const step of one.before ?? []) await make(server, step);
  const configurations = configurationsOf(one.hooks, webhooks);
  for (const { type, body } of configurations) await make(server, { method: 'POST', path: `${ROOT}/${KINDS[type]}`, body });
  for (const { type } of configurations) await untilReady(server, type, true);
  webhooks.calls.splice(0);
  const steps: Json[] = [];
  for (const step of one.steps) steps.push(await record(server, webhooks, step));
  for (const { type, name } of configurations) await send(server, { method: 'DELETE', path: `${ROOT}/${KINDS[type]}/${name}` });
  for (const { type } of configurations) await untilReady(server, type, false);
  await clean(server);
  return { title: one.title, steps };
}

interface Configuration {
  readonly type: Hook['type'];
  readonly name: string;
  readonly body: Body;
}

function configurationsOf(hooks: readonly Hook[], webhooks: ReviewServer): readonly Configuration[] {
  const named = new Map<string, { readonly type: Hook['type']; readonly name: string; readonly webhooks: Json[] }>();
  for (const hook of hooks) {
    const name = hook.configuration ?? 'recorded';
    const key = `${hook.type}/${name}`;
    const found = named.get(key) ?? { type: hook.type, name, webhooks: [] };
    found.webhooks.push(webhookOf(hook, webhooks));
    named.set(key, found);
  }
  return [...named.values()].map(({ type, name, webhooks: list }, at) => ({
    type,
    name,
    body: { metadata: { name }, webhooks: at === 0 || type !== [...named.values()][0]?.type ? [...list, marker(type, webhooks)] : list },
  }));
}

const RULE: Body = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

function webhookOf(hook: Hook, { port, caBundle }: ReviewServer): Body {
  const text = JSON.stringify({
    name: hook.name ?? `${hook.does}.example.com`,
    clientConfig: { url: `https://127.0.0.1:${port}/${hook.does}`, caBundle },
    rules: [{ ...RULE, ...hook.rule }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    objectSelector: { matchExpressions: [{ key: MARKER, operator: 'DoesNotExist' }] },
    ...hook.more,
  });
  return parsed(text.replaceAll('<port>', String(port)).replaceAll('<ca>', caBundle));
}

const marker = (type: Hook['type'], { port, caBundle }: ReviewServer): Body => ({
  name: `${MARKER}.example.com`,
  clientConfig: { url: `https://127.0.0.1:${port}/ready/marker`, caBundle },
  rules: [{ ...RULE, operations: ['CREATE'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  objectSelector: { matchLabels: { [MARKER]: type } },
});

/** The marker is refused as long as there are webhooks of the type. */
async function untilReady(server: Asked, type: Hook['type'], isThere: boolean): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { code } = await send(server, createMap(MARKER, { metadata: { labels: { [MARKER]: type } } }, '?dryRun=All'));
    if ((code === 201) !== isThere) return;
    await systemClock.sleep(PAUSE_MS);
  }
  throw new Error(`the ${type} configuration is not ${isThere ? 'there' : 'gone'}`);
}

const STRAY = ['pods', 'services', 'serviceaccounts', 'configmaps', 'events'].map((name) => `/api/v1/namespaces/${NAMESPACE}/${name}`);
const OTHERS = [
  `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
  `/apis/autoscaling/v1/namespaces/${NAMESPACE}/horizontalpodautoscalers`,
];

async function clean(server: Asked): Promise<void> {
  for (const path of [...STRAY, ...OTHERS]) await send(server, { method: 'DELETE', path: `${path}?gracePeriodSeconds=0` });
}

export async function openNamespace(server: Asked): Promise<void> {
  await send(server, { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
  for (const kind of Object.values(KINDS))
    for (const name of ['recorded', 'recorded-a', 'recorded-z']) await send(server, { method: 'DELETE', path: `${ROOT}/${kind}/${name}` });
  for (const type of ['mutating', 'validating'] as const) await untilReady(server, type, false);
  await clean(server);
}

async function make(server: Asked, step: Step): Promise<void> {
  const { code, text } = await send(server, step);
  if (code >= 300) throw new Error(`${step.method} ${step.path}: ${text}`);
}

function send(server: Asked, step: Step, auditId = `case-${++count}`): Promise<ServerReply> {
  const { method, path, body, type = 'application/json', headers = {} } = step;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return server.send(method, path, { 'audit-id': auditId, ...(text === '' ? {} : { 'content-type': type }), ...headers }, text);
}

async function record(server: Asked, webhooks: ReviewServer, step: Step): Promise<Json> {
  const auditId = `case-${++count}`;
  webhooks.calls.splice(0);
  const { code, text, warnings } = await send(server, step, auditId);
  const body = text.startsWith('{') ? parsed(text) : text;
  const calls = webhooks.calls.splice(0).filter(({ url }) => !url.includes(MARKER));
  const annotations = await server.annotations(auditId);
  const noted = {
    request: `${step.method} ${step.path}`,
    code,
    body: masked(body),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(calls.length === 0 ? {} : { calls: shown(calls) }),
  };
  return parsed(withoutPorts(JSON.stringify(noted), webhooks.port));
}

/** Those that validate are asked at the same time. */
function shown(calls: readonly Called[]): Json[] {
  return calls.map(({ url, headers, review }) => ({
    url,
    headers: { accept: headers['accept'] ?? '', 'content-type': headers['content-type'] ?? '' },
    review: masked(review),
  }));
}

const withoutPorts = (text: string, port: number): string => text.replaceAll(`:${port}`, ':<port>');

const TOKEN = /^ey[\w-]+\.[\w-]+\.[\w-]+$/;

/** Without what differs from run to run. A token goes first: what it is signed with may look like a generated name. */
export function masked(value: Json, member = ''): Json {
  if (Array.isArray(value)) return member === 'managedFields' ? '<managed>' : value.map((item) => masked(item));
  if (isBody(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner, name)]));
  if (typeof value !== 'string') return value;
  if (member === 'resourceVersion' && value !== '') return '*';
  return value.replace(TOKEN, '<token>').replace(UID, '<uid>').replace(TIME, '<time>').replace(GENERATED, 'g-<name>');
}

function parsed(text: string): Body {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`no object: ${text}`);
  return { ...value };
}
