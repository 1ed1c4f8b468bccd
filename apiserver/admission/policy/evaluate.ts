/**
 * What a policy says of one request and one parameter: its conditions, its validations and what it wants noted. Variables are worked out when they are first read, and
 * once. Each expression and all of them together may cost what upstream lets them cost. Knows nothing of bindings.
 */
import { Budget, CostExceeded, Failure, type Value } from '../../../shared/expression/engine';
import { MapValue } from '../../../shared/expression/values/value';
import type { CompiledText, AdmissionPolicy, Validation } from './policy';

/** What one expression may cost, all conditions, and all else. */
const LIMIT = 1_000_000;
const CONDITIONS_BUDGET = 2_500_000;
const BUDGET = 10_000_000;

const LONGEST_MESSAGE = 5 * 1024;

export interface PolicyFinding {
  /** Of the validation. */
  readonly index: number;
  readonly message: string;
  readonly reason: string;
}

export type PolicyAnswer =
  | { readonly type: 'not-about-it' }
  | {
      readonly type: 'judged';
      readonly findings: readonly PolicyFinding[];
      /** What cannot be told of what is to be noted. */
      readonly unnoted: readonly string[];
      readonly notes: readonly (readonly [key: string, value: string])[];
    };

const INVALID = 'Invalid';
const EXHAUSTED = 'validation failed due to running out of cost budget, no further validation rules will be run';
const NOT_COMPILED = 'it does not compile';

/** `values`: all but the variables; `met` is told what has come of the conditions. Between two expressions others may go on. */
export function* evaluatePolicy(
  policy: AdmissionPolicy,
  values: ReadonlyMap<string, Value>,
  met: (answer: 'yes' | 'no' | 'error') => void = () => undefined,
): Generator<undefined, PolicyAnswer, undefined> {
  const run = new Run(policy, values);
  const conditions = yield* run.conditions();
  met(conditions === true ? 'yes' : conditions === false ? 'no' : 'error');
  if (conditions === false) return { type: 'not-about-it' };
  if (conditions !== true) {
    if (policy.isIgnoredOnFailure) return { type: 'not-about-it' };
    return { type: 'judged', findings: [{ index: 0, message: conditions, reason: INVALID }], unnoted: [], notes: [] };
  }
  return yield* run.judge();
}

/** A variable is a member that is worked out when it is asked for. */
class Variables extends MapValue {
  private readonly found = new Map<string, Value>();

  constructor(
    private readonly all: ReadonlyMap<string, CompiledText>,
    private readonly evaluate: (variable: CompiledText) => Value,
  ) {
    super();
  }

  get size(): number {
    return this.all.size;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const variable = this.all.get(key);
    if (variable === undefined) return undefined;
    let value = this.found.get(key);
    if (value === undefined) {
      const result = this.evaluate(variable);
      value =
        result instanceof Failure ? new Failure(`composited variable ${JSON.stringify(key)} fails to evaluate: ${result.message}`) : result;
      this.found.set(key, value);
    }
    return value;
  }

  keys(): Iterable<Value> {
    return this.all.keys();
  }
}

class Run {
  private readonly values: ReadonlyMap<string, Value>;
  private budget = new Budget(CONDITIONS_BUDGET);

  constructor(
    private readonly policy: AdmissionPolicy,
    values: ReadonlyMap<string, Value>,
  ) {
    this.values = new Map([...values, ['variables', new Variables(policy.variables, (variable) => this.value(variable))]]);
  }

  /** Whether all hold; a text = why that cannot be told. One that is false counts more than one that fails. */
  *conditions(): Generator<undefined, boolean | string, undefined> {
    const errors: string[] = [];
    for (const condition of this.policy.conditions) {
      yield;
      const value = this.value(condition);
      if (value === false) return false;
      if (value !== true) errors.push(failureText(condition, value));
    }
    this.budget = new Budget(BUDGET);
    if (errors.length === 0) return true;
    return errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`;
  }

  *judge(): Generator<undefined, PolicyAnswer, undefined> {
    const findings: PolicyFinding[] = [];
    const { validations, annotations, isIgnoredOnFailure } = this.policy;
    for (const [index, validation] of validations.entries()) {
      yield;
      const value = this.value(validation);
      if (value === true) continue;
      if (value === false) findings.push({ index, message: this.messageOf(validation), reason: validation.reason });
      else if (!isIgnoredOnFailure) findings.push({ index, message: this.errorText(validation, value), reason: INVALID });
      if (this.isExhausted) break;
    }
    const unnoted: string[] = [];
    const notes: (readonly [string, string])[] = [];
    for (const annotation of annotations) {
      yield;
      const value = this.value(annotation);
      if (typeof value === 'string') {
        const text = value.trim();
        if (text !== '') notes.push([annotation.key, text]);
      } else if (value !== null && !isIgnoredOnFailure) unnoted.push(this.errorText(annotation, value));
    }
    return { type: 'judged', findings, unnoted, notes };
  }

  private get isExhausted(): boolean {
    return this.budget.cost <= 0;
  }

  private errorText(compiled: CompiledText, value: Value): string {
    return this.isExhausted ? EXHAUSTED : failureText(compiled, value);
  }

  private messageOf({ text, message, messageExpression }: Validation): string {
    const said = messageExpression === undefined ? '' : this.value(messageExpression);
    if (typeof said === 'string' && said.trim() !== '' && !said.includes('\n') && Buffer.byteLength(said) <= LONGEST_MESSAGE)
      return said.trim();
    return message === '' ? `failed expression: ${text}` : message;
  }

  private value({ expression }: CompiledText): Value {
    if (expression === undefined) return new Failure(NOT_COMPILED);
    try {
      return expression.evaluate(this.values, LIMIT, this.budget);
    } catch (error) {
      if (error instanceof CostExceeded) return new Failure('operation cancelled: actual cost limit exceeded');
      throw error;
    }
  }
}

const failureText = ({ text }: CompiledText, value: Value): string =>
  `expression '${text}' resulted in error: ${value instanceof Failure ? value.message : 'it is neither true nor false'}`;
