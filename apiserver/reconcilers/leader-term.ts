/** Leaves a piece of work to one replica at a time: which one is agreed by a key that its holder renews. A second holder must do no harm. */
import type { Clock } from '../../shared/runtime/clock';
import type { Store } from '../storage/store';

const CALL_MS = 5_000;

export interface TermOptions {
  readonly store: Store;
  readonly key: string;
  /** This replica's, unlike any other's. */
  readonly holder: string;
  /** A holder that has not renewed for so long is taken to be gone. Milliseconds. */
  readonly lengthMs: number;
  readonly clock: Clock;
}

/** Takes or renews the term. False when another replica holds it. Rejects with StoreError. */
export async function holdTerm({ store, key, holder, lengthMs, clock }: TermOptions): Promise<boolean> {
  const deadline = clock.monotonic() + CALL_MS;
  const { kv } = await store.get(key, { deadline });
  const current = kv === undefined ? undefined : parseTerm(kv.value.toString());
  const now = clock.now();
  if (current !== undefined && current.holder !== holder && current.until > now) return false;
  // Half a term before its end is early enough to renew, and spares the store a write for each piece of work.
  if (current?.holder === holder && current.until > now + lengthMs / 2) return true;
  const value = Buffer.from(JSON.stringify({ holder, until: now + lengthMs }));
  const result = await store.transact(
    { compare: [{ key, modRevision: kv?.modRevision ?? 0 }], operations: [{ type: 'put', key, value }] },
    { deadline },
  );
  return result.committed;
}

function parseTerm(text: string): { readonly holder: string; readonly until: number } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('holder' in value) || !('until' in value)) return undefined;
  const { holder, until } = value;
  return typeof holder === 'string' && typeof until === 'number' ? { holder, until } : undefined;
}
