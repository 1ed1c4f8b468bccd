/**
 * Runs scenarios on one server with its controllers: sends the requests, reads the compared collections, and masks what differs from run to run: UIDs, times, resource
 * versions and generated names. Leaves the comparison to others.
 */
import type { Method } from '../../../shared/client/transport/transport';
import { systemClock, type Clock } from '../../../shared/runtime/clock';
import { describedCertificate } from './described-certificate';
import { TIME, UID } from '../new-values';
import { isBody, type Body, type Json } from '../reference';
import { PATCH_MEDIA } from '../spelling';
import { certificateRequest, isRequested, type Requested } from './certificate-request';
import { absolute, type ComparedCollection, type Impersonated, type Observed, type Scenario, type ScenarioRequest } from './scenario';

export interface StageAnswer {
  readonly code: number;
  readonly body: Json;
}

/** A request to the server, as the administrator or as a user whom the administrator impersonates. */
export type Send = (
  method: Method,
  path: string,
  headers: Readonly<Record<string, string | string[]>>,
  body?: Json,
) => Promise<StageAnswer>;

/** How names of Events end. */
const EVENT = /\.[0-9a-f]{16}$/;
/** Names in a sentence. */
const WORDS = /[a-z0-9]+(?:-[a-z0-9]+)+/g;
/** An object that was never made, by the name that was made up for it. */
const REFUSED = /(pods "[^"]*-)[a-z0-9]{0,5}(?=" is forbidden)/;
/** As long as what is made up. */
const MADE_UP = 'xxxxx';
/** On pods, and on the revisions of DaemonSets. */
const POD_REVISION = 'controller-revision-hash';
/** Of sets, and of ControllerRevisions. */
const HASHES = ['pod-template-hash', 'controller.kubernetes.io/hash'];
const ZONED = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=[+-]\d\d:\d\d)/g;
/** How names of Jobs end that are made at a time: with its minute since 1970. */
const MINUTE = /-\d{8}\b/g;
const LATER = /\$NOW([+-]\d+)s/g;
const SIGNED = /^[\w-]+\.([\w-]+)\.[\w-]+$/;
const CERTIFICATE = '-----BEGIN CERTIFICATE-----';
const UNTOLD: ReadonlySet<string> = new Set([
  'resourceVersion',
  'uid',
  'managedFields',
  'creationTimestamp',
  'generation',
  'generateName',
  'selfLink',
]);
const isUntold = (member: string, name: string): boolean =>
  member === 'metadata' ? UNTOLD.has(name) : member === 'involvedObject' && name === 'resourceVersion';
/** Of an object that this one refers to. */
const isVersionOf = (reference: Body, name: string): boolean => name === 'resourceVersion' && reference['uid'] !== undefined;
/** Lists whose order means nothing. */
const UNORDERED: ReadonlySet<string> = new Set(['endpoints', 'addresses', 'notReadyAddresses', 'ports', 'subsets']);
/** Whether it is there depends on which of two watches tells a change first; rules about it are tested by themselves. */
const TRIGGER = 'endpoints.kubernetes.io/last-change-trigger-time';
const JSON_TYPE = { 'content-type': 'application/json' } as const;
const ALWAYS: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** Where the server and its controllers run. */
export interface StageWorld {
  readonly clock: Clock;
  /** Its revision grows with every write; absent where the store is not at hand. */
  readonly store?: { readonly currentRevision: number };
}

type Test = (answer: StageAnswer) => boolean;

/** Repeats a request every 100 ms until the answer is an awaited one; returns the last answer after ten seconds. */
async function patiently(ask: () => ReturnType<Send>, isAwaited: Test, clock: Clock): Promise<StageAnswer> {
  for (let left = 100; ; left -= 1) {
    const answer = await ask();
    if (left === 0 || isAwaited(answer)) return answer;
    await clock.sleep(100);
  }
}

const otherThan =
  (...codes: readonly number[]): Test =>
  ({ code }) =>
    !codes.includes(code);
const holdsData: Test = ({ body }) => isBody(body) && body['data'] !== undefined;

export class Stage {
  /** What an object is called in recordings, by its uid. */
  private readonly ids = new Map<string, string>();
  /** The other way round, for bodies that name others. */
  private readonly uids = new Map<string, string>();
  /** What stands in recordings for a name that was made up. */
  private readonly madeUp = new Map<string, string>();
  /** What such names begin with: some are gone before they are seen. */
  private readonly prefixes = new Set<string>();
  /** What stands for the hash of a template. */
  private readonly hashes = new Map<string, string>();

