/** What a server answers instead of what was asked for. Never made from anything but an answer. */
import { objectAt, own, stringAt, type JsonObject } from '../../values/json';

export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** HTTP status. */
    readonly code: number,
    /** Upstream's reasons (`NotFound`, `Conflict` …); '' when the answer is no Status. */
    readonly reason: string,
    message: string,
    /** Seconds to wait before the next attempt, when the server said so. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

/** The error that an answer with a failure code, or the object of a watch's ERROR event, stands for. */
export function apiErrorOf(code: number, body: JsonObject | undefined, text: string, retryAfter?: string): ApiError {
  const header = retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  if (body === undefined || stringAt(body, 'kind') !== 'Status') {
    const shown = text.length > 300 ? `${text.slice(0, 300)}...` : text;
    return new ApiError(code, '', `the server answered ${code}${shown === '' ? '' : `: ${shown.trim()}`}`, header);
  }
  const details = objectAt(body, 'details');
  const seconds = details === undefined ? undefined : own(details, 'retryAfterSeconds');
  const status = own(body, 'code');
  return new ApiError(
    typeof status === 'number' && status > 0 ? status : code,
    stringAt(body, 'reason') ?? '',
    stringAt(body, 'message') ?? `the server answered ${code}`,
    header ?? (typeof seconds === 'number' ? seconds : undefined),
  );
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

/** Another writer was first: an outdated resource version, or a failed precondition. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'Conflict';
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'AlreadyExists';
}

/** The refusal of new content in a namespace that is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof ApiError && error.code === 403 && error.message.includes('is being terminated');
}

/** The asked version is older than what the server still knows. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.code === 410;
}
