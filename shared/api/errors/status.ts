/**
 * The error catalogue: the reasons, codes, messages and details of errors. Each function creates a {@link StatusError};
 * whether a request is in error is decided by the callers. A module calls the constructor of StatusError itself only for
 * a message that no other module has, such as the proxy to kubelets. Statuses of successes are in success-status.ts.
 *
 * Handlers throw the error, and the endpoint layer encodes its Status in the media type of the request and with its
 * spelling of group names.
 */
import { groupKindText, groupResourceText, type GroupResource } from '../identity/identity';
import { invalidShownValue, MAX_SHOWN_CHARACTERS, type FieldError } from './field-error';
import { StatusError, type StatusCause, type StatusDetails } from './status-error';
import { quote } from '../../values/text/quote';

export { StatusError, statusErrorFrom } from './status-error';
export type { Status, StatusCause, StatusDetails, StatusReason } from './status-error';

/** `name` may be empty or absent for a request without a name. */
function detailsOf(gr: GroupResource, name?: string): StatusDetails {
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    ...(gr.group === '' ? {} : { group: gr.group }),
    kind: gr.resource,
  };
}

/** The request has no valid credentials. Why is not disclosed. */
export const unauthorized = (): StatusError => new StatusError('Unauthorized', 'Unauthorized');

/** The store has no space for the write. Upstream responds with the error of etcd, without a reason and with the code 500. */
export const storeFull = (message: string): StatusError => new StatusError(undefined, message);

/** The user may not do this, or admission refuses it. `text` follows "is forbidden: "; `name` may be empty. */
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

/**
 * A custom resource does not allow the verb; `verb` is '' for an HTTP method that has no verb. `resource` is the text
 * of `groupResourceText`: `widgets.example.com`.
 */
export const methodNotSupported = (gr: GroupResource, verb: string, resource: string): StatusError =>
  new StatusError('MethodNotAllowed', `${verb} is not supported on resources of kind ${quote(resource)}`, {
    group: gr.group,
    kind: gr.resource,
  });

/** A create of a custom resource while its definition is being deleted. */
export const createNotAllowed = (gr: GroupResource): StatusError =>
  new StatusError('MethodNotAllowed', 'create not allowed while custom resource definition is terminating', {
    group: gr.group,
    kind: gr.resource,
  });

/** A watch of a resource that cannot be watched. */
export const watchNotSupported = ({ resource }: { readonly resource: string }): StatusError =>
  new StatusError('MethodNotAllowed', `watch is not supported on resources of kind ${quote(resource)}`, { kind: resource });

/** There is no ComponentStatus of that name. Upstream sets no reason and responds with 500. */
export const componentNotFound = (name: string): StatusError => new StatusError(undefined, `Component not found: ${name}`);

/** An object of the name exists; with `isTerminating`, it is being deleted. */
export const alreadyExists = (gr: GroupResource, name: string, options: { readonly isTerminating?: boolean } = {}): StatusError =>
  new StatusError(
    'AlreadyExists',
    `${options.isTerminating ? 'object is being deleted: ' : ''}${groupResourceText(gr)} ${quote(name)} already exists`,
    detailsOf(gr, name),
  );

/**
 * {@link alreadyExists} for a create with `generateName`: each generated name existed. `name` is the last of them; the
 * client may retry.
 */
export const generatedNameExhausted = (gr: GroupResource, name: string, options: { readonly isTerminating?: boolean } = {}): StatusError =>
  new StatusError(
    'AlreadyExists',
    `${options.isTerminating ? 'object is being deleted: ' : ''}${groupResourceText(gr)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`,
    { ...detailsOf(gr, name), retryAfterSeconds: 1 },
  );

/** The write does not fit the state of the stored object. `text` is the sentence that explains why. */
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
 * {@link deletePreconditionFailed} in the wording of the kinds that upstream deletes with a handler of their own
 * (Namespace, CustomResourceDefinition).
 */
export const preconditionFailed = (gr: GroupResource, name: string, precondition: FailedPrecondition): StatusError =>
  conflict(gr, name, preconditionText(precondition));

