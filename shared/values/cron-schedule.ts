/** What upstream says of a text that should be a schedule: five fields, or one of a few words. Only judges; never says when something is due. */
import { durationFault } from './go-duration';
import { quote } from './quote';
import { isTimeZone } from './time-zone';

interface Range {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

/** In their order. The first name stands for the least number. */
const FIELDS: readonly Range[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { least: 0, most: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

const WORDS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const EVERY = '@every ';
const BLANKS = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** Undefined when it is one. */
export function scheduleFault(schedule: string): string | undefined {
  const [prefix = '', zone] = /^(?:CRON_)?TZ=([^ ]*)/.exec(schedule) ?? [];
  if (zone !== undefined && zone !== '' && zone !== 'Local' && !isTimeZone(zone)) {
    return `provided bad location ${zone}: unknown time zone ${zone}`;
  }
  const rest = schedule.slice(prefix.length);
  const text = zone === undefined ? rest : rest.trim();
  if (text.startsWith('@')) return wordFault(text);
  const fields = text.split(BLANKS).filter((field) => field !== '');
  if (fields.length !== FIELDS.length) return `expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, range] of FIELDS.entries()) {
    const fault = fieldFault(fields[index] ?? '', range);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function wordFault(text: string): string | undefined {
  if (WORDS.includes(text)) return undefined;
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
  const fault = durationFault(text.slice(EVERY.length));
  return fault === undefined ? undefined : `failed to parse duration ${text}: ${fault}`;
}

function fieldFault(field: string, range: Range): string | undefined {
  for (const part of field.split(',')) {
    const fault = part === '' ? undefined : partFault(part, range);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What can be said of a part is said in this order. */
function partFault(part: string, range: Range): string | undefined {
  const [span = '', step, ...moreSteps] = part.split('/');
  const [low = '', high, ...moreBounds] = span.split('-');
  let [first, last] = [range.least, range.most];
  if (low !== '*' && low !== '?') {
    const from = numberOf(low, range);
    if (typeof from === 'string') return from;
    if (moreBounds.length > 0) return `too many hyphens: ${part}`;
    const to = high === undefined ? from : numberOf(high, range);
    if (typeof to === 'string') return to;
    [first, last] = [from, high === undefined && step !== undefined ? range.most : to];
  }
  if (moreSteps.length > 0) return `too many slashes: ${part}`;
  const by = step === undefined ? 1 : numberOf(step, { least: 0, most: 0 });
  if (typeof by === 'string') return by;
  if (first < range.least) return `beginning of range (${first}) below minimum (${range.least}): ${part}`;
  if (last > range.most) return `end of range (${last}) above maximum (${range.most}): ${part}`;
  if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${part}`;
  return by === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

/** A text says what is wrong. */
function numberOf(text: string, { least, names = [] }: Range): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return least + named;
  const failed = (why: string): string => `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: ${why}`;
  if (!/^[+-]?\d+$/.test(text)) return failed('invalid syntax');
  const value = Number(text);
  if (Math.abs(value) >= 2 ** 63) return failed('value out of range');
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}
