/**
 * Puts objects of custom kinds into other versions through the webhook of their definition: many in one call, each once as long as its result is remembered, and
 * nobody waits longer than his request. What may be taken over of an answer is in taken-over.ts.
 */
import { LRUCache } from 'lru-cache';
import { codecOf, type KindCodec } from '../../shared/api/codec/codec';
import { conversionFailed, timeout } from '../../shared/api/errors/status';
import { apiVersionOf } from '../../shared/api/identity/identity';
import type { KindRow } from '../../shared/api/kinds';
import { labelsOf, readMetadata } from '../../shared/api/metadata/object-meta';
import type { ConversionWebhook, CustomVersion } from '../../shared/api/structural/version';
import { spellGroups } from '../../shared/api/types/group-fields';
import { apiVersionIn, type Dialect } from '../../shared/names/dialect';
import { atATime } from '../../shared/runtime/at-a-time';
import type { Clock } from '../../shared/runtime/clock';
import { inTime } from '../../shared/runtime/in-time';
import type { Random } from '../../shared/runtime/random';
import { cloneJson, stringifyJson, type JsonArray, type JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { Pace, yieldToOthers } from '../cache/pace';
import type { ConversionContext, Conversions } from '../registry/conversions';
import { fieldReader } from '../registry/object/field-reader';
import { convertedFields, convertedFrom, isWrittenWith } from '../registry/object/hidden-fields';
import { parseEntry } from '../registry/object/stored-object';
import type { WebhookClient } from '../webhook-client/client';
import { targetOf, type WebhookTarget } from '../webhook-client/place';
import { callFault, countFault, ConversionFault, type ConversionFaultType } from './fault';
import { Places } from './places';
import { readAnswer, reviewBody } from './review';
import { takenOver } from './taken-over';

/** What a call has cost, for whoever counts. */
export interface ConversionCall {
  readonly definition: string;
  readonly from: string;
  readonly to: string;
  readonly ms: number;
  /** Undefined = it was good. */
  readonly fault: ConversionFaultType | undefined;
}

export interface WebhookConverterParts {
  readonly client: Pick<WebhookClient, 'ask'>;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of every call. */
  readonly called: (call: ConversionCall) => void;
  /** Told of a webhook that does not answer as it should. */
  readonly failed: (error: Error) => void;
}

/** Of one call. */
const MOST_OBJECTS = 500;
const MOST_BYTES = 1024 * 1024;
const CALL_MS = 30_000;
const LEAST_ANSWER_BYTES = 4 * 1024 * 1024;
/** What is longer is no answer to what was sent. */
const MOST_GROWTH = 4;
/** Calls for one request at a time. */
const CALLS_AT_A_TIME = 4;
const REMEMBERED_BYTES = 32 * 1024 * 1024;
/** What an entry takes besides its bytes. */
const ENTRY_BYTES = 512;

/** A way between two versions of one kind. */
interface Way {
  readonly webhook: ConversionWebhook;
  readonly definition: string;
  readonly kind: string;
  readonly from: { readonly name: string; readonly apiVersion: string; readonly custom: CustomVersion; readonly codec: KindCodec };
  readonly to: { readonly name: string; readonly apiVersion: string; readonly codec: KindCodec };
}

export class WebhookConverter implements Conversions {
  private readonly known = new LRUCache<string, Entry>({ maxSize: REMEMBERED_BYTES });
  /** Being converted. */
  private readonly pending = new Map<string, Promise<Entry>>();
  private readonly places = new Map<string, Places>();
  /** Versions by the order in which they were met: what is remembered of one goes unused when its definition has changed. */
  private readonly numbers = new WeakMap<CustomVersion, number>();
  private readonly targets = new WeakMap<ConversionWebhook, WebhookTarget>();
  private met = 0;

  constructor(private readonly parts: WebhookConverterParts) {}

  entries(row: KindRow, entries: readonly Entry[], context: ConversionContext, isFresh = false): Promise<readonly Entry[]> {
    if (entries.every((entry) => convertedFrom(row, entry) === undefined)) return Promise.resolve(entries);
    return this.inTime(this.convertEntries(row, entries, context, isFresh), context);
  }

  async object(row: KindRow, from: string, to: string, object: JsonObject, context: ConversionContext): Promise<JsonObject> {
    const way = from === to || isEmpty(object) ? undefined : wayOf(row, from, to);
    if (way === undefined) return object;
    const pace = this.pace(context);
    const original: Original = { text: () => this.textOf(way, object), object: () => object };
    const [converted] = await this.inTime(
      this.ask(way, [original], pace, (made) => made),
      context,
    );
    return converted ?? object;
  }

  private async convertEntries(
    row: KindRow,
    entries: readonly Entry[],
    context: ConversionContext,
    isFresh: boolean,
  ): Promise<readonly Entry[]> {
    const made = [...entries];
    const waiting: Promise<void>[] = [];
    const missing = new Map<string, number[]>();
    entries.forEach((entry, at) => {
      const from = convertedFrom(row, entry);
      if (from === undefined) return;
      const key = isFresh ? undefined : this.keyOf(row, entry);
      const before = key === undefined ? undefined : this.known.get(key);
      const pending = key === undefined ? undefined : this.pending.get(key);
      if (before !== undefined) made[at] = before;
      else if (pending !== undefined) waiting.push(pending.then((entry) => void (made[at] = entry)));
      else listAt(missing, from).push(at);
    });
    const own = Promise.all(
      [...missing].map(async ([from, places]) => {
        const way = wayOf(row, from, row.version);
        if (way === undefined) return;
        await atATime(CALLS_AT_A_TIME, batchesOf(entries, places), async (batch) => {
          const shown = await this.convertBatch(row, way, batch, entries, context, isFresh);
          batch.forEach((place, at) => {
            const entry = shown[at];
            if (entry !== undefined) made[place] = entry;
          });
        });
      }),
    );
    await Promise.all([own, ...waiting]);
    return made;
  }

  private async convertBatch(
    row: KindRow,
    way: Way,
    batch: readonly number[],
    entries: readonly Entry[],
    context: ConversionContext,
    isFresh: boolean,
  ): Promise<readonly Entry[]> {
    const chosen = batch.flatMap((place) => entries[place] ?? []);
    const pace = this.pace(context);
    const originals = chosen.map((entry) => this.originalOf(way, entry));
    const entryOf = entryMaker(row);
    const all = this.ask(way, originals, pace, (object, at) => entryOf(chosen[at], object));
    if (isFresh) return all;
    const keys = chosen.map((entry) => this.keyOf(row, entry));
    keys.forEach((key, at) => {
      const one = all.then((shown) => shown[at] ?? Promise.reject(new Error('nothing was converted')));
      one.catch(() => undefined);
      this.pending.set(key, one);
    });
    try {
      const shown = await all;
      shown.forEach((entry, at) => this.known.set(keys[at] ?? '', entry, { size: entry.bytes.length + ENTRY_BYTES }));
      return shown;
    } finally {
      for (const key of keys) this.pending.delete(key);
    }
  }

  private originalOf(way: Way, entry: Entry): Original {
    const { from, kind } = way;
    const { dialect } = this.parts;
    const object = (): JsonObject => readWritten(way, entry);
    const isWritten = isWrittenWith(from.custom, entry) && !entry.dialectSensitive;
    return {
      object,
      text: () => (isWritten ? storedText(entry, apiVersionIn(dialect, from.apiVersion), kind) : undefined) ?? this.textOf(way, object()),
    };
  }

  /** One call. The objects are read where it begins, and again for what becomes of them, so that those who wait hold nothing. */
  private async ask<T>(way: Way, originals: readonly Original[], pace: Pace, finish: Finish<T>): Promise<readonly T[]> {
    const places = this.places.get(way.definition) ?? new Places();
    this.places.set(way.definition, places);
    try {
      const outcome = await places.run(() => this.call(way, originals, pace, finish));
      if (!(outcome instanceof ConversionFault)) return outcome;
      const error = conversionFailed(
        outcome.isBare ? outcome.text : `conversion webhook for ${way.from.apiVersion}, Kind=${way.kind} ${outcome.text}`,
      );
      this.parts.failed(error);
      throw error;
    } finally {
      if (places.isEmpty) this.places.delete(way.definition);
    }
  }

  private async call<T>(way: Way, originals: readonly Original[], pace: Pace, finish: Finish<T>): Promise<readonly T[] | ConversionFault> {
    const { clock } = this.parts;
    const startedAt = clock.monotonic();
    const outcome = await this.exchanged(way, originals, pace, finish);
    const fault = outcome instanceof ConversionFault ? outcome.type : undefined;
    const told = { definition: way.definition, from: way.from.name, to: way.to.name, ms: clock.monotonic() - startedAt, fault };
    this.parts.called(told);
    return outcome;
  }

  private async exchanged<T>(
    way: Way,
    originals: readonly Original[],
    pace: Pace,
    finish: Finish<T>,
  ): Promise<readonly T[] | ConversionFault> {
    const { client, dialect, random } = this.parts;
    const { reviewVersion } = way.webhook;
    if (reviewVersion === undefined) return callFault('no supported conversion review versions');
    const texts: string[] = [];
    for (const original of originals) {
      texts.push(original.text());
      if (pace.tired()) await pace.rest();
    }
    const uid = random.uuid();
    const body = reviewBody(reviewVersion, uid, apiVersionIn(dialect, way.to.apiVersion), texts, dialect);
    const maxBytes = Math.max(LEAST_ANSWER_BYTES, body.length * MOST_GROWTH);
    const reply = await client.ask(this.targetOf(way.webhook), body, {
      query: `?timeout=${CALL_MS / 1000}s`,
      timeoutMs: CALL_MS,
      maxBytes,
    });
    if ('fault' in reply) return callFault(reply.fault);
    const answered = readAnswer(reviewVersion, uid, reply.bytes, dialect);
    return answered instanceof ConversionFault ? answered : this.taken(way, originals, answered, pace, finish);
  }

  private async taken<T>(
    way: Way,
    originals: readonly Original[],
    answered: JsonArray,
    pace: Pace,
    finish: Finish<T>,
  ): Promise<readonly T[] | ConversionFault> {
    if (answered.length !== originals.length) return countFault(answered.length, originals.length);
    const made: T[] = [];
    const { to, kind } = way;
    for (const original of originals) {
      const object = takenOver(original.object(), answered[made.length] ?? null, { apiVersion: to.apiVersion, kind }, made.length);
      if (object instanceof ConversionFault) return object;
      made.push(finish(to.codec.converted(object), made.length));
      if (pace.tired()) await pace.rest();
    }
    return made;
  }

  private textOf({ from, kind }: Way, object: JsonObject): string {
    const { resourceVersion: _, ...metadata } = readMetadata(object);
    const shown: JsonObject = { ...object, metadata: cloneJson(metadata) };
    spellGroups(shown, from.codec.groupFields, this.parts.dialect);
    const head = { apiVersion: apiVersionIn(this.parts.dialect, from.apiVersion), kind };
    return stringifyJson({ ...head, ...shown });
  }

  private targetOf(webhook: ConversionWebhook): WebhookTarget {
    const target = this.targets.get(webhook) ?? targetOf(webhook.clientConfig);
    this.targets.set(webhook, target);
    return target;
  }

  private keyOf({ custom, segment, resource }: KindRow, { key, revision }: Entry): string {
    const number = (custom === undefined ? undefined : this.numbers.get(custom)) ?? (this.met += 1);
    if (custom !== undefined) this.numbers.set(custom, number);
    return `${number}/${revision}/${segment ?? resource}/${key}`;
  }

  private pace(context: ConversionContext): Pace {
    return new Pace(this.parts.clock, () => context.rest?.() ?? yieldToOthers(), 1);
  }

  /** The call goes on: what it brings may help the next one. */
  private inTime<T>(work: Promise<T>, { deadline }: ConversionContext): Promise<T> {
    const { clock } = this.parts;
    const left = deadline - clock.monotonic();
    if (left >= CALL_MS * MOST_GROWTH) return work;
    return inTime(work, clock, Math.max(0, left), () => {
      throw timeout('request did not complete within requested timeout - context deadline exceeded');
    });
  }
}

function listAt(lists: Map<string, number[]>, name: string): number[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

/** What is to be converted: as the webhook is shown it, and as it is. */
interface Original {
  text(): string;
  object(): JsonObject;
}

/** What becomes of the converted object at a place. */
type Finish<T> = (object: JsonObject, at: number) => T;

const START = '{"metadata":{';
const REVISION = ',"resourceVersion":"';

/** What is stored as it is shown, without the revision, which stands behind the names of the object; undefined = it has to be looked into. */
function storedText({ bytes }: Entry, apiVersion: string, kind: string): string | undefined {
  const text = bytes.toString();
  const from = text.indexOf(REVISION);
  const to = text.indexOf('"', from + REVISION.length);
  if (!text.startsWith(START) || from < 0 || to < 0) return undefined;
  return `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},${text.slice(1, from)}${text.slice(to + 1)}`;
}

function entryMaker(row: KindRow): (entry: Entry | undefined, object: JsonObject) => Entry {
  const codec = codecOf(row);
  const readers = (row.selectableFields ?? []).map(fieldReader);
  return (entry, object) => {
    if (entry === undefined) throw new Error('an object has been lost');
    const fields = { ...convertedFields(row, object) };
    for (const reader of readers) fields[reader.name] = reader.read(object);
    return { ...placeOf(entry), bytes: Buffer.from(codec.encodeBody(object)), labels: labelsOf(object), fields };
  };
}

const placeOf = ({ key, revision, dialectSensitive }: Entry): Pick<Entry, 'key' | 'revision' | 'dialectSensitive'> => ({
  key,
  revision,
  dialectSensitive,
});

/** There is nothing in it that could look different. */
const isEmpty = (object: JsonObject): boolean =>
  Object.keys(object).every((member) => member === 'metadata') && Object.keys(readMetadata(object)).length === 0;

function wayOf({ group, kind, type, custom }: KindRow, from: string, to: string): Way | undefined {
  if (custom?.webhook === undefined) return undefined;
  const [written, wanted] = [custom.versions.get(from) ?? custom, custom.versions.get(to) ?? custom];
  return {
    webhook: custom.webhook,
    definition: custom.definition,
    kind,
    from: { name: from, apiVersion: apiVersionOf({ group, version: from }), custom: written, codec: codecOf({ type, custom: written }) },
    to: { name: to, apiVersion: apiVersionOf({ group, version: to }), codec: codecOf({ type, custom: wanted }) },
  };
}

/** As the version in which it is stored would show it. */
function readWritten({ from }: Way, entry: Entry): JsonObject {
  const { object } = parseEntry(entry);
  return isWrittenWith(from.custom, entry) ? object : from.codec.refresh(object, from.name);
}

/** Places of entries, as many together as one call takes. */
function batchesOf(entries: readonly Entry[], places: readonly number[]): readonly (readonly number[])[] {
  const batches: number[][] = [];
  let last: number[] = [];
  let bytes = 0;
  for (const place of places) {
    const size = entries[place]?.bytes.length ?? 0;
    if (last.length === 0 || last.length >= MOST_OBJECTS || bytes + size > MOST_BYTES) {
      last = [];
      bytes = 0;
      batches.push(last);
    }
    last.push(place);
    bytes += size;
  }
  return batches;
}
