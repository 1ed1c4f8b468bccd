/**
 * The cache of DEKs: secrets that the KMS plug-in has decrypted, or that this server generated. Evicts the least recently
 * used ones.
 *
 * Three rules keep the number of calls low when a long list is read:
 * - a source is decrypted once for all values that wait for it;
 * - a source that failed is not decrypted again for a second;
 * - after a call without a response, no source is decrypted for a second.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../../shared/runtime/clock';
import { TransformError, type Cipher } from '../ciphers';
import type { EncryptedObject } from './encrypted-object';

/** A decrypted DEK source, ready to use. */
export interface CachedDek {
  /** ID of the KEK that encrypted the source. */
  readonly keyId: string;
  readonly cipher: Cipher;
}

/** A DEK source as stored, and whether it is a key or a seed. */
export type DekSource = Pick<EncryptedObject, 'source' | 'sourceType'>;

/** How sources are decrypted, and where this is recorded. */
export interface DekCacheOptions {
  readonly clock: Clock;
  /** Asks the plug-in to decrypt the source. Rejects with {@link TransformError}. */
  readonly decryptSource: (source: DekSource) => Promise<CachedDek>;
  /** Called when a value needs a DEK that is not cached. */
  readonly onMiss: () => void;
  /** Called when a source could not be decrypted. */
  readonly onFailure: () => void;
  /** Called with the number of cached DEKs when it changes. */
  readonly onSizeChange: (size: number) => void;
}

/** Limits of the caches: the stored data, not this server, determine how many DEK sources there are. */
export const MAX_CACHED_DEKS = 1_000;
const MAX_CACHED_FAILURES = 1_000;
/** Time for which a failed source is not decrypted again, and no source after a call without a response. */
export const RETRY_MS = 1_000;
/** Statuses of calls without a response, as opposed to refused ones. */
const NO_RESPONSE_CODES: readonly (string | undefined)[] = ['DeadlineExceeded', 'Unavailable'];

interface Failure {
  readonly at: number;
  readonly error: TransformError;
}

/** The decrypted DEK sources of one provider. */
export class DekCache {
  private readonly deks = new LRUCache<string, CachedDek>({ max: MAX_CACHED_DEKS });
  private readonly failures = new LRUCache<string, Failure>({ max: MAX_CACHED_FAILURES });
  /** Calls of the plug-in that have not ended, by cache key. */
  private readonly pending = new Map<string, Promise<void>>();
  /** The last call without a response. */
  private lastNoResponse: Failure | undefined;

  constructor(private readonly options: DekCacheOptions) {}

  /** Whether a source could not be decrypted since the last {@link clearFailures}. */
  get hasFailures(): boolean {
    return this.failures.size > 0;
  }

  /** Allows failed sources to be decrypted again. */
  clearFailures(): void {
    this.failures.clear();
    this.lastNoResponse = undefined;
  }

  /** Adds a source with a secret that is already known, because it was generated here. */
  add(source: DekSource, secret: CachedDek): void {
    this.store(cacheKeyOf(source), secret);
  }

  /**
   * Has the source decrypted unless it is cached or failed recently. Must be awaited before {@link get}; undefined when
   * there is nothing to wait for. Never rejects: `get` throws the error.
   */
  prepare(source: DekSource): Promise<void> | undefined {
    const cacheKey = cacheKeyOf(source);
    if (this.deks.has(cacheKey)) return undefined;
    const existing = this.pending.get(cacheKey);
    if (existing !== undefined) return existing;
    this.options.onMiss();
    if (this.isRecent(this.failures.get(cacheKey))) return undefined;
    if (this.isRecent(this.lastNoResponse)) {
      this.failures.set(cacheKey, this.lastNoResponse);
      return undefined;
    }
    const call = this.decrypt(cacheKey, source);
    this.pending.set(cacheKey, call);
    return call;
  }

  /** Throws {@link TransformError} when the source could not be decrypted. */
  get(source: DekSource): CachedDek {
    const cacheKey = cacheKeyOf(source);
    const dek = this.deks.get(cacheKey);
    if (dek !== undefined) return dek;
    throw this.failures.get(cacheKey)?.error ?? new TransformError('failed to decrypt DEK, error: the KMS plug-in has not been called');
  }

  private async decrypt(cacheKey: string, source: DekSource): Promise<void> {
    try {
      this.store(cacheKey, await this.options.decryptSource(source));
      this.failures.delete(cacheKey);
    } catch (error) {
      const reason = error instanceof TransformError ? error : new TransformError(`failed to decrypt DEK, error: ${String(error)}`);
      const failure = { at: this.options.clock.monotonic(), error: reason };
      this.failures.set(cacheKey, failure);
      if (NO_RESPONSE_CODES.includes(reason.code)) this.lastNoResponse = failure;
      this.options.onFailure();
    } finally {
      this.pending.delete(cacheKey);
    }
  }

  private store(cacheKey: string, secret: CachedDek): void {
    this.deks.set(cacheKey, secret);
    this.options.onSizeChange(this.deks.size);
  }

  private isRecent(failure: Failure | undefined): failure is Failure {
    return failure !== undefined && this.options.clock.monotonic() - failure.at < RETRY_MS;
  }
}

/** Longer cache keys are hashed; shorter ones are not, because hashing takes longer. */
const MAX_PLAIN_KEY_LENGTH = 512;

/**
 * The cache key of a source. It contains all that the plug-in receives: two sources that differ only in an annotation may
 * decrypt differently. Lengths precede the parts, so that different parts never make the same text.
 */
function cacheKeyOf({ source: { ciphertext, keyId, annotations }, sourceType }: DekSource): string {
  let cacheKey = `${sourceType}:${ciphertext.length}:${ciphertext.toString('latin1')}${keyId.length}:${keyId}`;
  const keys = annotations.size > 1 ? [...annotations.keys()].sort() : annotations.keys();
  for (const key of keys) {
    const value = annotations.get(key)?.toString('latin1') ?? '';
    cacheKey += `${key.length}:${key}${value.length}:${value}`;
  }
  return cacheKey.length <= MAX_PLAIN_KEY_LENGTH ? cacheKey : createHash('sha256').update(cacheKey).digest('base64');
}
