/**
 * Records what the reference server says to the cases in test/replay/service, one line each:
 *   node deploy/scripts/run.mjs test/replay/service.js single
 *   REFERENCE_URL=… node deploy/scripts/run.mjs test/replay/service.js dual
 * `single` needs a server with --service-cluster-ip-range=10.96.0.0/16, `dual` one with 10.0.0.0/16,fd00::/108. Objects live in the namespace
 * svcrules. service-answers.test.ts replays the recording.
 */
import { otherQualifiedName } from '../../shared/names/dialect';
import { call, causesOf, hangUp, type Body, type Json, type Reply } from './reference';
import { writeRecording } from './recording';
import { addressRules } from './service/addresses';
import { BASES, changeOf, madeOf, masked, merged, type Case } from './service/case';
import { BALANCER_RULES } from './service/balancer-rules';
import { FIELD_RULES } from './service/field-rules';
import { PORT_RULES } from './service/port-rules';
import { DUAL_SEQUENCES, SEQUENCES, type Sequence, type SequenceStep } from './service/sequences';

const NAMESPACE = 'svcrules';
const SERVICES = `/api/v1/namespaces/${NAMESPACE}/services`;
const MEDIA: Readonly<Record<string, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The cases and the recording are in canonical spelling, the reference in its own. */
const CANONICAL = 'platform.io';
const THEIRS = otherQualifiedName(`${CANONICAL}/x`)?.replace('/x', '') ?? '';

async function ask(method: string, path: string, type: string, body?: Json): Promise<Reply> {
  const sent: Json | undefined = body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll(CANONICAL, THEIRS));
  const reply = await call(method, path, type, sent);
  const translated: Pick<Reply, 'body' | 'warnings'> = JSON.parse(JSON.stringify(reply).replaceAll(THEIRS, CANONICAL));
  return { code: reply.code, ...translated };
}

let count = 0;
const newName = (): string => `case-${process.pid}-${++count}`;

/** What is kept of an answer: a refusal's causes (or its message, when it has none), or what the server made of the object that was sent. */
function kept(reply: Reply, sent: Json, scope: Body, name: string): Json {
  const { code } = reply;
  const warnings = reply.warnings.length > 0 ? { warnings: [...reply.warnings] } : {};
  if (code < 400) return masked({ code, made: madeOf(sent, reply.body), ...warnings }, scope, name);
  const refused = refusedPort(reply);
  if (refused !== undefined) return masked({ code: 422, causes: [refused] }, scope, name);
  const causes = causesOf(reply).map((cause) => [...cause]);
  const { message = '' } = reply.body;
  return masked({ code, ...(code === 422 && causes.length > 0 ? { causes: inJson(causes) } : { message }), ...warnings }, scope, name);
}

/** Where the reference answers 500 for a port that a client chose, ours names the field. */
function refusedPort(reply: Reply): string[] | undefined {
  const { message } = reply.body;
  const [, text, port] =
    /(failed to allocate requested HealthCheck NodePort (\S+): .*)$/.exec(typeof message === 'string' ? message : '') ?? [];
  return port === undefined ? undefined : ['spec.healthCheckNodePort', 'FieldValueInvalid', `Invalid value: ${port}: ${text}`];
}

/** A port that stands twice is printed in the notation of another language; ours prints JSON. */
const STRUCT = /core\.ServicePort\{.*?Protocol:"(\w*)".*? Port:(-?\d+),.*? NodePort:0\}/;

const inJson = (causes: string[][]): string[][] =>
  causes.map((cause) => cause.map((text) => text.replace(STRUCT, '{"protocol":"$1","port":$2}')));

async function perform(name: string, [verb, change]: SequenceStep, object: Body): Promise<{ reply: Reply; sent: Json }> {
  const path = `${SERVICES}/${name}`;
  const [where, media] = verb.startsWith('status') ? [`${path}/status`, MEDIA[verb.slice(7)]] : [path, MEDIA[verb]];
  if (verb === 'json') return { reply: await ask('PATCH', where, MEDIA['json'] ?? '', [...change]), sent: object };
  const named = merged({ metadata: { name } }, change);
  if (verb === 'create') return { reply: await ask('POST', SERVICES, 'application/json', named), sent: named };
  if (verb === 'replace') return { reply: await ask('PUT', where, 'application/json', named), sent: named };
  if (media === undefined) {
    const sent = merged(object, change);
    return { reply: await ask('PUT', where, 'application/json', sent), sent };
  }
  if (media !== MEDIA['apply']) return { reply: await ask('PATCH', where, media, change), sent: object };
  const config = merged({ apiVersion: 'v1', kind: 'Service' }, named);
  return { reply: await ask('PATCH', `${where}?fieldManager=test&force=true`, media, config), sent: object };
}

async function record(sequence: Sequence, scope: Body): Promise<Json[]> {
  const name = newName();
  let object: Body = {};
  const answers: Json[] = [];
  for (const step of sequence) {
    const { reply, sent } = await perform(name, step, object);
    answers.push(kept(reply, sent, scope, name));
    if (reply.code < 400) object = reply.body;
  }
  await ask('DELETE', `${SERVICES}/${name}`, 'application/json');
  return answers;
}

async function recordCase([base, given]: Case): Promise<Json[]> {
  const change = changeOf(given);
  const created = merged({ spec: BASES[base] }, change);
  const [create = null] = await record([['create', created]], change);
  const [, update = null] = await record(
    [
      ['create', { spec: BASES[base] }],
      ['put', change],
    ],
    change,
  );
  return [create, update];
}

async function main(): Promise<void> {
  await ask('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } });
  const isDual = process.argv[2] === 'dual';
  const rules = isDual ? addressRules('10.0') : [...PORT_RULES, ...FIELD_RULES, ...BALANCER_RULES, ...addressRules('10.96')];
  const lines = new Map<string, readonly unknown[]>();
  const note = (asked: Case | Sequence, answers: Json): void => void lines.set(JSON.stringify([asked, answers]), [asked, answers]);
  for (const { cases } of rules) for (const made of cases) note(made, await recordCase(made));
  for (const sequence of isDual ? DUAL_SEQUENCES : SEQUENCES) {
    const scope: Body = { steps: JSON.stringify(sequence) };
    note(sequence, await record(sequence, scope));
  }
  writeRecording(`service/${isDual ? 'dual' : 'single'}`, lines.values());
  hangUp();
}

void main();
