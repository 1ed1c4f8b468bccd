/**
 * The error catalogue: the only module that creates the Status of an error (reasons, codes, messages, details); those of
 * successes are in success-status.ts. Handlers throw a {@link StatusError}; the endpoint layer encodes it in the encoding and dialect of the request. The decision that a
 * request is in error belongs to the callers.
 */
import { groupKindText, groupResourceText, type GroupResource } from '../identity/identity';
import { invalidShownValue, MAX_SHOWN_CHARACTERS, type FieldError } from './field-error';
import { quote } from '../../values/text/quote';

/** One cause in the details of a Status. */
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

/** Members are in wire order. `details: {}` is printed when present and empty. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
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

/** The HTTP status code of each reason, unless the error has one of its own. */
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

/**
 * An error with the Status that a client receives. Handlers throw it; a code of the options overrides that of the
 * reason.
 */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status & { readonly code: number };

  constructor(
    reason: StatusReason | undefined,
    message: string,
    details?: StatusDetails,
    options: { readonly code?: number; readonly continue?: string; readonly reason?: string } = {},
  ) {
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

  /** `undefined` where upstream gives none. */
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

function detailsOf(gr: GroupResource, name?: string): StatusDetails {
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    ...(gr.group === '' ? {} : { group: gr.group }),
    kind: gr.resource,
  };
}

/** The request has no valid credentials. Why is not disclosed. */
export const unauthorized = (): StatusError => new StatusError('Unauthorized', 'Unauthorized');

/** As upstream, which passes the error of its store on: without a reason. */
export const storeFull = (message: string): StatusError => new StatusError(undefined, message);

/** `text` is the sentence after "is forbidden: ". */
export const forbidden = (gr: GroupResource, name: string, text: string, causes?: readonly StatusCause[]): StatusError =>
  new StatusError('Forbidden', `${groupResourceText(gr)}${name === '' ? '' : ` ${quote(name)}`} is forbidden: ${text}`, {
    ...detailsOf(gr, name),
    ...(causes === undefined ? {} : { causes }),
  });

/** A request for a path that is no resource. `text` names the user and the path. */
export const forbiddenPath = (text: string): StatusError => new StatusError('Forbidden', `forbidden: ${text}`, {});

/** No object of the resource has the name. */
export const notFound = (gr: GroupResource, name: string): StatusError =>
  new StatusError('NotFound', `${groupResourceText(gr)} ${quote(name)} not found`, detailsOf(gr, name));

/** A path below a served group that has no route. */
export const routeNotFound = (): StatusError => new StatusError('NotFound', 'the server could not find the requested resource', {});

