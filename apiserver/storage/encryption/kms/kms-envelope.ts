/**
 * Envelope encryption with a KMS v2 plug-in: encrypts with the current DEK seed and decrypts with the DEK source stored
 * in each value, which the plug-in decrypts once. Combines the rotator and the cache; the transport is left to the
 * KmsService.
 */
import type { Clock } from '../../../../shared/runtime/clock';
import type { RandomBytes } from '../../../../shared/runtime/random';
import { errorMessage } from '../../../../shared/runtime/error-message';
import { TransformError } from '../ciphers';
import type { Direction, Envelope, DecryptedValue } from '../value-transformer';
import { DekSeedRotator } from './dek-seed-rotator';
import { DekCache, type CachedDek, type DekSource } from './dek-cache';
import { decodeEncryptedObject, encodeEncryptedObject, type EncryptedObject } from './encrypted-object';
import { KmsError, type KmsService } from './kms-service';
import { createDekCipher, SEED_BYTES } from './dek-cipher';

/** Records the metrics of one provider. Called on the path of reads and writes of encrypted values. */
export interface KmsMetricsRecorder {
  /** A value was encrypted or decrypted with a DEK of this KEK. */
  recordKeyUse(direction: Direction, keyId: string): void;
  /** The key ID in a valid status response. */
  recordStatusKeyId(keyId: string): void;
  /** A response of the plug-in had an invalid key ID. */
  recordInvalidKeyId(reason: 'empty' | 'too_long'): void;
  /** A DEK source had to be decrypted by the plug-in. */
  recordCacheMiss(): void;
  /** Number of cached DEKs. */
  setCacheSize(size: number): void;
  /** The random bytes of a new seed were generated in this time. */
  observeSeedGeneration(seconds: number): void;
}

/** One KMS provider of the encryption configuration, and what is reported to its owner. */
export interface KmsEnvelopeOptions {
  /** Name of the provider, for messages. */
  readonly name: string;
  readonly service: KmsService;
  readonly clock: Clock;
  /** For seeds, nonces and HKDF infos. */
  readonly random: RandomBytes;
  /** A new ID for a call of the plug-in. */
  readonly uuid: () => string;
  readonly metrics: KmsMetricsRecorder;
  /** Called when the plug-in becomes unhealthy (with the error) or healthy (undefined). */
  readonly onHealthChange: (error: string | undefined) => void;
  /** Called when a new seed is in use, with its key ID. */
  readonly onSeedRotated: (keyId: string) => void;
  /** Called when values that could not be decrypted may be readable now. */
  readonly onRecovered: () => void;
}

/** Delays between two calls of `onRecovered` while values stay undecryptable: the first, which doubles, and the limit. */
const REREAD_BACKOFF_MS = { first: 10_000, max: 10 * 60_000 };

/** One KMS provider of the encryption configuration. */
export class KmsEnvelope implements Envelope {
  private readonly rotator: DekSeedRotator;
  private readonly dekCache: DekCache;
  /** The result of the last status poll; undefined when the plug-in was healthy. */
  private error: string | undefined;
  /** When undecryptable values may be read again (milliseconds of the monotonic clock), and the delay after that time. */
  private reread = { at: 0, waitMs: REREAD_BACKOFF_MS.first };

  constructor(private readonly options: KmsEnvelopeOptions) {
    const { name, service, clock, random, uuid, metrics } = options;
    this.dekCache = new DekCache({
      clock,
      decryptSource: (source) => this.decryptSource(source),
      onMiss: () => metrics.recordCacheMiss(),
      onFailure: () => this.rotator.pollSoon(),
      onSizeChange: (size) => metrics.setCacheSize(size),
    });
    this.rotator = new DekSeedRotator({
      name,
      service,
      clock,
      uuid,
      newSeed: () => this.newSeed(),
      createCipher: (seed) => createDekCipher('seed', seed, random),
      onRotated: ({ source, cipher }) => {
        this.dekCache.add({ source, sourceType: 'seed' }, { keyId: source.keyId, cipher });
        options.onSeedRotated(source.keyId);
      },
      onPolled: ({ keyId, error }) => this.onPolled(keyId, error),
      onInvalidKeyId: (reason) => metrics.recordInvalidKeyId(reason),
    });
  }

