/**
 * Elects one replica for periodic work by means of a key in the store, which names the holder and the end of its term.
 * Two replicas may overlap for a short time, so the work must be safe to run twice. The caller renews the term.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { Store } from '../storage/store';

/** Time limit of the calls of the store. */
const CALL_MS = 5_000;

/** The term of one kind of work, and this replica. */
export interface LeaderTermOptions {
  readonly store: Store;
  /** The key in the store; all replicas use the same one. */
  readonly key: string;
  /** Unique per replica. */
  readonly holder: string;
  /** In ms. A holder that has not renewed its term for this time loses it. */
  readonly lengthMs: number;
  readonly clock: Clock;
}

/**
 * Acquires or renews the term. Resolves with false when another replica holds it. Rejects with StoreError when the store
 * does not respond.
 */
export async function tryAcquireOrRenew({ store, key, holder, lengthMs, clock }: LeaderTermOptions): Promise<boolean> {
  const deadline = clock.monotonic() + CALL_MS;
  const { kv } = await store.get(key, { deadline });
  const current = kv === undefined ? undefined : parseTerm(kv.value.toString());
  const now = clock.now();
  if (current !== undefined) {
    const isOwnTerm = current.holder === holder;
    if (!isOwnTerm && current.until > now) return false;
    // Renews only in the second half of the term, to avoid a write for each pass.
    if (isOwnTerm && current.until > now + lengthMs / 2) return true;
  }
  const value = Buffer.from(JSON.stringify({ holder, until: now + lengthMs }));
  const result = await store.transact(
    { compare: [{ key, modRevision: kv?.modRevision ?? 0 }], operations: [{ type: 'put', key, value }] },
    { deadline },
  );
  return result.committed;
}

interface Term {
  readonly holder: string;
  /** In ms since 1970. */
  readonly until: number;
}

/** `undefined` for a text that is not a term, which any replica may replace. */
function parseTerm(text: string): Term | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('holder' in value) || !('until' in value)) return undefined;
  const { holder, until } = value;
  return typeof holder === 'string' && typeof until === 'number' ? { holder, until } : undefined;
}