/**
 * The UID or resourceVersion in the body of a request is not that of the stored object; in the wording of upstream's
 * storage layer. `key` is the object's key in the store.
 */
export const storagePreconditionFailed = (gr: GroupResource, name: string, key: string, precondition: FailedPrecondition): StatusError =>
  conflict(
    gr,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${preconditionText(precondition)}`,
  );

/**
 * The requested resource version is no longer available. `continueToken` is set for the next page of a list: with it
 * the client may continue at the current resource version, inconsistent with the pages that it has.
 */
export const expired = (text: string, continueToken?: string): StatusError =>
  new StatusError('Expired', text, undefined, continueToken === undefined ? {} : { continue: continueToken });

/** A request that cannot be understood. `text` is the whole message. */
export const badRequest = (text: string): StatusError => new StatusError('BadRequest', text);

/** An error of the client to which upstream responds with 500. This server responds with 400 and upstream's message. */
export const clientError = (text: string): StatusError => new StatusError(undefined, text, undefined, { code: 400 });

/** Maximum number of causes in a Status. The client chooses how many fields are wrong, so the response needs a limit. */
const MAX_CAUSES = 100;
/** Maximum number of characters of the texts of all causes; the first cause is included however long it is. */
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

/**
 * An object with invalid fields. `gk.kind` holds the resource instead where upstream names that, as in
 * {@link resourceVersionRequired}.
 */
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

/** An update without resourceVersion of a kind that requires one. Upstream names the resource instead of the kind. */
export const resourceVersionRequired = (gr: GroupResource, name: string): StatusError =>
  invalid({ group: gr.group, kind: gr.resource }, name, [
    invalidShownValue('metadata.resourceVersion', '0x0', 'must be specified for an update'),
  ]);

/** A JSON patch with an operation that fails. Upstream states no cause. */
export const patchFailed = (): StatusError =>
  new StatusError('Invalid', 'the server rejected our request due to an error in our request', {});

/** A request that did not end in time. `text` follows "Timeout: ". */
export const timeout = (text: string, retryAfterSeconds?: number): StatusError =>
  new StatusError('Timeout', `Timeout: ${text}`, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });

/** A read at a resource version above `current`, that of this server, which has not reached it in time. */
export const tooLargeResourceVersion = (requested: number | string, current: number, retryAfterSeconds?: number): StatusError =>
  new StatusError('Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });

/**
 * The response of the store to a write was lost, and the outcome could not be determined in time. `operation` is
 * `create`, `update`, `patch` or `delete`.
 */
export const outcomeUnknown = (operation: string, gr: GroupResource, name: string): StatusError =>
  new StatusError(
    'Timeout',
    `Timeout: the outcome of the ${operation} of ${groupResourceText(gr)} ${quote(name)} is unknown: it may or may not have been stored`,
    detailsOf(gr, name),
  );

/** A request beyond a limit. `text` is the whole message. */
export const tooManyRequests = (text: string, retryAfterSeconds: number): StatusError =>
  new StatusError('TooManyRequests', text, { retryAfterSeconds });

/** No acceptable media type. Messages of the form `406: Not Acceptable…` have the details `{}`, sentences have none. */
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

/** A fault of the server that it does not disclose. */
export const unexplainedError = (): StatusError =>
  new StatusError('InternalError', 'an error on the server ("") has prevented the request from succeeding');

/** A PodDisruptionBudget forbids the eviction; `text` names the budget and the reason. */
export const evictionRefused = (text: string, retryAfterSeconds?: number): StatusError =>
  new StatusError('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message: text }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });

/** More than one PodDisruptionBudget selects the pod to evict. Upstream sets no reason and responds with 500. */
export const tooManyBudgets = (): StatusError =>
  new StatusError(undefined, 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');

/** A part that the request needs is not available. `text` is the whole message. */
export const serviceUnavailable = (text: string, retryAfterSeconds?: number): StatusError =>
  new StatusError('ServiceUnavailable', text, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds });
