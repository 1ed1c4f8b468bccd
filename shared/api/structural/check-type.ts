/**
 * Types as upstream checks them, with its odd corners: a format takes the place of a type in some of them, so that a list passes for a text of a format,
 * and a number that is nearly whole counts as an integer.
 */
import type { JsonValue } from '../../values/json';
import { shownValue, type Check } from './check-context';
import { knownFormat } from './formats';
import { isSchemaNode, type Restrictions } from './schema-node';

/** Undefined = nothing is said of the type. */
export function typeCheck(node: Restrictions): Check | undefined {
  const isNode = isSchemaNode(node);
  const types: readonly string[] = isNode && node.intOrString ? ['integer', 'string'] : node.type === undefined ? [] : [node.type];
  const nullable = isNode && node.nullable;
  const format = knownFormat(node.format);
  if (types.length === 0 && format === '') return undefined;
  const wanted = types.join(',');
  const takesNumbers = types.includes('number') || types.includes('integer');
  return (value, context) => {
    const fail = (expected: string, found: string): number => {
      context.fail('FieldValueTypeInvalid', shownValue(found), `in body must be of type ${expected}: "${found}"`);
      return 0;
    };
    if (value === null) return wanted !== '' && !nullable ? fail(wanted, 'null') : 1;
    const found = jsonType(value);
    const isGood =
      types.includes(found) || (found === 'number' ? types.includes('integer') && isNearlyWhole(value) : isWholeNumber(found, types));
    if (format !== '') {
      if (found === 'string' || found === 'array') {
        if (!takesNumbers) return 1;
      } else if (!isGood) return fail(format, NUMBER_FORMATS.get(found) ?? '');
    }
    return isGood ? 1 : fail(wanted, found);
  };
}

const NUMBER_FORMATS: ReadonlyMap<string, string> = new Map([
  ['integer', 'int64'],
  ['number', 'float64'],
]);

const isWholeNumber = (found: string, types: readonly string[]): boolean => found === 'integer' && types.includes('number');

function jsonType(value: JsonValue): string {
  switch (typeof value) {
    case 'bigint':
      return 'integer';
    case 'number':
      // Larger integers are bigints; a number that large was written as a fraction or with an exponent.
      return Number.isSafeInteger(value) ? 'integer' : 'number';
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    default:
      return value === null ? 'null' : Array.isArray(value) ? 'array' : 'object';
  }
}

/** Upstream's tolerance; negative numbers get none. */
export function isNearlyWhole(value: JsonValue): boolean {
  if (typeof value !== 'number' || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (whole === value) return true;
  return value > 0 && whole !== 0 && (value - whole) / (value + whole) < 1e-9;
}
