/** A store whose requests are parts of what they are made for, or traces of their own, under the names of etcd's calls where it is one. Changes nothing. */
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { errorMessage } from '../../shared/runtime/error-message';
import type {
  KeyRange,
  KeyValue,
  LeaseId,
  RangeRequest,
  RangeResult,
  Revision,
  Store,
  StoreCallOptions,
  Transaction,
  TransactionResult,
} from '../storage/store';
import { StoreLayer } from '../storage/store-layer';
import type { RequestTracing } from './request-tracing';
import type { SpanAttributes } from './span';

type Call = 'Range' | 'Txn' | 'LeaseGrant' | 'Status';

interface Shown {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

const SERVICES: Readonly<Record<Call, string>> = { Range: 'KV', Txn: 'KV', LeaseGrant: 'Lease', Status: 'Maintenance' };

const plain = (call: Call): Shown => ({ name: `store ${call}`, attributes: {} });

function ofEtcd(call: Call): Shown {
  const service = `etcdserverpb.${SERVICES[call]}`;
  return { name: `${service}/${call}`, attributes: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': call } };
}

export class TracedStore extends StoreLayer {
  /** What is said of a call that has been answered. */
  private readonly good: SpanAttributes;
  private readonly shown: Readonly<Record<Call, Shown>>;

  constructor(
    store: Store,
    private readonly tracing: RequestTracing,
    isEtcd: boolean,
  ) {
    super(store);
    const show = isEtcd ? ofEtcd : plain;
    this.good = isEtcd ? { 'rpc.grpc.status_code': 0 } : {};
    this.shown = { Range: show('Range'), Txn: show('Txn'), LeaseGrant: show('LeaseGrant'), Status: show('Status') };
  }

  override get(key: string, options?: StoreCallOptions & { readonly revision?: Revision }): ReturnType<Store['get']> {
    return this.traced('Range', () => super.get(key, options));
  }

  override range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    return this.traced('Range', () => super.range(request, options));
  }

  override count(range: KeyRange, options?: StoreCallOptions): ReturnType<Store['count']> {
    return this.traced('Range', () => super.count(range, options));
  }

  override revision(options?: StoreCallOptions): Promise<Revision> {
    return this.traced('Range', () => super.revision(options));
  }

  override transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    return this.traced('Txn', () => super.transact(transaction, options));
  }

  override grantLease(ttlSeconds: number, options?: StoreCallOptions): Promise<LeaseId> {
    return this.traced('LeaseGrant', () => super.grantLease(ttlSeconds, options));
  }

  override status(options?: StoreCallOptions): ReturnType<Store['status']> {
    return this.traced('Status', () => super.status(options));
  }

  protected override below(store: Store, key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> {
    return this.traced('Range', () => super.below(store, key, options));
  }

  private traced<T>(call: Call, work: () => Promise<T>): Promise<T> {
    const { name, attributes } = this.shown[call];
    return this.tracing.part(name, attributes, SpanKind.CLIENT, async (span) => {
      try {
        const answer = await work();
        span?.setAttributes(this.good);
        return answer;
      } catch (error) {
        span?.setStatus({ code: SpanStatusCode.ERROR, message: errorMessage(error) });
        throw error;
      }
    });
  }
}
