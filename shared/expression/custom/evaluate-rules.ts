/**
 * Evaluates the validation rules of a schema on objects. Rules are compiled on first use and cached. The cost of each
 * evaluation, and of all evaluations for one object together, is limited. A rule without `oldSelf` that fails on a value
 * which the stored object has already only causes a warning. check-rules.ts decides whether rules may be stored at all.
 */
import type { SchemaNode, ValidationRule } from '../../api/structural/schema-node';
import { duplicateValue, forbiddenField, invalidValue, requiredValue, type FieldError } from '../../api/errors/field-error';
import { equalJson, isObject, ownMember, stringifyJson, type JsonObject, type JsonValue } from '../../values/json';
import { CostBudget, CostExceededError, ErrorValue, type Expression, type Value } from '../engine';
import { OPTIONAL_NONE, OptionalValue } from '../values/value';
import { compileRule, OLD_SELF, SELF } from './compile-rule';
import { declaredType, maxValuesIn, MAX_REQUEST_BYTES } from './declared-type';
import { resolveFieldPath } from './field-path';
import { valueWrapperOf, type ValueWrapper } from './json-value';

/** Limit of the actual cost of one evaluation in units of CEL cost, as upstream's. */
const EVALUATION_COST_LIMIT = 1_000_000;
/** Limit of the actual cost of all evaluations for one object, as upstream's. */
const OBJECT_COST_LIMIT = 10_000_000;
/** Limits for {@link CompiledRules.maxBytesWithinCost}, so that an estimate takes only a few milliseconds. */
const MAX_ESTIMATED_CHARACTERS = 16 * 1024;
const MAX_ESTIMATED_NODES = 10_000;
/**
 * The largest finite result of {@link CompiledRules.maxBytesWithinCost}. Larger objects are not distinguished by
 * size, because most of them have many values, for which rules may be expensive.
 */
const MAX_DISTINGUISHED_BYTES = 64 * 1024;
/** Number of errors and warnings, counted together, at which the evaluation for an object ends. */
const MAX_ERRORS = 1000;

/** What the rules of a schema report about an object. */
export interface RuleOutcome {
  readonly errors: readonly FieldError[];
  /** Messages of rules without `oldSelf` that fail on unchanged stored values. */
  readonly warnings: readonly string[];
}

/** The rules of one schema, shared by all objects. */
export interface CompiledRules {
  /** Whether there is no rule at all. */
  readonly isEmpty: boolean;
  /**
   * Validates an object. `old` is the stored object in the same version; `undefined` for a new object. Both must
   * conform to the schema.
   */
  validate(object: JsonObject, old: JsonObject | undefined): RuleOutcome;
  /**
   * An object size in bytes up to which the rules certainly cost at most `cost`: Infinity when that applies to every
   * object, else the largest such size of 64 KiB, 32 KiB, 16 KiB and so on. 0 when there is none, or when the rules or
   * their types are too large to estimate.
   */
  maxBytesWithinCost(cost: number): number;
}

const NO_ERRORS: RuleOutcome = { errors: [], warnings: [] };

/** The rules of a schema and of all its nodes. Compiles each rule when an object first needs it. */
export function compileRules(root: SchemaNode): CompiledRules {
  const node = createRuleNode(root, { isResource: true });
  if (node === undefined) return { isEmpty: true, validate: () => NO_ERRORS, maxBytesWithinCost: () => Infinity };
  return {
    isEmpty: false,
    validate(object, old) {
      const run = new RuleRun();
      node.visit(run, { value: object, old, isUnchanged: () => false, path: '' });
      return { errors: run.errors, warnings: run.warnings };
    },
    maxBytesWithinCost(cost) {
      if (node.ruleTextLength() > MAX_ESTIMATED_CHARACTERS || node.typeSize(MAX_ESTIMATED_NODES) >= MAX_ESTIMATED_NODES) return 0;
      if (node.maxCost({ bytes: MAX_REQUEST_BYTES, count: 1 }) <= cost) return Infinity;
      let bytes = MAX_DISTINGUISHED_BYTES;
      while (bytes > 0 && node.maxCost({ bytes, count: 1 }) > cost) bytes = Math.floor(bytes / 2);
      return bytes;
    },
  };
}

/** A value during the traversal of an object. */
interface ValueVisit {
  readonly value: JsonValue;
  /**
   * The value in the stored object. `undefined` when there is none, or when it cannot be correlated: in a list that is not
   * a map list, items have no identity.
   */
  readonly old: JsonValue | undefined;
  /** Whether the enclosing value equals that in the stored object. Computed only when a rule has failed. */
  readonly isUnchanged: () => boolean;
  /** The path of the value, as in errors: `spec.ports[0]`; empty for the object itself. */
  readonly path: string;
}