/** A path that exists for other methods. */
export const methodNotAllowedOnRoute = (): StatusError =>
  new StatusError('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** `verb` is '' for a method without a verb; `resource` is spelled as in messages. */
export const methodNotSupported = (gr: GroupResource, verb: string, resource: string): StatusError =>
  new StatusError('MethodNotAllowed', `${verb} is not supported on resources of kind ${quote(resource)}`, {
    group: gr.group,
    kind: gr.resource,
  });

/** A custom resource while its definition is being deleted. */
export const createNotAllowed = (gr: GroupResource): StatusError =>
  new StatusError('MethodNotAllowed', 'create not allowed while custom resource definition is terminating', {
    group: gr.group,
    kind: gr.resource,
  });

/** A resource without the verb watch. */
export const watchNotSupported = ({ resource }: { readonly resource: string }): StatusError =>
  new StatusError('MethodNotAllowed', `watch is not supported on resources of kind ${quote(resource)}`, { kind: resource });

/** Upstream sets no reason and responds with 500. */
export const componentNotFound = (name: string): StatusError => new StatusError(undefined, `Component not found: ${name}`);

/** `terminating`: the existing object is being deleted. */
export const alreadyExists = (gr: GroupResource, name: string, options: { readonly terminating?: boolean } = {}): StatusError =>
  new StatusError(
    'AlreadyExists',
    `${options.terminating ? 'object is being deleted: ' : ''}${groupResourceText(gr)} ${quote(name)} already exists`,
    detailsOf(gr, name),
  );

/** A create with `generateName` that found an existing object in every attempt; the client may retry. */
export const generatedNameExhausted = (gr: GroupResource, name: string, options: { readonly terminating?: boolean } = {}): StatusError =>
  new StatusError(
    'AlreadyExists',
    `${options.terminating ? 'object is being deleted: ' : ''}${groupResourceText(gr)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`,
    { ...detailsOf(gr, name), retryAfterSeconds: 1 },
  );

/** `text`: why the write cannot be made. */
export const conflict = (gr: GroupResource, name: string, text: string): StatusError =>
  new StatusError('Conflict', `Operation cannot be fulfilled on ${groupResourceText(gr)} ${quote(name)}: ${text}`, detailsOf(gr, name));

/** Optimistic concurrency conflict: the resourceVersion has changed. */
export const objectModified = (gr: GroupResource, name: string): StatusError =>
  conflict(gr, name, 'the object has been modified; please apply your changes to the latest version and try again');

/** An apply that would change fields owned by other managers. */
export const applyConflict = (message: string, causes: readonly { readonly message: string; readonly field: string }[]): StatusError =>
  new StatusError('Conflict', message, { causes: causes.map((cause) => ({ reason: 'FieldManagerConflict', ...cause })) });

/**
 * Adds the owners to the rejection of an applied configuration that is invalid because other managers own fields of the
 * object: `text` is appended to the message, `causes` name each manager and field. Release 1.31.1 does not name them.
 */
export const invalidForOwners = (
  { message, status }: StatusError,
  text: string,
  causes: readonly { readonly message: string; readonly field: string }[],
): StatusError => {
  const known = status.details?.causes ?? [];
  return new StatusError('Invalid', `${message}; ${text}`, {
    ...status.details,
    causes: [...known, ...causes.map((cause) => ({ reason: 'FieldManagerConflict', ...cause }))],
  });
};

/** A precondition of a request that the stored object does not satisfy. */
export interface FailedPrecondition {
  readonly field: 'UID' | 'ResourceVersion';
  readonly requested: string;
  readonly stored: string;
}

/** A precondition of a DELETE that does not hold. Upstream names the kind where other errors name the resource. */
export const deletePreconditionFailed = (
  gk: { readonly group: string; readonly kind: string },
  name: string,
  { field, requested, stored }: FailedPrecondition,
): StatusError => {
  const cause = field === 'UID' ? 'The object might have been deleted and then recreated' : 'The object might have been modified';
  const text = `the ${field} in the precondition (${requested}) does not match the ${field} in record (${stored}). ${cause}`;
  return conflict({ group: gk.group, resource: gk.kind }, name, text);
};

const preconditionText = ({ field, requested, stored }: FailedPrecondition): string =>
  `Precondition failed: ${field} in precondition: ${requested}, ${field} in object meta: ${stored}`;

/**
 * A precondition of a DELETE that does not hold, in the wording for kinds that upstream deletes with a handler of their own
 * (Namespace, CustomResourceDefinition).
 */
export const preconditionFailed = (gr: GroupResource, name: string, precondition: FailedPrecondition): StatusError =>
  conflict(gr, name, preconditionText(precondition));

/**
 * The identity in a body does not match the stored object; in the wording of upstream's storage layer. `key` is the key
 * in the store.
 */
export const storagePreconditionFailed = (gr: GroupResource, name: string, key: string, precondition: FailedPrecondition): StatusError =>
  conflict(
    gr,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${preconditionText(precondition)}`,
  );

/** `continueToken` is set only for the inconsistent continuation of an expired list. */
export const expired = (text: string, continueToken?: string): StatusError =>
  new StatusError('Expired', text, undefined, continueToken === undefined ? {} : { continue: continueToken });

/** A request that cannot be understood. `text` is the whole message. */
export const badRequest = (text: string): StatusError => new StatusError('BadRequest', text);

/**
 * A client error to which upstream responds with 500 and no reason; this server responds with 400 and the same message.
 */
export const clientError = (text: string): StatusError => new StatusError(undefined, text, undefined, { code: 400 });

/** Causes that a Status lists; a client chooses how many fields are wrong. */
const MAX_CAUSES = 100;
/** Maximum number of characters of all causes together; the first cause is always included. */
const MAX_CAUSES_CHARACTERS = 64 * 1024;
const truncate = (text: string): string => (text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text);

/** The errors that a response shows; `omitted` states the number of the remaining ones, if any. */
function boundErrors(errors: readonly FieldError[]): { readonly shown: readonly FieldError[]; readonly omitted: readonly string[] } {
  const shown: FieldError[] = [];
  let length = 0;
  for (const { reason, field, body, text } of errors) {
    length += Math.min(text.length, MAX_SHOWN_CHARACTERS);
    if (shown.length === MAX_CAUSES || (length > MAX_CAUSES_CHARACTERS && shown.length > 0)) break;
    shown.push({ reason, field: truncate(field), body: truncate(body), text: truncate(text) });
  }
  return { shown, omitted: shown.length === errors.length ? [] : [`and ${errors.length - shown.length} more`] };
}

/** `kind` is the resource where upstream names the resource instead. */
export const invalid = (
  gk: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError => {
  const { shown, omitted } = boundErrors(errors);
  const texts = [...new Set(shown.map((error) => error.text)), ...omitted];
  const body = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new StatusError('Invalid', `${groupKindText(gk)} ${quote(name)} is invalid: ${body}`, {
    ...(name === '' ? {} : { name }),
    ...(gk.group === '' ? {} : { group: gk.group }),
    ...(gk.kind === '' ? {} : { kind: gk.kind }),
    causes: [
      ...shown.map((error) => ({ reason: error.reason, message: error.body, field: error.field })),
      ...omitted.map((message) => ({ message })),
    ],
  });
};

/**
 * An update without resourceVersion of a kind that does not allow unconditional updates; upstream names the resource
 * instead of the kind.
 */
export const resourceVersionRequired = (gr: GroupResource, name: string): StatusError =>
  invalid({ group: gr.group, kind: gr.resource }, name, [
    invalidShownValue('metadata.resourceVersion', '0x0', 'must be specified for an update'),
  ]);

/** A patch with an operation that fails. Upstream states no cause. */
export const patchFailed = (): StatusError =>
  new StatusError('Invalid', 'the server rejected our request due to an error in our request', {});

/** A request that did not end in time. `text` follows "Timeout: ". */
export const timeout = (text: string, retryAfterSeconds?: number): StatusError =>
  new StatusError('Timeout', `Timeout: ${text}`, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });

/** A read at a version that this server has not reached in time; the client may retry. */
export const tooLargeResourceVersion = (requested: number | string, current: number, retryAfterSeconds?: number): StatusError =>
  new StatusError('Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });

/** The response of the store to a write was lost, and the outcome could not be determined in time. */
export const outcomeUnknown = (operation: string, gr: GroupResource, name: string): StatusError =>
  new StatusError(
    'Timeout',
    `Timeout: the outcome of the ${operation} of ${groupResourceText(gr)} ${quote(name)} is unknown: it may or may not have been stored`,
    detailsOf(gr, name),
  );

/** A request beyond a limit. `text` is the whole message. */
export const tooManyRequests = (text: string, retryAfterSeconds: number): StatusError =>
  new StatusError('TooManyRequests', text, { retryAfterSeconds });

/** `text` is `406: Not Acceptable…` or a sentence; the details are `{}` in the first form only. */
export const notAcceptable = (text: string, details?: StatusDetails): StatusError => new StatusError('NotAcceptable', text, details);

/** A body beyond a limit. `text` names the limit. */
export const requestTooLarge = (text: string): StatusError => new StatusError('RequestEntityTooLarge', `Request entity too large: ${text}`);

/** URL and headers together are limited to `limit` bytes; this error is used when the URL is the longer of the two. */
export const urlTooLong = (limit: number): StatusError =>
  new StatusError(undefined, `URI too long: limit for URL and headers is ${limit}`, undefined, { code: 414 });

/** As {@link urlTooLong}, when the headers are the longer of the two. */
export const headersTooLarge = (limit: number): StatusError =>
  new StatusError(undefined, `Request header fields too large: limit for URL and headers is ${limit}`, undefined, { code: 431 });

/** The request body arrives too slowly, and the server abandons the request. */
export const bodyTooSlow = (): StatusError =>
  new StatusError('Timeout', 'Timeout: the body of the request was not received in time', undefined, { code: 408 });

/** `accepted`: the media types of bodies, in the order of preference. */
export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

/** A patch with a Content-Type that is no type of patch. */
export const unsupportedPatchType = (): StatusError => new StatusError('UnsupportedMediaType', '415: Unsupported Media Type', {});

/** A denial with the message and reason of a webhook. */
export function deniedByWebhook(
  webhook: string,
  refusal: { readonly message: string; readonly reason: string; readonly code: number; readonly details: StatusDetails | undefined },
): StatusError {
  const { message, reason, code, details } = refusal;
  const explanation = message === '' ? reason : message;
  const text = `admission webhook ${quote(webhook)} denied the request${explanation === '' ? ' without explanation' : `: ${explanation}`}`;
  return new StatusError(undefined, text, details, {
    code: code >= 400 && code < 1000 ? code : 400,
    ...(reason === '' ? {} : { reason }),
  });
}

/** A fault of the server that it discloses. `text` names it. */
export const internalError = (text: string): StatusError =>
  new StatusError('InternalError', `Internal error occurred: ${text}`, { causes: [{ message: text }] });

/** An object cannot be converted to another version; upstream's message, without a reason. */
export const conversionFailed = (text: string): StatusError => new StatusError(undefined, text);

/** An internal error. The response does not disclose its cause. */
export const unexplainedError = (): StatusError =>
  new StatusError('InternalError', 'an error on the server ("") has prevented the request from succeeding');

/** A PodDisruptionBudget forbids the eviction; `text` names the budget and the reason. */
export const evictionRefused = (text: string, retryAfterSeconds?: number): StatusError =>
  new StatusError('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message: text }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });

/** Upstream's refusal, without a reason and with the code 500. */
export const tooManyBudgets = (): StatusError =>
  new StatusError(undefined, 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');

/** A part that the request needs is not available. `text` is the whole message. */
export const serviceUnavailable = (text: string, retryAfterSeconds?: number): StatusError =>
  new StatusError('ServiceUnavailable', text, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds });
