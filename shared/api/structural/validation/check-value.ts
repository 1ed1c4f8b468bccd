/**
 * Compiles a schema into checks of a value, once per node. Messages, order and quirks are upstream's, as recorded
 * (test/replay/answers/custom). The time is proportional to the size of the value, whatever it contains.
 *
 * Every check returns a count of what it checked (see {@link SchemaCheck}). It decides which alternative of an `anyOf` or
 * `oneOf` got furthest and has its errors reported. The constants that the checks below return or add to the count are
 * therefore upstream's, and have no other meaning.
 */
import { equalJson, isObject, ownMember, sortedKeys, stringifyJson, type JsonObject, type JsonValue } from '../../../values/json';
import { compilePattern } from '../../../values/text/pattern';
import { quote } from '../../../values/text/quote';
import type { SchemaCheck, CheckContext } from './check-context';
import type { OldValue } from './correlate';
import { compileFormatCheck } from './formats';
import { compileNumberCheck } from './check-number';
import { isSchemaNode, type ValueValidation } from '../schema-node';
import { shownValue } from '../shown-value';
import { compileTypeCheck } from './check-type';

const compiledChecks = new WeakMap<ValueValidation, SchemaCheck>();

/**
 * The check of a node. At nodes of the structural schema it tolerates errors of a value that an update does not change
 * (ratcheting validation).
 */
export function schemaCheckOf(node: ValueValidation): SchemaCheck {
  let check = compiledChecks.get(node);
  if (check === undefined) compiledChecks.set(node, (check = compileCheck(node)));
  return check;
}

/** One step of a check, and the values to which it applies. */
interface CheckPart {
  readonly applies: (value: JsonValue) => boolean;
  readonly check: SchemaCheck;
}

const always = (): boolean => true;
const isText = (value: JsonValue): boolean => typeof value === 'string';

function compileCheck(node: ValueValidation): SchemaCheck {
  const checkType = compileTypeCheck(node);
  const checkEnum = node.enumValues === undefined ? undefined : compileEnumCheck(node.enumValues);
  const checkFormat = compileFormatCheck(node.format);
  const parts: readonly CheckPart[] = [
    ...(checkType === undefined ? [] : [{ applies: always, check: checkType }]),
    { applies: always, check: compileJunctorsCheck(node) },
    { applies: isText, check: compileTextCheck(node) },
    ...(checkFormat === undefined ? [] : [{ applies: isText, check: checkFormat }]),
    { applies: (value) => typeof value === 'number' || typeof value === 'bigint', check: compileNumberCheck(node) },
    { applies: Array.isArray, check: compileItemsCheck(node) },
    { applies: always, check: checkEnum ?? noCheck },
    { applies: isObject, check: compileMembersCheck(node) },
  ];
  const checkAll = (value: JsonValue, context: CheckContext, old: OldValue): number => {
    if (value === null) return (checkType?.(value, context, old) ?? 0) + (checkEnum?.(value, context, old) ?? 0);
    let count = 1;
    for (const part of parts) if (part.applies(value)) count += part.check(value, context, old) + 1;
    return count;
  };
  if (!isSchemaNode(node)) return checkAll;
  return (value, context, old) => {
    const checkpoint = context.checkpoint();
    const count = checkAll(value, context, old);
    if (old !== undefined && context.hasFailedSince(checkpoint) && context.correlation.isUnchanged(node, value, old)) {
      context.rollBack(checkpoint);
    }
    return count;
  };
}

const noCheck: SchemaCheck = () => 0;

function compileTextCheck({ minLength, maxLength, pattern }: ValueValidation): SchemaCheck {
  const compiled = pattern === '' ? undefined : compilePattern(pattern);
  if (minLength === undefined && maxLength === undefined && compiled?.type !== 'good') return noCheck;
  return (value, context) => {
    if (typeof value !== 'string') return 0;
    if (maxLength !== undefined && hasMoreCharacters(value, maxLength)) {
      context.add('FieldValueTooLong', '', () => `may not be longer than ${maxLength}`);
    } else if (minLength !== undefined && !hasMoreCharacters(value, minLength - 1)) {
      context.fail('FieldValueInvalid', shownValue(value), `in body should be at least ${minLength} chars long`);
    } else if (compiled?.type === 'good' && !context.trySpend(value.length * compiled.stepsPerCharacter)) {
      context.fail(
        'FieldValueInvalid',
        shownValue(value),
        'in body is too long to be matched, together with the other strings of the object',
      );
    } else if (compiled?.type === 'good' && !compiled.matches(value)) {
      context.fail('FieldValueInvalid', shownValue(value), `in body should match '${pattern}'`);
    }
    return 0;
  };
}

