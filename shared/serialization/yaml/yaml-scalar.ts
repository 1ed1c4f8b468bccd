/**
 * Resolves YAML scalars by the rules of YAML 1.1, as upstream does (`yes` and `on` are true, `0o17` and `017` are 15).
 */
import { ParseError } from '../json/parse-error';

const BOOLEANS = new Map<string, boolean>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE'].map((text): [string, boolean] => [text, true]),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE'].map((text): [string, boolean] => [text, false]),
]);
const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);
/** For example `-1.5e3`, `.5` or `1.`. */
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
/** With the names of Go, for the error message. */
const INFINITE = new Map([
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((text): [string, string] => [text, '+Inf']),
  ...['-.inf', '-.Inf', '-.INF'].map((text): [string, string] => [text, '-Inf']),
  ...['.nan', '.NaN', '.NAN'].map((text): [string, string] => [text, 'NaN']),
]);
/** Sign, letter of the base, and digits: `-0x1f`. Whether the digits are of the base is checked later. */
const RADIX = /^([-+]?)0([box])([0-9a-fA-F]+)$/;
const RADIXES: ReadonlyMap<string, { prefix: string; digits: RegExp }> = new Map([
  ['b', { prefix: '0b', digits: /^[01]+$/ }],
  ['o', { prefix: '0o', digits: /^[0-7]+$/ }],
  ['x', { prefix: '0x', digits: /^[0-9a-fA-F]+$/ }],
]);

/** Longer texts are not read as integers, because they exceed 64 bits (unless they have as many leading zeros). */
const MAX_DIGITS = 100;

export type YamlScalar = null | boolean | number | bigint | string;

/** Tags that determine the type of a scalar. */
export type ScalarTag = '!!binary' | '!!bool' | '!!float' | '!!int' | '!!null';

export const isScalarTag = (tag: string): tag is ScalarTag => ['!!binary', '!!bool', '!!float', '!!int', '!!null'].includes(tag);

const BASE64 = /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/;

/** The value of a tagged scalar, quoted or plain. Throws ParseError when the text does not have that type. */
export function resolveTagged(tag: ScalarTag, text: string): YamlScalar {
  if (tag === '!!binary') {
    const packed = text.replace(/[\r\n]/g, '');
    if (packed.includes('_') || !BASE64.test(packed)) throw new ParseError('yaml: !!binary value contains invalid base64 data');
    return Buffer.from(packed, 'base64').toString('utf8');
  }
  const value = resolvePlain(text);
  const resolvedTag = tagOf(value, text);
  if (resolvedTag === tag || (tag === '!!float' && resolvedTag === '!!int')) return value;
  throw new ParseError(`yaml: cannot decode ${resolvedTag} \`${text}\` as a ${tag}`);
}

function tagOf(value: YamlScalar, text: string): string {
  if (value === null) return '!!null';
  if (typeof value === 'boolean') return '!!bool';
  if (typeof value === 'string') return '!!str';
  return readInteger(text.replaceAll('_', '')) === undefined ? '!!float' : '!!int';
}

/** The value of a plain scalar without tag. Throws ParseError for infinity and NaN, which JSON does not have. */
export function resolvePlain(text: string): YamlScalar {
  if (NULLS.has(text)) return null;
  const boolean = BOOLEANS.get(text);
  if (boolean !== undefined) return boolean;
  if (!/^[-+.\d]/.test(text)) return text;
  const infinite = INFINITE.get(text);
  if (infinite !== undefined) throw new ParseError(`json: unsupported value: ${infinite}`);
  const plain = text.replaceAll('_', '');
  const integer = readInteger(plain);
  if (integer !== undefined) return integer;
  return FLOAT.test(plain) && Number.isFinite(Number(plain)) ? Number(plain) : text;
}

function readInteger(text: string): number | bigint | undefined {
  if (text.length > MAX_DIGITS) return undefined;
  const radix = RADIX.exec(text);
  if (radix !== null) {
    const [, sign = '', letter = '', digits = ''] = radix;
    const rules = RADIXES.get(letter);
    return rules?.digits.test(digits) === true ? fitToInt64(BigInt(rules.prefix + digits), sign) : undefined;
  }
  const octal = /^([-+]?)0([0-7]+)$/.exec(text);
  if (octal !== null) return fitToInt64(BigInt(`0o${octal[2] ?? '0'}`), octal[1] ?? '');
  const decimal = /^([-+]?)(\d+)$/.exec(text);
  return decimal === null ? undefined : fitToInt64(BigInt(decimal[2] ?? '0'), decimal[1] ?? '');
}

/**
 * The exact integer, if it fits in 64 bits with or without a sign. `undefined` for larger numbers: the caller reads
 * those of decimal digits as doubles, and those with the letter of a base (`0x…`) as texts.
 */
function fitToInt64(size: bigint, sign: string): number | bigint | undefined {
  const value = sign === '-' ? -size : size;
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return BigInt.asIntN(64, value) === value || BigInt.asUintN(64, value) === value ? value : undefined;
}
