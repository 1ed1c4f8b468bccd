/**
 * What the parameters of a list require: the state, limit and keys of the page. Follows the table "resource versions in
 * get, list and watch" of upstream's API concepts. Reads no objects; list-state.ts opens the state.
 */
import { compareBytes } from '../../../shared/values/json';
import { badRequest, expired, type StatusError } from '../../../shared/api/errors/status';
import type { Revision } from '../../storage/store';
import type { ListOptions, Resource, Selection } from '../verbs';
import { formatContinueToken, NEWEST_REVISION, parseContinueToken, type ContinueToken } from './continue-token';

/**
 * The state that a list returns:
 * - `newest`: the most recent one;
 * - `cached`: any that is at or after a revision;
 * - `exact`: the one at a revision. `tooOld` creates the error when that revision is compacted.
 */
export type ListSource =
  | { readonly type: 'newest' }
  | { readonly type: 'cached'; readonly notOlderThan: Revision }
  | { readonly type: 'exact'; readonly revision: Revision; readonly tooOld: () => StatusError };

/** What the parameters of a list require. */
export interface ListPlan {
  readonly source: ListSource;
  /** Infinity when unlimited. */
  readonly limit: number;
  /** First key, relative to the listed prefix. */
  readonly start: string;
  /**
   * The list continues at the revision of its first page. False for a first page, and for a continuation at the newest
   * revision.
   */
  readonly isLaterPage: boolean;
}

/** The row of upstream's table (see the header of this file) that the parameters select. Throws 400. */
export function planList(resource: Resource, options: ListOptions): ListPlan {
  const { resourceVersion, resourceVersionMatch } = options;
  const limit = options.limit !== undefined && options.limit > 0 ? options.limit : Infinity;
  if (options.continue !== undefined && options.continue !== '') return planContinuation(options.continue, resourceVersion, limit);
  const firstPage = (source: ListSource, pageLimit: number): ListPlan => ({ source, limit: pageLimit, start: '', isLaterPage: false });
  if (resourceVersion === undefined) return firstPage({ type: 'newest' }, limit);
  if (resourceVersion === 0 && resourceVersionMatch !== 'Exact') {
    // Upstream ignores the limit here, except for kinds without a watch cache.
    return firstPage({ type: 'cached', notOlderThan: 0 }, resource.row.expires === true ? limit : Infinity);
  }
  if (resourceVersionMatch === 'Exact' || (resourceVersionMatch === undefined && limit !== Infinity)) {
    const tooOld = (): StatusError => expired('The resourceVersion for the provided list is too old.');
    return firstPage({ type: 'exact', revision: resourceVersion, tooOld }, limit);
  }
  return firstPage({ type: 'cached', notOlderThan: resourceVersion }, limit);
}

/** The page that a continue token names. `text`: the token. Throws 400. */
function planContinuation(text: string, resourceVersion: Revision | undefined, limit: number): ListPlan {
  if (resourceVersion !== undefined && resourceVersion !== 0)
    throw badRequest('specifying resource version is not allowed when using continue');
  const token = parseContinueToken(text);
  if (token.revision < 0) return { source: { type: 'newest' }, limit, start: token.start, isLaterPage: false };
  const tooOld = (): StatusError => expiredContinuation(token);
  return { source: { type: 'exact', revision: token.revision, tooOld }, limit, start: token.start, isLaterPage: true };
}

function expiredContinuation(token: ContinueToken): StatusError {
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue ' +
      'parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token ' +
      'results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and ' +
      'now may show up in the list.',
    formatContinueToken({ revision: NEWEST_REVISION, start: token.start }),
  );
}

/** The keys of a list: [start, end), or a single key. Continue tokens are relative to `prefix`, such as `default/`. */
export interface ListKeys {
  readonly prefix: string;
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly singleKey?: string;
}

/**
 * The keys of the namespace, or of all namespaces when it is empty, that the selection may match. `start` is the first
 * key according to the continue token, relative to the listed prefix; empty on the first page.
 */
export function listKeysOf({ stored: { namespaced } }: Resource, namespace: string, selection: Selection, start: string): ListKeys {
  const prefix = namespaced && namespace !== '' ? `${namespace}/` : '';
  const requiredNamespace = namespace === '' ? selection.namespace : namespace;
  const keyNamespace = namespaced ? requiredNamespace : undefined;
  if (selection.name !== undefined && (!namespaced || keyNamespace !== undefined)) {
    const key = namespaced ? `${keyNamespace}/${selection.name}` : selection.name;
    return { prefix, start: key, end: `${key}\0`, singleKey: key };
  }
  const firstKey = keyNamespace === undefined ? '' : `${keyNamespace}/`;
  // `0` follows `/`, so this bound comes right after the keys of the namespace.
  const end = keyNamespace === undefined ? undefined : `${keyNamespace}0`;
  const pageStart = prefix + start;
  const lowerBound = compareBytes(pageStart, firstKey) > 0 ? pageStart : firstKey;
  return { prefix, start: lowerBound === '' ? undefined : lowerBound, end };
}