/** Whether a text has more than `max` characters; a surrogate pair counts as one. */
function hasMoreCharacters(text: string, max: number): boolean {
  if (text.length <= max) return false;
  // A character has at most two UTF-16 units.
  if (text.length > max * 2) return true;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters > max;
}

function failTooMany(context: CheckContext, actual: number, max: number): void {
  context.add('FieldValueTooMany', String(actual), () => `must have at most ${max} items`);
}

function compileItemsCheck(node: ValueValidation): SchemaCheck {
  const { items, minItems, maxItems } = node;
  const checkItems = items === undefined ? noCheck : compileEachItemCheck(node, schemaCheckOf(items));
  return (value, context, old) => {
    if (!Array.isArray(value)) return 0;
    const count = checkItems(value, context, old);
    const { length } = value;
    if (minItems !== undefined && length < minItems) {
      context.fail('FieldValueInvalid', String(length), `in body should have at least ${minItems} items`);
    }
    if (maxItems !== undefined && length > maxItems) failTooMany(context, length, maxItems);
    return count + 1;
  };
}

function compileEachItemCheck(node: ValueValidation, checkItem: SchemaCheck): SchemaCheck {
  const listNode = isSchemaNode(node) ? node : undefined;
  return (items, context, old) => {
    if (!Array.isArray(items)) return 0;
    let count = 0;
    for (let i = 0; i < items.length; i += 1) {
      const item = items[i] ?? null;
      const oldItem = old === undefined || listNode === undefined ? undefined : context.correlation.item(listNode, old, item);
      context.enter(i);
      count += checkItem(item, context, oldItem);
      context.leave();
    }
    return count;
  };
}

function compileMembersCheck(node: ValueValidation): SchemaCheck {
  const { minProperties, maxProperties, required } = node;
  const additional = isSchemaNode(node) ? node.additionalProperties : undefined;
  const others = typeof additional === 'object' ? schemaCheckOf(additional) : undefined;
  const properties = [...node.properties].map(([name, member]) => [name, schemaCheckOf(member)] as const);
  return (value, context, old) => {
    if (!isObject(value)) return 0;
    let count = 0;
    const visit = (name: string, check: SchemaCheck, member: JsonValue): void => {
      context.enter(name);
      count += check(member, context, context.correlation.member(old, name));
      context.leave();
    };
    if (minProperties !== undefined || maxProperties !== undefined) checkMemberCount(node, value, context);
    if (additional === false) rejectUnknownMembers(node, value, context);
    if (others !== undefined) {
      for (const name of sortedKeys(value)) if (!node.properties.has(name)) visit(name, others, value[name] ?? null);
    }
    for (const [name, check] of properties) {
      const member = ownMember(value, name);
      if (member !== undefined) visit(name, check, member);
    }
    for (const name of required) {
      if (ownMember(value, name) !== undefined) continue;
      context.enter(name);
      context.add('FieldValueRequired', '', () => '');
      context.leave();
    }
    return count;
  };
}

function checkMemberCount({ minProperties, maxProperties }: ValueValidation, value: JsonObject, context: CheckContext): void {
  const count = Object.keys(value).length;
  if (minProperties !== undefined && count < minProperties) {
    context.fail('FieldValueInvalid', String(count), `in body should have at least ${minProperties} properties`);
  }
  if (maxProperties !== undefined && count > maxProperties) failTooMany(context, count, maxProperties);
}

function rejectUnknownMembers(node: ValueValidation, value: JsonObject, context: CheckContext): void {
  for (const name of sortedKeys(value)) {
    if (node.properties.has(name)) continue;
    context.add('FieldValueInvalid', quote(name), (path) => `${path}.${name} in body is a forbidden property`);
  }
}

/** The check of `enum`. */
function compileEnumCheck(values: readonly JsonValue[]): SchemaCheck {
  const supported = values.map((value) => quote(typeof value === 'string' ? value : stringifyJson(value))).join(', ');
  const texts = new Set(values.filter((value) => typeof value === 'string'));
  const others = values.filter((value) => typeof value !== 'string' && value !== null);
  return (value, context) => {
    if (typeof value === 'string' ? texts.has(value) : others.some((other) => equalsListed(value, other))) return 0;
    context.add('FieldValueNotSupported', shownValue(value), () => `supported values: ${supported}`);
    return 0;
  };
}

