/** A store whose requests are counted and timed, by what is done and by the type of what it is done to. Changes nothing. */
import type { Clock } from '../../shared/runtime/clock';
import { timed } from '../../shared/runtime/timed';
import type { Store, Transaction, StoreCallOptions } from '../storage/store';
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
  /** What the keys begin with. */
  readonly prefix: string;
  /** Built-in types by their keys' segment (`services/specs`). */
  readonly segments: ReadonlyMap<string, string>;
}

export function meteredStore(store: Store, parts: MeteredStoreParts): Store {
  const { clock } = parts;
  const meter = meterOf(parts);
  const measured = <T>(operation: Operation, key: string, work: () => Promise<T>): Promise<T> => {
    const series = meter(operation, key);
    const outcome = timed(clock, work, (from, until, hasFailed) => {
      series.requests.add();
      series.durations.observe((until - from) / 1000);
      if (hasFailed) series.errors().add();
    });
    return Promise.resolve(outcome);
  };
  return {
    ...(store.outdated === undefined
      ? {}
      : { outdated: (key: string, options?: StoreCallOptions) => measured('get', key, async () => store.outdated?.(key, options)) }),
    get: (key, options) => measured('get', key, () => store.get(key, options)),
    range: (request, options) => measured('list', request.start, () => store.range(request, options)),
    count: (range, options) => measured('listWithCount', range.start, () => store.count(range, options)),
    transact(transaction, options) {
      const { operation, key } = described(transaction);
      return measured(operation, key, () => store.transact(transaction, options));
    },
    watch: (range, from, sink) => store.watch(range, from, sink),
    revision: (options) => store.revision(options),
    compact: (revision, options) => store.compact(revision, options),
    grantLease: (seconds, options) => store.grantLease(seconds, options),
    keepLeaseAlive: (lease, options) => store.keepLeaseAlive(lease, options),
    revokeLease: (lease, options) => store.revokeLease(lease, options),
    status: (options) => store.status(options),
    health: (options) => store.health(options),
    maxOperations: store.maxOperations,
    close: () => store.close(),
  };
}

/** The first key that is written says what a transaction is about; what goes with it does not. */
function described({ compare, operations }: Transaction): { readonly operation: Operation; readonly key: string } {
  const [first] = operations;
  if (first === undefined) return { operation: 'get', key: compare[0]?.key ?? '' };
  if (first.type === 'delete') return { operation: 'delete', key: first.key };
  const isNew = compare.some((condition) => condition.key === first.key && 'modRevision' in condition && condition.modRevision === 0);
  return { operation: isNew ? 'create' : 'update', key: first.key };
}

function meterOf({ meters, prefix, segments }: MeteredStoreParts): (operation: Operation, key: string) => Series {
  const known = new Map<string, Series>();
  const root = `${prefix}/`;
  return (operation, key) => {
    const type = typeOf(key, root, segments);
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

/** `/registry/services/specs/…` → `services`; `/registry/<group>/<resource>/…` → `<resource>.<group>`. */
function typeOf(key: string, root: string, segments: ReadonlyMap<string, string>): string {
  if (!key.startsWith(root)) return OTHER;
  const first = key.indexOf('/', root.length);
  if (first < 0) return OTHER;
  const one = key.slice(root.length, first);
  const known = segments.get(one);
  if (known !== undefined) return known;
  const second = key.indexOf('/', first + 1);
  if (second < 0) return OTHER;
  const two = key.slice(root.length, second);
  return segments.get(two) ?? (one.includes('.') ? `${two.slice(one.length + 1)}.${one}` : OTHER);
}
