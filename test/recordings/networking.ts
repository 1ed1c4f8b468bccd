/**
 * Records what the reference server makes of good and bad Endpoints, EndpointSlices, Ingresses, IngressClasses and NetworkPolicies:
 *   node deploy/scripts/run.mjs test/recordings/networking.js > apiserver/registry/strategies/networking-answers.json
 * Creations are dry runs, and so are updates, of stored objects in the namespace ingress-recordings. networking-answers.test.ts replays the recording.
 */
import { canonicalGroup, canonicalQualifiedName } from '../../shared/names/dialect';
import { expand, shortenPatterns, type KindRecording, type RuleAnswer, type RuleCase } from '../support/recorded-rules';
import type { KindCases } from './networking/cases';
import { ENDPOINT_SLICES } from './networking/endpoint-slice';
import { ENDPOINTS } from './networking/endpoints';
import { INGRESS_CLASSES } from './networking/ingress-class';
import { INGRESSES } from './networking/ingress';
import { NETWORK_POLICIES } from './networking/network-policy';
import { call, causesOf, hangUp, isBody, type Body, type Reply } from './reference';

const NAMESPACE = 'ingress-recordings';
const PREFIX = 'ingress-recorded';
const LONGEST_OBJECT = 2000;

async function main(): Promise<void> {
  await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: NAMESPACE } });
  const recordings: KindRecording[] = [];
  for (const kind of [ENDPOINTS, ENDPOINT_SLICES, INGRESSES, INGRESS_CLASSES, NETWORK_POLICIES]) recordings.push(await record(kind));
  const lines = recordings.map(
    ({ resource, base, cases }) =>
      `  { "resource": ${JSON.stringify(resource)}, "base": ${JSON.stringify(base)}, "cases": [\n` +
      `${cases.map((made) => `    ${JSON.stringify(made)}`).join(',\n')}\n  ] }`,
  );
  process.stdout.write(`${canonical(`[\n${lines.join(',\n')}\n]`)}\n`);
  hangUp();
}

async function record(kind: KindCases): Promise<KindRecording> {
  const asker = new Asker(kind);
  const cases: RuleCase[] = [];
  for (const [title, body] of Object.entries(kind.bodies)) {
    const create = await asker.create(body);
    const update = await asker.update(kind.base, body);
    cases.push({ title, body, create, update: JSON.stringify(update) === JSON.stringify(create) ? 'same' : update });
  }
  for (const [title, [old, body]] of Object.entries(kind.changes)) cases.push({ title, old, body, update: await asker.update(old, body) });
  for (const [title, body] of Object.entries(kind.statuses ?? {}))
    cases.push({ title: `status ${title}`, body, status: await asker.status(body) });
  await asker.clean();
  return { resource: kind.resource, base: kind.base, cases };
}

class Asker {
  private readonly path: string;
  private readonly stored = new Map<string, string>();

  constructor(private readonly kind: KindCases) {
    const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
    this.path = `${root}${kind.namespaced ? `/namespaces/${NAMESPACE}` : ''}/${kind.resource}`;
  }

  create(body: Body): Promise<RuleAnswer> {
    return this.ask('POST', this.path, body, `${PREFIX}-new`);
  }

  async update(old: Body, body: Body): Promise<RuleAnswer> {
    const name = await this.store(old);
    return this.ask('PUT', `${this.path}/${name}`, body, name);
  }

  async status(body: Body): Promise<RuleAnswer> {
    const name = await this.store(this.kind.base);
    return this.ask('PUT', `${this.path}/${name}/status`, body, name);
  }

  private async ask(method: string, path: string, body: Body, name: string): Promise<RuleAnswer> {
    const sent = this.named(body, name);
    return answerOf(sent, await call(method, `${path}?dryRun=All`, 'application/json', sent));
  }

  async clean(): Promise<void> {
    for (const name of this.stored.values()) await call('DELETE', `${this.path}/${name}`, 'application/json');
  }

  private named(body: Body, name: string): Body {
    const written = expand(body);
    if (!isBody(written)) throw new Error('no object');
    const metadata = written['metadata'];
    return {
      apiVersion: this.kind.apiVersion,
      kind: this.kind.kind,
      ...written,
      metadata: { ...(isBody(metadata) ? metadata : {}), name },
    };
  }

  private async store(body: Body): Promise<string> {
    const key = JSON.stringify(body);
    const known = this.stored.get(key);
    if (known !== undefined) return known;
    const name = `${PREFIX}-${this.stored.size}`;
    // What a run that was cut short left behind.
    await call('DELETE', `${this.path}/${name}`, 'application/json');
    const reply = await call('POST', this.path, 'application/json', this.named(body, name));
    if (reply.code !== 201) throw new Error(`${key}: ${JSON.stringify(reply.body)}`);
    this.stored.set(key, name);
    return name;
  }
}

function answerOf(sent: Body, reply: Reply): RuleAnswer {
  const { code, body, warnings } = reply;
  const causes = causesOf(reply).map((cause) => cause.map(shortenPatterns));
  const message = body['message'];
  return {
    code,
    ...(causes.length > 0 ? { causes } : {}),
    ...(code >= 400 && causes.length === 0 && typeof message === 'string' ? { message } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(code < 400 ? accepted(sent, objectOf(body)) : {}),
  };
}

function accepted(sent: Body, object: Body): Pick<RuleAnswer, 'object' | 'asSent'> {
  const members = Object.keys(object);
  const isAsSent = (member: string): boolean => JSON.stringify(object[member]) === JSON.stringify(sent[member]);
  const others = Object.fromEntries(members.filter((member) => !isAsSent(member)).map((member) => [member, object[member] ?? null]));
  return JSON.stringify(others).length > LONGEST_OBJECT ? {} : { object: others, asSent: members.filter(isAsSent) };
}

/** Without what its kind and place say, and what is new in every run. */
function objectOf(body: Body): Body {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = body;
  const {
    name: _name,
    namespace: _namespace,
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _time,
    managedFields: _fields,
    ...kept
  } = isBody(metadata) ? metadata : {};
  return { ...(Object.keys(kept).length === 0 ? {} : { metadata: kept }), ...rest };
}

/** Recordings are in canonical spelling. */
const canonical = (text: string): string =>
  text.replace(/[a-z0-9.-]+\.io\/[a-z0-9.-]+/gi, canonicalQualifiedName).replace(/[a-z.]+\.k8s\.io/g, canonicalGroup);

void main();