/** Upstream converts the value to the type of the listed one: `1.5` equals a listed `1`, because the fraction is cut off. */
function equalsListed(value: JsonValue, listed: JsonValue): boolean {
  if (typeof value === 'number' && (typeof listed === 'bigint' || Number.isInteger(listed))) return equalJson(Math.trunc(value), listed);
  return equalJson(value, listed);
}

/** The errors of an alternative that fails, and how much of the value it checked. */
interface FailedAlternative {
  readonly errors: ReturnType<CheckContext['rollBack']>;
  readonly count: number;
}

/** The check of `anyOf`, `oneOf`, `allOf` and `not`. */
function compileJunctorsCheck(node: ValueValidation): SchemaCheck {
  const anyOf = node.anyOf.map(schemaCheckOf);
  const oneOf = node.oneOf.map(schemaCheckOf);
  const allOf = node.allOf.map(schemaCheckOf);
  const not = node.not === undefined ? undefined : schemaCheckOf(node.not);
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return () => 1;
  return (value, context, old) =>
    1 +
    checkAnyOf(anyOf, value, context, old) +
    checkOneOf(oneOf, value, context, old) +
    checkAllOf(allOf, value, context, old) +
    checkNot(not, value, context, old);
}

/** Removes the errors of an alternative from the context and returns them; `undefined` when the value satisfies it. */
function tryAlternative(check: SchemaCheck, value: JsonValue, context: CheckContext, old: OldValue): FailedAlternative | undefined {
  const checkpoint = context.checkpoint();
  const count = check(value, context, old);
  return context.hasFailedSince(checkpoint) ? { errors: context.rollBack(checkpoint), count } : undefined;
}

const furthestOf = (furthest: FailedAlternative | undefined, failed: FailedAlternative): FailedAlternative =>
  furthest === undefined || failed.count > furthest.count ? failed : furthest;

/** Adds the errors of the alternative that got furthest. */
function reportAlternative(furthest: FailedAlternative | undefined, context: CheckContext): number {
  if (furthest === undefined) return 0;
  context.restore(furthest.errors);
  return furthest.count;
}

function checkAnyOf(checks: readonly SchemaCheck[], value: JsonValue, context: CheckContext, old: OldValue): number {
  let furthest: FailedAlternative | undefined;
  for (const check of checks) {
    const failed = tryAlternative(check, value, context, old);
    if (failed === undefined) return 0;
    furthest = furthestOf(furthest, failed);
  }
  if (furthest !== undefined) context.failWithoutField('must validate at least one schema (anyOf)');
  return reportAlternative(furthest, context);
}

function checkOneOf(checks: readonly SchemaCheck[], value: JsonValue, context: CheckContext, old: OldValue): number {
  if (checks.length === 0) return 0;
  let furthest: FailedAlternative | undefined;
  let validCount = 0;
  for (const check of checks) {
    const failed = tryAlternative(check, value, context, old);
    if (failed === undefined) validCount += 1;
    else if (validCount === 0) furthest = furthestOf(furthest, failed);
  }
  if (validCount === 1) return 0;
  const summary = validCount === 0 ? 'Found none valid' : `Found ${validCount} valid alternatives`;
  context.failWithoutField(`must validate one and only one schema (oneOf). ${summary}`);
  return validCount === 0 ? reportAlternative(furthest, context) : 0;
}

function checkAllOf(checks: readonly SchemaCheck[], value: JsonValue, context: CheckContext, old: OldValue): number {
  let count = 0;
  let validCount = 0;
  for (const check of checks) {
    const checkpoint = context.checkpoint();
    count += check(value, context, old);
    if (!context.hasFailedSince(checkpoint)) validCount += 1;
  }
  if (validCount < checks.length)
    context.failWithoutField(`must validate all the schemas (allOf)${validCount === 0 ? '. None validated' : ''}`);
  return count;
}

function checkNot(check: SchemaCheck | undefined, value: JsonValue, context: CheckContext, old: OldValue): number {
  if (check !== undefined && tryAlternative(check, value, context, old) === undefined)
    context.failWithoutField('must not validate the schema (not)');
  return 0;
}
