/**
 * Reads of the embedded store: one key, a range or a count, at the newest or an older revision. Long reads keep their
 * snapshot and yield to the event loop between chunks. Only durable state is visible.
 */
import { yieldToEventLoop } from '../../../shared/scheduling/yielding';
import { StoreError, type KeyRange, type KeyValue, type RangeRequest, type RangeResult, type Revision } from '../store';
import type { Environment } from './environment';
import type { ReadTransaction } from './read-transaction';
import { historyBound, type LatestRecord } from './record';

/** Entries between two yields to the event loop. */
const CHUNK_ENTRIES = 500;
const EMPTY_VALUE = Buffer.alloc(0);

/**
 * Reads one key, at the newest revision when `revision` is undefined. Throws {@link StoreError} when that revision is
 * compacted or not reached yet.
 */
export function readKey(
  environment: Environment,
  key: string,
  revision: Revision | undefined,
): { readonly revision: Revision; readonly kv: KeyValue | undefined } {
  const snapshot = environment.snapshot();
  try {
    const current = snapshot.counter('revision');
    if (revision !== undefined) checkReadable(snapshot, revision, current);
    return { revision: current, kv: readKeyValue(snapshot, key, revision) };
  } finally {
    snapshot.end();
  }
}

/** The state of `key` in `snapshot`, with its value. */
export function readKeyValue(snapshot: ReadTransaction, key: string, revision?: Revision): KeyValue | undefined {
  const state = revision === undefined ? snapshot.latest(key) : snapshot.stateAt(key, revision);
  return state && toKeyValue(snapshot, Buffer.from(key), state, { keysOnly: false });
}

type KeyState = Pick<LatestRecord, 'createRevision' | 'modRevision' | 'version'>;

interface RangeLimits {
  readonly limit: number;
  /** Whether values are left out. */
  readonly keysOnly: boolean;
}

function toKeyValue(
  snapshot: ReadTransaction,
  key: Buffer,
  { createRevision, modRevision, version }: KeyState,
  { keysOnly }: Pick<RangeLimits, 'keysOnly'>,
): KeyValue {
  const value = keysOnly ? EMPTY_VALUE : snapshot.valueAt(key, modRevision);
  return { key: key.toString(), value, createRevision, modRevision, version };
}

/** The number of newest revisions that together wrote at least `bytes` bytes of values; `limit` when those wrote less. */
export function countRevisionsWithin(environment: Environment, bytes: number, limit: number): number {
  const snapshot = environment.snapshot();
  try {
    const current = snapshot.counter('revision');
    let total = 0;
    for (const entry of snapshot.newestRevisions(limit)) {
      total += entry.valueBytes;
      if (total >= bytes) return current - entry.revision + 1;
    }
    return limit;
  } finally {
    snapshot.end();
  }
}

/** Reads a range at one snapshot. Rejects with {@link StoreError} when its revision is compacted or not reached yet. */
export async function readRange(environment: Environment, request: RangeRequest): Promise<RangeResult> {
  const snapshot = environment.snapshot();
  try {
    const current = snapshot.counter('revision');
    if (request.revision !== undefined) checkReadable(snapshot, request.revision, current);
    const limits: RangeLimits = {
      limit: request.limit !== undefined && request.limit > 0 ? request.limit : Infinity,
      keysOnly: request.keysOnly === true,
    };
    const result =
      request.revision === undefined || request.revision === current
        ? await readLive(snapshot, request, limits)
        : await readPast(snapshot, request, request.revision, limits);
    return { revision: current, ...result, more: result.count > result.kvs.length };
  } finally {
    snapshot.end();
  }
}

/** The number of live keys, at the newest revision. */
export function countKeys(environment: Environment, range: KeyRange): { readonly revision: Revision; readonly count: number } {
  const snapshot = environment.snapshot();
  try {
    return { revision: snapshot.counter('revision'), count: snapshot.countLiveKeys(Buffer.from(range.start), Buffer.from(range.end)) };
  } finally {
    snapshot.end();
  }
}

interface KeysAndCount {
  readonly kvs: readonly KeyValue[];
  readonly count: number;
}

async function readLive(snapshot: ReadTransaction, range: KeyRange, limits: RangeLimits): Promise<KeysAndCount> {
  const { limit } = limits;
  const end = Buffer.from(range.end);
  const kvs: KeyValue[] = [];
  let start: Buffer = Buffer.from(range.start);
  for (;;) {
    const chunkSize = Math.min(CHUNK_ENTRIES, limit - kvs.length);
    let last: Buffer | undefined;
    let read = 0;
    for (const { key, latest } of snapshot.liveKeys(start, end, chunkSize)) {
      kvs.push(toKeyValue(snapshot, key, latest, limits));
      last = key;
      read++;
    }
    if (read < chunkSize || last === undefined) return { kvs, count: kvs.length };
    start = justAfter(last);
    if (kvs.length >= limit) return { kvs, count: kvs.length + snapshot.countLiveKeys(start, end) };
    await yieldToEventLoop();
  }
}

async function readPast(snapshot: ReadTransaction, range: KeyRange, revision: Revision, limits: RangeLimits): Promise<KeysAndCount> {
  const end = historyBound(Buffer.from(range.end));
  const collector = new PastStateCollector(snapshot, revision, limits);
  let start: Buffer = historyBound(Buffer.from(range.start));
  for (;;) {
    let last: Buffer | undefined;
    let readCount = 0;
    for (const entry of snapshot.historyEntries(start, end, CHUNK_ENTRIES)) {
      collector.add(entry);
      last = entry.position;
      readCount++;
    }
    if (readCount < CHUNK_ENTRIES || last === undefined) return collector.finish();
    start = justAfter(last);
    await yieldToEventLoop();
  }
}

type HistoryEntry = ReturnType<ReadTransaction['historyEntries']> extends Iterable<infer Entry> ? Entry : never;

/**
 * Collects the keys that existed at a revision from their history, in the order of keys and revisions. Of each key the last
 * entry at or before the revision counts, unless that is a deletion.
 */
class PastStateCollector {
  private readonly kvs: KeyValue[] = [];
  private count = 0;
  private currentKey: Buffer | undefined;
  /** The state of the current key at the last entry that counts; undefined where it does not exist. */
  private state: KeyState | undefined;

  constructor(
    private readonly snapshot: ReadTransaction,
    private readonly revision: Revision,
    private readonly limits: RangeLimits,
  ) {}

  add({ key, revision, past }: HistoryEntry): void {
    if (this.currentKey === undefined || !key.equals(this.currentKey)) {
      this.acceptCurrentKey();
      this.currentKey = key;
      this.state = undefined;
    }
    if (revision <= this.revision) this.state = past && { modRevision: revision, ...past };
  }

  /** Called after the last entry. */
  finish(): KeysAndCount {
    this.acceptCurrentKey();
    return { kvs: this.kvs, count: this.count };
  }

  private acceptCurrentKey(): void {
    const { currentKey, state, limits } = this;
    if (currentKey === undefined || state === undefined) return;
    this.count++;
    if (this.kvs.length < limits.limit) this.kvs.push(toKeyValue(this.snapshot, currentKey, state, limits));
  }
}

function checkReadable(snapshot: ReadTransaction, revision: Revision, current: Revision): void {
  if (revision > current) throw new StoreError('future-revision', `revision ${revision} is not reached yet; the store is at ${current}`);
  const compacted = snapshot.counter('compacted');
  if (revision < compacted) throw new StoreError('compacted', `revision ${revision} has been compacted`, compacted);
}

function justAfter(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)]);
}
