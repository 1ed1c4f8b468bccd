/**
 * One server with its controllers on which scenarios are played: sends the acts, looks at the collections, and takes out of what it sees all that differs from
 * run to run: ids, times, versions and names that were made up. Never judges what it sees.
 */
import { isBody, type Body, type Json } from '../reference';
import { absolute, type Act, type Look, type Observed, type Scenario } from './scenario';

export interface StageAnswer {
  readonly code: number;
  readonly body: Json;
}

/** A request to the server, as administrator. */
export type Send = (method: string, path: string, type: string, body?: Json) => Promise<StageAnswer>;

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
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
/** Lists whose order means nothing. */
const UNORDERED: ReadonlySet<string> = new Set(['endpoints', 'addresses', 'notReadyAddresses', 'ports', 'subsets']);
/** Whether it is there depends on which of two watches tells a change first; rules about it are tested by themselves. */
const TRIGGER = 'endpoints.kubernetes.io/last-change-trigger-time';
const ALWAYS: readonly string[] = ['apiVersion', 'kind', 'metadata'];

export class Stage {
  /** What an object is called in recordings, by its uid. */
  private readonly ids = new Map<string, string>();
  /** What stands in recordings for a name that was made up. */
  private readonly madeUp = new Map<string, string>();

  constructor(
    private readonly send: Send,
    readonly namespace: string,
  ) {}

  /** The code of the answer. Throws where the namespace cannot be made. */
  async open(): Promise<void> {
    const { code } = await this.send('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: this.namespace } });
    if (code !== 201) throw new Error(`the namespace ${this.namespace} cannot be made: ${code}`);
  }

  async act({ method, path, body, type = 'application/json' }: Act): Promise<number> {
    const filled: Json | undefined = body === undefined ? undefined : JSON.parse(this.filled(JSON.stringify(body)));
    const answer = await this.send(method, absolute(path, this.namespace), type, filled);
    this.learn(answer.body);
    return answer.code;
  }

  private filled(text: string): string {
    return text
      .replaceAll('$NS', this.namespace)
      .replace(LATER, (_, seconds: string) => `${new Date(Date.now() + Number(seconds) * 1000).toISOString().slice(0, 19)}Z`);
  }

  async look(looks: readonly Look[]): Promise<Observed> {
    const found = await Promise.all(
      looks.map(async ({ path, members, names }) => {
        const { code, body } = await this.send('GET', absolute(path, this.namespace), 'application/json');
        const items = isBody(body) && Array.isArray(body['items']) ? body['items'].filter(isBody) : undefined;
        if (items === undefined) throw new Error(`cannot look at ${path}: ${code}`);
        items.forEach((item) => this.learn(item));
        return {
          path,
          items: items.filter((item) => this.isOwn(item, names)).map((item) => (members === undefined ? item : pick(item, members))),
        };
      }),
    );
    return Object.fromEntries(found.map(({ path, items }) => [path, items.map((item) => this.masked(item)).sort(byText)]));
  }

  async close({ leftovers = [] }: Scenario): Promise<void> {
    for (const path of leftovers) await this.act({ method: 'DELETE', path });
    await this.send('DELETE', `/api/v1/namespaces/${this.namespace}`, 'application/json');
  }

  /** Of what belongs to no namespace only that which bears the scenario's name. */
  private isOwn(item: Body, names: readonly string[] | undefined): boolean {
    const { namespace, name } = metadataOf(item);
    if (names !== undefined) return typeof name === 'string' && names.includes(name);
    return typeof namespace === 'string' ? namespace === this.namespace : typeof name === 'string' && name.startsWith(this.namespace);
  }

  private learn(value: Json): void {
    if (!isBody(value)) return;
    const { uid, name, generateName } = metadataOf(value);
    if (typeof uid !== 'string' || typeof name !== 'string') return;
    const isMadeUp = typeof generateName === 'string' && name.startsWith(generateName) && name !== generateName;
    if (isMadeUp) this.madeUp.set(name, `${generateName}*`);
    this.ids.set(uid, `<uid of ${isMadeUp ? `${generateName}*` : name}>`.replaceAll(this.namespace, '$NS'));
  }

  private masked(value: Json, member = ''): Json {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.masked(item));
      return UNORDERED.has(member) ? items.sort(byText) : items;
    }
    if (isBody(value)) {
      const copy: Body = {};
      for (const name of Object.keys(value).sort()) {
        if (member === 'metadata' && UNTOLD.has(name)) continue;
        if (member === 'annotations' && name === TRIGGER) continue;
        if (name === 'annotations' && isOnly(value[name] ?? null, TRIGGER)) continue;
        copy[name] = this.masked(value[name] ?? null, name);
      }
      return copy;
    }
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
    const known = this.madeUp.get(text) ?? text;
    return known
      .replace(UID, (uid) => this.ids.get(uid) ?? '<uid>')
      .replaceAll(this.namespace, '$NS')
      .replace(TIME, '<time>');
  }
}

/** Nothing, or nothing but this. */
const isOnly = (value: Json, name: string): boolean => isBody(value) && Object.keys(value).every((key) => key === name);

function metadataOf(object: Body): Body {
  const metadata = object['metadata'];
  return isBody(metadata ?? null) && isBody(metadata) ? metadata : {};
}

const pick = (item: Body, members: readonly string[]): Body =>
  Object.fromEntries([...ALWAYS, ...members].flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));

function byText(one: Json, other: Json): number {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}
