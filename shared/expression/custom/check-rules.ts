/**
 * What is wrong with the rules of a schema when its definition is written: their texts, their types, and what they may cost at most. Evaluates nothing.
 */
import { appendAll } from '../../values/append';
import { objectAt, type JsonObject } from '../../values/json';
import { quote } from '../../values/quote';
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
import { UNBOUNDED } from '../cost/estimate';
import type { Expression, Type } from '../engine';
import { compileRule, hasRules, type CompiledRule } from './compiled-rule';
import { declaredType, mostIn, REQUEST_BYTES } from './declared-type';
import { readFieldPath } from './field-path';

const EXPRESSION_LIMIT = 10_000_000;
const DEFINITION_LIMIT = 100_000_000;
/** How many of the most expensive expressions are named when all together cost too much. */
const NAMED_EXPENSIVE = 4;
/** Cheaper ones are not to blame. */
const LEAST_EXPENSIVE = 1_000_000;

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const HINT = '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

interface Expense {
  readonly path: string;
  readonly cost: number;
}

interface Context {
  readonly expenses: Expense[];
  readonly faulty: ReadonlySet<JsonObject>;
}

const NOWHERE: ReadonlySet<JsonObject> = new Set();

/** Where a node stands in the schema. */
interface Place {
  readonly path: string;
  readonly whole: boolean;
  /** How many values of the node an object may have; undefined where nothing bounds them. */
  readonly count: number | undefined;
  /** The list without keys around the node, whose items cannot be found again. */
  readonly uncorrelated: string | undefined;
  /** The node as it was written. */
  readonly source: JsonObject | undefined;
}

/** A schema as it was written, and the parts of it in which something else is wrong, with all that such parts stand in. */
export interface Faults {
  readonly schema: JsonObject;
  readonly within: ReadonlySet<JsonObject>;
}

interface CountedPlace extends Place {
  readonly count: number;
}

/** `path` is where the schema stands in its definition. Rules that stand where something else is wrong are not compiled. */
export function checkRules(root: SchemaNode, path: string, faults?: Faults): FieldError[] {
  if (!hasRules(root)) return [];
  const context: Context = { expenses: [], faulty: faults?.within ?? NOWHERE };
  const { texts, expressions } = checkNode(root, { ...atRoot(path), source: faults?.schema }, context);
  return [...texts, ...expressions, ...checkTotal(path, context.expenses)];
}

const atRoot = (path: string): Place => ({ path, whole: true, count: 1, uncorrelated: undefined, source: undefined });

/** What can be said of the rules whatever the schema around them is worth: only their texts. {@link checkRules} says it, too. */
export function checkRuleTexts(root: SchemaNode, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const visit = (node: SchemaNode, place: Place): void => {
    for (const [child, below] of childrenOf(node, place)) visit(child, below);
    node.rules.forEach((rule, index) => appendAll(errors, checkTexts(rule, node, rulePath(place, index))));
  };
  if (hasRules(root)) visit(root, atRoot(path));
  return errors;
}

interface Found {
  /** Wrong texts keep the rules around them from being compiled. */
  readonly texts: FieldError[];
  readonly expressions: FieldError[];
}

function checkNode(node: SchemaNode, place: Place, context: Context): Found {
  const found: Found = { texts: [], expressions: [] };
  for (const [child, below] of childrenOf(node, place)) {
    const { texts, expressions } = checkNode(child, below, context);
    appendAll(found.texts, texts);
    appendAll(found.expressions, expressions);
  }
  node.rules.forEach((rule, index) => appendAll(found.texts, checkTexts(rule, node, rulePath(place, index))));
  if (found.texts.length > 0 || node.rules.length === 0) return found;
  if (place.source !== undefined && context.faulty.has(place.source)) return found;
  const self = declaredType(node, place.whole);
  if (self === undefined) {
    found.expressions.push(internalFieldError(`${place.path}.x-kubernetes-validations`, NO_TYPE));
    return found;
  }
  const count = place.count ?? mostIn(node, REQUEST_BYTES);
  node.rules.forEach((rule, index) => {
    const path = rulePath(place, index);
    appendAll(found.expressions, checkCompiled(rule, compileRule(rule, self), self, { ...place, path, count }, context));
  });
  return found;
}

const NO_TYPE =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
const rulePath = (place: Place, index: number): string => `${place.path}.x-kubernetes-validations[${index}]`;

function* childrenOf(node: SchemaNode, place: Place): Generator<readonly [SchemaNode, Place]> {
  const { path, source } = place;
  const members = objectAt(source, 'properties');
  const times = (most: number | undefined): number | undefined =>
    place.count === undefined || most === undefined ? undefined : Math.min(place.count * most, UNBOUNDED);
  for (const [name, child] of node.properties) {
    yield [child, { ...place, path: `${path}.properties[${name}]`, whole: false, source: objectAt(members, name) }];
  }
  if (typeof node.additionalProperties === 'object') {
    const below = { path: `${path}.additionalProperties`, source: objectAt(source, 'additionalProperties') };
    yield [node.additionalProperties, { ...place, ...below, whole: false, count: times(node.maxProperties) }];
  }
  if (node.items !== undefined) {
    const uncorrelated = place.uncorrelated ?? (node.listType === 'map' ? undefined : path);
    const below = { path: `${path}.items`, source: objectAt(source, 'items') };
    yield [node.items, { ...below, whole: false, count: times(node.maxItems), uncorrelated }];
  }
}

const hasBreaks = (text: string): boolean => /[\r\n]/.test(text);

function checkTexts(rule: ValidationRule, node: SchemaNode, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const text = rule.rule.trim();
  const message = rule.message.trim();
  if (text === '') errors.push(requiredValue(`${path}.rule`, 'rule is not specified'));
  if (rule.message !== '' && message === '') {
    errors.push(invalidValue(`${path}.message`, rule.message, 'message must be non-empty if specified'));
  } else if (hasBreaks(message)) {
    errors.push(invalidValue(`${path}.message`, rule.message, 'message must not contain line breaks'));
  } else if (hasBreaks(text) && message === '') {
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
  if (hasBreaks(text)) errors.push(invalidValue(path, text, 'fieldPath must not contain line breaks'));
  if (readFieldPath(text, node) === undefined) errors.push(invalidValue(path, text, 'fieldPath must be a valid path'));
  return errors;
}

/** A rule as upstream prints it, as a structure of its language; where that has an address, ours has none. */
function shown({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: ValidationRule): string {
  const pointer = (type: string, isSet: boolean): string => `(*${type})(${isSet ? '0xc000000000' : 'nil'})`;
  const members = [
    `Rule:${quote(rule)}`,
    `Message:${quote(message)}`,
    `MessageExpression:${quote(messageExpression)}`,
    `Reason:${pointer('apiextensions.FieldValueErrorReason', reason !== undefined)}`,
    `FieldPath:${quote(fieldPath)}`,
    `OptionalOldSelf:${pointer('bool', optionalOldSelf !== undefined)}`,
  ];
  return `apiextensions.ValidationRule{${members.join(', ')}}`;
}

function checkCompiled(rule: ValidationRule, compiled: CompiledRule, self: Type, place: CountedPlace, context: Context): FieldError[] {
  const { expression, messageExpression } = compiled;
  const path = `${place.path}.rule`;
  const errors: FieldError[] = [];
  if ('fault' in expression) errors.push(invalidShownValue(path, shown(rule), expression.fault));
  else if (expression.type.kind !== 'bool') errors.push(invalidShownValue(path, shown(rule), 'cel expression must evaluate to a bool'));
  else {
    if (compiled.usesOld && place.uncorrelated !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`;
      errors.push(invalidValue(path, rule.rule, detail));
    }
    const tooMuch = checkCost(expression, self, 'rule', path, place, context);
    appendAll(errors, [...tooMuch, ...(tooMuch.length > 0 ? [] : checkMessage(rule, messageExpression, self, place, context))]);
  }
  if (rule.optionalOldSelf !== undefined && !compiled.usesOld) {
    errors.push(invalidValue(`${place.path}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'));
  }
  return errors;
}

function checkMessage(
  rule: ValidationRule,
  expression: CompiledRule['messageExpression'],
  self: Type,
  place: CountedPlace,
  context: Context,
): FieldError[] {
  if (expression === undefined) return [];
  const path = `${place.path}.messageExpression`;
  if ('fault' in expression) return [invalidShownValue(path, shown(rule), `messageExpression ${expression.fault}`)];
  if (expression.type.kind !== 'string') return [invalidShownValue(path, shown(rule), 'messageExpression must evaluate to a string')];
  return checkCost(expression, self, 'messageExpression', path, place, context);
}

function checkCost(expression: Expression, self: Type, what: string, path: string, place: CountedPlace, context: Context): FieldError[] {
  const cost = Math.min(expression.estimate(self).max * place.count, UNBOUNDED);
  context.expenses.push({ path, cost });
  return cost > EXPRESSION_LIMIT ? [forbiddenField(path, costMessage(`estimated ${what} cost`, cost, EXPRESSION_LIMIT))] : [];
}

function costMessage(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${times} ${HINT}`;
}

function checkTotal(path: string, expenses: readonly Expense[]): FieldError[] {
  const total = expenses.reduce((sum, { cost }) => Math.min(sum + cost, UNBOUNDED), 0);
  if (total <= DEFINITION_LIMIT) return [];
  const most = expenses
    .filter(({ cost }) => cost >= LEAST_EXPENSIVE)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, NAMED_EXPENSIVE);
  return [
    ...most.map((expense) =>
      forbiddenField(expense.path, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'),
    ),
    forbiddenField(
      path,
      costMessage('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema', total, DEFINITION_LIMIT),
    ),
  ];
}
