/**
 * The one executor of all writes: it decides where the steps of an attempt run, runs them on the state that the guaranteed update brings, and turns what they
 * come to into a transaction or a response. Retries, confirmation on a proven state, deadlines and dry run are guaranteed-update.ts's business.
 */
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { JsonObject } from '../../../../shared/values/json';
import { runSteps, type Steps } from '../../../../shared/scheduling/steps';
import { NEVER_YIELDS, slotTimeSlice, type Yielder } from '../../../../shared/scheduling/yielding';
import type { AllocationClaims, KeyWrite } from '../../../allocation/claims';
import type { Entry } from '../../../cache/cache';
import type { Revision } from '../../../storage/store';
import { needsWebhook, type ResourceInfo } from '../../object/resource-info';
import { entryKey } from '../../resources';
import { allocate, allocationWrites } from '../allocation';
import { guaranteedUpdate, type Attempt, type Current } from '../guaranteed-update';
import type { StepDependencies, ToldAttempts, WriteDependencies, WriteRequest } from '../request';
import type { WriteOutcome } from '../steps/attempt';
import type { Step, StepExecution, StepName, StepRunner } from '../steps/step';
import type { WritePlan } from '../verbs/plan';
import { OffloadedAttempt, type OffloadedRequest } from './offload/offloaded-attempt';
import type { OffloadThreads } from './offload/messages';
import { isOffloadedAttempt, OFFLOAD_LIMITS } from './offload/should-offload';
import { bytesOf } from './offload/transfer';

export interface ExecutorDependencies extends WriteDependencies {
  /** Absent: every write runs on the server's thread. */
  readonly threads?: OffloadThreads | undefined;
}

type Stored = Extract<WriteOutcome, { readonly type: 'store' }>;

/** How a verb responds to what its steps come to. */
export interface Responses<R> {
  readonly unchanged: (entry: Entry, code: 200 | 202) => R;
  /** Whether an unchanged object is stored again where its value was written in another way than values are now. */
  readonly isRewritten: boolean;
  /** `revision` undefined: it was a dry run. */
  readonly stored: (entry: Entry, outcome: Stored, revision: Revision | undefined) => R;
  /** The object does not exist any more. */
  readonly gone?: () => R;
}

export interface Execution<R> {
  readonly request: WriteRequest;
  readonly attempts: Omit<ToldAttempts, 'provesFirst'>;
  /** Refuses what the steps would refuse on this state whatever they find. */
  readonly precheck?: (current: Current) => void;
  /** Asked for when an attempt runs on the server's thread. */
  readonly plan: () => MaybePromise<WritePlan>;
  /** Absent: every attempt runs on the server's thread. */
  readonly offloaded?: OffloadedRequest | undefined;
  /** The first attempt, if it has begun already. */
  readonly begun?: OffloadedAttempt;
  readonly responses: Responses<R>;
}

/** Rejects with a StatusError, or with StoreError. */
export async function execute<R>(deps: ExecutorDependencies, execution: Execution<R>): Promise<R> {
  const { request, offloaded, plan, precheck } = execution;
  const { name, called, left, taken } = execution.attempts;
  const isSeenOutside = callsOut(deps, request);
  const threads = isSeenOutside ? undefined : deps.threads;
  // A webhook is shown no state that may be gone, and an attempt in a worker is too dear to be refused on one.
  const provesFirst = isSeenOutside || (threads !== undefined && offloaded?.isUnread === true);
  const attempts = deps.attemptsFor(request, { name, called, left, taken, provesFirst });
  const claims = deps.claimsFor(request);
  let { begun } = execution;
  const outcomeOf = (current: Current): MaybePromise<WriteOutcome> => {
    precheck?.(current);
    if (
      threads === undefined ||
      offloaded === undefined ||
      !isOffloadedAttempt(offloaded, current.entry, request.info.strategy, threads.limits)
    )
      return whenResolved(plan(), (steps) => runHere(deps, execution, steps, current, claims));
    const attempt = begun ?? new OffloadedAttempt(deps, threads, request, offloaded, name, current.entry);
    begun = undefined;
    return attempt.outcome(current, claims);
  };
  try {
    return await guaranteedUpdate(deps, attempts, (current) =>
      whenResolved(outcomeOf(current), (outcome) => attemptFrom(deps, execution, claims, current, outcome)),
    );
  } finally {
    begun?.abandon();
    claims?.close(request.dryRun);
  }
}

