/**
 * Parses the query parameters of every verb, with upstream's messages and in its order of checks, which determines
 * which of several errors is reported. Unknown parameters are ignored. Some that the verb cannot honour are rejected, such
 * as `sendInitialEvents` of a list.
 */
import { appendAll } from '../../../shared/values/append';
import type { KindRow } from '../../../shared/api/kinds';
import { forbiddenField, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { fieldManagerErrors } from '../../../shared/api/metadata/manager-name';
import { quote } from '../../../shared/values/text/quote';
import { badRequest, clientError, invalid, type StatusError } from '../../../shared/api/errors/status';
import type {
  DeleteOptions,
  FieldValidation,
  ListOptions,
  PatchType,
  Selection,
  ResourceVersionMatch,
  WatchOptions,
  WriteOptions,
} from '../../registry/verbs';
import { defaultFieldManager } from './default-field-manager';
import type { Query } from './query';

/** Parses selectors into a selection of a kind's objects. Throws 400 when one is invalid. */
export type SelectionBuilder = (row: KindRow, labelSelector: string, fieldSelector: string) => Selection;

/** The group of options kinds, Tables and PartialObjectMetadata, in canonical spelling. */
export const META_GROUP = 'meta.platform.io';

/** The `resourceVersion` of a GET of one object; `undefined` for the most recent version. Throws 400. */
export function getVersion(query: Query): number | undefined {
  if (query.boolean('export') === true) throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  return parseResourceVersion(query, clientError);
}

/** The options of a list. Throws 400 or 422 when a parameter is invalid or contradicts another one. */
export function listOptions(row: KindRow, query: Query, select: SelectionBuilder): ListOptions {
  const { limit, selection } = commonListOptions(row, query, select);
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const token = query.get('continue') ?? '';
  const errors = match === '' ? [] : listMatchErrors(match, version, token);
  if (query.has('sendInitialEvents')) errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  requireNoErrors('ListOptions', errors);
  if (token !== '' && version !== '' && version !== '0') throw badRequest('specifying resource version is not allowed when using continue');

  // Upstream parses the version elsewhere, with another message, when it reads such a list from etcd.
  const isReadFromStore = match === 'Exact' || (limit ?? 0) > 0 || row.expires === true;
  const createError = isReadFromStore ? (text: string) => badRequest(`invalid resource version: ${text}`) : clientError;
  const revision = parseResourceVersion(query, createError);
  return {
    selection,
    ...(revision === undefined ? {} : { resourceVersion: revision }),
    ...(isVersionMatch(match) ? { resourceVersionMatch: match } : {}),
    ...(limit === undefined ? {} : { limit }),
    ...(token === '' ? {} : { continue: token }),
  };
}

/** The errors of a `resourceVersionMatch` that is not empty. */
function listMatchErrors(match: string, version: string, token: string): FieldError[] {
  const errors: FieldError[] = [];
  if (version === '') errors.push(matchForbidden('resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if (token !== '') errors.push(matchForbidden('resourceVersionMatch is forbidden when continue is provided'));
  if (!isVersionMatch(match)) errors.push(unsupportedValue('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
  if (match === 'Exact' && version === '0') {
    errors.push(matchForbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}

/** The parameters of a watch request. */
export interface WatchParameters {
  /** What is watched, and from which revision on. */
  readonly options: WatchOptions;
  /**
   * `undefined` for a parameter that is absent or 0: the server chooses the duration. 0 for a negative one: the watch ends
   * at once.
   */
  readonly timeoutSeconds: number | undefined;
}

/**
 * The parameters of a watch. `sendInitialEvents` is allowed if `isWatchListEnabled`. Throws 400 or 422 when a parameter is
 * invalid or contradicts another one.
 */
export function watchOptions(
  row: KindRow,
  query: Query,
  select: SelectionBuilder,
  { isWatchListEnabled }: { readonly isWatchListEnabled: boolean },
): WatchParameters {
  const { selection, timeoutSeconds } = commonListOptions(row, query, select);
  const match = query.get('resourceVersionMatch') ?? '';
  const sendInitialEvents = query.boolean('sendInitialEvents');
  const errors: FieldError[] = [];
  if (sendInitialEvents === undefined && match !== '') {
    errors.push(matchForbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  }
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(matchForbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (sendInitialEvents !== undefined && !isWatchListEnabled) {
    const detail = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    errors.push(forbiddenField('sendInitialEvents', detail));
  }
  if (match !== '' && match !== 'NotOlderThan') errors.push(unsupportedValue('resourceVersionMatch', match, ['NotOlderThan']));
  requireNoErrors('ListOptions', errors);
  const revision = parseResourceVersion(query, clientError);
  return {
    options: {
      selection,
      bookmarks: query.boolean('allowWatchBookmarks') ?? false,
      ...(revision === undefined ? {} : { resourceVersion: revision }),
      ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
    },
    timeoutSeconds: timeoutSeconds === undefined || timeoutSeconds === 0 ? undefined : Math.max(timeoutSeconds, 0),
  };
}

/** The headers from which write options take the default manager name and a precondition. */
export interface WriteHeaders {
  readonly userAgent: string | undefined;
  readonly ifMatch: string | undefined;
}

/** Options of the write verbs. Throws 422 when one is invalid. */
export function writeOptions(kind: 'CreateOptions' | 'UpdateOptions', query: Query, headers: WriteHeaders): WriteOptions {
  requireNoErrors(kind, writeErrors(query));
  return writeValues(query, headers);
}

/** Options of a patch. Throws 422 when one is invalid or does not apply to the type. */
export function patchOptions(type: PatchType, query: Query, headers: WriteHeaders): WriteOptions & { readonly force?: boolean } {
  const force = query.boolean('force');
  const errors: FieldError[] = [];
  if (type === 'apply') {
    if ((query.get('fieldManager') ?? '') === '') errors.push(requiredValue('fieldManager', 'is required for apply patch'));
  } else if (force !== undefined) {
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  requireNoErrors('PatchOptions', [...errors, ...writeErrors(query)]);
  const values = writeValues(query, headers);
  return force === undefined ? values : { force, ...values };
}

/** The delete options in the query of a single deletion. `uid` and `resourceVersion` are preconditions. */
export function deleteOptions(query: Query): DeleteOptions {
  return deleteOptionsWith(query, query.get('resourceVersion'));
}

/**
 * The delete options in the query of a collection's deletion, where `resourceVersion` selects the list and is not a
 * precondition.
 */
export function collectionDeleteOptions(query: Query): DeleteOptions {
  return deleteOptionsWith(query, undefined);
}

function deleteOptionsWith(query: Query, resourceVersion = ''): DeleteOptions {
  const gracePeriodSeconds = parseInteger(query, 'gracePeriodSeconds');
  const orphanDependents = query.boolean('orphanDependents');
  const propagationPolicy = query.get('propagationPolicy');
  const uid = query.get('uid') ?? '';
  const preconditions = { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) };
  return {
    dryRun: query.getAll('dryRun').includes('All'),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
  };
}

/** An error unless every value is `All`; a parameter without a value is ignored. */
export function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All' || value === '') ? [] : [unsupportedValue('dryRun', [...values], ['All'])];
}

/** Throws 422 when the options have errors. */
export function requireNoErrors(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: META_GROUP, kind }, '', errors);
}

/** The parameters that lists and watches have in common. */
function commonListOptions(
  row: KindRow,
  query: Query,
  select: SelectionBuilder,
): { limit: number | undefined; timeoutSeconds: number | undefined; selection: Selection } {
  const timeoutSeconds = parseInteger(query, 'timeoutSeconds');
  const limit = parseInteger(query, 'limit');
  const selection = select(row, query.get('labelSelector') ?? '', query.get('fieldSelector') ?? '');
  return { limit, timeoutSeconds, selection };
}

function matchForbidden(detail: string): FieldError {
  return forbiddenField('resourceVersionMatch', detail);
}

function isVersionMatch(text: string): text is ResourceVersionMatch {
  return text === 'Exact' || text === 'NotOlderThan';
}

/** The values of `fieldValidation`. */
const FIELD_VALIDATION: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

function writeErrors(query: Query): FieldError[] {
  const errors: FieldError[] = [];
  const manager = query.get('fieldManager') ?? '';
  appendAll(errors, fieldManagerErrors('fieldManager', manager));
  appendAll(errors, dryRunErrors(query.getAll('dryRun')));
  const validation = query.get('fieldValidation') ?? '';
  if (!FIELD_VALIDATION.includes(validation)) errors.push(unsupportedValue('fieldValidation', validation, FIELD_VALIDATION));
  return errors;
}

function writeValues(query: Query, headers: WriteHeaders): WriteOptions {
  const manager = query.get('fieldManager') ?? '';
  return {
    dryRun: query.getAll('dryRun').includes('All'),
    fieldValidation: fieldValidation(query.get('fieldValidation')),
    fieldManager: manager === '' ? defaultFieldManager(headers.userAgent) : manager,
    statedOptions: { ...memberIfStated('fieldManager', manager), ...memberIfStated('fieldValidation', query.get('fieldValidation') ?? '') },
    ...(headers.ifMatch === undefined ? {} : { ifMatch: unquoted(headers.ifMatch) }),
  };
}

const memberIfStated = (name: 'fieldManager' | 'fieldValidation', value: string): object => (value === '' ? {} : { [name]: value });

function fieldValidation(text: string | undefined): FieldValidation {
  return text === 'Ignore' || text === 'Strict' ? text : 'Warn';
}

/** The value of an `If-Match` header without its quotes. */
function unquoted(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** `10`, `-10` or `+10` */
const INTEGER = /^[+-]?\d+$/;
const MAX_INT64 = 9223372036854775807n;
const MIN_INT64 = -9223372036854775808n;

/**
 * Parses an int64. Values beyond the safe integers of JavaScript are clamped to them, which makes no difference to the
 * limits and durations that are parsed here.
 */
function parseInteger(query: Query, name: string): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  if (!INTEGER.test(text)) throw badRequest(`strconv.ParseInt: parsing ${quote(text)}: invalid syntax`);
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  if (value > MAX_INT64 || value < MIN_INT64) throw badRequest(`strconv.ParseInt: parsing ${quote(text)}: value out of range`);
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(value)));
}

/** `10` */
const UNSIGNED = /^\d+$/;
const MAX_UINT64 = 18446744073709551615n;

/** `undefined` for the most recent version. Throws what `createError` returns for the message of an invalid one. */
function parseResourceVersion(query: Query, createError: (text: string) => StatusError): number | undefined {
  const text = query.get('resourceVersion');
  if (text === undefined || text === '') return undefined;
  const isUnsigned = UNSIGNED.test(text);
  if (isUnsigned && BigInt(text) <= MAX_UINT64) return Number(text);
  const problem = isUnsigned ? 'value out of range' : 'invalid syntax';
  throw createError(`resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: ${problem}`);
}