  /** Resolves after the first status poll, whether or not it succeeded. */
  start(): Promise<void> {
    return this.rotator.start();
  }

  /** The error of the plug-in; `undefined` when it is healthy. Polls it unless the last poll is recent. */
  health(): Promise<string | undefined> {
    return this.rotator.health();
  }

  /** Ends the polls and the connection. Cached DEKs still decrypt; sources that are not cached fail. */
  close(): void {
    this.rotator.close();
    this.options.service.close();
  }

  /** Throws {@link TransformError} when there is no valid seed. */
  encrypt(plaintext: Buffer, storageKey: string): Buffer {
    const { source, cipher } = this.rotator.getUsableSeed();
    this.options.metrics.recordKeyUse('to_storage', source.keyId);
    return encodeEncryptedObject({ data: cipher.encrypt(plaintext, storageKey), source, sourceType: 'seed' });
  }

  /** Asks the plug-in for the DEK of the value unless it is cached. Never rejects. */
  prepare(ciphertext: Buffer): Promise<void> | undefined {
    let value: EncryptedObject;
    try {
      value = decodeEncryptedObject(ciphertext);
    } catch (error) {
      // `decrypt` throws the same error.
      if (error instanceof TransformError) return undefined;
      throw error;
    }
    return this.dekCache.prepare(value);
  }

  /** Throws {@link TransformError} when the value is malformed, was changed, or its DEK source could not be decrypted. */
  decrypt(ciphertext: Buffer, storageKey: string): DecryptedValue {
    const value = decodeEncryptedObject(ciphertext);
    const { keyId, cipher } = this.dekCache.get(value);
    const plaintext = cipher.decrypt(value.data, storageKey);
    this.options.metrics.recordKeyUse('from_storage', keyId);
    const currentKeyId = this.rotator.keyId;
    return { value: plaintext, isStale: value.sourceType === 'key' || (currentKeyId !== undefined && currentKeyId !== keyId) };
  }

  private newSeed(): Buffer {
    const { clock, random, metrics } = this.options;
    const since = clock.monotonic();
    const seed = random(SEED_BYTES);
    metrics.observeSeedGeneration((clock.monotonic() - since) / 1000);
    return seed;
  }

  private async decryptSource({ source, sourceType }: DekSource): Promise<CachedDek> {
    const { service, uuid, random } = this.options;
    // A copy, because the bytes are a view of a response of the store.
    const copy = { ...source, ciphertext: Buffer.from(source.ciphertext) };
    const secret = await service.decrypt(copy, uuid()).catch((error: unknown) => {
      const text = errorMessage(error);
      throw new TransformError(`failed to decrypt DEK, error: ${text}`, error instanceof KmsError ? error.code : undefined);
    });
    return { keyId: source.keyId, cipher: createDekCipher(sourceType, secret, random) };
  }

  private onPolled(keyId: string | undefined, error: string | undefined): void {
    const { clock, metrics, onHealthChange, onRecovered } = this.options;
    if (keyId !== undefined) metrics.recordStatusKeyId(keyId);
    if ((error === undefined) !== (this.error === undefined)) onHealthChange(error);
    this.error = error;
    // A plug-in that responds may decrypt again, whether or not it reports itself as healthy. The back-off is there
    // because `onRecovered` makes the watch cache read whole resource types again.
    if (keyId === undefined || !this.dekCache.hasFailures) {
      this.reread = { at: 0, waitMs: REREAD_BACKOFF_MS.first };
      return;
    }
    const now = clock.monotonic();
    const { at, waitMs } = this.reread;
    if (now < at) return;
    this.reread = { at: now + waitMs, waitMs: Math.min(waitMs * 2, REREAD_BACKOFF_MS.max) };
    this.dekCache.clearFailures();
    onRecovered();
  }
}
