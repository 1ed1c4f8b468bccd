/**
 * Parses the schedules of CronJobs (five fields, `@daily` and similar descriptors, `@every`) with the errors of
 * upstream's parser. Times of a schedule are computed in cron-times.ts.
 */
import { parseGoDuration } from './go-duration';
import { quote } from '../text/quote';
import { isTimeZoneName } from './time-zone';

interface Range {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

/** Minutes, hours, days, months and weekdays, in the order of the text. The first name stands for `min`. */
const FIELDS: readonly Range[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const EVERY = '@every ';
/** White space as in Go's `strings.Fields`. */
const BLANKS = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** The values of one field of a schedule. */
export interface CronField {
  /** In ascending order. */
  readonly values: ReadonlySet<number>;
  /**
   * Whether a part of the field is `*` or `?`, without a step above 1. Days of the month and days of the week are
   * alternatives when neither field is a wildcard; otherwise both must match.
   */
  readonly isWildcard: boolean;
}

/** A parsed schedule: times of the calendar, or a fixed interval. */
export type CronSchedule = {
  /** The time zone in a prefix of the text (`TZ=` or `CRON_TZ=`); `undefined` without one, or when it is empty. */
  readonly zone: string | undefined;
} & (
  | {
      readonly type: 'fields';
      readonly minutes: CronField;
      readonly hours: CronField;
      readonly days: CronField;
      readonly months: CronField;
      readonly weekdays: CronField;
    }
  /** Milliseconds, a whole number of seconds. */
  | { readonly type: 'every'; readonly ms: number }
);

/** The time zone before the fields: `TZ=Europe/Berlin`. */
const ZONE_PREFIX = /^(?:CRON_)?TZ=([^ ]*)/;

/** Returns an error message when the text is not a schedule. */
export function parseCronSchedule(schedule: string): CronSchedule | string {
  const [prefix = '', zone] = ZONE_PREFIX.exec(schedule) ?? [];
  const isNamedZone = zone !== undefined && zone !== '' && zone !== 'Local';
  if (isNamedZone && !isTimeZoneName(zone)) {
    return `provided bad location ${zone}: unknown time zone ${zone}`;
  }
  const rest = schedule.slice(prefix.length);
  const text = zone === undefined ? rest : rest.trim();
  const scheduleZone = zone === '' ? undefined : zone;
  if (text.startsWith(EVERY)) {
    const ms = parseGoDuration(text.slice(EVERY.length));
    if (typeof ms === 'string') return `failed to parse duration ${text}: ${ms}`;
    return { type: 'every', zone: scheduleZone, ms: Math.max(1, Math.floor(ms / 1_000)) * 1_000 };
  }
  const expanded = text.startsWith('@') && Object.hasOwn(DESCRIPTORS, text) ? DESCRIPTORS[text] : undefined;
  if (text.startsWith('@') && expanded === undefined) return `unrecognized descriptor: ${text}`;
  return parseFields(expanded ?? text, scheduleZone);
}

function parseFields(text: string, zone: string | undefined): CronSchedule | string {
  const parts = text.split(BLANKS).filter((part) => part !== '');
  if (parts.length !== FIELDS.length) return `expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  const fields: CronField[] = [];
  for (const [index, range] of FIELDS.entries()) {
    const field = parseField(parts[index] ?? '', range);
    if (typeof field === 'string') return field;
    fields.push(field);
  }
  const [minutes = EMPTY_FIELD, hours = EMPTY_FIELD, days = EMPTY_FIELD, months = EMPTY_FIELD, weekdays = EMPTY_FIELD] = fields;
  return { type: 'fields', zone, minutes, hours, days, months, weekdays };
}

/** Satisfies the compiler: a schedule has all five fields. */
const EMPTY_FIELD: CronField = { values: new Set(), isWildcard: false };

/** The error message, or `undefined` when the text is a schedule. */
export function cronScheduleError(schedule: string): string | undefined {
  const parsed = parseCronSchedule(schedule);
  return typeof parsed === 'string' ? parsed : undefined;
}

function parseField(field: string, range: Range): CronField | string {
  const values = new Set<number>();
  let isWildcard = false;
  for (const part of field.split(',')) {
    const span = part === '' ? undefined : parseSpan(part, range);
    if (typeof span === 'string') return span;
    if (span === undefined) continue;
    for (let value = span.first; value <= span.last; value += span.step) values.add(value);
    isWildcard ||= span.isWildcard;
  }
  return { values: new Set([...values].sort((a, b) => a - b)), isWildcard };
}

interface Span {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly isWildcard: boolean;
}

/** Returns an error message when the part is invalid. The order of the checks is that of upstream. */
function parseSpan(part: string, range: Range): Span | string {
  const [span = '', stepText, ...moreSteps] = part.split('/');
  const [low = '', high, ...moreBounds] = span.split('-');
  let first = range.min;
  let last = range.max;
  const isAny = low === '*' || low === '?';
  if (!isAny) {
    const from = parseNumber(low, range);
    if (typeof from === 'string') return from;
    if (moreBounds.length > 0) return `too many hyphens: ${part}`;
    const to = high === undefined ? from : parseNumber(high, range);
    if (typeof to === 'string') return to;
    first = from;
    // `5/10` means `5-59/10` in a field of minutes.
    last = high === undefined && stepText !== undefined ? range.max : to;
  }
  if (moreSteps.length > 0) return `too many slashes: ${part}`;
  const step = stepText === undefined ? 1 : parseNumber(stepText, { min: 0, max: 0 });
  if (typeof step === 'string') return step;
  if (first < range.min) return `beginning of range (${first}) below minimum (${range.min}): ${part}`;
  if (last > range.max) return `end of range (${last}) above maximum (${range.max}): ${part}`;
  if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${part}`;
  if (step === 0) return `step of range should be a positive number: ${part}`;
  return { first, last, step, isWildcard: isAny && step === 1 };
}

/** Returns an error message when the text is not a number. */
function parseNumber(text: string, { min, names = [] }: Range): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return min + named;
  const failure = (reason: string): string => `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: ${reason}`;
  if (!/^[+-]?\d+$/.test(text)) return failure('invalid syntax');
  const value = Number(text);
  if (Math.abs(value) >= 2 ** 63) return failure('value out of range');
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}