/** Whether a webhook sees the object: such a write stays on the server's thread, whatever its size, and yields between its steps. */
export const callsOut = ({ admission }: Pick<WriteDependencies, 'admission'>, { info, subresource }: WriteRequest): boolean =>
  needsWebhook(info) || admission.asksOthers({ resource: info.resource, subresource });

/** Runs the steps on the server's thread. */
function runHere(
  deps: ExecutorDependencies,
  { request, offloaded }: Pick<Execution<unknown>, 'offloaded' | 'request'>,
  plan: WritePlan,
  current: Current,
  claims: AllocationClaims | undefined,
): MaybePromise<WriteOutcome> {
  const sent = offloaded === undefined ? undefined : bytesOf(offloaded.what);
  const size = (sent?.length ?? 0) + (current.entry?.bytes.length ?? 0);
  const runner = new AttemptRunner(deps, claims, size > OFFLOAD_LIMITS.bytes ? slotTimeSlice(deps.clock, request.context) : NEVER_YIELDS);
  try {
    const outcome = plan(current, runner);
    return outcome instanceof Promise ? outcome.catch((error: unknown) => runner.fail(error)) : outcome;
  } catch (error) {
    return runner.fail(error);
  }
}

/** One attempt on the server's thread. Only large objects yield: what is small takes a few milliseconds, whatever it is. */
class AttemptRunner implements StepRunner, StepExecution {
  private undo: (() => void)[] | undefined;

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
    (this.undo ??= []).push(undo);
  }

  fail(error: unknown): never {
    for (const undo of this.undo ?? []) undo();
    throw error;
  }
}

/** A transaction or a response. Throws a 422 StatusError when the object needs more addresses than a transaction can hold. */
function attemptFrom<R>(
  { store }: ExecutorDependencies,
  { request, responses, attempts }: Execution<R>,
  claims: AllocationClaims | undefined,
  { entry }: Current,
  outcome: WriteOutcome,
): Attempt<R> {
  switch (outcome.type) {
    case 'gone': {
      const result = responses.gone?.();
      if (result === undefined) throw new Error('an object is gone that was never marked');
      return { type: 'answer', result };
    }
    case 'unchanged': {
      outcome.reservation?.over();
      if (entry === undefined) throw new Error('an object stays as it is that does not exist');
      const { code } = outcome;
      const rewritten = responses.isRewritten ? { unchanged: (written: Entry) => responses.unchanged(written, code) } : {};
      return { type: 'answer', result: responses.unchanged(entry, code), ...rewritten };
    }
    case 'store': {
      const { info, namespace } = request;
      const { value, isNew, shown, reservation } = outcome;
      const claimed = claimedWrites(store, info, claims, outcome);
      const key = info.keyPrefix + entryKey({ namespace, name: attempts.name });
      return {
        type: 'store',
        ...(isNew ? { isBirth: true } : {}),
        operation: value === undefined ? { type: 'delete', key } : { type: 'put', key, value },
        alongside: reservation === undefined ? claimed : [...claimed, ...reservation.writes],
        finish(revision) {
          reservation?.over(revision);
          if (revision !== undefined) claims?.committed(claimed, revision);
          return responses.stored(shown(revision), outcome, revision);
        },
      };
    }
  }
}

const NO_WRITES: readonly KeyWrite[] = [];

function claimedWrites(
  store: ExecutorDependencies['store'],
  info: ResourceInfo,
  claims: AllocationClaims | undefined,
  { allocation, reservation }: Stored,
): readonly KeyWrite[] {
  if (claims === undefined || allocation === undefined) return NO_WRITES;
  try {
    return allocationWrites(store, info, claims, allocation);
  } catch (error) {
    reservation?.over();
    throw error;
  }
}
