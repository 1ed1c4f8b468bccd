/**
 * Replays what the reference server said to good and bad objects of some kinds (recorded by test/replay/record-kinds.ts) against a server of ours: the writer
 * alone, unless the caller has another one.
 */
import { isObject, type JsonObject } from '../../shared/values/json';
import { StatusError } from '../../shared/api/errors/status';
import type { Body } from '../replay/reference';
import { recordingOf } from '../replay/recording';
import { DEVIATIONS } from './deviations';
import {
  isKindHead,
  isRuleCase,
  namedBody,
  shortenPatterns,
  shortenStructs,
  withoutChance,
  type KindHead,
  type RuleAnswer,
  type RuleCase,
} from './recorded-rules';
import { writeFixture, type Answer } from './write-fixture';

/** Of an object: none = the object itself. */
export type Part = 'status' | 'scale' | 'ephemeralcontainers' | undefined;

/** What a server says to a write. */
export interface Told {
  readonly code: number;
  /** Of a refusal. */
  readonly message?: string;
  readonly causes: readonly (readonly [field: string, reason: string, message: string])[];
  readonly warnings: readonly string[];
  /** That was accepted. */
  readonly object?: JsonObject;
}

/** A server of its own for one kind's cases, with the namespace `ns`. */
export interface KindServer {
  create(sent: JsonObject, dryRun: boolean): Promise<Told>;
  update(name: string, sent: JsonObject, dryRun: boolean, part: Part): Promise<Told>;
  /** Whether its answers show the object as upstream's do. */
  shows(part: Part): boolean;
  close(): Promise<void>;
}

export type OpenServer = (kind: KindHead) => Promise<KindServer>;

export function replayKinds(recordings: readonly string[], open: OpenServer = openWriter): void {
  describe.each(recordings)('%s', (recording) => {
    const { head, cases } = recordingOf(recording, isKindHead, isRuleCase);
    replay(head, cases, open);
  });
}

function replay(kind: KindHead, cases: readonly RuleCase[], open: OpenServer): void {
  const { base, unrecorded } = kind;
  let server: KindServer;
  const stored = new Map<string, { readonly name: string; readonly version: string }>();
  beforeAll(async () => {
    server = await open(kind);
  });
  afterAll(() => server.close());

  async function store(body: Body, withStatus: boolean): Promise<{ readonly name: string; readonly version: string }> {
    const key = JSON.stringify([body, withStatus]);
    const known = stored.get(key);
    if (known !== undefined) return known;
    const name = `recorded-${stored.size}`;
    const sent = typed(namedBody(body, name));
    let object = taken(await server.create(sent, false));
    const status = sent['status'];
    if (withStatus && status !== undefined) object = taken(await server.update(name, { ...object, status }, false, 'status'));
    const metadata = object['metadata'];
    const version = isObject(metadata) ? metadata['resourceVersion'] : undefined;
    const made = { name, version: typeof version === 'string' ? version : '' };
    stored.set(key, made);
    return made;
  }

  async function put(old: Body, body: Body, answer: RuleAnswer, part?: Part): Promise<void> {
    const { name, version } = await store(old, part === 'status');
    const told = await server.update(name, typed(namedBody(body, name, version)), true, part);
    expect(found(told, answer, server.shows(part))).toEqual(wanted(body, answer, server.shows(part)));
  }

  function found({ code, message = '', causes, warnings, object }: Told, recorded: RuleAnswer, withObject: boolean): Comparable {
    return {
      code,
      ...(recorded.message === undefined || code < 400 ? {} : { message }),
      causes: causes.map((cause) => cause.map((text) => shortenStructs(shortenPatterns(text)))),
      warnings,
      ...(recorded.object === undefined || object === undefined || !withObject
        ? {}
        : { object: withoutChance(JSON.parse(JSON.stringify(object)), unrecorded) }),
    };
  }

  it.each(cases.map((made) => [made.title, made] as const))(
    '%s',
    async (title, { body, old = base, create: recorded, update: changed, status, scale, ephemeral }) => {
      const ours = DEVIATIONS.get(`${kind.resource} ${title}`);
      const create = recorded && (ours ?? recorded);
      const update = changed && (ours ?? changed);
      if (create !== undefined) {
        const told = await server.create(typed(namedBody(body, 'recorded-new')), true);
        expect(found(told, create, server.shows(undefined))).toEqual(wanted(body, create, server.shows(undefined)));
      }
      const answer = update === 'same' ? create : update;
      if (answer !== undefined) await put(old, body, answer);
      if (status !== undefined) await put(old, body, status, 'status');
      if (scale !== undefined) await put(old, body, scale, 'scale');
      if (ephemeral !== undefined) await put(old, body, ephemeral, 'ephemeralcontainers');
    },
  );
}

/** A body as what a server takes. */
function typed(body: Body): JsonObject {
  const object: JsonObject = body;
  return object;
}

function taken({ object, ...told }: Told): JsonObject {
  if (object === undefined) throw new Error(`what updates are of was refused: ${JSON.stringify(told)}`);
  return object;
}

/** An answer as a test compares it: all members are there. */
interface Comparable extends Omit<RuleAnswer, 'object' | 'asSent'> {
  readonly object?: object;
}

function wanted(body: Body, { code, message, causes, warnings, object, asSent }: RuleAnswer, withObject: boolean): Comparable {
  const sent = namedBody(body, '');
  const copied = Object.fromEntries((asSent ?? []).map((member) => [member, sent[member] ?? null]));
  return {
    code,
    ...(message === undefined ? {} : { message }),
    causes: causes ?? [],
    warnings: warnings ?? [],
    ...(object === undefined || !withObject ? {} : { object: { ...object, ...copied } }),
  };
}

/** The writer over a store in memory. It answers with the stored object; what its other versions and its scale look like is the concern of other tests. */
async function openWriter({ resource: plural, apiVersion }: KindHead): Promise<KindServer> {
  const fixture = await writeFixture();
  const resource = `${apiVersion}/${plural}`;
  const { row, hub } = fixture.resource(resource);

  async function told(write: () => Promise<Answer>): Promise<Told> {
    fixture.warnings.length = 0;
    try {
      const { object, created } = await write();
      await fixture.cache.catchUp();
      return { code: created ? 201 : 200, causes: [], warnings: [...fixture.warnings], object };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { message = '', details } = error.status;
      const causes = (details?.causes ?? []).map(({ field = '', reason = '', message: text = '' }) => [field, reason, text] as const);
      return { code: error.code, message, causes, warnings: [...fixture.warnings] };
    }
  }

  return {
    create: (sent, dryRun) => told(() => fixture.create(resource, sent, { dryRun })),
    update: (name, sent, dryRun, part) =>
      told(() => fixture.update(resource, name, sent, { dryRun, ...(part === undefined ? {} : { subresource: part }) })),
    shows: (part) => row === hub && part !== 'scale',
    close: async () => undefined,
  };
}
