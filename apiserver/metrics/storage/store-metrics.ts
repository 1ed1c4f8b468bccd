/**
 * A store that counts and times its reads and transactions by operation and resource type, under upstream's names. It
 * passes on every call and result unchanged.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { measureTime } from '../../../shared/runtime/measure-time';
import type {
  KeyRange,
  KeyValue,
  RangeRequest,
  RangeResult,
  Revision,
  Store,
  StoreCallOptions,
  Transaction,
  TransactionResult,
} from '../../storage/store';
import { DelegatingStore } from '../../storage/delegating-store';
import type { NumberSeries, Meters, Observer } from '../registry/meters';

/** The label `operation`, with upstream's values. */
type Operation = 'get' | 'list' | 'listWithCount' | 'create' | 'update' | 'delete';

/** The series of one operation on one type. */
interface StoreCallSeries {
  readonly requests: NumberSeries;
  /** Called for each error: the series is not exposed before the first one. */
  readonly errors: () => NumberSeries;
  readonly durations: Observer;
}

/** Where calls are recorded, and how their keys are labelled. */
export interface MeteredStoreOptions {
  readonly meters: Meters;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The type name of a store key; undefined when the key belongs to no type. */
  readonly resourceOf: (key: string) => string | undefined;
}

/** Wraps a store; the result has the same optional methods. */
export function createMeteredStore(store: Store, options: MeteredStoreOptions): Store {
  return new MeteredStore(store, options.clock, createSeriesLookup(options));
}

/** Measures the calls that have an operation in upstream's metrics; the others are passed on unmeasured. */
class MeteredStore extends DelegatingStore {
  constructor(
    store: Store,
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly seriesFor: (operation: Operation, key: string) => StoreCallSeries,
  ) {
    super(store);
  }

  override get(key: string, options?: StoreCallOptions & { readonly revision?: Revision }): ReturnType<Store['get']> {
    return this.measure('get', key, () => super.get(key, options));
  }

  override range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    return this.measure('list', request.start, () => super.range(request, options));
  }

  override count(range: KeyRange, options?: StoreCallOptions): ReturnType<Store['count']> {
    return this.measure('listWithCount', range.start, () => super.count(range, options));
  }

  override transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    const { operation, key } = describeTransaction(transaction);
    return this.measure(operation, key, () => super.transact(transaction, options));
  }

  protected override getStaleFrom(store: Store, key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> {
    return this.measure('get', key, () => super.getStaleFrom(store, key, options));
  }

  private measure<T>(operation: Operation, key: string, work: () => Promise<T>): Promise<T> {
    const series = this.seriesFor(operation, key);
    return measureTime(this.clock, work, (startedAt, endedAt, outcome) => {
      series.requests.add();
      series.durations.observe((endedAt - startedAt) / 1000);
      if (outcome === 'failed') series.errors().add();
    });
  }
}

/** The operation and key for the labels: a transaction is labelled by its first written key. */
function describeTransaction({ compare, operations }: Transaction): { readonly operation: Operation; readonly key: string } {
  const [first] = operations;
  if (first === undefined) return { operation: 'get', key: compare[0]?.key ?? '' };
  if (first.type === 'delete') return { operation: 'delete', key: first.key };
  const isNew = compare.some((condition) => condition.key === first.key && 'modRevision' in condition && condition.modRevision === 0);
  return { operation: isNew ? 'create' : 'update', key: first.key };
}

/**
 * Limit of cached series, because resource types come and go with CustomResourceDefinitions; further ones are looked up
 * in the meters, which are bounded.
 */
const MAX_CACHED_SERIES = 2_000;
const OTHER = 'other';

/** Returns a function that finds the series of an operation on a key. */
function createSeriesLookup({ meters, resourceOf }: MeteredStoreOptions): (operation: Operation, key: string) => StoreCallSeries {
  const seriesByCall = new Map<string, StoreCallSeries>();
  return (operation, key) => {
    const type = resourceOf(key) ?? OTHER;
    const name = `${operation} ${type}`;
    let series = seriesByCall.get(name);
    if (series === undefined) {
      series = {
        requests: meters.counter('etcd_requests_total', operation, type),
        errors: () => meters.counter('etcd_request_errors_total', operation, type),
        durations: meters.observer('etcd_request_duration_seconds', operation, type),
      };
      if (seriesByCall.size < MAX_CACHED_SERIES) seriesByCall.set(name, series);
    }
    return series;
  };
}
