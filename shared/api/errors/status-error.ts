/**
 * The type Status of the API, and the error that holds one. The error catalogue is in status.ts, and the Statuses of
 * successes in success-status.ts.
 */

/** One cause in the details of a Status, with upstream's values: `FieldValueRequired`, its text, `spec.ports[0].name`. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** Details of a Status; absent members are omitted from its JSON. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** Members are in the order of the JSON response. Absent details are omitted; empty ones are written as `details: {}`. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  /** `continue` is the token of the next page: of an expired list, or of a deletion of a collection with a limit. */
  readonly metadata: { readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** The reasons that this server gives to errors. The denial of a webhook may have any other text as its reason. */
export type StatusReason =
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'ServerTimeout'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'ServiceUnavailable';

/** The HTTP status code of each reason. Options of {@link StatusError} may replace it. */
const CODE_BY_REASON: Readonly<Record<StatusReason, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  Invalid: 422,
  ServerTimeout: 500,
  Timeout: 504,
  TooManyRequests: 429,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  ServiceUnavailable: 503,
};

/** What a Status has besides its usual members. */
interface StatusOptions {
  /** The HTTP status code; by default that of the reason, or 500 without one. */
  readonly code?: number;
  /** See {@link Status.metadata}. */
  readonly continue?: string;
  /** A reason that is not a {@link StatusReason}, such as that of a webhook. Ignored when the error has one. */
  readonly reason?: string;
}

/** An error with the Status that a client receives. Handlers throw it. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status & { readonly code: number };

  /** `reason` is `undefined` for errors to which upstream gives none. */
  constructor(reason: StatusReason | undefined, message: string, details?: StatusDetails, options: StatusOptions = {}) {
    super(message);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: options.continue === undefined ? {} : { continue: options.continue },
      status: 'Failure',
      message,
      ...(reason === undefined && options.reason === undefined ? {} : { reason: reason ?? options.reason }),
      ...(details === undefined ? {} : { details }),
      code: options.code ?? (reason === undefined ? 500 : CODE_BY_REASON[reason]),
    };
  }

  /** The reason of the Status; `undefined` when it has none. */
  get reason(): string | undefined {
    return this.status.reason;
  }

  get code(): number {
    return this.status.code;
  }
}

/** Restores an error that another thread sent as its status. */
export function statusErrorFrom({ reason, message = '', details, code, metadata }: StatusError['status']): StatusError {
  const known = reason === undefined || !isReason(reason) ? undefined : reason;
  return new StatusError(known, message, details, {
    code,
    ...(metadata.continue === undefined ? {} : { continue: metadata.continue }),
    // The reason of a webhook may be any text.
    ...(reason === undefined ? {} : { reason }),
  });
}

const isReason = (text: string): text is StatusReason => Object.hasOwn(CODE_BY_REASON, text);
