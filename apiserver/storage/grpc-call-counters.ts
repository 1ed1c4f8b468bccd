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

export type GrpcCodeName = (typeof CODE_NAMES)[number];

export const grpcCodeName = (code: number): GrpcCodeName => CODE_NAMES[code] ?? 'Unknown';

export type GrpcCallType = 'unary' | 'bidi_stream';

export class MethodCallCounters {
  started = 0;
  sent = 0;
  received = 0;
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

  recordEnd(code: number): void {
    const name = grpcCodeName(code);
    if (name === 'OK' && this.type === 'unary') this.received += 1;
    this.endedByCode.set(name, (this.endedByCode.get(name) ?? 0) + 1);
  }
}

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

  get counters(): Iterable<MethodCallCounters> {
    return this.methods.values();
  }
}
