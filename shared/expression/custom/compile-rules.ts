/**
 * Runs the rules of a schema over objects. Rules are compiled when they are first needed and kept. What an object may cost is bounded; what has not
 * changed since it was stored is tolerated, with a warning.
 */
import type { SchemaNode, ValidationRule } from '../../api/structural/schema-node';
import { duplicateValue, forbiddenField, invalidValue, requiredValue, type FieldError } from '../../api/errors/field-error';
import { equalJson, isObject, own, stringifyJson, type JsonObject, type JsonValue } from '../../values/json';
import { Budget, CostExceeded, Failure, type Expression, type Value } from '../engine';
import { NONE, OptionalValue } from '../values/value';
import { compileRule, OLD_SELF, SELF } from './compiled-rule';
import { declaredType, mostIn, REQUEST_BYTES } from './declared-type';
import { readFieldPath } from './field-path';
import { wrapperOf, type Wrap } from './json-value';

const CALL_LIMIT = 1_000_000;
const OBJECT_LIMIT = 10_000_000;
/** Characters of rules that are compiled in a few milliseconds, and nodes in their types that are looked at in as many. */
const LONGEST_ESTIMATED = 16 * 1024;
const LARGEST_ESTIMATED = 10_000;
/** Larger objects have one bound: few of them have few values. */
const MOST_BYTES = 64 * 1024;
/** More errors than these help nobody. */
const MOST_ERRORS = 1000;

export interface RuleOutcome {
  readonly errors: readonly FieldError[];
  /** Rules that fail for values that were stored before, as texts for warnings. */
  readonly warnings: readonly string[];
}

export interface CompiledRules {
  /** Whether there is no rule at all. */
  readonly isEmpty: boolean;
  /** `old` is what is stored, in the same version; undefined when the object is new. Both must fit the schema. */
  validate(object: JsonObject, old: JsonObject | undefined): RuleOutcome;
  /** The bytes of the largest object, by powers of two, whose rules certainly cost no more; Infinity when all objects are so, 0 when the rules are too long to tell, or their types too large. */
  mostBytes(cost: number): number;
}

const NOTHING_WRONG: RuleOutcome = { errors: [], warnings: [] };

export function compileRules(root: SchemaNode): CompiledRules {
  const node = ruleNode(root, true);
  if (node === undefined) return { isEmpty: true, validate: () => NOTHING_WRONG, mostBytes: () => Infinity };
  return {
    isEmpty: false,
    validate(object, old) {
      const run = new Run();
      node.visit(run, { value: object, old, isSame: () => false, path: '' });
      return { errors: run.errors, warnings: run.warnings };
    },
    mostBytes(cost) {
      if (node.textLength() > LONGEST_ESTIMATED || node.typeSize(LARGEST_ESTIMATED) >= LARGEST_ESTIMATED) return 0;
      if (node.mostCost(REQUEST_BYTES, 1) <= cost) return Infinity;
      let bytes = MOST_BYTES;
      while (bytes > 0 && node.mostCost(bytes, 1) > cost) bytes = Math.floor(bytes / 2);
      return bytes;
    },
  };
}

/** A value on the way through an object. */
interface Visit {
  readonly value: JsonValue;
  /** What stood there before; undefined when nothing did or it cannot be found again. */
  readonly old: JsonValue | undefined;
  /** Whether what is around the value has not changed. */
  readonly isSame: () => boolean;
  readonly path: string;
}

/** How many nodes there are at and below one; counts no further than to `most`. */
function sizeOf({ properties, items, additionalProperties }: SchemaNode, most: number): number {
  let size = 1;
  for (const child of [...properties.values(), items, additionalProperties]) {
    if (size >= most) return size;
    if (typeof child === 'object') size += sizeOf(child, most - size);
  }
  return size;
}

/** What happens to one object. */
class Run {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  readonly budget = new Budget(OBJECT_LIMIT, 'none');
  hasStopped = false;

  add(error: FieldError, tolerated: boolean): void {
    if (tolerated) this.warnings.push(error.text);
    else this.errors.push(error);
    if (this.errors.length + this.warnings.length >= MOST_ERRORS) this.hasStopped = true;
  }

  stop(error: FieldError): void {
    this.errors.push(error);
    this.hasStopped = true;
  }
}

interface ReadyRule {
  readonly rule: ValidationRule;
  readonly expression: Expression;
  readonly messageExpression: Expression | undefined;
  readonly usesOld: boolean;
  /** What messages call the rule. */
  readonly name: string;
  readonly fieldPath: string;
}

interface Ready {
  readonly rules: readonly ReadyRule[];
  readonly wrap: Wrap;
}

