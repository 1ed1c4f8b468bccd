/**
 * A write as data: named steps in their order. Each step takes what is known of the attempt and returns it with what the step has found out, so that the
 * compiler refuses a list in which a step reads what no earlier one has produced. A list runs nothing by itself: that is the executor's part.
 */
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import type { JsonObject } from '../../../../shared/values/json';
import type { Steps } from '../../../../shared/scheduling/steps';
import type { StepDependencies } from '../request';
import type { ResourceInfo } from '../../object/resource-info';

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

/** What the executor does for a step while it runs. */
export interface StepExecution {
  readonly deps: StepDependencies;
  /** Runs a long computation: a promise when it yields or waits on the way. */
  compute<T>(steps: Steps<T>): MaybePromise<T>;
  /** Chooses and checks the addresses and ports of an object, in the place where they are known. Changes the object; throws a StatusError. */
  allocate(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined): MaybePromise<void>;
  /** Registers what is to be undone when a later step fails. */
  onFailure(undo: () => void): void;
}

/** A plain value when there is nothing to wait for: a promise per step would cost every request. */
export type Step<In, Out> = (attempt: In, execution: StepExecution) => MaybePromise<Out>;

/** Runs the steps of one attempt, each where and when it sees fit. */
export interface StepRunner {
  run<In, Out>(name: StepName, step: Step<In, Out>, attempt: In): MaybePromise<Out>;
}

export class StepList<In, Out> {
  private constructor(
    readonly names: readonly StepName[],
    readonly run: (attempt: In, runner: StepRunner) => MaybePromise<Out>,
  ) {}

  /** A list without steps, for attempts that start with `Start`. */
  static from<Start>(): StepList<Start, Start> {
    return new StepList<Start, Start>([], (attempt) => attempt);
  }

  step<Next>(name: StepName, step: Step<Out, Next>): StepList<In, Next> {
    return new StepList([...this.names, name], (attempt, runner) => {
      const known = this.run(attempt, runner);
      return known instanceof Promise ? known.then((found) => runner.run(name, step, found)) : runner.run(name, step, known);
    });
  }

  /** A step that only some lists have, and that leaves the type of the attempt as it is. */
  stepIf(isIncluded: boolean, name: StepName, step: Step<Out, Out>): StepList<In, Out> {
    return isIncluded ? this.step(name, step) : this;
  }
}

/** The attempt with what a step has found out. The object is the same: copies of it are what steps would cost most. */
export const learn = <A extends object, F extends object>(attempt: A, facts: F): A & F => Object.assign(attempt, facts);

/** The attempt after a computation that only changes its object. */
export const after = <A>(done: MaybePromise<unknown>, attempt: A): MaybePromise<A> => whenResolved(done, () => attempt);
