/** State of one validation of an object against its schema: current path, errors, and remaining matching steps. */
import { appendAll } from '../../../values/append';
import { createFieldError, type FieldError, type FieldErrorReason } from '../../errors/field-error';
import type { JsonValue } from '../../../values/json';
import { formatFieldPath } from '../field-path';
import type { Correlation, OldValue } from './correlate';

/** Upstream reports all errors; this limit bounds the response. */
export const MAX_SCHEMA_ERRORS = 1000;
/** Upstream's path of the root object. */
export const ROOT_PATH = '<nil>';

/**
 * Adds the errors of a value to the context. `old` is the value that it replaces in an update; `undefined` when there is
 * none. Returns upstream's count of what was checked: of the alternatives of an `anyOf` or `oneOf` that fail, the errors
 * of the one with the highest count are reported.
 */
export type SchemaCheck = (value: JsonValue, context: CheckContext, old: OldValue) => number;

/** A state to which {@link CheckContext.rollBack} returns: how many failures and errors there were. */
export interface Checkpoint {
  readonly failures: number;
  readonly errors: number;
}

/** Limit for matching patterns against the strings of one object: 50 ms, in steps of about 20 ns. */
const MATCHING_STEP_LIMIT = 2_500_000;

/**
 * Used for one object, by all checks of its nodes. The path follows the walk: every {@link CheckContext.enter} has its
 * {@link CheckContext.leave}.
 */
export class CheckContext {
  /** All errors, including those that are not kept because of {@link MAX_SCHEMA_ERRORS}. */
  private failures = 0;
  private stepsLeft = MATCHING_STEP_LIMIT;
  private readonly errors: FieldError[] = [];
  private readonly path: (string | number)[] = [];

  constructor(readonly correlation: Correlation) {}

  /** Deducts the steps of a match; returns false when the limit is exceeded and the match must not be tried. */
  trySpend(steps: number): boolean {
    this.stepsLeft -= steps;
    return this.stepsLeft >= 0;
  }

  /** Descends to a member or item; {@link leave} returns to its parent. */
  enter(step: string | number): void {
    this.path.push(step);
  }

  /** Returns to the parent of the member or item. */
  leave(): void {
    this.path.pop();
  }

  /** `spec.list[0].a`; empty at the root. */
  get pathText(): string {
    return formatFieldPath(this.path);
  }

  /** Adds an error; its detail is the path followed by `message`. `shown` is the value as the message shows it. */
  fail(reason: FieldErrorReason, shown: string, message: string): void {
    this.add(reason, shown, (pathText) => `${pathText} ${message}`);
  }

  /** Adds an error that upstream reports without a field, with the path in its detail. */
  failWithoutField(message: string): void {
    this.failures += 1;
    if (this.errors.length < MAX_SCHEMA_ERRORS)
      this.errors.push(createFieldError('FieldValueInvalid', ROOT_PATH, '""', `"${this.pathText}" ${message}`));
  }

  /** Adds an error; `detail` returns its detail for the path. Prefer {@link fail} when the detail begins with the path. */
  add(reason: FieldErrorReason, shown: string, detail: (pathText: string) => string): void {
    this.failures += 1;
    if (this.errors.length >= MAX_SCHEMA_ERRORS) return;
    const { pathText } = this;
    this.errors.push(createFieldError(reason, pathText === '' ? ROOT_PATH : pathText, shown, detail(pathText)));
  }

  /** The current state, for {@link CheckContext.hasFailedSince} and {@link CheckContext.rollBack}. */
  checkpoint(): Checkpoint {
    return { failures: this.failures, errors: this.errors.length };
  }

  /** Whether an error was added since the checkpoint. */
  hasFailedSince(checkpoint: Checkpoint): boolean {
    return this.failures > checkpoint.failures;
  }

  /** Removes the errors since the checkpoint and returns them; {@link restore} adds them again. */
  rollBack(checkpoint: Checkpoint): readonly FieldError[] {
    this.failures = checkpoint.failures;
    return this.errors.splice(checkpoint.errors);
  }

  /**
   * Adds errors that were rolled back. Counts at least one failure: the list is empty when the errors were not kept
   * because of {@link MAX_SCHEMA_ERRORS}.
   */
  restore(errors: readonly FieldError[]): void {
    this.failures += Math.max(errors.length, 1);
    appendAll(this.errors, errors);
  }

  /** The errors without those of equal text, in the order in which they were first added. */
  get distinctErrors(): FieldError[] {
    return [...new Map(this.errors.map((error) => [error.text, error])).values()];
  }
}