/** Undefined when there are no rules at the node or below it. */
function ruleNode(node: SchemaNode, whole: boolean): RuleNode | undefined {
  const properties = [...node.properties].flatMap(([member, child]): (readonly [string, RuleNode])[] => {
    const below = ruleNode(child, false);
    return below === undefined ? [] : [[member, below]];
  });
  const values = typeof node.additionalProperties === 'object' ? ruleNode(node.additionalProperties, false) : undefined;
  const items = node.items === undefined ? undefined : ruleNode(node.items, false);
  const isEmpty = node.rules.length === 0 && properties.length === 0 && values === undefined && items === undefined;
  return isEmpty ? undefined : new RuleNode(node, whole, { properties, values, items });
}

interface Below {
  readonly properties: readonly (readonly [string, RuleNode])[];
  readonly values: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

/** A node of a schema at or below which there are rules. */
class RuleNode {
  private compiled: Ready | undefined;

  constructor(
    private readonly node: SchemaNode,
    private readonly whole: boolean,
    private readonly below: Below,
  ) {}

  visit(run: Run, visit: Visit): void {
    const { value } = visit;
    if (run.hasStopped || value === null) return;
    const same = memoized(() => visit.isSame() || (visit.old !== undefined && equalJson(value, visit.old)));
    if (this.node.rules.length > 0) this.runRules(run, visit, same);
    if (Array.isArray(value)) this.visitItems(run, value, visit, same);
    else if (isObject(value)) this.visitMembers(run, value, visit, same);
  }

  private visitMembers(run: Run, value: JsonObject, visit: Visit, isSame: () => boolean): void {
    const old = isObject(visit.old) ? visit.old : undefined;
    const oldOf = (member: string): JsonValue | undefined => (old === undefined ? undefined : own(old, member));
    for (const [member, child] of this.below.properties) {
      const found = own(value, member);
      const path = visit.path === '' ? member : `${visit.path}.${member}`;
      if (found !== undefined) child.visit(run, { value: found, old: oldOf(member), isSame, path });
    }
    const { values } = this.below;
    if (values === undefined) return;
    for (const member of Object.keys(value)) {
      if (this.node.properties.has(member)) continue;
      values.visit(run, { value: own(value, member) ?? null, old: oldOf(member), isSame, path: `${visit.path}[${member}]` });
    }
  }

  private visitItems(run: Run, value: readonly JsonValue[], visit: Visit, isSame: () => boolean): void {
    const { items } = this.below;
    if (items === undefined) return;
    const before = Array.isArray(visit.old) && this.node.listType === 'map' ? this.byKey(visit.old) : undefined;
    for (const [index, item] of value.entries()) {
      if (run.hasStopped) return;
      items.visit(run, { value: item, old: before?.get(this.keyOf(item)), isSame, path: `${visit.path}[${index}]` });
    }
  }

  private byKey(items: readonly JsonValue[]): ReadonlyMap<string, JsonValue> {
    return new Map(items.map((item) => [this.keyOf(item), item]));
  }

  /** What tells the items of a keyed list apart; keys that are missing have their defaults. */
  private keyOf(item: JsonValue): string {
    if (!isObject(item)) return '';
    const keys = this.node.listMapKeys.map((key) => {
      const value = own(item, key) ?? this.node.items?.properties.get(key)?.defaultValue ?? null;
      return stringifyJson(value);
    });
    return keys.join('\u0000');
  }

  /** Characters of all rules at and below the node. */
  textLength(): number {
    const { properties, values, items } = this.below;
    const own = this.node.rules.reduce((length, { rule, messageExpression }) => length + rule.length + messageExpression.length, 0);
    const nodes = [
      ...properties.map(([, child]) => child),
      ...(values === undefined ? [] : [values]),
      ...(items === undefined ? [] : [items]),
    ];
    return nodes.reduce((length, child) => length + child.textLength(), own);
  }

  /** How many nodes the types of the rules at and below the node have together; counts no further than to `most`. */
  typeSize(most: number): number {
    const { properties, values, items } = this.below;
    let size = this.node.rules.length === 0 ? 1 : sizeOf(this.node, most);
    for (const child of [...properties.map(([, below]) => below), values, items]) {
      if (size >= most) return size;
      size += child?.typeSize(most - size) ?? 0;
    }
    return size;
  }

  /** What the rules at and below the node may cost, in an object of so many bytes that has `count` values of the node at most. */
  mostCost(bytes: number, count: number): number {
    const self = declaredType(this.node, this.whole, bytes);
    const most = (times: number | undefined, child: SchemaNode): number => Math.min(count * (times ?? Infinity), mostIn(child, bytes));
    let cost = 0;
    if (self !== undefined) for (const { expression } of this.ready().rules) cost += expression.estimate(self).max * count;
    const { properties, values, items } = this.below;
    for (const [, child] of properties) cost += child.mostCost(bytes, count);
    if (values !== undefined) cost += values.mostCost(bytes, most(this.node.maxProperties, values.node));
    if (items !== undefined) cost += items.mostCost(bytes, most(this.node.maxItems, items.node));
    return cost;
  }

