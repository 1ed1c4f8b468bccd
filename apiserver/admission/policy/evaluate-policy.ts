/**
 * Evaluates a ValidatingAdmissionPolicy for one request and one parameter: match conditions, validations, audit
 * annotations. Variables are evaluated lazily and once. The cost of each expression and of all together is limited as
 * upstream does. Does not handle bindings.
 */
import { CostBudget, CostExceededError, ErrorValue, type Value } from '../../../shared/expression/engine';
import { MapValue } from '../../../shared/expression/values/value';
import type { CompiledExpression, AdmissionPolicy, Validation } from './admission-policies';

/** Cost limits: of one expression, of all match conditions, and of everything else. */
const EXPRESSION_COST_LIMIT = 1_000_000;
const CONDITIONS_COST_BUDGET = 2_500_000;
const VALIDATION_COST_BUDGET = 10_000_000;

const MAX_MESSAGE_BYTES = 5 * 1024;

/** A validation that is false, or that failed under the failure policy Fail. */
export interface PolicyViolation {
  /** Index of the validation in the policy. */
  readonly index: number;
  readonly message: string;
  readonly reason: string;
}

/** `not-applicable`: the match conditions exclude the request, or failed under the failure policy Ignore. */
export type PolicyResult =
  | { readonly type: 'not-applicable' }
  | {
      readonly type: 'evaluated';
      readonly violations: readonly PolicyViolation[];
      /** Errors of audit annotations; they deny the request. */
      readonly annotationErrors: readonly string[];
      readonly auditAnnotations: readonly (readonly [key: string, value: string])[];
    };

const INVALID = 'Invalid';
const BUDGET_EXHAUSTED = 'validation failed due to running out of cost budget, no further validation rules will be run';
const NOT_COMPILED = 'it does not compile';

/**
 * `values`: all variables except `variables`. `onConditions` is called once with the outcome of the match conditions.
 * The caller may yield between two expressions.
 */
export function* evaluatePolicy(
  policy: AdmissionPolicy,
  values: ReadonlyMap<string, Value>,
  onConditions: (outcome: ConditionsOutcome['type']) => void = () => undefined,
): Generator<undefined, PolicyResult, undefined> {
  const run = new PolicyRun(policy, values);
  const conditions = yield* run.checkConditions();
  onConditions(conditions.type);
  switch (conditions.type) {
    case 'met':
      return yield* run.runValidations();
    case 'unmet':
      return { type: 'not-applicable' };
    case 'error': {
      if (policy.isIgnoredOnFailure) return { type: 'not-applicable' };
      const violations = [{ index: 0, message: conditions.message, reason: INVALID }];
      return { type: 'evaluated', violations, annotationErrors: [], auditAnnotations: [] };
    }
  }
}

/** `error`: conditions failed, and none is false. */
type ConditionsOutcome = { readonly type: 'met' | 'unmet' } | { readonly type: 'error'; readonly message: string };

/** The `variables` of a policy: a member is evaluated at its first read. */
class LazyVariables extends MapValue {
  private readonly evaluated = new Map<string, Value>();

  constructor(
    private readonly definitions: ReadonlyMap<string, CompiledExpression>,
    private readonly evaluate: (variable: CompiledExpression) => Value,
  ) {
    super();
  }

  get size(): number {
    return this.definitions.size;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const variable = this.definitions.get(key);
    if (variable === undefined) return undefined;
    let value = this.evaluated.get(key);
    if (value === undefined) {
      const result = this.evaluate(variable);
      value =
        result instanceof ErrorValue
          ? new ErrorValue(`composited variable ${JSON.stringify(key)} fails to evaluate: ${result.message}`)
          : result;
      this.evaluated.set(key, value);
    }
    return value;
  }

  keys(): Iterable<Value> {
    return this.definitions.keys();
  }
}

/** One evaluation of a policy. The match conditions must be checked before the validations, which have a budget of their own. */
class PolicyRun {
  private readonly values: ReadonlyMap<string, Value>;
  private budget = new CostBudget(CONDITIONS_COST_BUDGET);

  constructor(
    private readonly policy: AdmissionPolicy,
    values: ReadonlyMap<string, Value>,
  ) {
    this.values = new Map([...values, ['variables', new LazyVariables(policy.variables, (variable) => this.evaluate(variable))]]);
  }

  /** A false condition outweighs errors. */
  *checkConditions(): Generator<undefined, ConditionsOutcome, undefined> {
    const errors: string[] = [];
    for (const condition of this.policy.conditions) {
      yield;
      const value = this.evaluate(condition);
      if (value === false) return { type: 'unmet' };
      if (value !== true) errors.push(failureText(condition, value));
    }
    this.budget = new CostBudget(VALIDATION_COST_BUDGET);
    if (errors.length === 0) return { type: 'met' };
    return { type: 'error', message: errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]` };
  }

  *runValidations(): Generator<undefined, PolicyResult, undefined> {
    const violations: PolicyViolation[] = [];
    const { validations, annotations, isIgnoredOnFailure } = this.policy;
    for (const [index, validation] of validations.entries()) {
      yield;
      const value = this.evaluate(validation);
      if (value === true) continue;
      if (value === false) violations.push({ index, message: this.messageOf(validation), reason: validation.reason });
      else if (!isIgnoredOnFailure) violations.push({ index, message: this.errorText(validation, value), reason: INVALID });
      if (this.isExhausted) break;
    }
    const annotationErrors: string[] = [];
    const auditAnnotations: (readonly [string, string])[] = [];
    for (const annotation of annotations) {
      yield;
      const value = this.evaluate(annotation);
      if (typeof value === 'string') {
        const text = value.trim();
        if (text !== '') auditAnnotations.push([annotation.key, text]);
      } else if (value !== null && !isIgnoredOnFailure) annotationErrors.push(this.errorText(annotation, value));
    }
    return { type: 'evaluated', violations, annotationErrors, auditAnnotations };
  }

  private get isExhausted(): boolean {
    return this.budget.cost <= 0;
  }

  private errorText(compiled: CompiledExpression, value: Value): string {
    return this.isExhausted ? BUDGET_EXHAUSTED : failureText(compiled, value);
  }

  private messageOf({ text, message, messageExpression }: Validation): string {
    const computed = messageExpression === undefined ? '' : this.evaluate(messageExpression);
    if (typeof computed === 'string' && isUsableMessage(computed)) return computed.trim();
    return message === '' ? `failed expression: ${text}` : message;
  }

  private evaluate({ expression }: CompiledExpression): Value {
    if (expression === undefined) return new ErrorValue(NOT_COMPILED);
    try {
      return expression.evaluate(this.values, EXPRESSION_COST_LIMIT, this.budget);
    } catch (error) {
      if (error instanceof CostExceededError) return new ErrorValue('operation cancelled: actual cost limit exceeded');
      throw error;
    }
  }
}

/** Whether a computed message is one line of acceptable length; otherwise the literal message is used. */
const isUsableMessage = (text: string): boolean =>
  text.trim() !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;

const failureText = ({ text }: CompiledExpression, value: Value): string =>
  `expression '${text}' resulted in error: ${value instanceof ErrorValue ? value.message : 'it is not a boolean'}`;
