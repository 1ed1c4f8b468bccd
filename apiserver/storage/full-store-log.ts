/**
 * Logs that the wrapped store is full, with the remedy, and that it accepts writes again. Changes no result: writes that
 * are refused for other reasons and the responses to clients are left to the callers.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import { throttle } from '../../shared/runtime/throttle';
import { DelegatingStore } from './delegating-store';
import { StoreError, type LeaseId, type Store, type StoreCallOptions, type Transaction, type TransactionResult } from './store';

/** Where the lines are logged, and the remedy that they name. */
export interface FullStoreLogOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error' | 'info'>;
  /** What the operator has to do, without a final full stop. */
  readonly remedy: string;
}

/** Minimum time between two log lines about refused writes. */
const LOG_INTERVAL_MS = 30_000;

/** A store that knows whether its last writes were refused because it is full. */
export interface SpaceObservedStore extends Store {
  /** True from the first write or health check that fails for lack of space until a write that needs space is committed. */
  readonly isFull: boolean;
}

/** Wraps a store; calls and results are unchanged. */
export function logFullStore(store: Store, options: FullStoreLogOptions): SpaceObservedStore {
  return new FullStoreLog(store, options);
}

class FullStoreLog extends DelegatingStore implements SpaceObservedStore {
  isFull = false;
  private readonly logFull: (reason: string) => void;

  constructor(
    store: Store,
    private readonly options: FullStoreLogOptions,
  ) {
    super(store);
    const { clock, logger, remedy } = options;
    this.logFull = throttle(clock, LOG_INTERVAL_MS, (reason: string) =>
      logger.error('the store has no space left: writes are refused', { reason, remedy }),
    );
  }

  override transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    return this.observe(this.store.transact(transaction, options), ({ committed }) => committed && hasPut(transaction));
  }

  override grantLease(ttlSeconds: number, options?: StoreCallOptions): Promise<LeaseId> {
    return this.observe(this.store.grantLease(ttlSeconds, options), () => true);
  }

  override health(options?: StoreCallOptions): Promise<void> {
    return this.observe(this.store.health(options), () => false);
  }

  /** Returns `call`. `provesSpace`: whether the result shows that the store takes writes that need space. */
  private observe<T>(call: Promise<T>, provesSpace: (result: T) => boolean): Promise<T> {
    void call.then(
      (result) => {
        if (this.isFull && provesSpace(result)) this.onSpace();
      },
      (error: unknown) => {
        if (error instanceof StoreError && error.failure === 'no-space') this.onFull(error.message);
      },
    );
    return call;
  }

  private onFull(reason: string): void {
    this.isFull = true;
    this.logFull(reason);
  }

  private onSpace(): void {
    this.isFull = false;
    this.options.logger.info('the store has space again: writes are accepted');
  }
}

const hasPut = ({ operations }: Transaction): boolean => operations.some(({ type }) => type === 'put');
