/**
 * Parses IP addresses and prefixes as strictly as Go's `net/netip`, for warnings about texts that upstream still
 * accepts. Returns the canonical text (RFC 5952) or the error message of Go. Validation uses ip-address.ts instead.
 */
import { quote } from '../text/quote';

export type StrictParseResult = { readonly canonical: string } | { readonly error: string };

/** Thrown within this file only. */
class StrictIpError extends Error {}

export function parseStrictIpAddress(text: string): StrictParseResult {
  return catchError(() => canonicalAddress(text));
}

/** Parses `address/bits`. */
export function parseStrictIpPrefix(text: string): StrictParseResult {
  return catchError(() => {
    const slash = text.lastIndexOf('/');
    const bits = text.slice(slash + 1);
    const messagePrefix = `netip.ParsePrefix(${quote(text)}): `;
    try {
      const address = canonicalAddress(text.slice(0, slash));
      if (!/^(0|[1-9][0-9]*)$/.test(bits)) throw new StrictIpError(`bad bits after slash: ${quote(bits)}`);
      return `${address}/${bits}`;
    } catch (error) {
      throw error instanceof StrictIpError ? new StrictIpError(messagePrefix + error.message) : error;
    }
  });
}

function catchError(parse: () => string): StrictParseResult {
  try {
    return { canonical: parse() };
  } catch (error) {
    if (error instanceof StrictIpError) return { error: error.message };
    throw error;
  }
}

/** Throws {@link StrictIpError}. */
function canonicalAddress(text: string): string {
  const fail = (message: string, rest?: string): never => {
    throw new StrictIpError(`ParseAddr(${quote(text)}): ${message}${rest === undefined ? '' : ` (at ${quote(rest)})`}`);
  };
  switch (/[.:%]/.exec(text)?.[0]) {
    case '.':
      return readOctets(text, fail).join('.');
    case ':':
      return readGroups(text, fail);
    case '%':
      return fail('missing IPv6 address');
    default:
      return fail('unable to parse IP');
  }
}

/** Throws the error of Go. `rest`: the part of the text from the error on, for messages that name it. */
type Fail = (message: string, rest?: string) => never;

function readOctets(text: string, fail: Fail): readonly number[] {
  const octets: number[] = [];
  let value = 0;
  let digits = 0;
  for (const [index, character] of [...text].entries()) {
    // All characters before an invalid one are ASCII, so that the index of a character is also its index in the text.
    const rest = text.slice(index);
    if (/[0-9]/.test(character)) {
      if (digits === 1 && value === 0) fail('IPv4 field has octet with leading zero');
      value = value * 10 + Number(character);
      digits += 1;
      if (value > 255) fail('IPv4 field has value >255');
    } else if (character === '.') {
      if (digits === 0 || index === text.length - 1) fail('IPv4 field must have at least one digit', rest);
      if (octets.length === 3) fail('IPv4 address too long');
      octets.push(value);
      value = 0;
      digits = 0;
    } else fail('unexpected character', rest);
  }
  if (octets.length < 3) fail('IPv4 address too short');
  return [...octets, value];
}

const GROUPS = 8;

function readGroups(text: string, fail: Fail): string {
  const [address = '', ...zones] = text.split('%');
  const zone = zones.join('%');
  if (zones.length > 0 && zone === '') fail('zone must be a non-empty string');
  const groups: number[] = [];
  /** The index of the groups that `::` stands for. */
  let gap: number | undefined;
  let rest = address;
  if (rest.startsWith('::')) {
    gap = 0;
    rest = rest.slice(2);
  }
  while (rest !== '' && groups.length < GROUPS) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
    if (digits.length > 4) fail('each group must have 4 or less digits', rest);
    if (digits === '') fail('each colon-separated field must have at least one digit', rest);
    if (rest[digits.length] === '.') {
      if (gap === undefined && groups.length !== GROUPS - 2)
        fail('embedded IPv4 address must replace the final 2 fields of the address', rest);
      if (groups.length > GROUPS - 2) fail('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      const [a = 0, b = 0, c = 0, d = 0] = readOctets(rest, fail);
      groups.push(a * 256 + b, c * 256 + d);
      rest = '';
      break;
    }
    groups.push(Number.parseInt(digits, 16));
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) fail('unexpected character, want colon', rest);
    if (rest.length === 1) fail('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (gap !== undefined) fail('multiple :: in address', rest);
    gap = groups.length;
    rest = rest.slice(1);
  }
  if (rest !== '') fail('trailing garbage after address', rest);
  if (groups.length < GROUPS && gap === undefined) fail('address string too short');
  if (groups.length === GROUPS && gap !== undefined) fail('the :: must expand to at least one field of zeros');
  if (gap !== undefined) groups.splice(gap, 0, ...Array.from({ length: GROUPS - groups.length }, () => 0));
  return formatGroups(groups) + (zone === '' ? '' : `%${zone}`);
}

/**
 * The longest run of at least two zeros (the first of several) becomes `::`; an IPv4-mapped address ends in dotted
 * decimals.
 */
function formatGroups(groups: readonly number[]): string {
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high = 0, low = 0] = groups.slice(6);
    return `::ffff:${[high >> 8, high & 255, low >> 8, low & 255].join('.')}`;
  }
  let start = 0;
  let length = 1;
  for (let from = 0; from < groups.length; from += 1) {
    const end = groups.findIndex((group, index) => index >= from && group !== 0);
    const run = (end < 0 ? groups.length : end) - from;
    if (run > length) [start, length] = [from, run];
  }
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  return length === 1 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}
