/**
 * Executes writes: chooses the thread in which the steps of an attempt run, runs them on the state that {@link
 * guaranteedUpdate} provides, and converts their outcome to a transaction or a response. Retries, fresh state,
 * deadlines and dry run belong to guaranteed-update.ts.
 */
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { JsonObject } from '../../../../shared/values/json';
import { runSteps, type Steps } from '../../../../shared/scheduling/steps';
import { NEVER_YIELDS, slotTimeSlice, type Yielder } from '../../../../shared/scheduling/yielding';
import type { AllocationClaims, KeyWrite } from '../../../allocation/claims';
import type { Entry } from '../../../cache/cache';
import type { Revision } from '../../../storage/store';
import { needsConversionWebhook, type ResourceInfo } from '../../object/resource-info';
import { entryKey } from '../../resources';
import { allocate, allocationWrites } from '../allocation';
import type { CurrentState } from '../current-state';
import { guaranteedUpdate, type AttemptResult } from '../guaranteed-update';
import type { StepDependencies, AttemptOptions, WriteDependencies, WriteRequest } from '../request';
import type { WriteOutcome } from '../steps/attempt';
import type { Step, StepExecution, StepName, StepRunner } from '../steps/step';
import type { WritePlan } from '../verbs/lists';
import { OffloadedAttempt, type OffloadedRequest } from './offload/offloaded-attempt';
import type { OffloadThreads } from './offload/messages';
import { shouldOffloadAttempt, OFFLOAD_LIMITS } from './offload/should-offload';
import { payloadBytes } from './offload/transfer';

/** What the executor uses. */
export interface ExecutorDependencies extends WriteDependencies {
  /** Absent when every write runs on the server's thread. */
  readonly threads?: OffloadThreads | undefined;
}

type StoreOutcome = Extract<WriteOutcome, { readonly type: 'store' }>;

/** Converts the outcome of the steps to the response of a verb. */
export interface WriteResponses<R> {
  /** The response when the object stays as it is. */
  readonly unchanged: (entry: Entry, code: 200 | 202) => R;
  /**
   * Whether an unchanged object is stored again if its stored value is outdated (for example encrypted with an old
   * key).
   */
  readonly rewritesOutdated: boolean;
  /** The response to a stored or removed object. `revision`: of the transaction; undefined in a dry run. */
  readonly stored: (entry: Entry, outcome: StoreOutcome, revision: Revision | undefined) => R;
  /** The response when the object does not exist any more. Absent for verbs that reject an absent object with 404. */
  readonly missing?: () => R;
}

/** One transaction of a write, with all its attempts. */
export interface Execution<R> {
  readonly request: WriteRequest;
  readonly attempts: Omit<AttemptOptions, 'requiresFreshState'>;
  /** Runs before the steps of each attempt. Throws if the steps would reject this state anyway. */
  readonly precheck?: (current: CurrentState) => void;
  /** Called when an attempt runs on the server's thread. */
  readonly plan: () => MaybePromise<WritePlan>;
  /** Absent when every attempt runs on the server's thread. */
  readonly offloaded?: OffloadedRequest | undefined;
  /** The first attempt, if it has already started in a worker thread. */
  readonly startedAttempt?: OffloadedAttempt;
  readonly responses: WriteResponses<R>;
}

/** Runs attempts until one has a response. Rejects with a StatusError or StoreError. */
export async function execute<R>(deps: ExecutorDependencies, execution: Execution<R>): Promise<R> {
  const { request, offloaded, plan, precheck } = execution;
  const isSeenByWebhook = callsWebhooks(deps, request);
  const threads = isSeenByWebhook ? undefined : deps.threads;
  // Webhooks must not see outdated state, and an attempt in a worker thread is too expensive to be repeated because its
  // state was outdated.
  const requiresFreshState = isSeenByWebhook || (threads !== undefined && offloaded?.isUnparsed === true);
  const attempts = deps.attemptsFor(request, { requiresFreshState, ...execution.attempts });
  const claims = deps.claimsFor(request);
  let { startedAttempt } = execution;
  const outcomeOf = (current: CurrentState): MaybePromise<WriteOutcome> => {
    precheck?.(current);
    const mayOffload = threads !== undefined && offloaded !== undefined;
    if (!mayOffload || !shouldOffloadAttempt(offloaded, current.entry, request.info.strategy, threads.limits))
      return whenResolved(plan(), (steps) => runOnServerThread(deps, execution, steps, current, claims));
    const { entry } = current;
    const attempt = startedAttempt ?? new OffloadedAttempt(deps, threads, request, offloaded, { name: execution.attempts.name, entry });
    startedAttempt = undefined;
    return attempt.outcome(current, claims);
  };
  try {
    return await guaranteedUpdate(deps, attempts, (current) =>
      whenResolved(outcomeOf(current), (outcome) => toAttemptResult(deps, execution, claims, current, outcome)),
    );
  } finally {
    startedAttempt?.abandon();
    claims?.close(request);
  }
}

