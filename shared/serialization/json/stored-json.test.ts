/** Compares the fast parser of stored JSON with the strict parser of requests. */
import fc from 'fast-check';
import { stringifyJson, type JsonValue } from '../../values/json';
import { parseStoredJson } from './stored-json';
import { parseJson } from './strict-json';

const read = (text: string): JsonValue => parseStoredJson(text);
const strictly = (text: string): JsonValue => parseJson(Buffer.from(text)).value;

const MAX_INT64 = 9_223_372_036_854_775_807n;

it.each([
  ['alone in an object', '{"a":9223372036854775807}'],
  ['negative, in a list', '{"a":[1,-9223372036854775808,2]}'],
  ['beside a string that looks like one', '{"a":"x:9223372036854775807,","b":9007199254740993}'],
  ['after an escaped quote', '{"a":"\\"1234567890123456789","\\\\":9007199254740993}'],
  ['beyond the range of 64 bits', '{"a":9223372036854775808,"b":92233720368547758070}'],
  ['within the range of a double', '{"a":1234567890123456}'],
  ['with fractions and exponents', '{"a":0.12345678901234567,"b":1234567890123456789.5,"c":12345678901234567e1,"d":1e12}'],
  ['beside a string like an internal marker', '{"a":"int64:1","b":9007199254740993}'],
  ['under keys like integers', '{"2":9007199254740993,"1":{"0":-9007199254740993},"__proto__":9007199254740993}'],
])('parseStoredJson reads integers exactly as parseJson does: %s', (_case, text) => {
  expect(stringifyJson(read(text))).toBe(stringifyJson(strictly(text)));
});

it('parseStoredJson reads what stringifyJson writes', () => {
  const long = fc.bigInt({ min: -MAX_INT64 - 1n, max: MAX_INT64 }).filter((number) => !Number.isSafeInteger(Number(number)));
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      long,
      fc.integer(),
      fc.string(),
      fc.stringMatching(/^[":,\\[\]{}\d-]{0,24}$/),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (member) => {
      const text = stringifyJson({ member });
      expect(stringifyJson(read(text))).toBe(text);
    }),
  );
});
