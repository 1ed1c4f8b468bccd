/**
 * Property tests of the expression engine. For any text and any object it throws no unexpected error, stays within its
 * budget, and gives equal results for equal inputs.
 */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../values/json';
import { readSchema } from '../api/structural/read-schema';
import { checkRules } from './custom/check-rules';
import { compileRules } from './custom/evaluate-rules';
import { declaredType } from './custom/declared-type';
import { valueWrapperOf } from './custom/json-value';
import { CostBudget, compileExpression, CostExceededError, type Expression, type Type } from './engine';
import { propertyRuns } from '../../test/support/property-runs';
import { anyCharacter } from '../../test/support/any-character';

const schema: JsonObject = {
  type: 'object',
  properties: {
    i: { type: 'integer' },
    s: { type: 'string' },
    b: { type: 'boolean' },
    l: { type: 'array', items: { type: 'integer' } },
    m: { type: 'object', additionalProperties: { type: 'string' } },
    o: { type: 'object', properties: { x: { 'x-kubernetes-int-or-string': true } } },
  },
};
const node = readSchema(schema);
const self: Type = declaredType(node) ?? { kind: 'dyn' };
/** The value of `self` for an object. */
const wrap = valueWrapperOf(node) ?? ((): null => null);
const variables = new Map([['self', self]]);

const OPERANDS = 'self.i self.s self.b self.l self.m self.o.x self x 1 1.5 2u true null'.split(' ');
const LITERALS = ["'a'", "b'a'", "'\\u00e9", 'google.protobuf.Int32Value{value: ', 'google.protobuf.Timestamp{seconds: '];
const MESSAGES = ['google.protobuf.Struct{fields: ', 'google.protobuf.Value{list_value: '];
const PUNCTUATION = '[ ] { } ( ) . , ? : == != < >= + - * / % ! && ||'.split(' ');
const MACROS = ['.all(x, ', '.map(x, ', '.filter(x, ', '.exists_one(x, ', '.optMap(x, ', 'has('];
const FUNCTIONS = ['dyn(', 'int(', 'string(', 'ip(', 'quantity(', 'duration(', 'timestamp(', 'sets.contains(', 'optional.of('];
const METHODS = ['.size()', '.orValue(1)', ".matches('a+')", '.join()', "'%s'.format(["];
const OTHER_PARTS = [' in ', '.?i', '[?0]'];

/** Parts of expressions. Joined in any order they resemble expressions, and some are valid. */
const parts = fc.constantFrom(...OPERANDS, ...LITERALS, ...MESSAGES, ...PUNCTUATION, ...MACROS, ...FUNCTIONS, ...METHODS, ...OTHER_PARTS);
const texts = fc.oneof(
  fc.array(parts, { maxLength: 14 }).map((chosen) => chosen.join('')),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
);

const atoms = fc.constantFrom(
  'self.i',
  'self.l.size()',
  '7',
  'self.l[0]',
  'int(self.s)',
  'self.s.size()',
  'google.protobuf.Int64Value{value: self.i}',
);
/** Valid expressions of the type bool. */
const { condition } = fc.letrec<{ number: string; condition: string }>((tie) => ({
  number: fc.oneof(
    { depthSize: 'small' },
    atoms,
    fc.tuple(tie('number'), fc.constantFrom('+', '-', '*', '/', '%'), tie('number')).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
    fc.tuple(tie('condition'), tie('number'), tie('number')).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
  ),
  condition: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('self.b', 'has(self.i)', "self.s.contains('a')", "'k' in self.m", 'self.o.x == 1', 'self.?i.hasValue()'),
    fc.tuple(tie('number'), fc.constantFrom('==', '<', '>='), tie('number')).map(([a, sign, b]) => `${a} ${sign} ${b}`),
    fc.tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition')).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
    fc.tuple(fc.constantFrom('all', 'exists', 'exists_one'), tie('condition')).map(([macro, c]) => `self.l.${macro}(x, x > 1 || ${c})`),
  ),
}));

const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, true, 0, -1, 2 ** 53, 1.5, '', 'a', '日😀', 10n ** 20n),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('i', 's', 'b', 'l', 'm', 'o', 'x', '__proto__', 'constructor'), tie('value'), { maxKeys: 5 }),
  ),
})).value;

/** Objects that conform to the schema. */
const conforming = fc.record<JsonObject>({
  i: fc.integer(),
  s: fc.string({ maxLength: 10 }),
  b: fc.boolean(),
  l: fc.array(fc.integer(), { maxLength: 6 }),
  m: fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 }), { maxKeys: 4 }),
  o: fc.record({ x: fc.oneof(fc.integer(), fc.string()) }),
});

