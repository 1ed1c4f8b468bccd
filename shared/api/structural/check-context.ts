/** What a run of schema checks gathers: where it stands and what is wrong. Holds no rules. */
import { appendAll } from '../../values/append';
import { fieldErrorAs, type FieldError, type FieldErrorReason } from '../errors/field-error';
import { formatGoSyntax } from '../../values/go-syntax';
import type { JsonValue } from '../../values/json';
import type { Correlation, Old } from './correlate';

/** Upstream says everything; nobody reads more than this. */
export const MOST_ERRORS = 1000;
/** How upstream calls the top. */
export const NOWHERE = '<nil>';

/**
 * Adds what is wrong to the context. `old` is what the value came from. Answers how much was looked at: of several alternatives that all fail, the one
 * that got furthest is explained.
 */
export type Check = (value: JsonValue, context: CheckContext, old: Old) => number;

/** A state to which {@link CheckContext.rollBack} returns. */
export interface Mark {
  readonly failures: number;
  readonly errors: number;
}

/** What matching the texts of one object may take, in steps of some 20 ns. */
const MATCHING_LIMIT = 2_500_000;

export class CheckContext {
  private failures = 0;
  private stepsLeft = MATCHING_LIMIT;
  private readonly errors: FieldError[] = [];
  private readonly path: (string | number)[] = [];

  constructor(readonly correlation: Correlation) {}

  /** Whether there is time left to match a text; false = it is not to be tried. */
  affords(steps: number): boolean {
    this.stepsLeft -= steps;
    return this.stepsLeft >= 0;
  }

  enter(step: string | number): void {
    this.path.push(step);
  }

  leave(): void {
    this.path.pop();
  }

  /** `spec.list[0].a`; '' at the top. */
  get place(): string {
    let text = '';
    for (const step of this.path) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
    return text;
  }

  /** `message` is put after the place. */
  fail(reason: FieldErrorReason, shown: string, message: string): void {
    this.add(reason, shown, (place) => `${place} ${message}`);
  }

  /** Something that upstream says of no field in particular. */
  failAll(message: string): void {
    this.failures += 1;
    if (this.errors.length < MOST_ERRORS) this.errors.push(fieldErrorAs('FieldValueInvalid', NOWHERE, '""', `"${this.place}" ${message}`));
  }

  add(reason: FieldErrorReason, shown: string, detail: (place: string) => string): void {
    this.failures += 1;
    if (this.errors.length >= MOST_ERRORS) return;
    const { place } = this;
    this.errors.push(fieldErrorAs(reason, place === '' ? NOWHERE : place, shown, detail(place)));
  }

  mark(): Mark {
    return { failures: this.failures, errors: this.errors.length };
  }

  hasFailedSince(mark: Mark): boolean {
    return this.failures > mark.failures;
  }

  /** Forgets what has been found since; the result can be {@link restore}d. */
  rollBack(mark: Mark): readonly FieldError[] {
    this.failures = mark.failures;
    return this.errors.splice(mark.errors);
  }

  restore(errors: readonly FieldError[]): void {
    this.failures += Math.max(errors.length, 1);
    appendAll(this.errors, errors);
  }

  /** Each once, in the order in which they were found. */
  get found(): FieldError[] {
    return [...new Map(this.errors.map((error) => [error.text, error])).values()];
  }
}

/** A value as upstream's messages show it. */
export function shownValue(value: JsonValue): string {
  return value === null ? '"null"' : formatGoSyntax(value);
}
