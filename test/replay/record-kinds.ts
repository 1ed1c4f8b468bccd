/**
 * Asks the reference server what it makes of the cases of kinds, and records its answers for replayKinds: a line about the kind and a line for each
 * case. Creations are dry runs, and so are updates, of stored objects in a namespace of their own.
 */
import { setTimeout } from 'node:timers/promises';
import { canonicalApiVersion, canonicalGroup, canonicalQualifiedName } from '../../shared/names/dialect';
import {
  namedBody,
  shortenStructs,
  shortenPatterns,
  withoutChance,
  type KindHead,
  type RuleAnswer,
  type RuleCase,
} from '../support/recorded-rules';
import type { KindCases } from './kind-cases';
import { writeRecording } from './recording';
import { call, causesOf, hangUp, isBody, type Body, type Json, type Reply } from './reference';

const NEW_NAME = 'recorded-new';
const LONGEST_OBJECT = 2000;
/** How soon the reference's own controllers have seen an object. */
const SETTLED_MS = 100;

/** Records what the program's arguments name, or everything, in an area; objects live in the namespace. */
export async function recordKinds(namespace: string, area: string, kinds: Readonly<Record<string, KindCases>>): Promise<void> {
  const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(kinds);
  const unknown = wanted.filter((name) => kinds[name] === undefined);
  if (unknown.length > 0) throw new Error(`no recording ${unknown.join(', ')}; there are ${Object.keys(kinds).join(', ')}`);
  await call('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: namespace } });
  for (const name of wanted) {
    const kind = kinds[name];
    if (kind !== undefined) writeRecording(`${area}/${name}`, (await record(namespace, kind)).map(canonical));
  }
  hangUp();
}

/** Named as clients write a resource with its version and group: `jobs.v1.batch`. With an ending where a kind has several recordings. */
export function byName(kinds: readonly KindCases[], ending = ''): Readonly<Record<string, KindCases>> {
  const nameOf = ({ resource, apiVersion }: KindCases): string =>
    [resource, ...canonicalApiVersion(apiVersion).split('/').reverse()].join('.') + ending;
  return Object.fromEntries(kinds.map((kind) => [nameOf(kind), kind]));
}

async function record(namespace: string, kind: KindCases): Promise<readonly [KindHead, ...RuleCase[]]> {
  const asker = new Asker(namespace, kind);
  const cases: RuleCase[] = [];
  for (const [title, body] of Object.entries(kind.bodies)) {
    const create = await asker.create(body);
    if (kind.brief === true || kind.createsOnly === true || hasName(body)) {
      cases.push({ title, body, create });
      continue;
    }
    const update = await asker.update(kind.base, body);
    cases.push({ title, body, create, update: JSON.stringify(update) === JSON.stringify(create) ? 'same' : update });
  }
  for (const [title, [old, body]] of Object.entries(kind.changes)) cases.push({ title, old, body, update: await asker.update(old, body) });
  for (const [title, body] of Object.entries(kind.statuses ?? {}))
    cases.push({ title: `status ${title}`, body, status: await asker.part('status', kind.base, body) });
  for (const [title, [old, body]] of Object.entries(kind.statusChanges ?? {}))
    cases.push({ title: `status ${title}`, old, body, status: await asker.part('status', old, body) });
  for (const [title, [old, body]] of Object.entries(kind.scales ?? {}))
    cases.push({ title: `scale ${title}`, old, body, scale: await asker.part('scale', old, body) });
  for (const [title, [old, body]] of Object.entries(kind.ephemeral ?? {}))
    cases.push({ title: `ephemeral ${title}`, old, body, ephemeral: await asker.part('ephemeralcontainers', old, body) });
  await asker.clean();
  const { resource, apiVersion, base, unrecorded } = kind;
  return [{ resource, apiVersion: canonicalApiVersion(apiVersion), base, ...(unrecorded === undefined ? {} : { unrecorded }) }, ...cases];
}

function hasName({ metadata }: Body): boolean {
  return isBody(metadata) && (metadata['name'] !== undefined || metadata['generateName'] !== undefined);
}

interface Stored {
  readonly name: string;
  readonly version: string;
}

class Asker {
  private readonly path: string;
  private readonly stored = new Map<string, Stored>();

  constructor(
    namespace: string,
    private readonly kind: KindCases,
  ) {
    const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
    this.path = `${root}${kind.namespaced ? `/namespaces/${namespace}` : ''}/${kind.resource}`;
  }

  create(body: Body): Promise<RuleAnswer> {
    return this.ask('POST', this.path, namedBody(this.typed(body), NEW_NAME));
  }

  async update(old: Body, body: Body): Promise<RuleAnswer> {
    const { name, version } = await this.store(old, false);
    const answer = await this.ask('PUT', `${this.path}/${name}`, namedBody(this.typed(body), name, version));
    // Its status is what the server made of the stored one.
    return this.kind.isRestless === true && answer.object !== undefined ? { ...answer, object: { ...answer.object, status: {} } } : answer;
  }

  /** A PUT of a subresource. */
  async part(part: 'status' | 'scale' | 'ephemeralcontainers', old: Body, body: Body): Promise<RuleAnswer> {
    const { name, version } = await this.store(old, part === 'status');
    const sent = part === 'scale' ? { apiVersion: 'autoscaling/v1', kind: 'Scale', ...body } : this.typed(body);
    return this.ask('PUT', `${this.path}/${name}/${part}`, namedBody(sent, name, version));
  }

  async clean(): Promise<void> {
    for (const { name } of this.stored.values()) await this.remove(name);
  }

  private async ask(method: string, path: string, sent: Body): Promise<RuleAnswer> {
    return this.answerOf(sent, await call(method, `${path}?dryRun=All`, 'application/json', sent));
  }

  private typed(body: Body): Body {
    return { apiVersion: this.kind.apiVersion, kind: this.kind.kind, ...body };
  }

  private async remove(name: string): Promise<void> {
    await call('DELETE', `${this.path}/${name}`, 'application/json', { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
  }

  private async store(body: Body, withStatus: boolean): Promise<Stored> {
    const key = JSON.stringify([body, withStatus]);
    const known = this.stored.get(key);
    if (known !== undefined) return this.kind.isRestless === true ? this.newest(known) : known;
    const name = `recorded-${this.stored.size}`;
    // What a run that was cut short left behind.
    await this.remove(name);
    const sent = namedBody(this.typed(body), name);
    let reply = await call('POST', this.path, 'application/json', sent);
    if (reply.code !== 201) throw new Error(`${key}: ${JSON.stringify(reply.body)}`);
    if (withStatus && sent['status'] !== undefined) {
      reply = await call('PUT', `${this.path}/${name}/status`, 'application/json', { ...reply.body, status: sent['status'] });
      if (reply.code !== 200) throw new Error(`${key}: ${JSON.stringify(reply.body)}`);
    }
    const made = { name, version: versionOf(reply) };
    this.stored.set(key, made);
    return this.kind.isRestless === true ? this.newest(made) : made;
  }

  private async newest({ name }: Stored): Promise<Stored> {
    await setTimeout(SETTLED_MS);
    return { name, version: versionOf(await call('GET', `${this.path}/${name}`, 'application/json')) };
  }

  private answerOf(sent: Body, reply: Reply): RuleAnswer {
    const { code, body, warnings } = reply;
    const causes = causesOf(reply).map((cause) => cause.map((text) => shortenStructs(shortenPatterns(text))));
    const message = body['message'];
    return {
      code,
      ...(causes.length > 0 ? { causes } : {}),
      ...(code >= 400 && causes.length === 0 && typeof message === 'string' ? { message } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(code < 400 && this.kind.brief !== true ? accepted(sent, objectOf(body, this.kind.unrecorded ?? [])) : {}),
    };
  }
}

function versionOf({ body: { metadata } }: Reply): string {
  const version = isBody(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : '';
}

function accepted(sent: Body, object: Body): Pick<RuleAnswer, 'object' | 'asSent'> {
  const members = Object.keys(object);
  const isAsSent = (member: string): boolean => JSON.stringify(object[member]) === JSON.stringify(sent[member]);
  const others = Object.fromEntries(members.filter((member) => !isAsSent(member)).map((member) => [member, object[member] ?? null]));
  return JSON.stringify(others).length > LONGEST_OBJECT ? {} : { object: others, asSent: members.filter(isAsSent) };
}

function objectOf(body: Body, unrecorded: readonly string[]): Body {
  const { apiVersion: _apiVersion, kind: _kind, ...object } = withoutChance(body, unrecorded);
  return object;
}

/** Recordings are in canonical spelling. */
const canonical = (line: KindHead | RuleCase): Json =>
  JSON.parse(
    JSON.stringify(line)
      // A name may stand behind the fields that lead to it.
      .replace(
        /((?:[a-z]+[A-Z][a-zA-Z]*\.)*)([a-zA-Z0-9.-]+\.io\/[a-zA-Z0-9.-]+)/g,
        (_, fields: string, name: string) => fields + canonicalQualifiedName(name),
      )
      .replace(/[a-z.]+\.k8s\.io/g, canonicalGroup),
  );
