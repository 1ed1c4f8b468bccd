/**
 * Errors from error responses and from ERROR events of watches, and checks of the reasons that callers handle. Failures
 * without a response are `ConnectionError`s (transport/transport.ts).
 */
import { objectAt, ownMember, stringAt, type JsonObject } from '../../values/json';

/** A request that the server rejected, or an ERROR event of a watch. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** HTTP status. */
    readonly code: number,
    /** Upstream's reason (`NotFound`, `Conflict` …); `''` when the body is no Status. */
    readonly reason: string,
    message: string,
    /** From the Retry-After header or the details of the Status; `undefined` when the server sent neither. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

/** A body that is no Status is truncated to this length in messages. */
const MAX_SHOWN_LENGTH = 300;

/**
 * The error of a response with the error status `code`, or of an ERROR event. `body` is the JSON object of the response,
 * if it is one. When it is no Status, the message shows `text`, the whole response. `retryAfter` is the Retry-After header.
 */
export function createApiError(code: number, body: JsonObject | undefined, text: string, retryAfter?: string): ApiError {
  const header = retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  if (body === undefined || stringAt(body, 'kind') !== 'Status') {
    const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}...` : text;
    return new ApiError(code, '', `the server responded with ${code}${shown === '' ? '' : `: ${shown.trim()}`}`, header);
  }
  const details = objectAt(body, 'details');
  const seconds = details === undefined ? undefined : ownMember(details, 'retryAfterSeconds');
  const status = ownMember(body, 'code');
  return new ApiError(
    typeof status === 'number' && status > 0 ? status : code,
    stringAt(body, 'reason') ?? '',
    stringAt(body, 'message') ?? `the server responded with ${code}`,
    header ?? (typeof seconds === 'number' ? seconds : undefined),
  );
}

/** Whether the object, or the resource itself, does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

/** Whether a resource version was outdated or a precondition failed. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'Conflict';
}

/** Whether an object of this name exists already. */
export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'AlreadyExists';
}

/** Whether the namespace is being deleted and therefore accepts no new objects. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof ApiError && error.code === 403 && error.message.includes('is being terminated');
}

/** Whether the requested resource version was compacted. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.code === 410;
}

/** Resolves with `undefined` when the object does not exist. Rejects with other errors. */
export async function undefinedIfNotFound<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** For `catch`: throws the error again unless the object does not exist any more. */
export function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/**
 * For `catch`: throws the error again unless the object was deleted or changed meanwhile. An informer delivers the new
 * state, so the caller need not retry.
 */
export function ignoreNotFoundOrConflict(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
