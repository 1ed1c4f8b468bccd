/**
 * Wraps a store so that the cache and everything above it see plaintext: encrypts each value by the current rules before
 * it is written, and decrypts it when it is read. Values of keys that belong to no API resource pass unchanged. A value
 * that cannot be decrypted is replaced by a placeholder with the reason (unreadable-value.ts), so that lists and watches
 * continue.
 */
import type { Clock } from '../../../shared/runtime/clock';
import {
  StoreError,
  type KeyRange,
  type KeyValue,
  type RangeRequest,
  type RangeResult,
  type Revision,
  type Store,
  type StoreCallOptions,
  type StoreOperation,
  type Transaction,
  type TransactionResult,
  type Watch,
  type WatchSink,
} from '../store';
import { DelegatingStore } from '../delegating-store';
import { hasEncryptionPrefix, ENCRYPTED_READ_AS_IDENTITY, unreadableValue } from '../unreadable-value';
import { TransformError } from './ciphers';
import { TimeSlice, type YieldNow } from '../../../shared/scheduling/yielding';
import { DecryptingSink } from './decrypting-sink';
import type { EncryptionRules } from './encryption-rules';
import type { ValueTransformer } from './value-transformer';

/** By which rules values are encrypted, and how decrypting them yields to the event loop. */
export interface EncryptedStoreOptions {
  /** The current rules. */
  readonly rules: () => EncryptionRules;
  /** The resource of a key, such as `deployments.apps`; undefined when the key belongs to none. */
  readonly resourceOf: (key: string) => string | undefined;
  readonly clock: Clock;
  /** Replaces the yield to the event loop between values (see `TimeSlice`), for tests. */
  readonly yieldNow?: YieldNow;
}

/** Wraps `store`. Calls `options.rules` for each value, so that a reload of the configuration takes effect at once. */
export function createEncryptedStore(store: Store, options: EncryptedStoreOptions): Store {
  return new EncryptedStore(store, options);
}

class EncryptedStore extends DelegatingStore {
  constructor(
    store: Store,
    private readonly options: EncryptedStoreOptions,
  ) {
    super(store);
  }

  /** Replaces the member that forwards to the wrapped store, which stores the bytes as they are. */
  override readonly getStale = (key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> => this.readStale(key, options);

  override async get(
    key: string,
    options?: StoreCallOptions & { readonly revision?: Revision },
  ): Promise<{ readonly revision: Revision; readonly kv: KeyValue | undefined }> {
    const { revision, kv } = await this.store.get(key, options);
    return { revision, kv: kv === undefined ? undefined : await this.decryptKeyValue(kv) };
  }

  override async range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    const result = await this.store.range(request, options);
    if (request.keysOnly === true) return result;
    const kvs: KeyValue[] = [];
    const slice = new TimeSlice(this.options.clock, { stepsPerCheck: 1, yieldNow: this.options.yieldNow });
    for (const kv of result.kvs) {
      const decrypted = this.decryptWhenReady(kv);
      kvs.push(decrypted instanceof Promise ? await decrypted : decrypted);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    return { ...result, kvs };
  }

  override async transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    const operations = transaction.operations.map((operation) => this.encryptOperation(operation));
    const result = await this.store.transact({ compare: transaction.compare, operations }, options);
    if (result.committed) return result;
    const current: (KeyValue | undefined)[] = [];
    for (const kv of result.current) current.push(kv === undefined ? undefined : await this.decryptKeyValue(kv));
    return { ...result, current };
  }

  override watch(range: KeyRange, from: Revision, sink: WatchSink): Watch {
    const decryptingSink = new DecryptingSink(sink, { ...this.options, prepare: this.prepare, decrypt: this.decryptValue });
    return decryptingSink.wrapWatch(this.store.watch(range, from, decryptingSink));
  }

  private async readStale(key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> {
    const transformer = this.transformerFor(key);
    if (transformer === undefined) return undefined;
    const { kv } = await this.store.get(key, options);
    if (kv === undefined) return undefined;
    await transformer.prepare(kv.value);
    try {
      const { value, isStale } = transformer.decrypt(kv.value, key);
      return isStale ? { ...kv, value } : undefined;
    } catch (error) {
      // An unreadable value cannot be written again.
      if (error instanceof TransformError) return undefined;
      throw error;
    }
  }

  private transformerFor(key: string): ValueTransformer | undefined {
    const resource = this.options.resourceOf(key);
    return resource === undefined ? undefined : this.options.rules().forResource(resource);
  }

  private encryptOperation(operation: StoreOperation): StoreOperation {
    if (operation.type === 'delete') return operation;
    const transformer = this.transformerFor(operation.key);
    if (transformer === undefined) return operation;
    try {
      return { ...operation, value: transformer.encrypt(operation.value, operation.key) };
    } catch (error) {
      if (error instanceof TransformError) throw new StoreError('unreadable', error.message);
      throw error;
    }
  }

  private async decryptKeyValue(kv: KeyValue): Promise<KeyValue> {
    await this.prepare(kv.key, kv.value);
    return { ...kv, value: this.decryptValue(kv.key, kv.value) };
  }

  /** Returns a promise only when a key has to be fetched first. */
  private decryptWhenReady(kv: KeyValue): KeyValue | Promise<KeyValue> {
    return this.prepare(kv.key, kv.value) === undefined ? { ...kv, value: this.decryptValue(kv.key, kv.value) } : this.decryptKeyValue(kv);
  }

  /** Fetches the key that a stored value needs; undefined when it is known. An arrow function, because the sink calls it. */
  private readonly prepare = (key: string, value: Buffer): Promise<void> | undefined => {
    const transformer = this.transformerFor(key);
    const wait = transformer?.prepare(value);
    return wait === undefined ? undefined : this.prepareWithCurrentRules(key, value, transformer, wait);
  };

  /** Waits for the key of the `previous` transformer. When the rules have changed since, fetches the key that they need. */
  private async prepareWithCurrentRules(
    key: string,
    value: Buffer,
    previous: ValueTransformer | undefined,
    wait: Promise<void>,
  ): Promise<void> {
    await wait;
    const transformer = this.transformerFor(key);
    if (transformer !== previous) await transformer?.prepare(value);
  }

  /** The plaintext of a stored value, or a placeholder. An arrow function, because the sink calls it. */
  private readonly decryptValue = (key: string, value: Buffer): Buffer => {
    const resource = this.options.resourceOf(key);
    if (resource === undefined || value.length === 0) return value;
    const transformer = this.options.rules().forResource(resource);
    if (transformer === undefined) return hasEncryptionPrefix(value) ? unreadableValue(ENCRYPTED_READ_AS_IDENTITY) : value;
    try {
      return transformer.decrypt(value, key).value;
    } catch (error) {
      if (error instanceof TransformError) return unreadableValue(error.message);
      throw error;
    }
  };
}
