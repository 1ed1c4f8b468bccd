/**
 * A store that creates a span for each read, transaction, grant of a lease and status call, in the trace of the request
 * that causes it; watches, compaction and renewals of leases have none. With etcd the spans are named after etcd's
 * RPCs. Calls and results are unchanged.
 */
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
import { DelegatingStore } from '../storage/delegating-store';
import type { RequestTracing } from './request-tracing';
import type { SpanAttributes } from './span';

type StoreRpc = 'Range' | 'Txn' | 'LeaseGrant' | 'Status';

/** The span of every call of one RPC. */
interface SpanDescription {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

const SERVICES: Readonly<Record<StoreRpc, string>> = { Range: 'KV', Txn: 'KV', LeaseGrant: 'Lease', Status: 'Maintenance' };

const describeGeneric = (call: StoreRpc): SpanDescription => ({ name: `store ${call}`, attributes: {} });

function describeEtcd(call: StoreRpc): SpanDescription {
  const service = `etcdserverpb.${SERVICES[call]}`;
  return { name: `${service}/${call}`, attributes: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': call } };
}

/** Outside requests, each call is a trace of its own. */
export class TracedStore extends DelegatingStore {
  /** Attributes of a successful call. */
  private readonly successAttributes: SpanAttributes;
  private readonly spans: Readonly<Record<StoreRpc, SpanDescription>>;

  constructor(
    store: Store,
    private readonly tracing: RequestTracing,
    { isEtcd }: { readonly isEtcd: boolean },
  ) {
    super(store);
    const describe = isEtcd ? describeEtcd : describeGeneric;
    this.successAttributes = isEtcd ? { 'rpc.grpc.status_code': 0 } : {};
    this.spans = { Range: describe('Range'), Txn: describe('Txn'), LeaseGrant: describe('LeaseGrant'), Status: describe('Status') };
  }

  override get(key: string, options?: StoreCallOptions & { readonly revision?: Revision }): ReturnType<Store['get']> {
    return this.traceCall('Range', () => super.get(key, options));
  }

  override range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    return this.traceCall('Range', () => super.range(request, options));
  }

  override count(range: KeyRange, options?: StoreCallOptions): ReturnType<Store['count']> {
    return this.traceCall('Range', () => super.count(range, options));
  }

  override revision(options?: StoreCallOptions): Promise<Revision> {
    return this.traceCall('Range', () => super.revision(options));
  }

  override transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    return this.traceCall('Txn', () => super.transact(transaction, options));
  }

  override grantLease(ttlSeconds: number, options?: StoreCallOptions): Promise<LeaseId> {
    return this.traceCall('LeaseGrant', () => super.grantLease(ttlSeconds, options));
  }

  override status(options?: StoreCallOptions): ReturnType<Store['status']> {
    return this.traceCall('Status', () => super.status(options));
  }

  protected override getStaleFrom(store: Store, key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> {
    return this.traceCall('Range', () => super.getStaleFrom(store, key, options));
  }

  private traceCall<T>(call: StoreRpc, work: () => Promise<T>): Promise<T> {
    const { name, attributes } = this.spans[call];
    return this.tracing.runInChildSpan(name, attributes, SpanKind.CLIENT, async (span) => {
      try {
        const result = await work();
        span?.setAttributes(this.successAttributes);
        return result;
      } catch (error) {
        span?.setStatus({ code: SpanStatusCode.ERROR, message: errorMessage(error) });
        throw error;
      }
    });
  }
}
