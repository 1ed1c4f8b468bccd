/**
 * Counters of gRPC calls per method: started calls, messages sent and received, and completed calls by status code. The
 * metrics read them; connections and calls are left to the clients.
 */

/** Names of the gRPC status codes, indexed by code. */
const CODE_NAMES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

/** The name of a status code as metrics show it. */
export type GrpcCodeName = (typeof CODE_NAMES)[number];

/** `Unknown` for a code that gRPC does not define. */
export const grpcCodeName = (code: number): GrpcCodeName => CODE_NAMES[code] ?? 'Unknown';

/** The value of the label `grpc_type` for the types of calls that this program makes. */
export type GrpcCallType = 'unary' | 'bidi_stream';

/** The counters of one method, which only grow. */
export class MethodCallCounters {
  /** Number of calls. */
  started = 0;
  /** Number of messages in each direction. For a stream, its owner counts the messages here. */
  sent = 0;
  received = 0;
  /** Number of completed calls; codes that have not occurred are absent. */
  readonly endedByCode = new Map<GrpcCodeName, number>();

  constructor(
    readonly service: string,
    readonly method: string,
    readonly type: GrpcCallType,
  ) {}

  /** Counts a started call. A unary call sends its only message at the start. */
  recordStart(): void {
    this.started += 1;
    if (this.type === 'unary') this.sent += 1;
  }

  /** Counts a completed call. A successful unary call receives its only message at the end. */
  recordEnd(code: number): void {
    const name = grpcCodeName(code);
    if (name === 'OK' && this.type === 'unary') this.received += 1;
    this.endedByCode.set(name, (this.endedByCode.get(name) ?? 0) + 1);
  }
}

/** The counters of all methods that one client calls. */
export class GrpcCallCounters {
  private readonly methods = new Map<string, MethodCallCounters>();

  /** `path` is `/service/method`. Counters are never removed: a program calls a fixed set of methods. */
  forMethod(path: string, type: GrpcCallType): MethodCallCounters {
    const existing = this.methods.get(path);
    if (existing !== undefined) return existing;
    const [, service = '', method = ''] = path.split('/');
    const counters = new MethodCallCounters(service, method, type);
    this.methods.set(path, counters);
    return counters;
  }

  /** In the order of the first calls. */
  get counters(): Iterable<MethodCallCounters> {
    return this.methods.values();
  }
}
