/**
 * Encrypts and decrypts the values of one encryption rule: the first provider of the rule encrypts, all of them decrypt.
 * Both are synchronous: `prepare` fetches beforehand the key that they need. Which rule applies to a resource is up to
 * encryption-rules.ts.
 *
 * A stored value is `platform:enc:aescbc:v1:key1:CIPHERTEXT`, or with a KMS plug-in `platform:enc:kms:v2:NAME:OBJECT`:
 * the prefix of the dialect (`platform:enc:` or `k8s:enc:`), the prefix of the provider, and what the provider wrote.
 */
import { ENCRYPTED_PREFIXES, type Dialect } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { hasEncryptionPrefix, bufferStartsWith } from '../unreadable-value';
import { TransformError, type Cipher } from './ciphers';
import { requirementOf, type KeyRequirement } from './missing-keys';

/** Envelope encryption with a KMS plug-in. */
export interface Envelope {
  /** Encrypts with the current DEK; throws {@link TransformError} when there is no valid one. */
  encrypt(plaintext: Buffer, storageKey: string): Buffer;
  /** Fetches the DEK of an encrypted value; undefined when it is known. Never rejects: `decrypt` throws the error. */
  prepare(ciphertext: Buffer): Promise<void> | undefined;
  /** Throws {@link TransformError}. */
  decrypt(ciphertext: Buffer, storageKey: string): DecryptedValue;
}

/** The plaintext of a stored value. */
export interface DecryptedValue {
  readonly value: Buffer;
  /** The value would be written with another key, provider or prefix now. */
  readonly isStale: boolean;
}

/** A key of the configuration file, with the cipher that uses it. */
export interface EncryptionKey {
  /** Precedes the ciphertext in stored values, so that it selects the key that decrypts them. */
  readonly name: string;
  /** The same for keys with the same secret; does not reveal it. */
  readonly fingerprint: string;
  readonly cipher: Cipher;
}

/** One provider of a rule: no encryption, keys in the configuration, or a KMS plug-in. */
export type ValueProvider =
  | { readonly type: 'plain' }
  | {
      readonly type: 'keys';
      /** The part of the prefix after the dialect's: `aescbc:v1:`. */
      readonly prefix: string;
      /** The first key encrypts. */
      readonly keys: readonly EncryptionKey[];
      /** The error when no key has the name that the value carries. */
      readonly unknownKey: string;
    }
  | { readonly type: 'envelope'; readonly prefix: string; readonly envelope: Envelope };

/** Which resources are encrypted, and how. */
export interface EncryptionRule {
  /** In canonical form: `secrets`, `*.apps`, `*.` (the core group), `*.*`. */
  readonly resources: readonly string[];
  /** The first one encrypts; decryption tries them in order. */
  readonly providers: readonly ValueProvider[];
}

/** The metric label that distinguishes decryption from encryption. */
export type Direction = 'from_storage' | 'to_storage';

/** The status label of failures that did not come from a KMS plug-in. */
export const NON_GRPC_FAILURE = 'unknown-non-grpc';

/** Receives the outcome of each encryption and decryption. */
export interface TransformMetricsRecorder {
  /**
   * `prefix` is the prefix of the value, the key name in it, or `unknown` for a value that no provider matches; `status`
   * is OK, {@link NON_GRPC_FAILURE} or the gRPC status of the plug-in; `seconds` is 0 for failures.
   */
  observeTransform(direction: Direction, prefix: string, status: string, seconds: number): void;
}

/** What all rules of a configuration share. */
export interface TransformerOptions {
  /** The dialect of the prefix that is written; values with the prefix of the other one are read as well. */
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly metrics: TransformMetricsRecorder;
}

const OTHER_DIALECT: Readonly<Record<Dialect, Dialect>> = { platform: 'kubernetes', kubernetes: 'platform' };

/** A provider that encrypts, with the prefixes of its values. */
interface PrefixedProvider {
  readonly provider: Exclude<ValueProvider, { type: 'plain' }>;
  /** First the one that is written, then that of the other dialect. */
  readonly prefixes: readonly Buffer[];
  /** The first prefix as text. */
  readonly metricPrefix: string;
}