  /** Of the store when pods were set to serve last. */
  private servedRevision: number | undefined;

  constructor(
    private readonly send: Send,
    readonly namespace: string,
    readonly world: StageWorld = { clock: systemClock },
  ) {}

  /** The code of the answer. Throws where the namespace cannot be made. */
  async open(): Promise<void> {
    const { code } = await this.send('POST', '/api/v1/namespaces', JSON_TYPE, { metadata: { name: this.namespace } });
    if (code !== 201) throw new Error(`the namespace ${this.namespace} cannot be made: ${code}`);
    const account = `/api/v1/namespaces/${this.namespace}/serviceaccounts/default`;
    // Pods are refused before their account is there.
    const found = await patiently(
      () => this.send('GET', account, JSON_TYPE),
      (answer) => answer.code === 200,
      this.world.clock,
    );
    if (found.code !== 200) throw new Error(`the namespace ${this.namespace} got no account`);
  }

  /** Renews the Lease of a node of the scenario. */
  async renewLease(node: string): Promise<void> {
    const [folder, name] = ['/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', `${this.namespace}-${node}`];
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: this.date().toISOString().replace('Z', '000Z') };
    const { code } = await this.send('PATCH', `${folder}/${name}`, { 'content-type': 'application/merge-patch+json' }, { spec });
    if (code === 404) await this.send('POST', folder, JSON_TYPE, { metadata: { name }, spec });
  }

  /** The code of the answer; of the first one that is no success where there are several. */
  async act(request: ScenarioRequest): Promise<number> {
    const [, folder, prefix = '', alive, which, rest = ''] = /^(.*)\/([a-z0-9-]*)\*(!?)(1?)(\/.*)?$/.exec(request.path) ?? [];
    if (folder === undefined) return this.actOnce(request);
    const { body } = await this.send('GET', absolute(folder, this.namespace), JSON_TYPE);
    const items = isBody(body) && Array.isArray(body['items']) ? body['items'].filter(isBody) : [];
    const found = items.filter((item) => alive === '' || !hasEnded(item)).map(metadataOf);
    const begun = found.filter(({ name }) => typeof name === 'string' && name.startsWith(prefix));
    const meant = which === '' ? begun : begun.filter(({ generateName }) => generateName !== undefined).slice(0, 1);
    const names = meant.map(({ name }) => name).filter((name) => typeof name === 'string');
    let code = 200;
    for (const name of names) {
      const answered = await this.actOnce({ ...request, path: `${folder}/${name}${rest}` });
      if (code < 300) code = answered;
    }
    return code;
  }

  /** Sets each pending pod to running and ready. */
  async servePods(): Promise<void> {
    const revision = this.world.store?.currentRevision;
    if (revision !== undefined && revision === this.servedRevision) return;
    this.servedRevision = revision;
    const { body } = await this.send('GET', absolute('pods', this.namespace), JSON_TYPE);
    const pods = isBody(body) && Array.isArray(body['items']) ? body['items'].filter(isBody) : [];
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: this.date().toISOString() }];
    for (const pod of pods) {
      if (isBody(pod['status'] ?? null) && isBody(pod['status']) && pod['status']['phase'] !== 'Pending') continue;
      const { name } = metadataOf(pod);
      if (typeof name !== 'string') continue;
      const path = absolute(`pods/${name}/status`, this.namespace);
      await this.send('PATCH', path, { 'content-type': 'application/merge-patch+json' }, { status: { phase: 'Running', conditions } });
    }
  }

  private async actOnce({ method, path, type = 'merge', body, as, untilServed = false, awaitsData }: ScenarioRequest): Promise<number> {
    if (awaitsData !== undefined)
      await patiently(() => this.send('GET', absolute(awaitsData, this.namespace), JSON_TYPE), holdsData, this.world.clock);
    const sent: Json | undefined = body === undefined ? undefined : JSON.parse(this.filled(JSON.stringify(withCertificateRequests(body))));
    const contentType = method === 'PATCH' ? PATCH_MEDIA[type] : 'application/json';
    const headers = { 'content-type': contentType ?? type, ...impersonation(as) };
    const ask = () => this.send(method, absolute(path, this.namespace), headers, sent);
    const answer = await (untilServed ? patiently(ask, otherThan(404, 429), this.world.clock) : ask());
    this.learn(answer.body);
    return answer.code;
  }

  private filled(text: string): string {
    const later = (_: string, seconds: string): string => `${this.date(Number(seconds)).toISOString().slice(0, 19)}Z`;
    const named = text.replace(/<uid of [^>]+>/g, (id) => this.uids.get(id) ?? id).replaceAll('$NS', this.namespace);
    return named.replace(LATER, later).replaceAll('$NOW', this.date().toISOString());
  }

  private date(secondsAhead = 0): Date {
    return new Date(this.world.clock.now() + secondsAhead * 1_000);
  }

  /** The compared members of the objects in each collection, masked. */
  async observe(collections: readonly ComparedCollection[]): Promise<Observed> {
    const found = await Promise.all(
      collections.map(async ({ path, members, names, unordered = [], omitted = [], managedFields = false }) => {
        const { code, body } = await patiently(
          () => this.send('GET', absolute(path, this.namespace), JSON_TYPE),
          otherThan(429),
          this.world.clock,
        );
        const items = isBody(body) && Array.isArray(body['items']) ? body['items'].filter(isBody) : undefined;
        // A kind that comes or goes with its definition.
        if (code === 404) return { path, items: [], unordered, omitted };
        if (items === undefined) throw new Error(`cannot list ${path}: ${code}`);
        items.forEach((item) => this.learn(item));
        return {
          path,
          unordered,
          omitted,
          items: items.filter((item) => this.isOwn(item, names)).map((item) => shownOf(item, members, managedFields)),
        };
      }),
    );
    return Object.fromEntries(
      found.map(({ path, items, unordered, omitted }) => [
        path,
        items.map((item) => this.masked(without(item, omitted), '', unordered)).sort(byText),
      ]),
    );
  }

  async close({ leftovers = [] }: Pick<Scenario, 'leftovers'>): Promise<void> {
    for (const path of leftovers) await this.act({ method: 'DELETE', path });
    await this.send('DELETE', `/api/v1/namespaces/${this.namespace}`, JSON_TYPE);
  }

  /** Of what belongs to no namespace, or to one that all share, only that which bears the scenario's name, or is named. */
  private isOwn(item: Body, names: readonly string[] | undefined): boolean {
    const { namespace, name } = metadataOf(item);
    if (names !== undefined) return typeof name === 'string' && names.includes(name);
    return [namespace, name].some((text) => typeof text === 'string' && text.startsWith(this.namespace));
  }

  private learn(value: Json): void {
    if (!isBody(value)) return;
    const { uid, name, generateName, labels } = metadataOf(value);
    if (typeof uid !== 'string' || typeof name !== 'string') return;
    const isRevision = isBody(value) && value['revision'] !== undefined;
    for (const label of isRevision ? [...HASHES, POD_REVISION] : HASHES) {
      const hash = isBody(labels ?? null) && isBody(labels) ? labels[label] : undefined;
      if (typeof hash === 'string' && !this.hashes.has(hash)) this.hashes.set(hash, `<hash ${this.hashes.size + 1}>`);
    }
    // Pods of a StatefulSet say what their names begin with, too.
    const isMadeUp =
      typeof generateName === 'string' && name.startsWith(generateName) && name.length === generateName.length + MADE_UP.length;
    if (isMadeUp) {
      this.madeUp.set(name, this.unhashed(`${generateName}*`));
      this.prefixes.add(generateName);
    }
    const id = `<uid of ${isMadeUp ? `${generateName}*` : name}>`.replaceAll(this.namespace, '$NS');
    this.ids.set(uid, id);
    this.uids.set(id, uid);
  }

  private unmade(word: string): string {
    const prefix = word.slice(0, -MADE_UP.length);
    return word.length > MADE_UP.length && this.prefixes.has(prefix) ? `${prefix}*` : word;
  }

  private unhashed(text: string): string {
    let shown = text;
    for (const [hash, mask] of this.hashes) shown = shown.replaceAll(hash, mask);
    return shown;
  }

  private masked(value: Json, member = '', unordered: readonly string[] = []): Json {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.masked(item, '', unordered));
      return UNORDERED.has(member) || unordered.includes(member) ? items.sort(byText) : items;
    }
    if (isBody(value)) {
      const copy: Body = {};
      const names = Object.keys(value).map((name) => [name.replaceAll(this.namespace, '$NS'), name] as const);
      for (const [shown, name] of names.sort(byText)) {
        if (isUntold(member, name) || isVersionOf(value, name)) continue;
        if (member === 'annotations' && name === TRIGGER) continue;
        if (name === 'annotations' && isOnly(value[name] ?? null, TRIGGER)) continue;
        copy[shown] = this.masked(value[name] ?? null, name, unordered);
      }
      return copy;
    }
    const certificate = member === 'certificate' && typeof value === 'string' ? describedCertificate(value) : undefined;
    if (certificate !== undefined) return this.masked(certificate);
    // Descriptions say the same in words of our own.
    if (member.endsWith('/description')) return '<description>';
    return typeof value === 'string' ? this.maskedText(value) : value;
  }

  private maskedText(text: string): string {
    const secret = Buffer.from(text, 'base64').toString();
    const [, claims] = SIGNED.exec(secret) ?? [];
    if (claims !== undefined) return `<token ${this.maskedText(Buffer.from(claims, 'base64url').toString())}>`;
    if (secret === this.namespace) return '<$NS in base64>';
    if (secret.startsWith(CERTIFICATE)) return '<certificates>';
    const known = this.madeUp.get(text) ?? text.replace(WORDS, (word) => this.madeUp.get(word) ?? this.unmade(word));
    const shown = known
      .replace(REFUSED, '$1*')
      .replace(UID, (uid) => this.ids.get(uid) ?? '<uid>')
      .replaceAll(this.namespace, '$NS')
      .replace(EVENT, '.*')
      .replace(TIME, '<time>')
      .replace(ZONED, '<time>')
      .replace(MINUTE, '-<minute>');
    return this.unhashed(shown);
  }
}

