/**
 * A named step of a write, and what the executor offers to it. Each step takes the data of the attempt and returns it with
 * additional facts. The lists of steps are in verbs/lists.ts.
 */
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { JsonObject } from '../../../../shared/values/json';
import type { Steps } from '../../../../shared/scheduling/steps';
import type { StepDependencies } from '../request';
import type { ResourceInfo } from '../../object/resource-info';

/** The names of steps in the lists. A name stands for several functions: each verb has its own `decode`. */
export type StepName =
  | 'decode'
  | 'default'
  | 'convertToStorage'
  | 'updateManagedFields'
  | 'mutatingAdmission'
  | 'stampMetadata'
  | 'allocate'
  | 'prepare'
  | 'validate'
  | 'canonicalize'
  | 'authorizeCreate'
  | 'validatingAdmission'
  | 'reserveQuota'
  | 'encode'
  | 'commit';

/** Services of the executor for a running step. */
export interface StepExecution {
  readonly deps: StepDependencies;
  /** Runs a long computation; returns a promise when it yields or waits. */
  compute<T>(steps: Steps<T>): MaybePromise<T>;
  /**
   * Allocates the addresses and ports of an object, on the thread that has the allocator. Changes the object; throws
   * a StatusError.
   */
  allocate(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined): MaybePromise<void>;
  /** Registers a function that undoes the step when a later step fails. */
  onFailure(undo: () => void): void;
}

/** Returns a plain value when there is nothing to await: a promise per step would slow down every request. */
export type Step<In, Out> = (attempt: In, execution: StepExecution) => MaybePromise<Out>;

/** Runs the steps of an attempt; decides when and on which thread each of them runs. */
export interface StepRunner {
  run<In, Out>(name: StepName, step: Step<In, Out>, attempt: In): MaybePromise<Out>;
}

/** Adds facts to the attempt in place and returns it. A copy for each step would cost more than most steps. */
export const addFacts = <A extends object, F extends object>(attempt: A, facts: F): A & F => Object.assign(attempt, facts);

/** Returns the attempt after work that changes only its object. */
export const whenDone = <A>(work: MaybePromise<unknown>, attempt: A): MaybePromise<A> => whenResolved(work, () => attempt);
