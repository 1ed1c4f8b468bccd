/**
 * What a schema demands of a value, as functions: compiled once per node. Texts, order and odd corners are upstream's, as recorded (test/replay/answers/custom). Time
 * is proportional to the value, whatever it holds.
 */
import { equalJson, isObject, own, sortedKeys, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { compilePattern } from '../../values/pattern';
import { quote } from '../../values/quote';
import { shownValue, type Check, type CheckContext } from './check-context';
import type { Old } from './correlate';
import { formatCheck } from './formats';
import { numberCheck } from './check-number';
import { isSchemaNode, type Restrictions } from './schema-node';
import { typeCheck } from './check-type';

const known = new WeakMap<Restrictions, Check>();

/** Errors of a value that has not changed are tolerated. */
export function checkOf(node: Restrictions): Check {
  let check = known.get(node);
  if (check === undefined) known.set(node, (check = compile(node)));
  return check;
}

/** One of the steps of a check: which values it looks at, and what it says. */
interface Part {
  readonly applies: (value: JsonValue) => boolean;
  readonly check: Check;
}

const always = (): boolean => true;
const isText = (value: JsonValue): boolean => typeof value === 'string';

function compile(node: Restrictions): Check {
  const type = typeCheck(node);
  const values = node.values === undefined ? undefined : valuesCheck(node.values);
  const format = formatCheck(node.format);
  const number = numberCheck(node);
  const parts: readonly Part[] = [
    ...(type === undefined ? [] : [{ applies: always, check: type }]),
    { applies: always, check: junctorsCheck(node) },
    { applies: isText, check: textCheck(node) },
    ...(format === undefined ? [] : [{ applies: isText, check: format }]),
    { applies: (value) => typeof value === 'number' || typeof value === 'bigint', check: number },
    { applies: Array.isArray, check: itemsCheck(node) },
    { applies: always, check: values ?? passes },
    { applies: isObject, check: membersCheck(node) },
  ];
  const full = (value: JsonValue, context: CheckContext, old: Old): number => {
    if (value === null) return (type?.(value, context, old) ?? 0) + (values?.(value, context, old) ?? 0);
    let count = 1;
    for (const part of parts) if (part.applies(value)) count += part.check(value, context, old) + 1;
    return count;
  };
  if (!isSchemaNode(node)) return full;
  return (value, context, old) => {
    const mark = context.mark();
    const count = full(value, context, old);
    if (old !== undefined && context.hasFailedSince(mark) && context.correlation.isUnchanged(node, value, old)) context.rollBack(mark);
    return count;
  };
}

const passes: Check = () => 0;

function textCheck({ minLength, maxLength, pattern }: Restrictions): Check {
  const compiled = pattern === '' ? undefined : compilePattern(pattern);
  if (minLength === undefined && maxLength === undefined && compiled?.type !== 'good') return passes;
  return (value, context) => {
    if (typeof value !== 'string') return 0;
    if (maxLength !== undefined && isLonger(value, maxLength)) {
      context.add('FieldValueTooLong', '', () => `may not be longer than ${maxLength}`);
    } else if (minLength !== undefined && !isLonger(value, minLength - 1)) {
      context.fail('FieldValueInvalid', shownValue(value), `in body should be at least ${minLength} chars long`);
    } else if (compiled?.type === 'good' && !context.affords(value.length * compiled.stepsPerCharacter)) {
      context.fail('FieldValueInvalid', shownValue(value), 'in body is too long to be matched, with the other texts of the object');
    } else if (compiled?.type === 'good' && !compiled.matches(value)) {
      context.fail('FieldValueInvalid', shownValue(value), `in body should match '${pattern}'`);
    }
    return 0;
  };
}

/** Whether a text has more characters than this; surrogate pairs are one. */
function isLonger(text: string, most: number): boolean {
  if (text.length <= most) return false;
  if (text.length > most * 2) return true;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters > most;
}

function tooMany(context: CheckContext, actual: number, most: number): void {
  context.add('FieldValueTooMany', String(actual), () => `must have at most ${most} items`);
}

function itemsCheck(node: Restrictions): Check {
  const { items, minItems, maxItems } = node;
  const each = items === undefined ? undefined : checkOf(items);
  return (value, context, old) => {
    if (!Array.isArray(value)) return 0;
    const count = each === undefined ? 0 : checkItems(node, each, value, context, old);
    const { length } = value;
    if (minItems !== undefined && length < minItems) {
      context.fail('FieldValueInvalid', String(length), `in body should have at least ${minItems} items`);
    }
    if (maxItems !== undefined && length > maxItems) tooMany(context, length, maxItems);
    return count + 1;
  };
}

function checkItems(node: Restrictions, each: Check, items: JsonArray, context: CheckContext, old: Old): number {
  let count = 0;
  for (let i = 0; i < items.length; i += 1) {
    const item = items[i] ?? null;
    context.enter(i);
    count += each(item, context, old !== undefined && isSchemaNode(node) ? context.correlation.item(node, old, item) : undefined);
    context.leave();
  }
  return count;
}

function membersCheck(node: Restrictions): Check {
  const { minProperties, maxProperties, required } = node;
  const additional = isSchemaNode(node) ? node.additionalProperties : undefined;
  const others = typeof additional === 'object' ? checkOf(additional) : undefined;
  const properties = [...node.properties].map(([name, member]) => [name, checkOf(member)] as const);
  return (value, context, old) => {
    if (!isObject(value)) return 0;
    let count = 0;
    const visit = (name: string, check: Check, member: JsonValue): void => {
      context.enter(name);
      count += check(member, context, context.correlation.member(old, name));
      context.leave();
    };
    if (minProperties !== undefined || maxProperties !== undefined) checkCount(value, minProperties, maxProperties, context);
    if (additional === false) checkNames(node, value, context);
    if (others !== undefined) {
      for (const name of sortedKeys(value)) if (!node.properties.has(name)) visit(name, others, value[name] ?? null);
    }
    for (const [name, check] of properties) {
      const member = own(value, name);
      if (member !== undefined) visit(name, check, member);
    }
    for (const name of required) {
      if (own(value, name) !== undefined) continue;
      context.enter(name);
      context.add('FieldValueRequired', '', () => '');
      context.leave();
    }
    return count;
  };
}

function checkCount(value: JsonObject, least: number | undefined, most: number | undefined, context: CheckContext): void {
  const count = Object.keys(value).length;
  if (least !== undefined && count < least) {
    context.fail('FieldValueInvalid', String(count), `in body should have at least ${least} properties`);
  }
  if (most !== undefined && count > most) tooMany(context, count, most);
}

function checkNames(node: Restrictions, value: JsonObject, context: CheckContext): void {
  for (const name of sortedKeys(value)) {
    if (node.properties.has(name)) continue;
    context.add('FieldValueInvalid', quote(name), (place) => `${place}.${name} in body is a forbidden property`);
  }
}

/** `enum`. A number is compared as a number of the listed value's kind: whole when that is whole. */
function valuesCheck(values: readonly JsonValue[]): Check {
  const supported = values.map((value) => quote(typeof value === 'string' ? value : stringifyJson(value))).join(', ');
  const texts = new Set(values.filter((value) => typeof value === 'string'));
  const others = values.filter((value) => typeof value !== 'string' && value !== null);
  return (value, context) => {
    if (typeof value === 'string' ? texts.has(value) : others.some((other) => isSame(value, other))) return 0;
    context.add('FieldValueNotSupported', shownValue(value), () => `supported values: ${supported}`);
    return 0;
  };
}

function isSame(value: JsonValue, listed: JsonValue): boolean {
  if (typeof value === 'number' && (typeof listed === 'bigint' || Number.isInteger(listed))) return equalJson(Math.trunc(value), listed);
  return equalJson(value, listed);
}

interface Alternative {
  readonly errors: ReturnType<CheckContext['rollBack']>;
  readonly count: number;
}

function junctorsCheck(node: Restrictions): Check {
  const anyOf = node.anyOf.map(checkOf);
  const oneOf = node.oneOf.map(checkOf);
  const allOf = node.allOf.map(checkOf);
  const not = node.not === undefined ? undefined : checkOf(node.not);
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return () => 1;
  return (value, context, old) =>
    1 +
    checkAnyOf(anyOf, value, context, old) +
    checkOneOf(oneOf, value, context, old) +
    checkAllOf(allOf, value, context, old) +
    checkNot(not, value, context, old);
}

/** What an alternative that fails has to say; undefined = it does not fail. */
function attempt(check: Check, value: JsonValue, context: CheckContext, old: Old): Alternative | undefined {
  const mark = context.mark();
  const count = check(value, context, old);
  return context.hasFailedSince(mark) ? { errors: context.rollBack(mark), count } : undefined;
}

const better = (best: Alternative | undefined, failed: Alternative): Alternative =>
  best === undefined || failed.count > best.count ? failed : best;

function explain(best: Alternative | undefined, context: CheckContext): number {
  if (best === undefined) return 0;
  context.restore(best.errors);
  return best.count;
}

function checkAnyOf(checks: readonly Check[], value: JsonValue, context: CheckContext, old: Old): number {
  let best: Alternative | undefined;
  for (const check of checks) {
    const failed = attempt(check, value, context, old);
    if (failed === undefined) return 0;
    best = better(best, failed);
  }
  if (best !== undefined) context.failAll('must validate at least one schema (anyOf)');
  return explain(best, context);
}

function checkOneOf(checks: readonly Check[], value: JsonValue, context: CheckContext, old: Old): number {
  if (checks.length === 0) return 0;
  let best: Alternative | undefined;
  let good = 0;
  for (const check of checks) {
    const failed = attempt(check, value, context, old);
    if (failed === undefined) good += 1;
    else if (good === 0) best = better(best, failed);
  }
  if (good === 1) return 0;
  const found = good === 0 ? 'Found none valid' : `Found ${good} valid alternatives`;
  context.failAll(`must validate one and only one schema (oneOf). ${found}`);
  return good === 0 ? explain(best, context) : 0;
}

function checkAllOf(checks: readonly Check[], value: JsonValue, context: CheckContext, old: Old): number {
  let count = 0;
  let good = 0;
  for (const check of checks) {
    const mark = context.mark();
    count += check(value, context, old);
    if (!context.hasFailedSince(mark)) good += 1;
  }
  if (good < checks.length) context.failAll(`must validate all the schemas (allOf)${good === 0 ? '. None validated' : ''}`);
  return count;
}

function checkNot(check: Check | undefined, value: JsonValue, context: CheckContext, old: Old): number {
  if (check !== undefined && attempt(check, value, context, old) === undefined) context.failAll('must not validate the schema (not)');
  return 0;
}