const impersonation = (as: Impersonated | undefined): Record<string, string | string[]> =>
  as === undefined ? {} : { 'impersonate-user': as.user, 'impersonate-group': [...as.groups] };

/** Writes out `{ "$certificateRequests": [{ "commonName": "a" }] }`: requests of new keys in PEM, one after the other, in base64. A text in the list stands for itself. */
function withCertificateRequests(value: Json): Json {
  if (Array.isArray(value)) return value.map(withCertificateRequests);
  if (!isBody(value)) return value;
  const requests = value['$certificateRequests'];
  if (Array.isArray(requests)) {
    const parts = requests.map((part) => (typeof part === 'string' ? part : certificateRequest(requested(part))));
    return Buffer.from(parts.join('')).toString('base64');
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withCertificateRequests(inner)]));
}

function requested(value: Json): Requested {
  if (!isRequested(value)) throw new Error(`no certificate request: ${JSON.stringify(value)}`);
  return value;
}

function hasEnded({ status }: Body): boolean {
  return isBody(status ?? null) && isBody(status) && ['Succeeded', 'Failed'].some((phase) => phase === status['phase']);
}

/** Nothing, or nothing but this. */
const isOnly = (value: Json, name: string): boolean => isBody(value) && Object.keys(value).every((key) => key === name);

