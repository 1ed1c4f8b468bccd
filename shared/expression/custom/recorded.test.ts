/**
 * Replays several hundred validation rules that were recorded from release 1.31: the errors and estimated costs of the
 * rules, and the results of validating created and updated objects. `ruleErrors` normalizes types that are named after
 * the schema, and values that are printed as structures, before the comparison.
 */
import { readRecording } from '../../../test/replay/recording';
import { anything, body, either, listOf, number, oneOf, shape, text, type Check } from '../../../test/replay/shape';
import { errorsOfMember, ruleErrors } from '../../../test/replay/formats/rule-errors';
import type { JsonObject } from '../../values/json';
import { readSchema } from '../../api/structural/read-schema';
import type { FieldError } from '../../api/errors/field-error';
import { compileExpression } from '../engine';
import { checkRules } from './check-rules';
import { compileRules } from './evaluate-rules';
import { declaredType } from './declared-type';

const isHead = shape({ format: text });
const isSchemaHead = shape({ format: text, schema: body });
const isRule = either(text, body);
const isErrors: Check<readonly string[]> = listOf(text);
const labelOf = (rule: JsonObject | string): string => (typeof rule === 'string' ? rule : JSON.stringify(rule));

/** A schema with one rule, as the member `v` of an object. */
const withRule = (schema: JsonObject, rule: JsonObject | string): JsonObject => ({
  type: 'object',
  properties: { v: { ...schema, 'x-kubernetes-validations': [typeof rule === 'string' ? { rule } : rule] } },
});

const printed = (actual: readonly FieldError[]): string[] =>
  ruleErrors(actual.map(({ field, reason, body: message }) => [field, reason, message] as const));

describe('checkRules, compared with recordings of rules', () => {
  const { head, cases } = readRecording('expressions/rules', isSchemaHead, shape({ rule: isRule, errors: isErrors }));
  it.each(cases.map((row) => [labelOf(row.rule), row] as const))('reports the recorded errors of the rule %s', (_label, row) => {
    const actual = printed(checkRules(readSchema(withRule(head.schema, row.rule)), 'S'));
    expect(errorsOfMember(actual)).toEqual(row.errors);
  });
});

describe('checkRules, compared with recordings of whole schemas', () => {
  const { cases } = readRecording('expressions/definitions', isHead, shape({ schema: body, errors: isErrors }));
  it.each(cases.map((row) => [JSON.stringify(row.schema).slice(0, 120), row] as const))(
    'reports the recorded errors of the schema %s',
    (_label, row) => {
      expect(printed(checkRules(readSchema(row.schema), 'S'))).toEqual(row.errors);
    },
  );
});

const isCost = shape({ rule: text, cost: either(number, oneOf('more')) }, { schema: body });

describe('Expression.estimate, compared with recorded costs', () => {
  const { head, cases } = readRecording('expressions/costs', isSchemaHead, isCost);
  it.each(cases.map((row) => [row.rule, row] as const))('estimates the recorded cost of %s', (rule, { cost, schema }) => {
    const self = declaredType(readSchema(schema ?? head.schema));
    if (self === undefined) throw new Error('no type');
    const expression = compileExpression(rule, new Map([['self', self]]));
    if ('error' in expression) throw new Error(expression.error);
    const { max } = expression.estimate(self);
    // Upstream prints a factor with few digits, or "more than 100x", which is recorded as "more".
    if (cost === 'more') expect(max).toBeGreaterThan(1e9);
    else expect(max.toPrecision(3)).toBe(cost.toPrecision(3));
  });
});

/**
 * A case has the errors of a rule on the item of a list: `errors` for one item, and `refused` for `times` items, for which
 * the estimated cost is beyond the limit. Its message has six digits of the cost.
 */
describe('checkRules, compared with the recorded costs of rules on list items', () => {
  const isPriced = shape({ rule: text, errors: isErrors, times: number, refused: isErrors });
  const { head, cases } = readRecording('expressions/prices', isSchemaHead, isPriced);
  const refusals = (rule: string, maxItems: number): string[] => {
    const items = { ...head.schema, 'x-kubernetes-validations': [{ rule }] };
    return printed(checkRules(readSchema({ type: 'object', properties: { v: { type: 'array', maxItems, items } } }), 'S'));
  };
  it.each(cases.map((row) => [row.rule, row] as const))('reports the recorded errors of the rule %s', (rule, row) => {
    expect(refusals(rule, 1)).toEqual(row.errors);
    expect(refusals(rule, row.times)).toEqual(row.refused);
  });
});

describe('compileRules, compared with recordings of created objects', () => {
  const isOutcomesHead = shape({ format: text, schema: body, value: body });
  const { head, cases } = readRecording('expressions/objects', isOutcomesHead, shape({ rule: isRule, errors: isErrors }));
  it.each(cases.map((row) => [labelOf(row.rule), row] as const))(
    'reports the recorded errors of an object under the rule %s',
    (_label, row) => {
      const rules = compileRules(readSchema(withRule(head.schema, row.rule)));
      const actual = rules.validate({ v: head.value }, undefined).errors;
      expect(printed(actual).map((error) => error.replace(/^v\|?/, ''))).toEqual(row.errors);
    },
  );
});

const isUpdate = shape({ schema: body, old: anything, new: anything, warnings: listOf(text), errors: isErrors });

describe('compileRules, compared with recordings of updates', () => {
  const { cases } = readRecording('expressions/updates', isHead, isUpdate);
  it.each(cases.map((row) => [JSON.stringify(row), row] as const))(
    'reports the recorded errors and warnings of the update %s',
    (_label, row) => {
      const rules = compileRules(readSchema({ type: 'object', properties: { v: row.schema } }));
      const actual = rules.validate({ v: row.new }, { v: row.old });
      expect(printed(actual.errors)).toEqual(row.errors);
      expect([...actual.warnings].sort()).toEqual(row.warnings);
    },
  );
});
