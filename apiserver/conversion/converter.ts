/**
 * Puts objects of custom kinds into other versions through the webhook of their definition: many in one call, each once as long as its result is remembered, and
 * nobody waits longer than his request. What may be taken over of an answer is in taken-over.ts.
 */
import { codecOf, encodeWithMetadata, encodeAfterMetadata } from '../../shared/api/codec/codec';
import { conversionFailed, timeout } from '../../shared/api/errors/status';
import type { KindRow } from '../../shared/api/kinds';
import { stringLabelsOf, readMetadata } from '../../shared/api/metadata/object-meta';
import type { ConversionWebhook, CustomVersion } from '../../shared/api/structural/version';
import { apiVersionInDialect, type Dialect } from '../../shared/names/dialect';
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import type { Clock } from '../../shared/runtime/clock';
import { withTimeout } from '../../shared/runtime/with-timeout';
import type { Random } from '../../shared/runtime/random';
import type { JsonObject } from '../../shared/values/json';
import type { Entry, Labels } from '../cache/cache';
import { sizeOf } from '../cache/store/held-entry';
import { TimeSlice } from '../../shared/scheduling/yielding';
import type { ConversionContext, Conversions } from '../registry/conversions';
import { fieldReader } from '../registry/object/field-reader';
import { convertedFields, convertedFrom } from '../registry/object/hidden-fields';
import type { WebhookClient } from '../webhook-client/client';
import { readWebhookTarget, type WebhookTarget } from '../webhook-client/webhook-target';
import { callFault, countFault, ConversionFault, type ConversionFaultType } from './conversion-failure';
import { originalMaker, originalOfObject, type Original } from './original-object';
import { Places } from './call-limiter';
import { readAnswer, readWhole, type ConvertedObjects } from './review-response';
import { ReviewBody } from './review-request';
import { ConvertedEntry, Remembered, Shelving } from './converted-entry-cache';
import { isOfKind, takenOver } from './carry-over-metadata';
import { wayOf, type ConversionWay } from './webhook-conversion';

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
  readonly client: Pick<WebhookClient, 'call'>;
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
/** A client is answered when its time is over, in the server's words for that; whoever waits on its behalf gives up after it. */
const AFTERWARDS_MS = 50;
const LEAST_ANSWER_BYTES = 4 * 1024 * 1024;
/** What is longer is no answer to what was sent. */
const MOST_GROWTH = 4;
/** Calls for one request at a time. */
const CALLS_AT_A_TIME = 4;
const REMEMBERED_BYTES = 32 * 1024 * 1024;

/** What is being converted: its place among those of its call. */
interface Pending {
  readonly all: Promise<readonly ConvertedEntry[]>;
  readonly at: number;
}

async function resultOf({ all, at }: Pending): Promise<Entry> {
  const entry = (await all)[at];
  if (entry === undefined) throw new Error('nothing was converted');
  return entry;
}

export class WebhookConverter implements Conversions {
  private readonly known = new Remembered(REMEMBERED_BYTES);
  /** Being converted. */
  private readonly pending = new Map<string, Pending>();
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
    const slice = this.timeSlice(context);
    const [converted] = await this.inTime(
      this.ask(way, [originalOfObject(way, object, this.parts.dialect)], slice, (made) => made),
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
    const keyOf = isFresh ? () => undefined : this.keysOf(row);
    entries.forEach((entry, at) => {
      const from = convertedFrom(row, entry);
      if (from === undefined) return;
      const key = keyOf(entry);
      const before = key === undefined ? undefined : this.known.get(key);
      const pending = key === undefined ? undefined : this.pending.get(key);
      if (before !== undefined) made[at] = before;
      else if (pending !== undefined) waiting.push(resultOf(pending).then((entry) => void (made[at] = entry)));
      else listAt(missing, from).push(at);
    });
    const own = Promise.all(
      [...missing].map(async ([from, places]) => {
        const way = wayOf(row, from, row.version);
        if (way === undefined) return;
        await withConcurrencyLimit(CALLS_AT_A_TIME, batchesOf(entries, places), async (batch) => {
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
    way: ConversionWay,
    batch: readonly number[],
    entries: readonly Entry[],
    context: ConversionContext,
    isFresh: boolean,
  ): Promise<readonly ConvertedEntry[]> {
    const chosen = batch.flatMap((place) => entries[place] ?? []);
    const slice = this.timeSlice(context);
    const originals = chosen.map(originalMaker(way, this.parts.dialect));
    const entryOf = entryMaker(row, chosen.length);
    const all = this.ask(way, originals, slice, (object, at, metadata) => entryOf(chosen[at], object, metadata));
    if (isFresh) return all;
    const keys = chosen.map(this.keysOf(row));
    keys.forEach((key, at) => this.pending.set(key, { all, at }));
    try {
      const shown = await all;
      shown.forEach((entry, at) => this.known.set(keys[at] ?? '', entry));
      return shown;
    } finally {
      for (const key of keys) this.pending.delete(key);
    }
  }

  /** One call. The objects are read where it begins, and again for what becomes of them, so that those who wait hold nothing. */
  private async ask<T>(way: ConversionWay, originals: readonly Original[], slice: TimeSlice, finish: Finish<T>): Promise<readonly T[]> {
    const places = this.places.get(way.definition) ?? new Places();
    this.places.set(way.definition, places);
    try {
      const outcome = await places.run(() => this.call(way, originals, slice, finish));
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

  private async call<T>(
    way: ConversionWay,
    originals: readonly Original[],
    slice: TimeSlice,
    finish: Finish<T>,
  ): Promise<readonly T[] | ConversionFault> {
    const { clock } = this.parts;
    const startedAt = clock.monotonic();
    const outcome = await this.exchanged(way, originals, slice, finish);
    const fault = outcome instanceof ConversionFault ? outcome.type : undefined;
    const told = { definition: way.definition, from: way.from.name, to: way.to.name, ms: clock.monotonic() - startedAt, fault };
    this.parts.called(told);
    return outcome;
  }

  private async exchanged<T>(
    way: ConversionWay,
    originals: readonly Original[],
    slice: TimeSlice,
    finish: Finish<T>,
  ): Promise<readonly T[] | ConversionFault> {
    const { client, dialect, random } = this.parts;
    const { reviewVersion } = way.webhook;
    if (reviewVersion === undefined) return callFault('no supported conversion review versions');
    const uid = random.uuid();
    const desired = apiVersionInDialect(dialect, way.to.apiVersion);
    const review = new ReviewBody(
      { version: reviewVersion, uid, desired, dialect },
      originals.reduce((room, original) => room + original.room, 0),
    );
    for (const original of originals) {
      review.next();
      original.show(review);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    const body = review.finished();
    const maxBytes = Math.max(LEAST_ANSWER_BYTES, body.length * MOST_GROWTH);
    const reply = await client.call(this.targetOf(way.webhook), body, {
      query: `?timeout=${CALL_MS / 1000}s`,
      timeoutMs: CALL_MS,
      maxBytes,
    });
    if ('fault' in reply) return callFault(reply.fault);
    const answered = readAnswer(reviewVersion, uid, reply.bytes, dialect);
    if (answered instanceof ConversionFault) return answered;
    const made = await this.taken(way, originals, answered, slice, finish);
    if (!(made instanceof ConversionFault)) return made;
    // What is no JSON is told before what is wrong with the objects of an answer.
    const whole = readWhole(reviewVersion, uid, reply.bytes, dialect);
    return whole instanceof ConversionFault ? whole : made;
  }

  private async taken<T>(
    way: ConversionWay,
    originals: readonly Original[],
    answered: ConvertedObjects,
    slice: TimeSlice,
    finish: Finish<T>,
  ): Promise<readonly T[] | ConversionFault> {
    if (answered.count !== originals.length) return countFault(answered.count, originals.length);
    const made: T[] = [];
    const dropUnknown = way.to.codec.createPruner();
    for (const [at, original] of originals.entries()) {
      const taken = takenAt(way, original, answered, at);
      if (taken instanceof ConversionFault) return taken;
      const { object, metadata } = taken;
      dropUnknown(object);
      made.push(finish(object, at, metadata));
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    return made;
  }

  private targetOf(webhook: ConversionWebhook): WebhookTarget {
    const target = this.targets.get(webhook) ?? readWebhookTarget(webhook.clientConfig);
    this.targets.set(webhook, target);
    return target;
  }

  private keysOf({ custom, storageSegment: segment, resource }: KindRow): (entry: Entry) => string {
    const number = (custom === undefined ? undefined : this.numbers.get(custom)) ?? (this.met += 1);
    if (custom !== undefined) this.numbers.set(custom, number);
    const place = `${number}/${segment ?? resource}`;
    return ({ key, revision }) => `${place}/${revision}/${key}`;
  }

  private timeSlice(context: ConversionContext): TimeSlice {
    return new TimeSlice(this.parts.clock, { slot: context, stepsPerCheck: 1 });
  }

  /** The call goes on: what it brings may help the next one. */
  private inTime<T>(work: Promise<T>, { deadline }: ConversionContext): Promise<T> {
    const { clock } = this.parts;
    const left = deadline - clock.monotonic();
    if (left >= CALL_MS * MOST_GROWTH) return work;
    return withTimeout(work, clock, Math.max(0, left) + AFTERWARDS_MS, () => {
      throw timeout('request did not complete within requested timeout - context deadline exceeded');
    });
  }
}

function listAt(lists: Map<string, number[]>, name: string): number[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

/** Metadata of a converted object: the original's, which end there in what is stored of it; others, canonical; or those that it has itself, all of them. */
type NewMetadata = { readonly keptUntil: number } | { readonly text: string } | 'inside';

interface Taken {
  /** Where its metadata are elsewhere, it may lack them. */
  readonly object: JsonObject;
  readonly metadata: NewMetadata;
}

function takenAt({ to, kind }: ConversionWay, original: Original, answered: ConvertedObjects, at: number): Taken | ConversionFault {
  const wanted = { apiVersion: to.apiVersion, kind };
  let keptUntil: number | undefined;
  const besides = answered.besides(at, (answer, place) => (keptUntil = original.keptMetadata(answer, place)) !== undefined);
  if (besides !== undefined && keptUntil !== undefined && isOfKind(besides, wanted)) return { object: besides, metadata: { keptUntil } };
  const metadata = original.metadata();
  const before = metadata === undefined ? original.object() : { metadata: metadata.scalars };
  const object = takenOver(before, answered.at(at) ?? null, wanted, at);
  if (object instanceof ConversionFault) return object;
  return { object, metadata: metadata === undefined ? 'inside' : { text: metadata.withMaps(readMetadata(object)) } };
}

/** What becomes of the converted object at a place. */
type Finish<T> = (object: JsonObject, at: number, metadata: NewMetadata) => T;

type EntryMaker = (entry: Entry | undefined, object: JsonObject, metadata: NewMetadata) => ConvertedEntry;

/** Of so many entries. */
function entryMaker(row: KindRow, count: number): EntryMaker {
  const codec = codecOf(row);
  const readers = (row.selectableFields ?? []).map(fieldReader);
  const hiddenFields = convertedFields(row);
  const shelving = new Shelving(count);
  const fieldsOf = (object: JsonObject): Labels => {
    const hidden = hiddenFields(object);
    if (readers.length === 0) return hidden;
    const fields = { ...hidden };
    for (const reader of readers) fields[reader.name] = reader.read(object);
    return fields;
  };
  return (entry, object, metadata) => {
    if (entry === undefined) throw new Error('an object has been lost');
    const fields = fieldsOf(object);
    if (metadata !== 'inside' && 'keptUntil' in metadata) {
      const { bytes, shelf } = shelving.put(entry.bytes, metadata.keptUntil, encodeAfterMetadata(object));
      return new ConvertedEntry(entry, entry.labels, fields, bytes, shelf);
    }
    const text = metadata === 'inside' ? codec.encodeBody(object) : encodeWithMetadata(metadata.text, object);
    const { bytes, shelf } = shelving.put(NOTHING, 0, text);
    return new ConvertedEntry(entry, stringLabelsOf(object), fields, bytes, shelf);
  };
}

const NOTHING = Buffer.alloc(0);

/** There is nothing in it that could look different. */
const isEmpty = (object: JsonObject): boolean =>
  Object.keys(object).every((member) => member === 'metadata') && Object.keys(readMetadata(object)).length === 0;

/** Places of entries, as many together as one call takes. */
function batchesOf(entries: readonly Entry[], places: readonly number[]): readonly (readonly number[])[] {
  const batches: number[][] = [];
  let last: number[] = [];
  let bytes = 0;
  for (const place of places) {
    const entry = entries[place];
    const size = entry === undefined ? 0 : sizeOf(entry);
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
