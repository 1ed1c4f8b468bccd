/**
 * Converts objects of custom kinds between versions through the conversion webhook of their definition: batches objects
 * into calls, caches converted entries, and limits the wait of requests with a near deadline. A request fails as a whole
 * when one of its objects cannot be converted. The calls themselves are left to review-exchange.ts.
 */
import { conversionFailed, timeout } from '../../shared/api/errors/status';
import { appendToKey } from '../../shared/values/append';
import type { KindRow } from '../../shared/api/kinds';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { ConversionWebhook, CustomVersion } from '../../shared/api/structural/version';
import type { Dialect } from '../../shared/names/dialect';
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import type { Clock } from '../../shared/runtime/clock';
import { withTimeout } from '../../shared/runtime/with-timeout';
import type { Random } from '../../shared/runtime/random';
import type { JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { entrySize } from '../cache/store/slab-entry';
import { TimeSlice } from '../../shared/scheduling/yielding';
import type { ConversionContext, Conversions, Freshness } from '../registry/conversions';
import { versionToConvertFrom } from '../registry/object/hidden-fields';
import type { WebhookClient } from '../webhook-client/client';
import { readWebhookTarget, type WebhookTarget } from '../webhook-client/webhook-target';
import { ConversionFailure, type ConversionFailureType } from './conversion-failure';
import { storedOriginalFactory, originalOfObject } from './original-object';
import { CallLimiter } from './call-limiter';
import { CALL_TIMEOUT_MS, exchangeReview, type CreateResult, type ReviewCall } from './review-exchange';
import { type ConvertedEntry, ConvertedEntryCache } from './converted-entry-cache';
import { convertedEntryFactory } from './converted-entry-factory';
import { webhookConversionOf, type WebhookConversion } from './webhook-conversion';

/** The outcome of a call, for metrics. */
export interface ConversionCall {
  readonly definition: string;
  readonly from: string;
  readonly to: string;
  readonly ms: number;
  /** `undefined` for a successful call. */
  readonly error: ConversionFailureType | undefined;
}

/** How webhooks are called, and where calls are recorded. */
export interface WebhookConverterDependencies {
  readonly client: Pick<WebhookClient, 'call'>;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: Random;
  /** Called after every call. */
  readonly onCall: (call: ConversionCall) => void;
  /** Called when a webhook fails or responds incorrectly. */
  readonly onFailure: (error: Error) => void;
}

/** Maximum number of objects in one call of a webhook. */
const MAX_OBJECTS = 500;
/** Maximum number of stored bytes in one call of a webhook. A larger entry has a call of its own. */
const MAX_BYTES = 1024 * 1024;
/**
 * A request with this much time left waits without a timer: its calls usually end before its deadline. If the webhook is
 * slow and calls queue up, the request waits beyond it; the server has then responded with a timeout.
 */
const UNTIMED_WAIT_MS = 4 * CALL_TIMEOUT_MS;
/**
 * Delay after the deadline of a request until code that waits for its conversion gives up. The server responds with a
 * timeout at the deadline itself.
 */
const DEADLINE_GRACE_MS = 50;
/** Concurrent calls for one request and one version that its objects are converted from. */
const CALLS_PER_REQUEST = 4;
/** Limit of the converted entries that are kept for later requests. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** Entries to convert to the version of the row. */
interface EntryConversion {
  readonly row: KindRow;
  readonly entries: readonly Entry[];
  readonly context: ConversionContext;
  /** The entries are not the stored ones, so that the cache is not used. */
  readonly isFresh: boolean;
}

/** A conversion in progress: the results of its call, and the index of the object in them. */
interface PendingConversion {
  readonly results: Promise<readonly ConvertedEntry[]>;
  readonly index: number;
}

const resultOf = async ({ results, index }: PendingConversion): Promise<Entry> => resultAt(await results, index);

/** A call has a result for every object: another count is a failure of the webhook. */
function resultAt<T>(results: readonly T[], index: number): T {
  const result = results[index];
  if (result === undefined) throw new Error('a conversion returned no result');
  return result;
}

/** The conversions of a server by webhooks, with the cache of their results. */
export class WebhookConverter implements Conversions {
  private readonly cache = new ConvertedEntryCache(CACHE_BYTES);
  /** Conversions in progress by cache key. */
  private readonly pending = new Map<string, PendingConversion>();
  /** By the name of the definition; only while calls run. */
  private readonly limiters = new Map<string, CallLimiter>();
  /**
   * A number for each version, which is part of its cache keys. A changed definition has new versions with new numbers, so
   * that entries from before the change are not found.
   */
  private readonly versionNumbers = new WeakMap<CustomVersion, number>();
  /** The parsed client configurations of webhooks. */
  private readonly targets = new WeakMap<ConversionWebhook, WebhookTarget>();
  private versionCount = 0;

  constructor(private readonly deps: WebhookConverterDependencies) {}

  convertEntries(
    row: KindRow,
    entries: readonly Entry[],
    context: ConversionContext,
    { isFresh }: Freshness = { isFresh: false },
  ): Promise<readonly Entry[]> {
    if (entries.every((entry) => versionToConvertFrom(row, entry) === undefined)) return Promise.resolve(entries);
    return this.withinDeadline(this.convertMissing({ row, entries, context, isFresh }), context);
  }

  async convertObject(row: KindRow, from: string, to: string, object: JsonObject, context: ConversionContext): Promise<JsonObject> {
    const conversion = from === to || hasNoMembers(object) ? undefined : webhookConversionOf(row, from, to);
    if (conversion === undefined) return object;
    const originals = [originalOfObject(conversion, object, this.deps.dialect)];
    const call = { conversion, originals, slice: this.timeSlice(context), createResult: (converted: JsonObject) => converted };
    return resultAt(await this.withinDeadline(this.convertAll(call), context), 0);
  }

  /**
   * Resolves with all entries in their order. Entries in the desired version and in the cache need no call. For an entry that
   * is being converted for another request, this request waits for that call. The webhook is called for all others.
   */
  private async convertMissing(request: EntryConversion): Promise<readonly Entry[]> {
    const { row, entries, isFresh } = request;
    const converted = [...entries];
    const pendingResults: Promise<void>[] = [];
    /** Indexes of the entries that need a call, by the version in which they are stored. */
    const missingByVersion = new Map<string, number[]>();
    const keyOf = isFresh ? () => undefined : this.keysOf(row);
    for (const [index, entry] of entries.entries()) {
      const from = versionToConvertFrom(row, entry);
      if (from === undefined) continue;
      const key = keyOf(entry);
      const cached = key === undefined ? undefined : this.cache.get(key);
      const pending = key === undefined ? undefined : this.pending.get(key);
      if (cached !== undefined) converted[index] = cached;
      else if (pending !== undefined) pendingResults.push(resultOf(pending).then((result) => void (converted[index] = result)));
      else appendToKey(missingByVersion, from, index);
    }
    const convertFrom = async ([from, indexes]: [from: string, indexes: readonly number[]]): Promise<void> => {
      const conversion = webhookConversionOf(row, from, row.version);
      if (conversion === undefined) return;
      await withConcurrencyLimit(CALLS_PER_REQUEST, batchesOf(entries, indexes), async (batch) => {
        const results = await this.convertBatch(request, conversion, batch);
        for (const [position, index] of batch.entries()) converted[index] = resultAt(results, position);
      });
    };
    const newResults = Promise.all([...missingByVersion].map(convertFrom));
    await Promise.all([newResults, ...pendingResults]);
    return converted;
  }

  /** `batch`: indexes of entries for one call. Resolves with one entry for each. */
  private async convertBatch(
    { row, entries, context, isFresh }: EntryConversion,
    conversion: WebhookConversion,
    batch: readonly number[],
  ): Promise<readonly ConvertedEntry[]> {
    const batchEntries = batch.flatMap((index) => entries[index] ?? []);
    const originals = batchEntries.map(storedOriginalFactory(conversion, this.deps.dialect));
    const entryOf = convertedEntryFactory(row, batchEntries.length);
    const createResult: CreateResult<ConvertedEntry> = (object, index, metadata) => entryOf(batchEntries[index], object, metadata);
    const results = this.convertAll({ conversion, originals, slice: this.timeSlice(context), createResult });
    if (isFresh) return results;
    const keys = batchEntries.map(this.keysOf(row));
    keys.forEach((key, index) => this.pending.set(key, { results, index }));
    try {
      const converted = await results;
      keys.forEach((key, index) => this.cache.set(key, resultAt(converted, index)));
      return converted;
    } finally {
      for (const key of keys) this.pending.delete(key);
    }
  }

  /**
   * Converts the objects in one call. Stored entries are parsed when the call starts and again for the result, so that
   * queued conversions of them hold no objects.
   */
  private async convertAll<T>(call: ReviewCall<T>): Promise<readonly T[]> {
    const { conversion } = call;
    const limiter = this.limiters.get(conversion.definition) ?? new CallLimiter();
    this.limiters.set(conversion.definition, limiter);
    try {
      const outcome = await limiter.runLimited(() => this.callWebhook(call));
      if (!(outcome instanceof ConversionFailure)) return outcome;
      const error = conversionFailed(
        outcome.extent === 'whole'
          ? outcome.text
          : `conversion webhook for ${conversion.from.apiVersion}, Kind=${conversion.kind} ${outcome.text}`,
      );
      this.deps.onFailure(error);
      throw error;
    } finally {
      if (limiter.isIdle) this.limiters.delete(conversion.definition);
    }
  }

  /** Calls the webhook once, and reports the call. */
  private async callWebhook<T>(call: ReviewCall<T>): Promise<readonly T[] | ConversionFailure> {
    const { conversion } = call;
    const { client, dialect, random, clock, onCall } = this.deps;
    const startedAt = clock.monotonic();
    const target = this.targetOf(conversion.webhook);
    const outcome = await exchangeReview({ client, target, dialect, random }, call);
    onCall({
      definition: conversion.definition,
      from: conversion.from.name,
      to: conversion.to.name,
      ms: clock.monotonic() - startedAt,
      error: outcome instanceof ConversionFailure ? outcome.type : undefined,
    });
    return outcome;
  }

  private targetOf(webhook: ConversionWebhook): WebhookTarget {
    const target = this.targets.get(webhook) ?? readWebhookTarget(webhook.clientConfig);
    this.targets.set(webhook, target);
    return target;
  }

  /** Returns a function from an entry to its cache key. Numbers the version of the row when it is new. */
  private keysOf({ custom, storageSegment, resource }: KindRow): (entry: Entry) => string {
    const number = (custom === undefined ? undefined : this.versionNumbers.get(custom)) ?? (this.versionCount += 1);
    if (custom !== undefined) this.versionNumbers.set(custom, number);
    const prefix = `${number}/${storageSegment ?? resource}`;
    return ({ key, revision }) => `${prefix}/${revision}/${key}`;
  }

  private timeSlice(context: ConversionContext): TimeSlice {
    return new TimeSlice(this.deps.clock, { slot: context, stepsPerCheck: 1 });
  }

  /** The work continues after the timeout: most of its results are cached for the next request. */
  private withinDeadline<T>(work: Promise<T>, { deadline }: ConversionContext): Promise<T> {
    const { clock } = this.deps;
    const remaining = deadline - clock.monotonic();
    if (remaining >= UNTIMED_WAIT_MS) return work;
    return withTimeout(work, clock, Math.max(0, remaining) + DEADLINE_GRACE_MS, () => {
      throw timeout('request did not complete within requested timeout - context deadline exceeded');
    });
  }
}

/** Conversion cannot change an object without members. */
const hasNoMembers = (object: JsonObject): boolean =>
  Object.keys(object).every((member) => member === 'metadata') && Object.keys(readMetadata(object)).length === 0;

/** The indexes of the entries, grouped into batches of one call each. */
function batchesOf(entries: readonly Entry[], indexes: readonly number[]): readonly (readonly number[])[] {
  const batches: number[][] = [];
  let batch: number[] = [];
  let bytes = 0;
  for (const index of indexes) {
    const entry = entries[index];
    const size = entry === undefined ? 0 : entrySize(entry);
    const needsNewBatch = batch.length === 0 || batch.length >= MAX_OBJECTS || bytes + size > MAX_BYTES;
    if (needsNewBatch) {
      batch = [];
      bytes = 0;
      batches.push(batch);
    }
    batch.push(index);
    bytes += size;
  }
  return batches;
}