  private ready(): Ready {
    this.compiled ??= this.compile();
    return this.compiled;
  }

  private compile(): Ready {
    const self = declaredType(this.node, this.whole);
    const wrap = wrapperOf(this.node, this.whole);
    if (self === undefined || wrap === undefined) return { rules: [], wrap: () => null };
    const rules = this.node.rules.flatMap((rule): ReadyRule[] => {
      const { expression, messageExpression, usesOld } = compileRule(rule, self);
      if ('fault' in expression || expression.type.kind !== 'bool') return [];
      const message = messageExpression === undefined || 'fault' in messageExpression ? undefined : messageExpression;
      const name = rule.message.trim() === '' ? rule.rule.trim() : rule.message.trim();
      return [{ rule, expression, messageExpression: message, usesOld, name, fieldPath: readFieldPath(rule.fieldPath, this.node) ?? '' }];
    });
    return { rules, wrap };
  }

  private runRules(run: Run, visit: Visit, isSame: () => boolean): void {
    const { rules, wrap } = this.ready();
    const old = visit.old === null ? undefined : visit.old;
    const self = wrap(visit.value);
    for (const ready of rules) {
      if (run.hasStopped) return;
      const isOptional = ready.rule.optionalOldSelf === true;
      if (ready.usesOld && old === undefined && !isOptional) continue;
      const before = ready.usesOld && old !== undefined ? wrap(old) : undefined;
      const variables = new Map<string, Value>([[SELF, self]]);
      if (isOptional) variables.set(OLD_SELF, before === undefined ? NONE : new OptionalValue(before));
      else if (before !== undefined) variables.set(OLD_SELF, before);
      this.runRule(run, ready, variables, visit.path, isSame);
    }
  }

  private runRule(run: Run, ready: ReadyRule, variables: ReadonlyMap<string, Value>, path: string, isSame: () => boolean): void {
    const result = evaluate(ready.expression, variables, run);
    const fail = (detail: string): FieldError => invalidValue(fieldOf(path), this.node.type ?? '', detail);
    if (result === EXCEEDED) return run.stop(fail(`${COST_EXCEEDED} rule: ${ready.name}`));
    if (result instanceof Failure) run.add(fail(failureText(result, ready.name)), false);
    else if (result !== true) this.refuse(run, ready, variables, path, isSame);
    if (!run.hasStopped && run.budget.cost < 0) run.stop(fail(BUDGET_EXCEEDED));
  }

  private refuse(run: Run, ready: ReadyRule, variables: ReadonlyMap<string, Value>, path: string, isSame: () => boolean): void {
    const message = ready.messageExpression === undefined ? undefined : evaluate(ready.messageExpression, variables, run);
    if (message === EXCEEDED) {
      const detail = `${STOPPED} messageExpression: ${JSON.stringify(ready.rule.messageExpression)}`;
      return run.stop(invalidValue(fieldOf(path), this.node.type ?? '', detail));
    }
    const made = typeof message === 'string' && !/[\r\n]/.test(message) ? message.trim() : '';
    const plain = ready.rule.message.trim();
    const text = made !== '' ? made : plain !== '' ? plain : `failed rule: ${ready.rule.rule.trim()}`;
    const field = fieldOf(path === '' ? ready.fieldPath.replace(/^\./, '') : path + ready.fieldPath);
    run.add(errorFor(ready.rule.reason ?? '', field, this.node.type ?? '', text), !ready.usesOld && isSame());
  }
}

const STOPPED = 'no further validation rules will be run due to call cost exceeds limit for';
const COST_EXCEEDED = `'operation cancelled: actual cost limit exceeded': ${STOPPED}`;
const BUDGET_EXCEEDED = 'validation failed due to running out of cost budget, no further validation rules will be run';
const NO_OVERLOAD = 'no such overload';

function failureText({ message }: Failure, rule: string): string {
  return message.startsWith(NO_OVERLOAD)
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
    : `${message} evaluating rule: ${rule}`;
}

/** The whole object has no path. */
const fieldOf = (path: string): string => (path === '' ? '<nil>' : path);

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

const EXCEEDED = Symbol('cost exceeded');

function evaluate(expression: Expression, variables: ReadonlyMap<string, Value>, run: Run): Value | typeof EXCEEDED {
  try {
    return expression.evaluate(variables, CALL_LIMIT, run.budget);
  } catch (error) {
    if (error instanceof CostExceeded) return EXCEEDED;
    throw error;
  }
}

function memoized(compute: () => boolean): () => boolean {
  let known: boolean | undefined;
  return () => (known ??= compute());
}
