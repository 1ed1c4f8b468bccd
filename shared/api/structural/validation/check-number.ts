/**
 * Checks `minimum`, `maximum` and `multipleOf` as upstream does: an integer against the integral part of a bound, any
 * other number against the bound itself.
 */
import { formatGoNumber, formatGoSyntax } from '../../../values/go-syntax';
import type { SchemaCheck, CheckContext } from './check-context';
import { isNearlyWhole } from './check-type';
import type { ValueValidation } from '../schema-node';

/** Returns a check that ignores values other than numbers. */
export function compileNumberCheck(node: ValueValidation): SchemaCheck {
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = node;
  if (multipleOf === undefined && minimum === undefined && maximum === undefined) return () => 1;
  return (value, context) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return 0;
    const number = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
    const fail = (text: string, bound: Bound): void =>
      context.fail(
        'FieldValueInvalid',
        formatGoSyntax(value),
        `in body should be ${text} ${typeof bound === 'bigint' ? bound : formatGoFloat(bound)}`,
      );
    if (multipleOf !== undefined) checkMultiple(number, comparableBound(number, multipleOf), context, fail);
    if (minimum !== undefined) {
      const lower = comparableBound(number, minimum);
      if (number < lower || (exclusiveMinimum && number === lower))
        fail(exclusiveMinimum ? 'greater than' : 'greater than or equal to', lower);
    }
    if (maximum !== undefined) {
      const upper = comparableBound(number, maximum);
      if (number > upper || (exclusiveMaximum && number === upper)) fail(exclusiveMaximum ? 'less than' : 'less than or equal to', upper);
    }
    return 1;
  };
}

type Bound = number | bigint;

const MIN_INT64 = -(2n ** 63n);

/**
 * The bound that a number is compared with: for an integer the bound as an int64, otherwise the bound itself. As in Go, a
 * bound outside the range of int64 becomes the smallest int64.
 */
function comparableBound(number: Bound, bound: number): Bound {
  if (typeof number === 'number') return bound;
  const whole = Number.isFinite(bound) ? BigInt(Math.trunc(bound)) : MIN_INT64;
  return BigInt.asIntN(64, whole) === whole ? whole : MIN_INT64;
}

/** Prints a float as Go does, also when it is integral: `1e+06`. */
function formatGoFloat(bound: number): string {
  if (!Number.isInteger(bound) || Math.abs(bound) < 1e6) return formatGoNumber(bound);
  const [digits = '', exponent = ''] = bound.toExponential().split('e+');
  return `${digits}e+${exponent.padStart(2, '0')}`;
}

function checkMultiple(number: Bound, factor: Bound, context: CheckContext, fail: (text: string, bound: Bound) => void): void {
  if (factor <= 0) {
    context.add('FieldValueInvalid', String(factor), (path) => `factor MultipleOf declared for ${path} must be positive: ${factor}`);
    return;
  }
  const isMultiple =
    typeof number === 'bigint' && typeof factor === 'bigint' ? number % factor === 0n : isNearlyMultiple(Number(number), Number(factor));
  if (!isMultiple) fail('a multiple of', factor);
}

/** Upstream's computation, with its rounding; {@link isNearlyWhole} tolerates the difference. */
function isNearlyMultiple(number: number, factor: number): boolean {
  return isNearlyWhole(factor < 1 ? (1 / factor) * number : number / factor);
}
