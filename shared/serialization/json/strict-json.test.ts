/** The strict JSON parser: accepts what JSON.parse accepts, with Go's errors, exact integers and duplicate fields. */
import fc from 'fast-check';
import { isObject, type JsonValue } from '../../values/json';
import { fieldErrors } from './field-errors';
import { runStepsSync } from '../../scheduling/steps';
import { MAX_DEPTH, parseJson, parseJsonInSteps } from './strict-json';
import { NumberRangeError, ParseError } from './parse-error';

const parse = (text: string): ReturnType<typeof parseJson> => parseJson(Buffer.from(text, 'latin1'));

/** Recorded from release 1.31.1. */
test.each([
  ['', 'unexpected end of JSON input'],
  ['{"a"', 'unexpected end of JSON input'],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{}}', "invalid character '}' after top-level value"],
  ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
  ['nul', "invalid character ' ' in literal null (expecting 'l')"],
  ['{"a":01}', "invalid character '1' after object key:value pair"],
  ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
  ['{"a":-}', "invalid character '}' in numeric literal"],
  ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
  ['{"a":"\\q"}', "invalid character 'q' in string escape code"],
  ['{"a":"\\u12"}', "invalid character '\"' in \\u hexadecimal character escape"],
  ['{"a":"x\ty"}', "invalid character '\\t' in string literal"],
  ['["a" "b"]', "invalid character '\"' after array element"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ["'x'", "invalid character '\\'' looking for beginning of value"],
  ['\xef\xbb\xbf{}', "invalid character 'ï' looking for beginning of value"],
  ['{"a":\x00}', "invalid character '\\x00' looking for beginning of value"],
  ['{"a":\xa0}', "invalid character '\\u00a0' looking for beginning of value"],
])('parseJson rejects %j with the error of upstream', (text, message) => {
  expect(() => parse(text)).toThrow(new ParseError(message));
});

test('parseJson rejects the texts that JSON.parse rejects, and parses the others alike', () => {
  const broken = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', '[', '\\', '1', 'e', ':')).map(([text, at, extra]) => {
    const offset = at % (text.length + 1);
    return text.slice(0, offset) + extra + text.slice(offset + 1);
  });
  fc.assert(
    fc.property(fc.oneof(broken, fc.json()), (text) => {
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        expect(() => parseJson(Buffer.from(text))).toThrow(/^(?:invalid character '.+' |unexpected end of JSON input$)/s);
        return;
      }
      if (!isFinite(expected)) {
        expect(() => parseJson(Buffer.from(text))).toThrow(NumberRangeError);
        return;
      }
      const { value } = parseJson(Buffer.from(text));
      // Integers beyond 2^53 are kept exactly.
      expect(JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? Number(item) : item))).toBe(JSON.stringify(expected));
    }),
  );
});

const isFinite = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).every(isFinite) : typeof value !== 'number' || Number.isFinite(value);

test.each(['1e400', '-1e999', '{"a":[1e400]}', '{"a":1e400,"a":1}', '9'.repeat(400)])(
  'parseJson rejects the out-of-range number %p, parseJsonInSteps accepts it',
  (text) => {
    expect(() => parse(text)).toThrow(NumberRangeError);
    expect(() => runStepsSync(parseJsonInSteps(Buffer.from(text)))).not.toThrow();
  },
);

test('parseJson accepts numbers at the limits of doubles', () => {
  expect(parse('[1.7976931348623157e308,5e-324,1e-400,1e22]').value).toEqual([1.7976931348623157e308, 5e-324, 0, 1e22]);
});

test('parseJson limits the nesting depth', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  expect(() => parse(nested(MAX_DEPTH))).not.toThrow();
  expect(() => parse(nested(MAX_DEPTH + 1))).toThrow(new ParseError("invalid character '[' exceeded max depth"));
  expect(() => parse('['.repeat(1_000_000))).toThrow(ParseError);
});

test('parseJson replaces each invalid UTF-8 byte by a replacement character', () => {
  expect(parse('{"a":"x\xffy\xe2\x82"}').value).toEqual({ a: 'x\ufffdy\ufffd\ufffd' });
});

