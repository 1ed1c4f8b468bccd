/**
 * Validates the rules of a schema when its definition is written: syntax, types and estimated cost. evaluate-rules.ts
 * evaluates them.
 */
import { appendAll } from '../../values/append';
import { objectAt, type JsonObject } from '../../values/json';
import { quote } from '../../values/text/quote';
import type { SchemaNode, ValidationRule } from '../../api/structural/schema-node';
import {
  forbiddenField,
  internalFieldError,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
  type FieldError,
} from '../../api/errors/field-error';
import { MAX_COST } from '../cost/estimate';
import type { Expression, Type } from '../engine';
import { compileRule, hasRules, type CompiledRule } from './compile-rule';
import { declaredType, maxValuesIn, MAX_REQUEST_BYTES } from './declared-type';
import { resolveFieldPath } from './field-path';

/** Limit of the estimated cost of one expression, for all its evaluations on an object, as upstream's. */
const EXPRESSION_LIMIT = 10_000_000;
/** Limit of the estimated cost of all expressions of one schema, as upstream's. */
const SCHEMA_LIMIT = 100_000_000;
/** How many of the most expensive expressions are named when the total cost is too high. */
const MAX_NAMED_COSTS = 4;
/** An expression that costs less is not named then. */
const MIN_NAMED_COST = 1_000_000;

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const HINT = '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

/** The estimated cost of one expression. */
interface RuleCost {
  /** The path of the expression in the definition. */
  readonly path: string;
  /** The cost of the evaluations for all values that an object may have. */
  readonly cost: number;
}

/** What the checks of one schema share. */
interface CheckRulesContext {
  /** The costs of the expressions that have been checked. */
  readonly costs: RuleCost[];
  /** {@link InvalidSchemaParts.parts}. */
  readonly invalidParts: ReadonlySet<JsonObject>;
}

const NO_PARTS: ReadonlySet<JsonObject> = new Set();

/** A node of the schema, and what its enclosing nodes determine. */
interface NodeLocation {
  /** The path of the node in the definition. */
  readonly path: string;
  /** Whether the node has apiVersion, kind and metadata that its schema need not specify. */
  readonly isResource: boolean;
  /** The maximum number of values of the node in an object; `undefined` when unbounded. */
  readonly count: number | undefined;
  /**
   * The path of the outermost enclosing list that is not a map list, so that its items cannot be correlated with old ones;
   * `undefined` when there is none.
   */
  readonly uncorrelated: string | undefined;
  /** The JSON of the node; `undefined` when the caller has not passed it. */
  readonly source: JsonObject | undefined;
}

/** The parts of a schema in which validation has found errors that do not concern rules. */
export interface InvalidSchemaParts {
  /** The JSON of the whole schema. */
  readonly schema: JsonObject;
  /** The invalid parts of `schema` and all parts that enclose one. */
  readonly parts: ReadonlySet<JsonObject>;
}

/** A rule of a node. */
interface RuleToCheck {
  readonly rule: ValidationRule;
  /** The type of the node. */
  readonly self: Type;
  /** The path of the rule in the definition. */
  readonly path: string;
  /** The maximum number of evaluations for an object. */
  readonly count: number;
  /** As in {@link NodeLocation}. */
  readonly uncorrelated: string | undefined;
}

/**
 * Validates all rules of a schema. `path` is the path of the schema in its definition. In the parts that are `invalid`, only
 * the texts of rules are checked; no expression is compiled.
 */
export function checkRules(root: SchemaNode, path: string, invalid?: InvalidSchemaParts): FieldError[] {
  if (!hasRules(root)) return [];
  const context: CheckRulesContext = { costs: [], invalidParts: invalid?.parts ?? NO_PARTS };
  const { texts, expressions } = checkNode(root, { ...rootLocation(path), source: invalid?.schema }, context);
  return [...texts, ...expressions, ...checkTotal(path, context.costs)];
}

const rootLocation = (path: string): NodeLocation => ({ path, isResource: true, count: 1, uncorrelated: undefined, source: undefined });

/**
 * Validates only the texts of rules: messages, reasons and field paths. Does not compile expressions. {@link checkRules}
 * reports these errors too.
 */
export function checkRuleTexts(root: SchemaNode, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const visit = (node: SchemaNode, location: NodeLocation): void => {
    for (const [child, below] of childrenOf(node, location)) visit(child, below);
    node.rules.forEach((rule, index) => appendAll(errors, checkTexts(rule, node, rulePath(location, index))));
  };
  if (hasRules(root)) visit(root, rootLocation(path));
  return errors;
}

/** The errors at and below a node. */
interface NodeErrors {
  /** Errors of {@link checkRuleTexts}. After such an error, the rules of the node and of enclosing nodes are not compiled. */
  readonly texts: FieldError[];
  readonly expressions: FieldError[];
}

function checkNode(node: SchemaNode, location: NodeLocation, context: CheckRulesContext): NodeErrors {
  const errors: NodeErrors = { texts: [], expressions: [] };
  for (const [child, below] of childrenOf(node, location)) {
    const { texts, expressions } = checkNode(child, below, context);
    appendAll(errors.texts, texts);
    appendAll(errors.expressions, expressions);
  }
  node.rules.forEach((rule, index) => appendAll(errors.texts, checkTexts(rule, node, rulePath(location, index))));
  if (errors.texts.length > 0 || node.rules.length === 0) return errors;
  if (location.source !== undefined && context.invalidParts.has(location.source)) return errors;
  const self = declaredType(node, { isResource: location.isResource });
  if (self === undefined) {
    errors.expressions.push(internalFieldError(`${location.path}.x-kubernetes-validations`, NO_TYPE));
    return errors;
  }
  const count = location.count ?? maxValuesIn(node, MAX_REQUEST_BYTES);
  const { uncorrelated } = location;
  node.rules.forEach((rule, index) => {
    const path = rulePath(location, index);
    appendAll(errors.expressions, checkExpressions({ rule, self, path, count, uncorrelated }, context.costs));
  });
  return errors;
}

const NO_TYPE =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
const rulePath = (location: NodeLocation, index: number): string => `${location.path}.x-kubernetes-validations[${index}]`;

function* childrenOf(node: SchemaNode, location: NodeLocation): Generator<readonly [SchemaNode, NodeLocation]> {
  const { path, source } = location;
  const members = objectAt(source, 'properties');
  const multiplyCount = (maxChildren: number | undefined): number | undefined =>
    location.count === undefined || maxChildren === undefined ? undefined : Math.min(location.count * maxChildren, MAX_COST);
  for (const [name, child] of node.properties) {
    yield [child, { ...location, path: `${path}.properties[${name}]`, isResource: false, source: objectAt(members, name) }];
  }
  if (typeof node.additionalProperties === 'object') {
    const below = { path: `${path}.additionalProperties`, source: objectAt(source, 'additionalProperties') };
    yield [node.additionalProperties, { ...location, ...below, isResource: false, count: multiplyCount(node.maxProperties) }];
  }
  if (node.items !== undefined) {
    const uncorrelated = location.uncorrelated ?? (node.listType === 'map' ? undefined : path);
    const below = { path: `${path}.items`, source: objectAt(source, 'items') };
    yield [node.items, { ...below, isResource: false, count: multiplyCount(node.maxItems), uncorrelated }];
  }
}

const hasLineBreaks = (text: string): boolean => /[\r\n]/.test(text);

function checkTexts(rule: ValidationRule, node: SchemaNode, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const text = rule.rule.trim();
  const message = rule.message.trim();
  if (text === '') errors.push(requiredValue(`${path}.rule`, 'rule is not specified'));
  if (rule.message !== '' && message === '') {
    errors.push(invalidValue(`${path}.message`, rule.message, 'message must be non-empty if specified'));
  } else if (hasLineBreaks(message)) {
    errors.push(invalidValue(`${path}.message`, rule.message, 'message must not contain line breaks'));
  } else if (hasLineBreaks(text) && message === '') {
    errors.push(requiredValue(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (rule.messageExpression !== '' && rule.messageExpression.trim() === '') {
    errors.push(requiredValue(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (rule.reason !== undefined && !REASONS.includes(rule.reason)) errors.push(unsupportedValue(`${path}.reason`, rule.reason, REASONS));
  return [...errors, ...checkFieldPath(rule.fieldPath, node, `${path}.fieldPath`)];
}

function checkFieldPath(text: string, node: SchemaNode, path: string): FieldError[] {
  if (text === '') return [];
  const errors: FieldError[] = [];
  if (text.trim() === '') errors.push(invalidValue(path, text, 'fieldPath must be non-empty if specified'));
  if (hasLineBreaks(text)) errors.push(invalidValue(path, text, 'fieldPath must not contain line breaks'));
  if (resolveFieldPath(text, node) === undefined) errors.push(invalidValue(path, text, 'fieldPath must be a valid path'));
  return errors;
}

/** A rule as upstream's messages print it: as a Go struct, here with a fixed address for pointers that are not nil. */
function formatRule({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: ValidationRule): string {
  const pointer = (type: string, value: unknown): string => `(*${type})(${value === undefined ? 'nil' : '0xc000000000'})`;
  const members = [
    `Rule:${quote(rule)}`,
    `Message:${quote(message)}`,
    `MessageExpression:${quote(messageExpression)}`,
    `Reason:${pointer('apiextensions.FieldValueErrorReason', reason)}`,
    `FieldPath:${quote(fieldPath)}`,
    `OptionalOldSelf:${pointer('bool', optionalOldSelf)}`,
  ];
  return `apiextensions.ValidationRule{${members.join(', ')}}`;
}

/** Compiles a rule and checks its types and its costs, which it appends to `costs`. */
function checkExpressions(checked: RuleToCheck, costs: RuleCost[]): FieldError[] {
  const { rule, self, uncorrelated } = checked;
  const { expression, messageExpression, usesOldSelf } = compileRule(rule, self);
  const path = `${checked.path}.rule`;
  const errors: FieldError[] = [];
  if ('error' in expression) errors.push(invalidShownValue(path, formatRule(rule), expression.error));
  else if (expression.type.kind !== 'bool')
    errors.push(invalidShownValue(path, formatRule(rule), 'cel expression must evaluate to a bool'));
  else {
    if (usesOldSelf && uncorrelated !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
      errors.push(invalidValue(path, rule.rule, detail));
    }
    const costErrors = checkCost(expression, checked, 'rule', costs);
    appendAll(errors, costErrors.length > 0 ? costErrors : checkMessage(messageExpression, checked, costs));
  }
  if (rule.optionalOldSelf !== undefined && !usesOldSelf) {
    errors.push(invalidValue(`${checked.path}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'));
  }
  return errors;
}

function checkMessage(expression: CompiledRule['messageExpression'], checked: RuleToCheck, costs: RuleCost[]): FieldError[] {
  if (expression === undefined) return [];
  const path = `${checked.path}.messageExpression`;
  if ('error' in expression) return [invalidShownValue(path, formatRule(checked.rule), `messageExpression ${expression.error}`)];
  if (expression.type.kind !== 'string') {
    return [invalidShownValue(path, formatRule(checked.rule), 'messageExpression must evaluate to a string')];
  }
  return checkCost(expression, checked, 'messageExpression', costs);
}

/** Checks the cost of an expression of a rule, and appends it to `costs`. `member` is the member of the rule that has it. */
function checkCost(expression: Expression, checked: RuleToCheck, member: 'rule' | 'messageExpression', costs: RuleCost[]): FieldError[] {
  const path = `${checked.path}.${member}`;
  const cost = Math.min(expression.estimate(checked.self).max * checked.count, MAX_COST);
  costs.push({ path, cost });
  return cost > EXPRESSION_LIMIT ? [forbiddenField(path, costMessage(`estimated ${member} cost`, cost, EXPRESSION_LIMIT))] : [];
}

/** `label` names the cost. Upstream prints more digits of a factor that is close to 1. */
function costMessage(label: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${label} exceeds budget by factor of ${times} ${HINT}`;
}

/** Checks the cost of all expressions of the schema together. */
function checkTotal(path: string, costs: readonly RuleCost[]): FieldError[] {
  const total = costs.reduce((sum, { cost }) => Math.min(sum + cost, MAX_COST), 0);
  if (total <= SCHEMA_LIMIT) return [];
  const mostExpensive = costs
    .filter(({ cost }) => cost >= MIN_NAMED_COST)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, MAX_NAMED_COSTS);
  return [
    ...mostExpensive.map((expense) =>
      forbiddenField(expense.path, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'),
    ),
    forbiddenField(
      path,
      costMessage('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema', total, SCHEMA_LIMIT),
    ),
  ];
}
