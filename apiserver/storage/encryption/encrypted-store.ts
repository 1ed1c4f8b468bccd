/**
 * A store whose values are encrypted on their way to another one, by the rules of the moment, and decrypted once on their way back: everything above, the
 * cache with its reads and events among it, sees them as they were. Keys that belong to no API object pass as they are. A value that cannot be
 * decrypted is replaced by one that says why (unreadable.ts), so that all others go on.
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
import { StoreLayer } from '../store-layer';
import { isEncrypted, NOBODY_READS, unreadableValue } from '../unreadable';
import { TransformFault } from './ciphers';
import { TimeSlice, type YieldNow } from '../../../shared/scheduling/yielding';
import { OpeningSink } from './opening-sink';
import type { EncryptionRules, RowRules } from './rules';

export interface EncryptedStoreParts {
  /** Those of the moment. */
  readonly rules: () => EncryptionRules;
  /** The resource to which a key belongs, such as `deployments.apps`; undefined = none. */
  readonly resourceOf: (key: string) => string | undefined;
  readonly clock: Clock;
  /** See `TimeSlice`. */
  readonly yieldNow?: YieldNow;
}

export function encryptedStore(store: Store, parts: EncryptedStoreParts): Store {
  return new EncryptedStore(store, parts);
}

class EncryptedStore extends StoreLayer {
  constructor(
    store: Store,
    private readonly parts: EncryptedStoreParts,
  ) {
    super(store);
  }

  /** What is encrypted is so by this layer only. */
  override readonly outdated = (key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> =>
    this.writtenOtherwise(key, options);

  override async get(
    key: string,
    options?: StoreCallOptions & { readonly revision?: Revision },
  ): Promise<{ readonly revision: Revision; readonly kv: KeyValue | undefined }> {
    const { revision, kv } = await this.store.get(key, options);
    return { revision, kv: kv === undefined ? undefined : await this.opened(kv) };
  }

  override async range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    const result = await this.store.range(request, options);
    if (request.keysOnly === true) return result;
    const kvs: KeyValue[] = [];
    const slice = new TimeSlice(this.parts.clock, { stepsPerCheck: 1, yieldNow: this.parts.yieldNow });
    for (const kv of result.kvs) {
      const made = this.openedOrNow(kv);
      kvs.push(made instanceof Promise ? await made : made);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    return { ...result, kvs };
  }

  override async transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    const operations = transaction.operations.map((operation) => this.sealed(operation));
    const result = await this.store.transact({ compare: transaction.compare, operations }, options);
    if (result.committed) return result;
    const current: (KeyValue | undefined)[] = [];
    for (const kv of result.current) current.push(kv === undefined ? undefined : await this.opened(kv));
    return { ...result, current };
  }

  override watch(range: KeyRange, from: Revision, sink: WatchSink): Watch {
    const opening = new OpeningSink(sink, { ...this.parts, prepare: this.prepare, open: this.open });
    return opening.over(this.store.watch(range, from, opening));
  }

  private async writtenOtherwise(key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> {
    const row = this.rowOf(key);
    if (row === undefined) return undefined;
    const { kv } = await this.store.get(key, options);
    if (kv === undefined) return undefined;
    await row.prepare(kv.value);
    try {
      const { value, isOutdated } = row.open(kv.value, key);
      return isOutdated ? { ...kv, value } : undefined;
    } catch (error) {
      if (error instanceof TransformFault) return undefined;
      throw error;
    }
  }

  private rowOf(key: string): RowRules | undefined {
    const resource = this.parts.resourceOf(key);
    return resource === undefined ? undefined : this.parts.rules().of(resource);
  }

  private sealed(operation: StoreOperation): StoreOperation {
    if (operation.type === 'delete') return operation;
    const row = this.rowOf(operation.key);
    if (row === undefined) return operation;
    try {
      return { ...operation, value: row.seal(operation.value, operation.key) };
    } catch (error) {
      if (error instanceof TransformFault) throw new StoreError('unreadable', error.message);
      throw error;
    }
  }

  private async opened(kv: KeyValue): Promise<KeyValue> {
    await this.prepare(kv.key, kv.value);
    return { ...kv, value: this.open(kv.key, kv.value) };
  }

  /** A promise only where something has to be asked for. */
  private openedOrNow(kv: KeyValue): KeyValue | Promise<KeyValue> {
    return this.prepare(kv.key, kv.value) === undefined ? { ...kv, value: this.open(kv.key, kv.value) } : this.opened(kv);
  }

  private readonly prepare = (key: string, value: Buffer): Promise<void> | undefined => {
    const row = this.rowOf(key);
    const wait = row?.prepare(value);
    return wait === undefined ? undefined : this.prepared(key, value, row, wait);
  };

  /** Where the rules have changed meanwhile, those that hold now need to know what the value is sealed with. */
  private async prepared(key: string, value: Buffer, asked: RowRules | undefined, wait: Promise<void>): Promise<void> {
    await wait;
    const row = this.rowOf(key);
    if (row !== asked) await row?.prepare(value);
  }

  private readonly open = (key: string, value: Buffer): Buffer => {
    const resource = this.parts.resourceOf(key);
    if (resource === undefined || value.length === 0) return value;
    const row = this.parts.rules().of(resource);
    if (row === undefined) return isEncrypted(value) ? unreadableValue(NOBODY_READS) : value;
    try {
      return row.open(value, key).value;
    } catch (error) {
      if (error instanceof TransformFault) return unreadableValue(error.message);
      throw error;
    }
  };
}