/** The validation of one object. */
class RuleRun {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  readonly budget = new CostBudget(OBJECT_COST_LIMIT, 'none');
  /** Whether no further rules are evaluated. */
  hasStopped = false;

  addError(error: FieldError): void {
    this.errors.push(error);
    this.stopAtLimit();
  }

  addWarning(text: string): void {
    this.warnings.push(text);
    this.stopAtLimit();
  }

  private stopAtLimit(): void {
    if (this.errors.length + this.warnings.length >= MAX_ERRORS) this.hasStopped = true;
  }

  /** Adds the error and ends the validation of the object. */
  stop(error: FieldError): void {
    this.errors.push(error);
    this.hasStopped = true;
  }
}

/** A rule that compiled. */
interface RunnableRule {
  readonly rule: ValidationRule;
  readonly expression: Expression;
  readonly messageExpression: Expression | undefined;
  readonly usesOldSelf: boolean;
  /** What messages call the rule: its message, or else its text. */
  readonly name: string;
  /** Appended to the path of the value in errors: `.replicas`; empty without a field path. */
  readonly fieldPath: string;
}

/** The evaluation of one rule on one value. */
interface RuleEvaluation {
  readonly run: RuleRun;
  readonly variables: ReadonlyMap<string, Value>;
  readonly path: string;
  /** Whether the value equals that in the stored object. */
  readonly isUnchanged: () => boolean;
}

/** The rules of one node. */
interface RunnableRules {
  readonly rules: readonly RunnableRule[];
  /** Converts a JSON value of the node to the value of `self`. */
  readonly wrap: ValueWrapper;
}

/** The tree of the nodes with rules at or below them; `undefined` when there are none at this node or below it. */
function createRuleNode(node: SchemaNode, { isResource }: { readonly isResource: boolean } = { isResource: false }): RuleNode | undefined {
  const properties = [...node.properties].flatMap(([member, child]): (readonly [string, RuleNode])[] => {
    const below = createRuleNode(child);
    return below === undefined ? [] : [[member, below]];
  });
  const values = typeof node.additionalProperties === 'object' ? createRuleNode(node.additionalProperties) : undefined;
  const items = node.items === undefined ? undefined : createRuleNode(node.items);
  const isEmpty = node.rules.length === 0 && properties.length === 0 && values === undefined && items === undefined;
  return isEmpty ? undefined : new RuleNode(node, { isResource, properties, values, items });
}

interface RuleNodeOptions {
  /** Whether the node has apiVersion, kind and metadata that its schema need not specify. */
  readonly isResource: boolean;
  /** The declared members with rules at or below them, by name. */
  readonly properties: readonly (readonly [string, RuleNode])[];
  /** The node of the undeclared members (`additionalProperties`); `undefined` when it has no rules. */
  readonly values: RuleNode | undefined;
  /** The node of the items; `undefined` when it has no rules. */
  readonly items: RuleNode | undefined;
}

const NO_FURTHER_RULES = 'no further validation rules will be run due to call cost exceeds limit for';
const COST_EXCEEDED = `'operation cancelled: actual cost limit exceeded': ${NO_FURTHER_RULES}`;
const BUDGET_EXCEEDED = 'validation failed due to running out of cost budget, no further validation rules will be run';
const NO_OVERLOAD = 'no such overload';
/** Returned instead of a value when an evaluation exceeded its limit. */
const EXCEEDED = Symbol('cost exceeded');

/** A schema node with rules at or below it. */
class RuleNode {
  private compiled: RunnableRules | undefined;

  constructor(
    private readonly node: SchemaNode,
    private readonly options: RuleNodeOptions,
  ) {}

  /** Evaluates the rules of the node and of those below it on a value. */
  visit(run: RuleRun, visit: ValueVisit): void {
    const { value } = visit;
    if (run.hasStopped || value === null) return;
    const isUnchanged = memoized(() => visit.isUnchanged() || (visit.old !== undefined && equalJson(value, visit.old)));
    if (this.node.rules.length > 0) this.runRules(run, visit, isUnchanged);
    if (Array.isArray(value)) this.visitItems(run, value, visit, isUnchanged);
    else if (isObject(value)) this.visitMembers(run, value, visit, isUnchanged);
  }