test('parseJson keeps integers beyond 2^53 exact and records unusual number literals', () => {
  const { value, literals } = parse('{"a":9007199254740993,"b":[80.0,1],"c":1e3,"d":99999999999999999999}');
  expect(value).toEqual({ a: 9007199254740993n, b: [80, 1], c: 1000, d: 1e20 });
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('no object');
  const list = value['b'];
  expect(literals?.get(value)).toEqual(new Map([['c', '1e3'], ['d', '99999999999999999999']])); // prettier-ignore
  expect(Array.isArray(list) && literals?.get(list)).toEqual(new Map([[0, '80.0']]));
  expect(parse('{"a":1,"b":-5,"c":0.5}').literals).toBeUndefined();
});

test.each<[string, JsonValue]>([
  ['9007199254740993', 9_007_199_254_740_993n],
  [' -9223372036854775808\n', -9_223_372_036_854_775_808n],
  ['9223372036854775808', 9_223_372_036_854_775_808],
  ['1234567890123456', 1_234_567_890_123_456],
  ['1e3', 1000],
])('parseJson keeps the top-level number %j exact', (text, expected) => expect(parse(text).value).toBe(expected));

/** Objects are merged by parseJsonInSteps only; all other values have no member of an earlier occurrence. */
test.each<[text: string, value: JsonValue]>([
  ['{"a":9007199254740993,"a":1}', { a: 1 }],
  ['{"a":1,"a":9007199254740993}', { a: 9007199254740993n }],
  ['{"a":9007199254740993,"a":"x"}', { a: 'x' }],
  ['{"a":[9007199254740993,2.50],"a":[1]}', { a: [1] }],
  ['{"a":{"0":9007199254740993},"a":[1]}', { a: [1] }],
  ['{"a":[9007199254740993],"a":{"0":1}}', { a: { 0: 1 } }],
  ['{"a":1.50,"a":2}', { a: 2 }],
])('the number of an earlier duplicate leaves no trace in %s', (text, value) => {
  for (const parsed of [parse(text), runStepsSync(parseJsonInSteps(Buffer.from(text)))]) {
    expect(parsed.value).toEqual(value);
    expect(spellingOf(parsed, 'a')).toBeUndefined();
  }
});

/** The recorded literal of a member of the top-level object. */
function spellingOf({ value, literals }: ReturnType<typeof parseJson>, member: string): string | undefined {
  return isObject(value) ? literals?.get(value)?.get(member) : undefined;
}

test('parseJson reports duplicate keys with their paths', () => {
  expect(parse('{"spec":{"type":1,"ports":[{"a":1},{"b":1,"b":2}],"type":2},"x.y/z":{},"x.y/z":1}').duplicates).toEqual([
    'spec.ports[1].b',
    'spec.type',
    'x.y/z',
  ]);
  expect(parse('{"a":{"b":1},"c":{"b":1},"d":":{"}').duplicates).toEqual([]);
  expect(parse('{"a":1,"\\u0061":2}').duplicates).toEqual(['a']);
});

test('fieldErrors lists errors in the order of the text and ignores duplicates inside unknown fields', () => {
  const parsed = parse('{"spec":{"ports":[{"port":1,"foo":1,"port":2}],"type":1,"a":1,"type":2},"bar":{"x":1,"x":2}}');
  expect(fieldErrors(parsed, ['spec.ports[0].foo', 'spec.a', 'bar'], 'strict')).toEqual([
    'unknown field "spec.ports[0].foo"',
    'duplicate field "spec.ports[0].port"',
    'unknown field "spec.a"',
    'duplicate field "spec.type"',
    'unknown field "bar"',
  ]);
});

test('parseJson treats __proto__ as an ordinary key', () => {
  const { value } = parse('{"__proto__":{"polluted":1}}');
  expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":1}}');
  expect(Object.getPrototypeOf({})).not.toHaveProperty('polluted');
});
