/** Calls of gRPC services, counted by method: begun, messages there and back, and how they ended. Knows neither connections nor metrics. */

/** Names of gRPC's codes, by their numbers. */
const CODES = [
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

export type GrpcCodeName = (typeof CODES)[number];

export const grpcCodeName = (code: number): GrpcCodeName => CODES[code] ?? 'Unknown';

export type CallType = 'unary' | 'bidi_stream';

export class MethodCalls {
  started = 0;
  sent = 0;
  received = 0;
  readonly ended = new Map<GrpcCodeName, number>();

  constructor(
    readonly service: string,
    readonly method: string,
    readonly type: CallType,
  ) {}

  /** One more call; of unary ones the message goes with it. */
  begin(): void {
    this.started += 1;
    if (this.type === 'unary') this.sent += 1;
  }

  end(code: number): void {
    const name = grpcCodeName(code);
    if (name === 'OK' && this.type === 'unary') this.received += 1;
    this.ended.set(name, (this.ended.get(name) ?? 0) + 1);
  }
}

export class GrpcCalls {
  private readonly methods = new Map<string, MethodCalls>();

  /** `path` = `/service/method`, of which a program has few. */
  of(path: string, type: CallType): MethodCalls {
    const known = this.methods.get(path);
    if (known !== undefined) return known;
    const [, service = '', method = ''] = path.split('/');
    const made = new MethodCalls(service, method, type);
    this.methods.set(path, made);
    return made;
  }

  get all(): Iterable<MethodCalls> {
    return this.methods.values();
  }
}