  private visitMembers(run: RuleRun, value: JsonObject, visit: ValueVisit, isUnchanged: () => boolean): void {
    const old = isObject(visit.old) ? visit.old : undefined;
    const oldOf = (member: string): JsonValue | undefined => (old === undefined ? undefined : ownMember(old, member));
    for (const [member, child] of this.options.properties) {
      const memberValue = ownMember(value, member);
      const path = visit.path === '' ? member : `${visit.path}.${member}`;
      if (memberValue !== undefined) child.visit(run, { value: memberValue, old: oldOf(member), isUnchanged, path });
    }
    const { values } = this.options;
    if (values === undefined) return;
    for (const member of Object.keys(value)) {
      if (this.node.properties.has(member)) continue;
      values.visit(run, { value: ownMember(value, member) ?? null, old: oldOf(member), isUnchanged, path: `${visit.path}[${member}]` });
    }
  }

  private visitItems(run: RuleRun, value: readonly JsonValue[], visit: ValueVisit, isUnchanged: () => boolean): void {
    const { items } = this.options;
    if (items === undefined) return;
    const before = Array.isArray(visit.old) && this.node.listType === 'map' ? this.indexByKey(visit.old) : undefined;
    for (const [index, item] of value.entries()) {
      if (run.hasStopped) return;
      items.visit(run, { value: item, old: before?.get(this.itemKey(item)), isUnchanged, path: `${visit.path}[${index}]` });
    }
  }

  private indexByKey(items: readonly JsonValue[]): ReadonlyMap<string, JsonValue> {
    return new Map(items.map((item) => [this.itemKey(item), item]));
  }

  /** The identity of an item in a map list; a missing key has its default. */
  private itemKey(item: JsonValue): string {
    if (!isObject(item)) return '';
    const keys = this.node.listMapKeys.map((key) => {
      const value = ownMember(item, key) ?? this.node.items?.properties.get(key)?.defaultValue ?? null;
      return stringifyJson(value);
    });
    return keys.join('\u0000'); // JSON escapes this character, so no key contains it.
  }

  /** The number of characters in all rules and message expressions at and below the node. */
  ruleTextLength(): number {
    const { properties, values, items } = this.options;
    const rulesLength = this.node.rules.reduce((length, { rule, messageExpression }) => length + rule.length + messageExpression.length, 0);
    const nodes = [
      ...properties.map(([, child]) => child),
      ...(values === undefined ? [] : [values]),
      ...(items === undefined ? [] : [items]),
    ];
    return nodes.reduce((length, child) => length + child.ruleTextLength(), rulesLength);
  }

  /** The total number of nodes in the types of the rules at and below the node; stops counting at `limit`. */
  typeSize(limit: number): number {
    const { properties, values, items } = this.options;
    let size = this.node.rules.length === 0 ? 1 : countNodes(this.node, limit);
    for (const child of [...properties.map(([, below]) => below), values, items]) {
      if (size >= limit) return size;
      size += child?.typeSize(limit - size) ?? 0;
    }
    return size;
  }

  /**
   * The maximum cost of the rules at and below the node, in an object of `bytes` bytes with at most `count` values of
   * the node.
   */
  maxCost({ bytes, count }: { readonly bytes: number; readonly count: number }): number {
    const self = declaredType(this.node, { isResource: this.options.isResource, bytes });
    // `perValue` is the maximum number of children of one value; undefined when the schema does not limit it.
    const maxChildren = (perValue: number | undefined, child: SchemaNode): number =>
      Math.min(count * (perValue ?? Infinity), maxValuesIn(child, bytes));
    let cost = 0;
    if (self !== undefined) for (const { expression } of this.compiledRules().rules) cost += expression.estimate(self).max * count;
    const { properties, values, items } = this.options;
    for (const [, child] of properties) cost += child.maxCost({ bytes, count });
    if (values !== undefined) cost += values.maxCost({ bytes, count: maxChildren(this.node.maxProperties, values.node) });
    if (items !== undefined) cost += items.maxCost({ bytes, count: maxChildren(this.node.maxItems, items.node) });
    return cost;
  }

  private compiledRules(): RunnableRules {
    this.compiled ??= this.compile();
    return this.compiled;
  }

  /** Compiles the rules. Those that do not compile or are not of type bool are left out. */
  private compile(): RunnableRules {
    const self = declaredType(this.node, { isResource: this.options.isResource });
    const wrap = valueWrapperOf(this.node, { isResource: this.options.isResource });
    if (self === undefined || wrap === undefined) return { rules: [], wrap: () => null };
    const rules = this.node.rules.flatMap((rule): RunnableRule[] => {
      const { expression, messageExpression, usesOldSelf } = compileRule(rule, self);
      if ('error' in expression || expression.type.kind !== 'bool') return [];
      const message = messageExpression === undefined || 'error' in messageExpression ? undefined : messageExpression;
      const name = rule.message.trim() === '' ? rule.rule.trim() : rule.message.trim();
      return [
        { rule, expression, messageExpression: message, usesOldSelf, name, fieldPath: resolveFieldPath(rule.fieldPath, this.node) ?? '' },
      ];
    });
    return { rules, wrap };
  }