/** Encrypts and decrypts the values of one rule's resources. */
export class ValueTransformer {
  readonly resources: readonly string[];
  private readonly providers: readonly (PrefixedProvider | 'plain')[];

  constructor(
    rule: EncryptionRule,
    private readonly options: TransformerOptions,
  ) {
    const { dialect } = options;
    this.resources = rule.resources;
    this.providers = rule.providers.map((provider) => {
      if (provider.type === 'plain') return 'plain';
      const prefixes = [dialect, OTHER_DIALECT[dialect]].map((name) => Buffer.from(ENCRYPTED_PREFIXES[name] + provider.prefix));
      return { provider, prefixes, metricPrefix: ENCRYPTED_PREFIXES[dialect] + provider.prefix };
    });
  }

  /** What this transformer reads: `identity` (plain values), `aescbc:v1:key1:FINGERPRINT` (a key), `kms:v2:NAME:`. */
  get abilities(): readonly string[] {
    return this.providers.flatMap((candidate) => {
      if (candidate === 'plain') return ['identity'];
      const { provider } = candidate;
      if (provider.type === 'envelope') return [provider.prefix];
      return provider.keys.map(({ name, fingerprint }) => `${provider.prefix}${name}:${fingerprint}`);
    });
  }

  /**
   * The key or provider that the prefix of the value names and this rule lacks; `undefined` when it lacks nothing. Empty
   * values, which reads of keys only return, need no key.
   */
  missingKeyOf(value: Buffer): KeyRequirement | undefined {
    if (value.length === 0) return undefined;
    const isReadable = this.providers.some((candidate) => {
      if (candidate === 'plain') return !hasEncryptionPrefix(value);
      const encrypted = stripPrefix(candidate, value);
      if (encrypted === undefined) return false;
      return candidate.provider.type === 'envelope' || matchingKeys(candidate.provider.keys, encrypted.bytes).length > 0;
    });
    return isReadable ? undefined : requirementOf(value);
  }

  /** The keys of the file that have the name in the value. */
  keysFor(value: Buffer): readonly MatchingKey[] {
    return this.providers.flatMap((candidate) => {
      if (candidate === 'plain' || candidate.provider.type === 'envelope') return [];
      const encrypted = stripPrefix(candidate, value);
      return encrypted === undefined ? [] : matchingKeys(candidate.provider.keys, encrypted.bytes);
    });
  }

  /** Must be awaited before `value` is decrypted; undefined when there is nothing to wait for. */
  prepare(value: Buffer): Promise<void> | undefined {
    for (const candidate of this.providers) {
      if (candidate === 'plain' || candidate.provider.type !== 'envelope') continue;
      const encrypted = stripPrefix(candidate, value);
      if (encrypted !== undefined) return candidate.provider.envelope.prepare(encrypted.bytes);
    }
    return undefined;
  }

  /**
   * Decrypts with the first provider that succeeds. Throws {@link TransformError} with the errors of all providers that
   * match the prefix of the value.
   */
  decrypt(value: Buffer, storageKey: string): DecryptedValue {
    const messages: string[] = [];
    for (const [index, candidate] of this.providers.entries()) {
      if (candidate === 'plain') {
        if (!hasEncryptionPrefix(value)) return { value, isStale: index > 0 };
        continue;
      }
      const encrypted = stripPrefix(candidate, value);
      if (encrypted === undefined) continue;
      const { bytes, usesOtherDialect } = encrypted;
      try {
        const decrypted = this.measure('from_storage', candidate.metricPrefix, () => this.decryptWith(candidate, bytes, storageKey));
        return { value: decrypted.value, isStale: decrypted.isStale || index > 0 || usesOtherDialect };
      } catch (error) {
        if (!(error instanceof TransformError)) throw error;
        messages.push(error.message);
      }
    }
    if (messages.length === 0) this.options.metrics.observeTransform('from_storage', 'unknown', NON_GRPC_FAILURE, 0);
    throw combineErrors(messages, 'no matching prefix found');
  }