/**
 * Whether a webhook sees the object. Such a write runs on the server's thread whatever its size; if it is large it yields
 * between steps, like every large write on that thread.
 */
export const callsWebhooks = ({ admission }: Pick<WriteDependencies, 'admission'>, { info, subresource }: WriteRequest): boolean =>
  needsConversionWebhook(info) || admission.callsWebhooks({ resource: info.resource, subresource });

/** Runs the step list on this thread. Undoes its steps when one of them fails. */
function runOnServerThread(
  deps: ExecutorDependencies,
  { request, offloaded }: Pick<Execution<unknown>, 'offloaded' | 'request'>,
  plan: WritePlan,
  current: CurrentState,
  claims: AllocationClaims | undefined,
): MaybePromise<WriteOutcome> {
  const body = offloaded === undefined ? undefined : payloadBytes(offloaded.payload);
  const size = (body?.length ?? 0) + (current.entry?.bytes.length ?? 0);
  const runner = new AttemptRunner(deps, claims, size > OFFLOAD_LIMITS.bytes ? slotTimeSlice(deps.clock, request.context) : NEVER_YIELDS);
  try {
    const outcome = plan(current, runner);
    return outcome instanceof Promise ? outcome.catch((error: unknown) => runner.fail(error)) : outcome;
  } catch (error) {
    return runner.fail(error);
  }
}

/**
 * An attempt on the server's thread. `yielder` yields between and within the steps for large objects only, because the
 * steps of a small one take a few milliseconds at most.
 */
class AttemptRunner implements StepRunner, StepExecution {
  /** Created with the first function, because most attempts have none. */
  private undoFunctions: (() => void)[] | undefined;

  constructor(
    readonly deps: StepDependencies,
    private readonly claims: AllocationClaims | undefined,
    private readonly yielder: Yielder,
  ) {}

  run<In, Out>(_name: StepName, step: Step<In, Out>, attempt: In): MaybePromise<Out> {
    const pause = this.yielder.yieldIfDue();
    return pause === undefined ? step(attempt, this) : pause.then(() => step(attempt, this));
  }

  compute<T>(steps: Steps<T>): MaybePromise<T> {
    return runSteps(steps, this.yielder);
  }

  allocate(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined): void {
    allocate(info, object, old, this.claims);
  }

  onFailure(undo: () => void): void {
    (this.undoFunctions ??= []).push(undo);
  }

  /** Undoes the steps of the attempt and throws its error. */
  fail(error: unknown): never {
    for (const undo of this.undoFunctions ?? []) undo();
    throw error;
  }
}

/** Returns a transaction or a response. Throws 422 when the object needs more addresses than fit into a transaction. */
function toAttemptResult<R>(
  { store }: ExecutorDependencies,
  { request, responses, attempts }: Execution<R>,
  claims: AllocationClaims | undefined,
  { entry }: CurrentState,
  outcome: WriteOutcome,
): AttemptResult<R> {
  switch (outcome.type) {
    case 'missing': {
      const result = responses.missing?.();
      if (result === undefined) throw new Error('an object that was not marked for deletion is deleted');
      return { type: 'response', result };
    }
    case 'unchanged': {
      outcome.reservation?.complete();
      if (entry === undefined) throw new Error('an object that does not exist is unchanged');
      const { code } = outcome;
      const result = responses.unchanged(entry, code);
      if (!responses.rewritesOutdated) return { type: 'response', result };
      return { type: 'response', result, respondAfterRewrite: (rewritten) => responses.unchanged(rewritten, code) };
    }
    case 'store': {
      const { info, namespace } = request;
      const { value, isNew, responseEntry, reservation } = outcome;
      const allocationWrites = allocationWritesOf(store, info, claims, outcome);
      const key = info.keyPrefix + entryKey({ namespace, name: attempts.name });
      return {
        type: 'store',
        ...(isNew ? { isCreate: true } : {}),
        operation: value === undefined ? { type: 'delete', key } : { type: 'put', key, value },
        alongside: reservation === undefined ? allocationWrites : [...allocationWrites, ...reservation.writes],
        finish(revision) {
          reservation?.complete(revision);
          if (revision !== undefined) claims?.recordCommitted(allocationWrites, revision);
          return responses.stored(responseEntry(revision), outcome, revision);
        },
        ...(reservation === undefined ? {} : { abandon: () => reservation.complete() }),
      };
    }
  }
}

const NO_WRITES: readonly KeyWrite[] = [];

function allocationWritesOf(
  store: ExecutorDependencies['store'],
  info: ResourceInfo,
  claims: AllocationClaims | undefined,
  { allocation, reservation }: StoreOutcome,
): readonly KeyWrite[] {
  if (claims === undefined || allocation === undefined) return NO_WRITES;
  try {
    return allocationWrites(store, info, claims, allocation);
  } catch (error) {
    reservation?.complete();
    throw error;
  }
}
