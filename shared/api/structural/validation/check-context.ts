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
 * Adds the errors of a value to the context. `old` is the value that it replaces. Returns a measure of how much was
 * checked: when several alternatives fail, the errors of the one that got furthest are reported.
 */
export type SchemaCheck = (value: JsonValue, context: CheckContext, old: OldValue) => number;

/** A state to which {@link CheckContext.rollBack} returns: how many failures and errors there were. */
export interface Checkpoint {
  readonly failures: number;
  readonly errors: number;
}

/** Limit for matching patterns against the strings of one object, in steps of about 20 ns. */
const MATCHING_STEP_LIMIT = 2_500_000;

/**
 * Used for one object, by all checks of its nodes. The path follows the walk: every {@link CheckContext.enter} has its
 * {@link CheckContext.leave}.
 */
export class CheckContext {
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

  /** Adds an error; its detail is the path followed by `message`. */
  fail(reason: FieldErrorReason, shown: string, message: string): void {
    this.add(reason, shown, (pathText) => `${pathText} ${message}`);
  }

  /** Adds an error that upstream reports without a field. */
  failWithoutField(message: string): void {
    this.failures += 1;
    if (this.errors.length < MAX_SCHEMA_ERRORS)
      this.errors.push(createFieldError('FieldValueInvalid', ROOT_PATH, '""', `"${this.pathText}" ${message}`));
  }

  /** Adds an error with the detail for the path. */
  add(reason: FieldErrorReason, shown: string, detail: (pathText: string) => string): void {
    this.failures += 1;
    if (this.errors.length >= MAX_SCHEMA_ERRORS) return;
    const { pathText } = this;
    this.errors.push(createFieldError(reason, pathText === '' ? ROOT_PATH : pathText, shown, detail(pathText)));
  }

  /** The present number of errors, for {@link CheckContext.hasFailedSince} and {@link CheckContext.rollBack}. */
  checkpoint(): Checkpoint {
    return { failures: this.failures, errors: this.errors.length };
  }

  /** Whether an error was added since the checkpoint. */
  hasFailedSince(checkpoint: Checkpoint): boolean {
    return this.failures > checkpoint.failures;
  }

  /** Removes and returns the errors since the checkpoint; {@link restore} adds them again. */
  rollBack(checkpoint: Checkpoint): readonly FieldError[] {
    this.failures = checkpoint.failures;
    return this.errors.splice(checkpoint.errors);
  }

  /** Adds errors that were rolled back. Counts at least one failure, because errors beyond the limit are not kept. */
  restore(errors: readonly FieldError[]): void {
    this.failures += Math.max(errors.length, 1);
    appendAll(this.errors, errors);
  }

  /** Without duplicates, in the order in which they were added. */
  get distinctErrors(): FieldError[] {
    return [...new Map(this.errors.map((error) => [error.text, error])).values()];
  }
}
