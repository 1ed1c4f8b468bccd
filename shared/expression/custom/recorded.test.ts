/**
 * What the reference server answered to several hundred rules, replayed: which it refuses and why, what it says they may cost, how objects fare, and
 * what an update tolerates. Types named after the schema and values printed as structures are spelled alike before they are compared.
 */
import { recordedAnswers } from '../../../test/recordings/answers';
import type { JsonObject, JsonValue } from '../../values/json';
import { isObject } from '../../values/json';
import { readSchema } from '../../api/structural/read-schema';
import type { FieldError } from '../../api/errors/field-error';
import { compileExpression } from '../engine';
import { checkRules } from './check-rules';
import { compileRules } from './compile-rules';
import { declaredType } from './declared-type';

const lines = (name: string): readonly JsonObject[] => recordedAnswers(`expressions/${name}`);

function object(value: JsonValue | undefined): JsonObject {
  if (!isObject(value)) throw new Error('no object');
  return value;
}

const subject = recordedAnswers<JsonObject>('expressions/subject');
const texts = (value: JsonValue | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);
const labelOf = (rule: JsonValue | undefined): string => (typeof rule === 'string' ? rule : JSON.stringify(rule));

/** The subject's schema with one rule, as the member `v` of a whole object. */
const withRule = (rule: JsonValue | undefined): JsonObject => ({
  type: 'object',
  properties: { v: { ...object(subject['schema']), 'x-kubernetes-validations': [isObject(rule) ? rule : { rule: rule ?? '' }] } },
});

const plain = (text: string): string =>
  text.replace(/Invalid value: apiextensions.ValidationRule\{.*?\}: (?=compilation|cel expr|program|messageE)/gs, 'Invalid value: R: ');
const printed = (errors: readonly FieldError[]): string[] =>
  errors.map((error) => plain(`${error.field}|${error.reason}|${error.body}`)).sort();

describe('rules of definitions', () => {
  it.each(lines('rules').map((row) => [labelOf(row['rule']), row] as const))('%s', (_label, { rule, errors }) => {
    const found = printed(checkRules(readSchema(withRule(rule)), 'S'))
      .filter((error) => !error.includes('contributed to') && !error.includes('cost total for'))
      .map((error) => error.replace('S.properties[v]', ''));
    expect(found).toEqual(texts(errors));
  });
});

describe('whole definitions', () => {
  it.each(lines('definitions').map((row) => [JSON.stringify(row['schema']).slice(0, 120), row] as const))(
    '%s',
    (_label, { schema, errors }) => {
      expect(printed(checkRules(readSchema(object(schema)), 'S'))).toEqual(texts(errors));
    },
  );
});

describe('estimated costs', () => {
  it.each(lines('costs').map((row) => [labelOf(row['rule']), row] as const))('%s', (_label, { rule, cost, schema }) => {
    const self = declaredType(readSchema(object(schema ?? subject['schema'])), false);
    if (self === undefined) throw new Error('no type');
    const expression = compileExpression(labelOf(rule), new Map([['self', self]]));
    if ('fault' in expression) throw new Error(expression.fault);
    const { max } = expression.estimate(self);
    // Recorded as a factor with few digits; "more" is beyond what the reference prints.
    if (cost === 'more') expect(max).toBeGreaterThan(1e9);
    else expect(max.toPrecision(3)).toBe(Number(cost).toPrecision(3));
  });
});

describe('objects', () => {
  it.each(lines('objects').map((row) => [labelOf(row['rule']), row] as const))('%s', (_label, { rule, errors }) => {
    const rules = compileRules(readSchema(withRule(rule)));
    const found = rules.validate({ v: subject['value'] ?? null }, undefined).errors;
    expect(printed(found).map((error) => error.replace(/^v\|?/, ''))).toEqual(texts(errors));
  });
});

describe('updates', () => {
  it.each(lines('updates').map((row) => [JSON.stringify(row), row] as const))('%s', (_label, row) => {
    const rules = compileRules(readSchema({ type: 'object', properties: { v: row['schema'] ?? {} } }));
    const { errors, warnings } = rules.validate({ v: row['new'] ?? null }, { v: row['old'] ?? null });
    expect(printed(errors)).toEqual(texts(row['errors']));
    expect([...warnings].sort()).toEqual(texts(row['warnings']));
  });
});
