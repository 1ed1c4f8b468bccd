/** DELETE of an object and of a collection: validates the options, runs the steps, and makes the responses. */
import type { ObjectKey } from '../../../../shared/api/identity/identity';
import { invalidValue, unsupportedValue, type FieldError } from '../../../../shared/api/errors/field-error';
import * as status from '../../../../shared/api/errors/status';
import { deletedStatus } from '../../../../shared/api/errors/success-status';
import { withConcurrencyLimit } from '../../../../shared/scheduling/concurrency-limit';
import { yieldIfDue } from '../../../../shared/scheduling/yielding';
import { scopeBounds } from '../../../cache/store/scope-bounds';
import type { Entry } from '../../../cache/cache';
import type { ResourceInfo } from '../../object/resource-info';
import type { DeleteOptions, DeleteResult, ListOptions, ListPage } from '../../verbs';
import type { WriteRequest } from '../request';
import { planDelete, planFinalDelete } from '../verbs/lists';
import { execute, type ExecutorDependencies } from './execute';

/** The first transaction has marked the object as terminating, and nothing blocks its removal by a second one. */
interface MarkedObject {
  readonly type: 'marked';
  readonly entry: Entry;
  readonly uid: string;
}

/**
 * DELETE. An object that is marked and can be removed at once takes two transactions, so that watchers see it marked
 * before it is removed.
 */
export async function deleteObject(deps: ExecutorDependencies, request: WriteRequest, options: DeleteOptions): Promise<DeleteResult> {
  validateDeleteOptions(options);
  addDeleteWarnings(request, options);
  const { info, name } = request;
  const toResult = (entry: Entry, code: 200 | 202): DeleteResult => ({ type: 'object', entry, code });
  const outcome = await execute<DeleteResult | MarkedObject>(deps, {
    request,
    attempts: { name },
    plan: () => planDelete(request, options),
    offloaded: { payload: { verb: 'delete', options }, isUnparsed: false },
    responses: {
      unchanged: toResult,
      rewritesOutdated: false,
      stored(entry, { value, removal = NO_REMOVAL }, revision) {
        const { uid, code, isRemovalDue } = removal;
        // A dry run (without a revision) has no second transaction, and responds as if the object had been removed.
        if (value === undefined || (isRemovalDue && revision === undefined)) return deletedResult(info, name, uid, entry);
        return isRemovalDue ? { type: 'marked', entry, uid } : toResult(entry, code);
      },
    },
  });
  if (outcome.type !== 'marked') return outcome;
  const { uid, entry: markedEntry } = outcome;
  return execute<DeleteResult>(deps, {
    request,
    attempts: { name, startEntry: markedEntry },
    plan: () => planFinalDelete(request, uid),
    offloaded: { payload: { verb: 'finalDelete', uid }, isUnparsed: false },
    responses: {
      unchanged: toResult,
      rewritesOutdated: false,
      stored: (entry) => deletedResult(info, name, uid, entry),
      // Another write has removed or replaced the marked object meanwhile.
      missing: () => deletedResult(info, name, uid, markedEntry),
    },
  });
}

/** Never used: the lists of a DELETE set `removal` in every outcome that stores. Its type allows other verbs to omit it. */
const NO_REMOVAL = { uid: '', code: 200, isRemovalDue: false } as const;

function deletedResult(info: ResourceInfo, name: string, uid: string, entry: Entry): DeleteResult {
  if (info.row.returnsDeletedObject !== undefined) return { type: 'object', entry, code: 200 };
  return { type: 'status', status: deletedStatus(info.row, name, uid), code: 200 };
}

const PROPAGATION_POLICIES = ['Foreground', 'Background', 'Orphan'];

function validateDeleteOptions(options: DeleteOptions): void {
  const { orphanDependents, propagationPolicy } = options;
  if (propagationPolicy === undefined) return;
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined) {
    errors.push(invalidValue('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (!PROPAGATION_POLICIES.includes(propagationPolicy))
    errors.push(unsupportedValue('propagationPolicy', propagationPolicy, [...PROPAGATION_POLICIES, 'nil']));
  if (errors.length > 0) throw status.invalid({ group: 'meta.platform.io', kind: 'DeleteOptions' }, '', errors);
}

function addDeleteWarnings({ info, context }: WriteRequest, options: DeleteOptions): void {
  for (const warning of info.strategy.deletion?.warnings?.(options) ?? []) context.warn(warning);
}

/** Concurrent deletions: enough for the store to batch them, few enough not to delay other requests. */
const DELETE_CONCURRENCY = 16;

/**
 * Deletes the objects of a list and returns the list. Stops at the first failure; an object that no longer exists is
 * not a failure. An object in the scope that cannot be decoded fails the request before the first deletion.
 */
export async function deleteCollection(
  deps: ExecutorDependencies,
  request: WriteRequest,
  list: ListOptions,
  options: DeleteOptions,
): Promise<ListPage> {
  validateDeleteOptions(options);
  addDeleteWarnings(request, options);
  const { info, context } = request;
  const { start, end } = scopeBounds(info.stored, request.namespace === '' ? {} : { namespace: request.namespace });
  const unreadable = deps.cache.firstUnreadableKey(info.stored, start, end);
  if (unreadable !== undefined) throw status.internalError(`unable to transform key "${unreadable.storeKey}": ${unreadable.reason}`);
  const page = await deps.reader.list(context, info.resource, request.namespace, list);
  const entries = [...page.entries];
  await withConcurrencyLimit(DELETE_CONCURRENCY, entries, async (entry) => {
    // Deletions that store nothing, such as dry runs, wait for no I/O, so they would block the event loop one after another.
    await yieldIfDue(context);
    try {
      await deleteObject(deps, { ...request, ...namespacedNameOf(info, entry.key) }, options);
    } catch (error) {
      if (!(error instanceof status.StatusError && error.reason === 'NotFound')) throw error;
    }
  });
  return { ...page, entries };
}

function namespacedNameOf(info: ResourceInfo, key: string): ObjectKey {
  const slash = info.row.namespaced ? key.indexOf('/') : -1;
  return { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
}
