/**
 * Evaluates a ValidatingAdmissionPolicy for one request and one parameter: match conditions, validations, audit
 * annotations. Variables are evaluated lazily and once. What a violation leads to depends on the binding, and is left to
 * validating-admission-policies.ts.
 */
import { CostBudget, CostExceededError, ErrorValue, type Value } from '../../../shared/expression/engine';
import { MapValue } from '../../../shared/expression/values/value';
import type { CompiledExpression, AdmissionPolicy, Validation } from './admission-policies';

/** Upstream's limit of the cost of one expression. */
const EXPRESSION_COST_LIMIT = 1_000_000;
/** Upstream's limit of the cost of all match conditions. */
const CONDITIONS_COST_BUDGET = 2_500_000;
/** Upstream's limit of the cost of all validations, messages and audit annotations. */
const VALIDATION_COST_BUDGET = 10_000_000;

/** A longer computed message is replaced by the literal one. */
const MAX_MESSAGE_BYTES = 5 * 1024;

/** A validation that is false, or that failed under the failure policy Fail. */
export interface PolicyViolation {
  /** Index of the validation in the policy. */
  readonly index: number;
  readonly message: string;
  readonly reason: string;
}

/** `not-applicable`: the match conditions exclude the request, or failed under the failure policy Ignore. */
export type PolicyResult = { readonly type: 'not-applicable' } | EvaluatedPolicy;

/** The result of a policy that applies to the request. */
export interface EvaluatedPolicy {
  readonly type: 'evaluated';
  readonly violations: readonly PolicyViolation[];
  /** Errors of audit annotations; they deny the request. */
  readonly annotationErrors: readonly string[];
  readonly auditAnnotations: readonly (readonly [key: string, value: string])[];
}

const INVALID = 'Invalid';
const BUDGET_EXHAUSTED = 'validation failed due to running out of cost budget, no further validation rules will be run';
const NOT_COMPILED = 'it does not compile';

/**
 * Evaluates the policy. Pauses between two expressions, so that the caller may yield to the event loop. `values`: what expressions can read
 * (`object`, `request`, `params`), without `variables`. `onConditions` is called once, with the outcome of the match
 * conditions.
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

/** `met`: all conditions are true. `unmet`: one is false. `error`: some failed to evaluate, and none is false. */
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
    const cached = this.evaluated.get(key);
    if (cached !== undefined) return cached;
    const value = this.evaluate(variable);
    const result =
      value instanceof ErrorValue
        ? new ErrorValue(`composited variable ${JSON.stringify(key)} fails to evaluate: ${value.message}`)
        : value;
    this.evaluated.set(key, result);
    return result;
  }

  keys(): Iterable<Value> {
    return this.definitions.keys();
  }
}

/** One evaluation of a policy. `checkConditions` must be called first. */
class PolicyRun {
  private readonly values: ReadonlyMap<string, Value>;
  /** The remaining cost budget of the expressions. `checkConditions` replaces it by the budget of the validations. */
  private budget = new CostBudget(CONDITIONS_COST_BUDGET);

  constructor(
    private readonly policy: AdmissionPolicy,
    values: ReadonlyMap<string, Value>,
  ) {
    this.values = new Map([...values, ['variables', new LazyVariables(policy.variables, (variable) => this.evaluate(variable))]]);
  }

  /** Evaluates all conditions, also after an error, because a false one makes the errors irrelevant. */
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
    return { type: 'error', message: errors.length === 1 ? errors.join() : `[${errors.join(', ')}]` };
  }

  *runValidations(): Generator<undefined, PolicyResult, undefined> {
    const violations = yield* this.findViolations();
    return { type: 'evaluated', violations, ...(yield* this.computeAnnotations()) };
  }

  /** Ends early when the cost budget is exhausted. */
  private *findViolations(): Generator<undefined, readonly PolicyViolation[], undefined> {
    const violations: PolicyViolation[] = [];
    const { validations, isIgnoredOnFailure } = this.policy;
    for (const [index, validation] of validations.entries()) {
      yield;
      const value = this.evaluate(validation);
      if (value === true) continue;
      if (value === false) violations.push({ index, message: this.messageOf(validation), reason: validation.reason });
      else if (!isIgnoredOnFailure) violations.push({ index, message: this.errorText(validation, value), reason: INVALID });
      if (this.isExhausted) break;
    }
    return violations;
  }

  private *computeAnnotations(): Generator<undefined, Pick<EvaluatedPolicy, 'annotationErrors' | 'auditAnnotations'>, undefined> {
    const annotationErrors: string[] = [];
    const auditAnnotations: (readonly [string, string])[] = [];
    const { annotations, isIgnoredOnFailure } = this.policy;
    for (const annotation of annotations) {
      yield;
      const value = this.evaluate(annotation);
      if (typeof value === 'string') {
        const text = value.trim();
        if (text !== '') auditAnnotations.push([annotation.key, text]);
        // null = the request gets no such annotation.
      } else if (value !== null && !isIgnoredOnFailure) annotationErrors.push(this.errorText(annotation, value));
    }
    return { annotationErrors, auditAnnotations };
  }

  /** Whether the cost budget is used up: then every further expression fails. */
  private get isExhausted(): boolean {
    return this.budget.remainingCost <= 0;
  }

  /** The message about an expression that failed. */
  private errorText(compiled: CompiledExpression, value: Value): string {
    return this.isExhausted ? BUDGET_EXHAUSTED : failureText(compiled, value);
  }

  /** The computed message of a violation, else the literal one, else one that names the expression. */
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

/** Whether a computed message is one line of acceptable length. */
const isUsableMessage = (text: string): boolean =>
  text.trim() !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;

const failureText = ({ text }: CompiledExpression, value: Value): string =>
  `expression '${text}' resulted in error: ${value instanceof ErrorValue ? value.message : 'it is not a boolean'}`;
