/**
 * `pods/eviction`: deletes a pod unless a PodDisruptionBudget forbids it. The budget is charged in its own
 * transaction, then the DisruptionTarget condition is set, then the pod is deleted. A failure in between leaves a
 * consistent state: at worst a charged budget and a pod with the condition that is not deleted.
 */
import { unsupportedValue } from '../../../shared/api/errors/field-error';
import type { ObjectKey } from '../../../shared/api/identity/identity';
import { arrayAt, isObject, objectAt, ownMember, stringAt, type JsonObject } from '../../../shared/values/json';
import { isTerminating, readMetadata, formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { selectorMatches } from '../../../shared/api/selectors/object-selector';
import {
  badRequest,
  deletePreconditionFailed,
  evictionRefused,
  invalid,
  StatusError,
  tooManyBudgets,
} from '../../../shared/api/errors/status';
import type { GeneratedNames } from '../../../shared/names/dialect';
import { PROGRAM_NAMES } from '../../../shared/names/program';
import type { Clock } from '../../../shared/runtime/clock';
import type { Entry } from '../../cache/cache';
import type { DeleteOptions, Reader, RequestContext, Resource, Writer } from '../verbs';
import { dryRunValues, toDeleteOptions } from '../object/delete-options';
import { parseEntry } from '../object/stored-object';
import { EVERYTHING } from '../read/selection';
import { failedPrecondition } from '../write/preconditions';
import type { OperationHandler } from './operation';
import { setPodCondition, withCondition } from '../object/conditions';

/** What the handler uses. `update` charges budgets; `edit` and `delete` change pods. */
export interface EvictionDependencies {
  readonly reader: Pick<Reader, 'get' | 'list'>;
  readonly writer: Pick<Writer, 'edit' | 'update' | 'delete'>;
  readonly pods: Resource;
  readonly budgets: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
}

/** `Retry-After` of an eviction with a budget that has not been processed yet. */
const RETRY_AFTER_SECONDS = 10;
/** Attempts to charge a budget when other writes conflict. */
const MAX_CHARGE_ATTEMPTS = 20;

/**
 * POST `pods/eviction`. Rejects with 429 when the budget allows no disruption, and with 500 when several budgets cover
 * the pod.
 */
export function evictPod(deps: EvictionDependencies): OperationHandler {
  return async ({ context, key, object, options }) => {
    if (stringAt(readMetadata(object), 'name') !== key.name) throw badRequest('name in URL does not match name in Eviction object');
    const deletion = deleteOptionsOf(objectAt(object, 'deleteOptions') ?? {}, options.dryRun);
    const { reader, pods } = deps;
    const pod = parseEntry(await reader.get(context, pods, key, undefined)).object;
    if (!canIgnoreBudget(pod)) await chargeBudget(deps, context, { key, pod, dryRun: deletion.dryRun });
    await deletePod(deps, context, key, deletion);
    return object;
  };
}

/** An empty propagationPolicy of an eviction counts as unset; that of a DELETE is refused. */
function deleteOptionsOf(options: JsonObject, dryRun: boolean): DeleteOptions {
  const values = dryRunValues(options);
  if (values.some((value) => value !== 'All')) {
    throw invalid({ group: 'meta.platform.io', kind: 'DeleteOptions' }, '', [unsupportedValue('dryRun', values, ['All'])]);
  }
  const { propagationPolicy = '', ...others } = toDeleteOptions(options);
  return { dryRun: dryRun || values.includes('All'), ...(propagationPolicy === '' ? {} : { propagationPolicy }), ...others };
}

/** Evicting a pod that does not run or that is terminating disrupts nothing. */
function canIgnoreBudget(pod: JsonObject): boolean {
  const phase = stringAt(objectAt(pod, 'status'), 'phase') ?? '';
  return isTerminating(readMetadata(pod)) || phase === 'Pending' || phase === 'Succeeded' || phase === 'Failed';
}

/** The eviction of one pod. */
interface Disruption {
  readonly key: ObjectKey;
  readonly pod: JsonObject;
  readonly dryRun: boolean;
}

/** Charges one disruption to the budget that covers the pod, if there is one. Throws the rejection. */
async function chargeBudget(deps: EvictionDependencies, context: RequestContext, { key, pod, dryRun }: Disruption): Promise<void> {
  for (let attemptsLeft = MAX_CHARGE_ATTEMPTS; ; attemptsLeft--) {
    const page = await deps.reader.list(context, deps.budgets, key.namespace, { selection: EVERYTHING });
    const covering = [...page.entries].map((entry) => parseEntry(entry).object).filter((budget) => covers(budget, pod));
    if (covering.length > 1) throw tooManyBudgets();
    const [budget] = covering;
    if (budget === undefined || (isUnready(pod) && canEvictUnready(budget))) return;
    const charged = withDisruption(budget, key.name, deps.clock.now());
    try {
      if (!dryRun) await storeBudget(deps, context, key.namespace, charged);
      return;
    } catch (error) {
      if (attemptsLeft === 1 || !(error instanceof StatusError) || error.reason !== 'Conflict') throw error;
    }
  }
}

/** Whether the selector of the budget matches the pod. */
function covers(budget: JsonObject, pod: JsonObject): boolean {
  const selector = objectAt(objectAt(budget, 'spec'), 'selector');
  return selector !== undefined && selectorMatches(selector, objectAt(readMetadata(pod), 'labels') ?? {});
}

function isUnready(pod: JsonObject): boolean {
  const conditions = arrayAt(objectAt(pod, 'status'), 'conditions') ?? [];
  return !conditions.some((condition) => isObject(condition) && condition['type'] === 'Ready' && condition['status'] === 'True');
}

/**
 * A pod that is not ready can be evicted without charging the budget: with the unhealthyPodEvictionPolicy `AlwaysAllow`
 * always, otherwise when the budget requires healthy pods and has enough of them.
 */
function canEvictUnready(budget: JsonObject): boolean {
  if (stringAt(objectAt(budget, 'spec'), 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = numberOf(budget, 'desiredHealthy');
  return desired > 0 && numberOf(budget, 'currentHealthy') >= desired;
}

/** A number in the status of the budget; 0 when absent. */
const numberOf = (budget: JsonObject, member: string): number => Number(ownMember(objectAt(budget, 'status') ?? {}, member) ?? 0);

/**
 * The budget with one disruption less, charged for the pod with this name at `now`, in ms since 1970. Throws 429 when no
 * disruption is allowed or the status is out of date.
 */
function withDisruption(budget: JsonObject, podName: string, now: number): JsonObject {
  const metadata = readMetadata(budget);
  const name = stringAt(metadata, 'name') ?? '';
  const observedGeneration = numberOf(budget, 'observedGeneration');
  if (observedGeneration < Number(ownMember(metadata, 'generation') ?? 0)) {
    throw evictionRefused(`The disruption budget ${name} is still being processed by the server.`, RETRY_AFTER_SECONDS);
  }
  const allowed = numberOf(budget, 'disruptionsAllowed');
  if (allowed <= 0) {
    const desired = numberOf(budget, 'desiredHealthy');
    const current = numberOf(budget, 'currentHealthy');
    throw evictionRefused(`The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`);
  }
  const status = objectAt(budget, 'status') ?? {};
  const charged: JsonObject = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...objectAt(status, 'disruptedPods'), [podName]: formatTimestamp(now) },
  };
  const exhausted = { type: 'DisruptionAllowed', status: 'False', observedGeneration, reason: 'InsufficientPods', message: '' } as const;
  return { ...budget, status: allowed > 1 ? charged : withCondition(charged, exhausted, now) };
}

async function storeBudget(
  { writer, budgets, names }: EvictionDependencies,
  context: RequestContext,
  namespace: string,
  budget: JsonObject,
): Promise<void> {
  const name = stringAt(readMetadata(budget), 'name') ?? '';
  const body = { value: budget, duplicates: [], format: 'json' } as const;
  const options = { dryRun: false, fieldValidation: 'Ignore', fieldManager: PROGRAM_NAMES[names.dialect].apiserver } as const;
  await writer.update(context, budgets, { namespace, name }, 'status', body, options);
}

async function deletePod(
  { writer, pods, clock }: EvictionDependencies,
  context: RequestContext,
  key: ObjectKey,
  deletion: DeleteOptions,
): Promise<void> {
  const { preconditions = {}, dryRun } = deletion;
  if (dryRun) {
    await writer.delete(context, pods, key, { ...deletion, isAdmitted: true });
    return;
  }
  const reason = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };
  const markedPod: Entry = await writer.edit(context, pods, key, { dryRun }, (pod) => {
    const failed = failedPrecondition(preconditions, readMetadata(pod));
    if (failed !== undefined) throw deletePreconditionFailed({ group: '', kind: 'Pod' }, key.name, failed);
    setPodCondition(pod, { type: 'DisruptionTarget', status: 'True', ...reason }, clock.now());
  });
  // Setting the condition has changed the resourceVersion to which the client's precondition refers.
  const deletePreconditions =
    preconditions.resourceVersion === undefined ? preconditions : { ...preconditions, resourceVersion: String(markedPod.revision) };
  await writer.delete(context, pods, key, { ...deletion, preconditions: deletePreconditions, isAdmitted: true });
}
