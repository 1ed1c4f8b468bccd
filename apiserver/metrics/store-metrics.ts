/** A store whose requests are counted and timed, by what is done and by the type of what it is done to. Changes nothing. */
import type { Clock } from '../../shared/runtime/clock';
import { measureTime } from '../../shared/runtime/measure-time';
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
} from '../storage/store';
import { StoreLayer } from '../storage/store-layer';
import type { Count, Meters, Observer } from './meters';

type Operation = 'get' | 'list' | 'listWithCount' | 'create' | 'update' | 'delete';

interface Series {
  readonly requests: Count;
  readonly errors: () => Count;
  readonly durations: Observer;
}

export interface MeteredStoreParts {
  readonly meters: Meters;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The name of the type whose object a key holds; undefined = it holds none. */
  readonly resourceOf: (key: string) => string | undefined;
}

export function meteredStore(store: Store, parts: MeteredStoreParts): Store {
  return new MeteredStore(store, parts.clock, meterOf(parts));
}

class MeteredStore extends StoreLayer {
  constructor(
    store: Store,
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly meter: (operation: Operation, key: string) => Series,
  ) {
    super(store);
  }

  override get(key: string, options?: StoreCallOptions & { readonly revision?: Revision }): ReturnType<Store['get']> {
    return this.measured('get', key, () => super.get(key, options));
  }

  override range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    return this.measured('list', request.start, () => super.range(request, options));
  }

  override count(range: KeyRange, options?: StoreCallOptions): ReturnType<Store['count']> {
    return this.measured('listWithCount', range.start, () => super.count(range, options));
  }

  override transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    const { operation, key } = described(transaction);
    return this.measured(operation, key, () => super.transact(transaction, options));
  }

  protected override below(store: Store, key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> {
    return this.measured('get', key, () => super.below(store, key, options));
  }

  private measured<T>(operation: Operation, key: string, work: () => Promise<T>): Promise<T> {
    const series = this.meter(operation, key);
    return measureTime(this.clock, work, (from, until, hasFailed) => {
      series.requests.add();
      series.durations.observe((until - from) / 1000);
      if (hasFailed) series.errors().add();
    });
  }
}

/** The first key that is written says what a transaction is about; what goes with it does not. */
function described({ compare, operations }: Transaction): { readonly operation: Operation; readonly key: string } {
  const [first] = operations;
  if (first === undefined) return { operation: 'get', key: compare[0]?.key ?? '' };
  if (first.type === 'delete') return { operation: 'delete', key: first.key };
  const isNew = compare.some((condition) => condition.key === first.key && 'modRevision' in condition && condition.modRevision === 0);
  return { operation: isNew ? 'create' : 'update', key: first.key };
}

function meterOf({ meters, resourceOf }: MeteredStoreParts): (operation: Operation, key: string) => Series {
  const known = new Map<string, Series>();
  return (operation, key) => {
    const type = resourceOf(key) ?? OTHER;
    const name = `${operation} ${type}`;
    let series = known.get(name);
    if (series === undefined) {
      series = {
        requests: meters.count('etcd_requests_total', operation, type),
        errors: () => meters.count('etcd_request_errors_total', operation, type),
        durations: meters.observer('etcd_request_duration_seconds', operation, type),
      };
      if (known.size < MOST_KEPT) known.set(name, series);
    }
    return series;
  };
}

/** Definitions come and go; beyond so many series each is looked for where they are bounded. */
const MOST_KEPT = 2_000;
const OTHER = 'other';