  private runRules(run: RuleRun, visit: ValueVisit, isUnchanged: () => boolean): void {
    const { rules, wrap } = this.compiledRules();
    const old = visit.old === null ? undefined : visit.old;
    const self = wrap(visit.value);
    for (const runnable of rules) {
      if (run.hasStopped) return;
      // With `optionalOldSelf` a transition rule also runs without an old value, and `oldSelf` is an optional.
      const isOptional = runnable.rule.optionalOldSelf === true;
      if (runnable.usesOldSelf && old === undefined && !isOptional) continue;
      const before = runnable.usesOldSelf && old !== undefined ? wrap(old) : undefined;
      const variables = new Map<string, Value>([[SELF, self]]);
      if (isOptional) variables.set(OLD_SELF, before === undefined ? OPTIONAL_NONE : new OptionalValue(before));
      else if (before !== undefined) variables.set(OLD_SELF, before);
      this.runRule(runnable, { run, variables, path: visit.path, isUnchanged });
    }
  }

  private runRule(runnable: RunnableRule, evaluation: RuleEvaluation): void {
    const { run, path } = evaluation;
    const result = evaluate(runnable.expression, evaluation);
    const fail = (detail: string): FieldError => invalidValue(fieldText(path), this.node.type ?? '', detail);
    if (result === EXCEEDED) return run.stop(fail(`${COST_EXCEEDED} rule: ${runnable.name}`));
    if (result instanceof ErrorValue) run.addError(fail(evaluationErrorText(result, runnable.name)));
    else if (result !== true) this.reportFailedRule(runnable, evaluation);
    if (!run.hasStopped && run.budget.remainingCost < 0) run.stop(fail(BUDGET_EXCEEDED));
  }

  private reportFailedRule(runnable: RunnableRule, evaluation: RuleEvaluation): void {
    const { run, path } = evaluation;
    const message = runnable.messageExpression === undefined ? undefined : evaluate(runnable.messageExpression, evaluation);
    if (message === EXCEEDED) {
      const detail = `${NO_FURTHER_RULES} messageExpression: ${JSON.stringify(runnable.rule.messageExpression)}`;
      return run.stop(invalidValue(fieldText(path), this.node.type ?? '', detail));
    }
    const field = fieldText(path === '' ? runnable.fieldPath.replace(/^\./, '') : path + runnable.fieldPath);
    const error = errorFor(runnable.rule.reason ?? '', field, this.node.type ?? '', failureText(runnable.rule, message));
    if (!runnable.usesOldSelf && evaluation.isUnchanged()) run.addWarning(error.text);
    else run.addError(error);
  }
}

/**
 * The text of a failed rule: the evaluated message if that is a single line of text, else the declared message, else the
 * rule.
 */
function failureText({ rule, message }: ValidationRule, evaluated: Value | undefined): string {
  const evaluatedText = typeof evaluated === 'string' && !/[\r\n]/.test(evaluated) ? evaluated.trim() : '';
  if (evaluatedText !== '') return evaluatedText;
  return message.trim() === '' ? `failed rule: ${rule.trim()}` : message.trim();
}

function evaluationErrorText({ message }: ErrorValue, rule: string): string {
  return message.startsWith(NO_OVERLOAD)
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
    : `${message} evaluating rule: ${rule}`;
}

/** The path of a value in messages; that of the object itself is `<nil>`. */
const fieldText = (path: string): string => (path === '' ? '<nil>' : path);

function errorFor(reason: string, field: string, type: string, message: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, message);
    case 'FieldValueRequired':
      return requiredValue(field, message);
    case 'FieldValueDuplicate':
      return duplicateValue(field, type);
    default:
      return invalidValue(field, type, message);
  }
}

/** The value of an expression, or {@link EXCEEDED}. */
function evaluate(expression: Expression, { variables, run }: RuleEvaluation): Value | typeof EXCEEDED {
  try {
    return expression.evaluate(variables, EVALUATION_COST_LIMIT, run.budget);
  } catch (error) {
    if (error instanceof CostExceededError) return EXCEEDED;
    throw error;
  }
}

/** The number of nodes at and below a node; stops counting at `limit`. */
function countNodes({ properties, items, additionalProperties }: SchemaNode, limit: number): number {
  let count = 1;
  for (const child of [...properties.values(), items, additionalProperties]) {
    if (count >= limit) return count;
    if (typeof child === 'object') count += countNodes(child, limit - count);
  }
  return count;
}

/** Computes a result at the first call and returns it at later ones. */
function memoized(compute: () => boolean): () => boolean {
  let known: boolean | undefined;
  return () => (known ??= compute());
}