  /** Encrypts with the first provider. Throws {@link TransformError} when its KMS plug-in has no valid seed. */
  encrypt(plaintext: Buffer, storageKey: string): Buffer {
    const [first] = this.providers;
    if (first === undefined || first === 'plain') return plaintext;
    return this.measure('to_storage', first.metricPrefix, () => this.encryptWith(first, plaintext, storageKey));
  }

  private decryptWith({ provider }: PrefixedProvider, ciphertext: Buffer, storageKey: string): DecryptedValue {
    if (provider.type === 'envelope') return provider.envelope.decrypt(ciphertext, storageKey);
    const messages: string[] = [];
    for (const [index, { name, cipher }] of provider.keys.entries()) {
      const keyPrefix = Buffer.from(`${name}:`);
      if (!bufferStartsWith(ciphertext, keyPrefix)) continue;
      try {
        const value = this.measure('from_storage', `${name}:`, () => cipher.decrypt(ciphertext.subarray(keyPrefix.length), storageKey));
        return { value, isStale: index > 0 };
      } catch (error) {
        if (!(error instanceof TransformError)) throw error;
        messages.push(error.message);
      }
    }
    throw combineErrors(messages, provider.unknownKey);
  }

  private encryptWith({ provider, prefixes }: PrefixedProvider, plaintext: Buffer, storageKey: string): Buffer {
    const [prefix = Buffer.alloc(0)] = prefixes;
    if (provider.type === 'envelope') return Buffer.concat([prefix, provider.envelope.encrypt(plaintext, storageKey)]);
    const [key] = provider.keys;
    if (key === undefined) throw new TransformError(provider.unknownKey);
    const ciphertext = this.measure('to_storage', `${key.name}:`, () => key.cipher.encrypt(plaintext, storageKey));
    return Buffer.concat([prefix, Buffer.from(`${key.name}:`), ciphertext]);
  }

  /** Does the work and records its outcome under `prefix`. */
  private measure<T>(direction: Direction, prefix: string, work: () => T): T {
    const { clock, metrics } = this.options;
    const since = clock.monotonic();
    try {
      const result = work();
      metrics.observeTransform(direction, prefix, 'OK', (clock.monotonic() - since) / 1000);
      return result;
    } catch (error) {
      metrics.observeTransform(direction, prefix, (error instanceof TransformError ? error.code : undefined) ?? NON_GRPC_FAILURE, 0);
      throw error;
    }
  }
}

/** The key that the value names, and what follows that name. */
export interface MatchingKey {
  readonly key: EncryptionKey;
  readonly ciphertext: Buffer;
}

function matchingKeys(keys: readonly EncryptionKey[], value: Buffer): readonly MatchingKey[] {
  return keys.flatMap((key) => {
    const prefix = Buffer.from(`${key.name}:`);
    return bufferStartsWith(value, prefix) ? [{ key, ciphertext: value.subarray(prefix.length) }] : [];
  });
}

/** Whether the key decrypts the value. */
export function decrypts({ key, ciphertext }: MatchingKey, storageKey: string): boolean {
  try {
    key.cipher.decrypt(ciphertext, storageKey);
    return true;
  } catch (error) {
    if (error instanceof TransformError) return false;
    throw error;
  }
}

/** The value without the provider's prefix; undefined when it has another prefix. */
function stripPrefix(
  { prefixes }: PrefixedProvider,
  value: Buffer,
): { readonly bytes: Buffer; readonly usesOtherDialect: boolean } | undefined {
  const index = prefixes.findIndex((candidate) => bufferStartsWith(value, candidate));
  const prefix = prefixes[index];
  return prefix === undefined ? undefined : { bytes: value.subarray(prefix.length), usesOtherDialect: index > 0 };
}

/** One error for the providers or keys that matched the prefix of a value; `otherwise` when none did. */
function combineErrors(messages: readonly string[], otherwise: string): TransformError {
  const distinct = [...new Set(messages)];
  const [first = otherwise] = distinct;
  return new TransformError(distinct.length > 1 ? `[${distinct.join(', ')}]` : first);
}
