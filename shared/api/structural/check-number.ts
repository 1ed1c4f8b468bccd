/** Bounds of numbers as upstream checks them: of an integer against the whole part of a bound, of any other number against the bound as it is. */
import { formatGoNumber, formatGoSyntax } from '../../values/go-syntax';
import type { Check, CheckContext } from './check-context';
import { isNearlyWhole } from './check-type';
import type { Restrictions } from './schema-node';

export function numberCheck(node: Restrictions): Check {
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = node;
  if (multipleOf === undefined && minimum === undefined && maximum === undefined) return () => 1;
  return (value, context) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return 0;
    const number = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
    const fail = (text: string, bound: Bound): void =>
      context.fail(
        'FieldValueInvalid',
        formatGoSyntax(value),
        `in body should be ${text} ${typeof bound === 'bigint' ? bound : goNumberOf(bound)}`,
      );
    if (multipleOf !== undefined) checkMultiple(number, boundFor(number, multipleOf), context, fail);
    if (minimum !== undefined) {
      const least = boundFor(number, minimum);
      if (number < least || (exclusiveMinimum && number === least))
        fail(exclusiveMinimum ? 'greater than' : 'greater than or equal to', least);
    }
    if (maximum !== undefined) {
      const most = boundFor(number, maximum);
      if (number > most || (exclusiveMaximum && number === most)) fail(exclusiveMaximum ? 'less than' : 'less than or equal to', most);
    }
    return 1;
  };
}

type Bound = number | bigint;

const LEAST_INT64 = -(2n ** 63n);

/** Upstream turns the bound into an integer of 64 bits; what does not fit becomes the least one. */
function boundFor(number: Bound, bound: number): Bound {
  if (typeof number === 'number') return bound;
  const whole = Number.isFinite(bound) ? BigInt(Math.trunc(bound)) : LEAST_INT64;
  return BigInt.asIntN(64, whole) === whole ? whole : LEAST_INT64;
}

/** As Go prints a float, whole or not: `1e+06`. */
function goNumberOf(bound: number): string {
  if (!Number.isInteger(bound) || Math.abs(bound) < 1e6) return formatGoNumber(bound);
  const [digits = '', exponent = ''] = bound.toExponential().split('e+');
  return `${digits}e+${exponent.padStart(2, '0')}`;
}

function checkMultiple(number: Bound, factor: Bound, context: CheckContext, fail: (text: string, bound: Bound) => void): void {
  if (factor <= 0) {
    context.add('FieldValueInvalid', String(factor), (place) => `factor MultipleOf declared for ${place} must be positive: ${factor}`);
    return;
  }
  const isMultiple =
    typeof number === 'bigint' && typeof factor === 'bigint' ? number % factor === 0n : isNearlyMultiple(Number(number), Number(factor));
  if (!isMultiple) fail('a multiple of', factor);
}

function isNearlyMultiple(number: number, factor: number): boolean {
  return isNearlyWhole(factor < 1 ? (1 / factor) * number : number / factor);
}
