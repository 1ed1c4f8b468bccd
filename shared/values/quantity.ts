/**
 * Resource quantities (`100m`, `1.5Gi`, `1e3`): exact decimal numbers with a suffix. As upstream, values finer than a
 * billionth are rounded away from zero, and quantities with a binary suffix are capped at 2^63-1. Uses no floating
 * point.
 */

/** The text is not a quantity; the message is that of upstream. */
export class QuantityError extends Error {}

type Format = 'decimal' | 'exponent' | 'binary';

/** An exact quantity of the API. */
export interface Quantity {
  /** In billionths. */
  nanos: bigint;
  format: Format;
}

/** Sign, whole part, fraction and suffix: `+`, `1`, `5` and `Gi` of `+1.5Gi`. The suffix may be an exponent: `e-3`. */
const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[+-]?|[+-])\d*)?$/;
const SHAPE_MESSAGE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
/** The most frequent canonical spellings, up to three digits and a suffix: `0`, `100m`, `2`, `512Mi`; not `0m`. */
const CANONICAL = /^(?:0|[1-9]\d{0,2}(?:[mkMGTPE]|[KMGTP]i)?)$/;
/** In characters; longer texts are rejected. The time of bigint arithmetic is not linear in the length of the numbers. */
const MAX_LENGTH = 1000;
/** Suffixes by the power of 10 that they stand for, from -9 to 18. */
const DECIMAL_BY_EXPONENT = new Map(['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].map((suffix, index) => [3 * index - 9, suffix]));
/** Suffixes by the power of 1024 that they stand for. */
const BINARY_BY_POWER = new Map(['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((suffix, power) => [power, suffix]));
const EXPONENT_BY_DECIMAL = new Map([...DECIMAL_BY_EXPONENT].map(([exponent, suffix]) => [suffix, exponent]));
const POWER_BY_BINARY = new Map([...BINARY_BY_POWER].map(([power, suffix]) => [suffix, power]));
/** The power of 10 by which {@link Quantity.nanos} are larger than the number. */
const NANO_DIGITS = 9;
const BILLION = 1_000_000_000n;
const MAX_BINARY_NANOS = ((1n << 63n) - 1n) * BILLION;
/**
 * Larger exponents are reduced to this one, and smaller ones than its negative are raised: such values exceed all real
 * quantities, or round to a billionth, and their digits would exhaust the memory.
 */
const MAX_EXPONENT = 600;

/**
 * The canonical spelling of a text, which may have blanks around it. As upstream, a text with a canonical number and
 * suffix keeps its sign and leading zeros (`+05E3`). Throws {@link QuantityError}.
 */
export function canonicalQuantity(text: string): string {
  if (CANONICAL.test(text)) return text;
  const trimmed = text.trim();
  const quantity = parseQuantity(trimmed);
  return keepsSpelling(trimmed, quantity) ? trimmed : formatQuantity(quantity);
}

/** Whether upstream keeps the text as it is: its digits and suffix are those of the canonical spelling. */
function keepsSpelling(text: string, quantity: Quantity): boolean {
  const [, , whole = '', fraction = '', suffix = ''] = SHAPE.exec(text) ?? [];
  if (fraction !== '' || quantity.nanos === 0n) return false;
  const { exponent, power } = readSuffix(suffix);
  const digits = BigInt(whole);
  // `1025Ki` stays, `1024Ki` becomes `1Mi`. A capped value never stays.
  if (power > 0) return digits % 1024n !== 0n && quantity.nanos !== MAX_BINARY_NANOS && quantity.nanos !== -MAX_BINARY_NANOS;
  // `1001m` stays, `1000m` becomes `1`.
  return exponent % 3 === 0 && exponent >= -9 && digits % 1000n !== 0n;
}

/** Throws {@link QuantityError}, also for blanks around the quantity. */
export function parseQuantity(text: string): Quantity {
  const match = text.length > MAX_LENGTH ? null : SHAPE.exec(text);
  if (match === null || text === '') throw new QuantityError(SHAPE_MESSAGE);
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  const scale = readSuffix(suffix);
  const exponent = scale.exponent - fraction.length + NANO_DIGITS;
  const unscaled = BigInt(whole + fraction) * 1024n ** BigInt(scale.power);
  const size = exponent >= 0 ? unscaled * 10n ** BigInt(exponent) : divideUp(unscaled, 10n ** BigInt(-exponent));
  const capped = scale.format === 'binary' && size > MAX_BINARY_NANOS ? MAX_BINARY_NANOS : size;
  return { nanos: sign === '-' ? -capped : capped, format: scale.format };
}

/** The number is multiplied by `10 ** exponent` and `1024 ** power`. */
function readSuffix(suffix: string): { format: Format; exponent: number; power: number } {
  const decimal = EXPONENT_BY_DECIMAL.get(suffix);
  if (decimal !== undefined) return { format: 'decimal', exponent: decimal, power: 0 };
  const power = POWER_BY_BINARY.get(suffix);
  if (power !== undefined) return { format: 'binary', exponent: 0, power };
  if (!/^[eE][+-]?\d+$/.test(suffix)) throw new QuantityError("unable to parse quantity's suffix");
  const exponent = Number(suffix.slice(1));
  return { format: 'exponent', exponent: Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, exponent)), power: 0 };
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/**
 * The canonical spelling: no fraction, and the largest suffix that keeps the value exact. A binary quantity below 1Ki or
 * with a fraction has a decimal suffix.
 */
export function formatQuantity(quantity: Quantity): string {
  const { nanos } = quantity;
  if (nanos === 0n) return '0';
  const size = nanos < 0n ? -nanos : nanos;
  const sign = nanos < 0n ? '-' : '';
  if (quantity.format === 'binary' && size >= 1024n * BILLION && size % BILLION === 0n) {
    let value = size / BILLION;
    let power = 0;
    for (; power < BINARY_BY_POWER.size - 1 && value % 1024n === 0n; power += 1) value /= 1024n;
    return `${sign}${value}${BINARY_BY_POWER.get(power) ?? ''}`;
  }
  const digits = String(size);
  // The zeros at the end of the nanos in groups of three become the suffix: nine groups are `E`, the largest one.
  const groups = Math.floor(zerosAtEnd(digits) / 3);
  const suffixGroups = quantity.format === 'exponent' ? groups : Math.min(groups, 9);
  const exponent = 3 * suffixGroups - NANO_DIGITS;
  const value = digits.slice(0, digits.length - 3 * suffixGroups);
  if (quantity.format !== 'exponent') return `${sign}${value}${DECIMAL_BY_EXPONENT.get(exponent) ?? ''}`;
  return exponent === 0 ? `${sign}${value}` : `${sign}${value}e${exponent}`;
}

function zerosAtEnd(digits: string): number {
  let count = 0;
  while (digits.charCodeAt(digits.length - 1 - count) === 0x30) count += 1;
  return count;
}

/** A comparator by value. Throws {@link QuantityError} when a text is not a quantity. */
export function compareQuantities(a: string, b: string): number {
  const difference = parseQuantity(a).nanos - parseQuantity(b).nanos;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

/** Rounds away from zero to a multiple of a thousandth. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  const milli = 1_000_000n;
  const { nanos, format } = quantity;
  const size = divideUp(nanos < 0n ? -nanos : nanos, milli) * milli;
  return { nanos: nanos < 0n ? -size : size, format };
}