function metadataOf(object: Body): Body {
  const metadata = object['metadata'];
  return isBody(metadata ?? null) && isBody(metadata) ? metadata : {};
}

function shownOf(item: Body, members: readonly string[] | undefined, withOwners: boolean): Body {
  const shown = members === undefined ? item : pick(item, members);
  return withOwners ? { ...shown, owners: ownersOf(item) } : shown;
}

/** The field manager of a client without a User-Agent, such as the scenario itself. */
const DEFAULT_MANAGER = 'unknown';

/** Returns `undefined` for metadata fields that are not compared: generateName and the trigger time. */
function shownField(field: string, value: Json): Json | undefined {
  const isOnlyTrigger =
    field === 'f:annotations' && isBody(value) && Object.keys(value).every((key) => ['.', `f:${TRIGGER}`].includes(key));
  return field === 'f:generateName' || field === `f:${TRIGGER}` || isOnlyTrigger ? undefined : value;
}

/** One string per managedFields entry. The fields are a string too, because uids in their names are masked in strings only. */
function ownersOf(item: Body): Json[] {
  const entries = metadataOf(item)['managedFields'];
  return (Array.isArray(entries) ? entries : [])
    .filter(isBody)
    .filter(({ manager }) => manager !== DEFAULT_MANAGER)
    .map(({ manager, operation, subresource, apiVersion, fieldsV1 = {} }) => {
      const texts = [manager, operation, subresource, apiVersion].map((text) => (typeof text === 'string' ? text : ''));
      return [...texts, JSON.stringify(fieldsV1, shownField)].join(' ');
    })
    .sort();
}

const pick = (item: Body, members: readonly string[]): Body =>
  Object.fromEntries([...ALWAYS, ...members].flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));

function without(value: Body, members: readonly string[]): Body {
  const kept = Object.entries(value).filter(([name]) => !members.includes(name));
  return members.length === 0
    ? value
    : Object.fromEntries(kept.map(([name, inner]) => [name, isBody(inner) ? without(inner, members) : inner]));
}

function byText(one: Json | readonly string[], other: Json | readonly string[]): number {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}
