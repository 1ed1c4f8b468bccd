/**
 * Checks types as upstream does, including its quirks:
 * - with a known `format`, strings and lists are accepted for every type except `number` and `integer`;
 * - a number that is nearly whole is accepted as an integer.
 */
import type { JsonValue } from '../../../values/json';
import type { SchemaCheck } from './check-context';
import { knownFormatName } from './formats';
import { isSchemaNode, type ValueValidation } from '../schema-node';
import { shownValue } from '../shown-value';

/** Formats of numbers in messages, by the type of the value. */
const NUMBER_FORMATS: ReadonlyMap<string, string> = new Map([
  ['integer', 'int64'],
  ['number', 'float64'],
]);

/** The check of `type` and `nullable`; `undefined` when the schema has neither a type nor a known format. */
export function compileTypeCheck(node: ValueValidation): SchemaCheck | undefined {
  const types = allowedTypes(node);
  const isNullable = isSchemaNode(node) && node.nullable;
  const format = knownFormatName(node.format);
  if (types.length === 0 && format === '') return undefined;
  const wanted = types.join(',');
  const acceptsNumbers = types.includes('number') || types.includes('integer');
  return (value, context) => {
    const fail = (expected: string, actual: string): number => {
      context.fail('FieldValueTypeInvalid', shownValue(actual), `in body must be of type ${expected}: "${actual}"`);
      return 0;
    };
    if (value === null) return wanted !== '' && !isNullable ? fail(wanted, 'null') : 1;
    const actual = jsonType(value);
    const isExpected = types.includes(actual) || isAcceptedNumber(value, actual, types);
    if (format !== '') {
      if (actual === 'string' || actual === 'array') {
        if (!acceptsNumbers) return 1;
      } else if (!isExpected) return fail(format, NUMBER_FORMATS.get(actual) ?? '');
    }
    return isExpected ? 1 : fail(wanted, actual);
  };
}

function allowedTypes(node: ValueValidation): readonly string[] {
  if (isSchemaNode(node) && node.intOrString) return ['integer', 'string'];
  return node.type === undefined ? [] : [node.type];
}

/** Whether the value is an integer where a number is allowed, or a nearly whole number where an integer is. */
function isAcceptedNumber(value: JsonValue, actual: string, types: readonly string[]): boolean {
  if (actual === 'integer') return types.includes('number');
  return actual === 'number' && types.includes('integer') && isNearlyWhole(value);
}

function jsonType(value: JsonValue): string {
  switch (typeof value) {
    case 'bigint':
      return 'integer';
    case 'number':
      // Larger integers are bigints; a number of that size was written with a fraction or an exponent.
      return Number.isSafeInteger(value) ? 'integer' : 'number';
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    default:
      if (value === null) return 'null';
      return Array.isArray(value) ? 'array' : 'object';
  }
}

/**
 * Whether a number is whole within upstream's tolerance. Numbers below 1 have to be exactly whole, and numbers beyond the
 * safe integers never are.
 */
export function isNearlyWhole(value: JsonValue): boolean {
  if (typeof value !== 'number' || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (whole === value) return true;
  return value > 0 && whole !== 0 && (value - whole) / (value + whole) < 1e-9;
}