function compiled(text: string): Expression {
  const expression = compileExpression(text, variables);
  if ('error' in expression) throw new Error(`${text}: ${expression.error}`);
  return expression;
}

/** The result of an evaluation with a cost limit, as text. */
function outcome(expression: Expression, object: JsonValue, limit: number): string {
  try {
    const value = expression.evaluate(new Map([['self', wrap(object)]]), limit, new CostBudget(limit));
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : `${typeof value} ${String(value)}`;
  } catch (error) {
    if (error instanceof CostExceededError) return 'exceeded';
    throw error;
  }
}

describe('compileExpression', () => {
  it('compiles an expression or returns an error, whatever the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const expression = compileExpression(text, variables);
        if ('error' in expression) expect(expression.error).toMatch(/^(compilation|program instantiation) failed: /);
        else expect(expression.estimate(self).max).toBeGreaterThanOrEqual(expression.estimate(self).min);
      }),
      propertyRuns(300),
    );
  });

  it('evaluates an expression to the same result each time, whatever the object', () => {
    fc.assert(
      fc.property(condition, fc.oneof(conforming, json), (text, object) => {
        const expression = compiled(text);
        const first = outcome(expression, object, 100_000);
        expect(outcome(expression, object, 100_000)).toBe(first);
        expect(first).toMatch(/^(boolean (true|false)|exceeded|\{"message":)/);
      }),
      propertyRuns(150),
    );
  });

  it('estimates an upper bound for the cost of an expression, up to the comparison of scalars', () => {
    fc.assert(
      fc.property(condition, conforming, (text, object) => {
        const expression = compiled(text);
        // Comparing scalars of the schema is free in an estimate and costs 1 at run time.
        expect(outcome(expression, object, expression.estimate(self).max * 2 + 10)).not.toBe('exceeded');
      }),
      propertyRuns(150),
    );
  });

  it('stops an expression that exceeds its cost limit', () => {
    const object = { l: Array.from({ length: 1000 }, (_, index) => index) };
    const loops = compiled('self.l.all(x, self.l.all(y, self.l.all(z, x + y + z >= 0)))');
    expect(outcome(loops, object, 100_000)).toBe('exceeded');
    expect(outcome(compiled('self.l.all(x, x >= 0)'), object, 100_000)).toBe('boolean true');
  });
});

describe('checkRules and compileRules', () => {
  it('check and evaluate rules without throwing, whatever their text', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 3 }), json, json, (rules, object, old) => {
        const ruled = readSchema({
          type: 'object',
          properties: {
            v: { ...schema, 'x-kubernetes-validations': rules.map((rule) => ({ rule, messageExpression: rule, fieldPath: rule })) },
          },
        });
        checkRules(ruled, 'S');
        compileRules(ruled).validate({ v: object }, { v: old });
      }),
      propertyRuns(150),
    );
  });
});

describe('the budget of an evaluation', () => {
  const long = 'a'.repeat(500_000);

  it.each([
    ['makes a string grow', "self.s.replace('a', self.s).size() > 0"],
    ['searches for a string that nearly matches everywhere', "self.s.indexOf('b' + self.s.substring(250000)) < 0"],
    ['matches a pattern again and again', "self.l.all(x, self.s.matches('^a*b?a*$'))"],
    ['reads characters beyond the Basic Multilingual Plane', "self.l.all(x, (self.s + '😀').charAt(1) == 'a')"],
  ])('stops an expression that %s at a low cost', (_what, rule) => {
    const object = { s: long, l: Array.from({ length: 200_000 }, () => 1) };
    expect(outcome(compiled(rule), object, 1_000_000)).toBe('exceeded');
  });

  it('is charged for the conversion of a timestamp to a time zone', () => {
    const conversions = 1000;
    /** The work of the conversions to a zone. */
    const spent = (zone: string): number => {
      const budget = new CostBudget(1_000_000);
      const before = budget.remainingWork;
      const rule = compiled(`self.l.all(x, timestamp('2026-01-01T00:00:00Z').getHours(${zone}) >= 0)`);
      rule.evaluate(new Map([['self', wrap({ l: Array(conversions).fill(1) })]]), 1_000_000, budget);
      return before - budget.remainingWork;
    };
    // Loading the zone is charged once in a process, here or in a test before.
    const withLoading = spent("'Asia/Tokyo'");
    const withoutLoading = spent("'Asia/Tokyo'");
    expect(withoutLoading).toBeLessThanOrEqual(withLoading);
    expect(withoutLoading - spent('')).toBe(100 * conversions);
  });
});
