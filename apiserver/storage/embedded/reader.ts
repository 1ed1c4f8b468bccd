/**
 * Reads of the embedded store: one key, a range, a count, now or at an older revision. Long reads yield to other
 * work between chunks and keep their snapshot. It never sees what is not yet durable.
 */
import { yieldToEventLoop } from '../../../shared/scheduling/yielding';
import { StoreError, type KeyRange, type KeyValue, type RangeRequest, type RangeResult, type Revision } from '../store';
import type { Environment, ReadTransaction } from './environment';
import { historyBound } from './record';

const CHUNK = 500;
const noBytes = Buffer.alloc(0);

export function readKey(
  environment: Environment,
  key: string,
  revision: Revision | undefined,
): { readonly revision: Revision; readonly kv: KeyValue | undefined } {
  const snapshot = environment.snapshot();
  try {
    const current = snapshot.counter('revision');
    if (revision !== undefined) checkReadable(snapshot, revision, current);
    return { revision: current, kv: keyValue(snapshot, key, revision) };
  } finally {
    snapshot.done();
  }
}

/** The state of `key` in `snapshot`, with its value. */
export function keyValue(snapshot: ReadTransaction, key: string, revision?: Revision): KeyValue | undefined {
  const found = revision === undefined ? snapshot.latest(key) : snapshot.at(key, revision);
  if (found === undefined) return undefined;
  const { modRevision, createRevision, version } = found;
  return { key, value: snapshot.value(Buffer.from(key), modRevision), createRevision, modRevision, version };
}

/** How many of the newest revisions, at most `most`, wrote so many bytes of values together, or little more. */
export function revisionsWithin(environment: Environment, bytes: number, most: number): number {
  const snapshot = environment.snapshot();
  try {
    const current = snapshot.counter('revision');
    let weight = 0;
    for (const entry of snapshot.newest(most)) {
      weight += entry.weight;
      if (weight >= bytes) return current - entry.revision + 1;
    }
    return most;
  } finally {
    snapshot.done();
  }
}

export async function readRange(environment: Environment, request: RangeRequest): Promise<RangeResult> {
  const snapshot = environment.snapshot();
  try {
    const current = snapshot.counter('revision');
    if (request.revision !== undefined) checkReadable(snapshot, request.revision, current);
    const limit = request.limit !== undefined && request.limit > 0 ? request.limit : Infinity;
    const keysOnly = request.keysOnly === true;
    const found =
      request.revision === undefined || request.revision === current
        ? await readLive(snapshot, request, limit, keysOnly)
        : await readPast(snapshot, request, request.revision, limit, keysOnly);
    return { revision: current, ...found, more: found.count > found.kvs.length };
  } finally {
    snapshot.done();
  }
}

export function countKeys(environment: Environment, range: KeyRange): { readonly revision: Revision; readonly count: number } {
  const snapshot = environment.snapshot();
  try {
    return { revision: snapshot.counter('revision'), count: snapshot.countLive(Buffer.from(range.start), Buffer.from(range.end)) };
  } finally {
    snapshot.done();
  }
}

interface FoundRecord {
  readonly kvs: readonly KeyValue[];
  readonly count: number;
}

async function readLive(snapshot: ReadTransaction, range: KeyRange, limit: number, keysOnly: boolean): Promise<FoundRecord> {
  const end = Buffer.from(range.end);
  const kvs: KeyValue[] = [];
  let start: Buffer = Buffer.from(range.start);
  for (;;) {
    const wanted = Math.min(CHUNK, limit - kvs.length);
    let last: Buffer | undefined;
    let read = 0;
    for (const { key, latest } of snapshot.live(start, end, wanted)) {
      const { modRevision, createRevision, version } = latest;
      kvs.push({ key: key.toString(), value: keysOnly ? noBytes : snapshot.value(key, modRevision), createRevision, modRevision, version });
      last = key;
      read++;
    }
    if (read < wanted || last === undefined) return { kvs, count: kvs.length };
    start = justAfter(last);
    if (kvs.length >= limit) return { kvs, count: kvs.length + snapshot.countLive(start, end) };
    await yieldToEventLoop();
  }
}

/** Walks the versions of each key: the last one not after `revision` counts, unless it is a deletion. */
async function readPast(
  snapshot: ReadTransaction,
  range: KeyRange,
  revision: Revision,
  limit: number,
  keysOnly: boolean,
): Promise<FoundRecord> {
  const end = historyBound(Buffer.from(range.end));
  const kvs: KeyValue[] = [];
  let count = 0;
  let candidate:
    | { readonly key: Buffer; readonly modRevision: Revision; readonly createRevision: Revision; readonly version: number }
    | undefined;
  const accept = (): void => {
    if (candidate === undefined) return;
    count++;
    if (kvs.length >= limit) return;
    const { key, modRevision, createRevision, version } = candidate;
    kvs.push({ key: key.toString(), value: keysOnly ? noBytes : snapshot.value(key, modRevision), createRevision, modRevision, version });
  };
  let start: Buffer = historyBound(Buffer.from(range.start));
  let current: Buffer | undefined;
  for (;;) {
    let last: Buffer | undefined;
    let read = 0;
    for (const entry of snapshot.history(start, end, CHUNK)) {
      last = entry.at;
      read++;
      if (current === undefined || !entry.key.equals(current)) {
        accept();
        current = entry.key;
        candidate = undefined;
      }
      if (entry.revision <= revision) candidate = entry.past && { key: entry.key, modRevision: entry.revision, ...entry.past };
    }
    if (read < CHUNK || last === undefined) break;
    start = justAfter(last);
    await yieldToEventLoop();
  }
  accept();
  return { kvs, count };
}

function checkReadable(snapshot: ReadTransaction, revision: Revision, current: Revision): void {
  if (revision > current) throw new StoreError('future-revision', `revision ${revision} is not reached yet; the store is at ${current}`);
  const compacted = snapshot.counter('compacted');
  if (revision < compacted) throw new StoreError('compacted', `revision ${revision} has been compacted`, compacted);
}

function justAfter(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)]);
}
