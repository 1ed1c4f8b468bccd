/** Reads a schedule – five fields, or one of a few words – and says of a text that is none what upstream says. Never says when something is due: cron-times.ts does. */
import { goDuration } from './go-duration';
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

/** What they stand for. */
const WORDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const EVERY = '@every ';
const BLANKS = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

export interface CronField {
  /** In their order. */
  readonly values: ReadonlySet<number>;
  /** It says nothing: days of months and days of weeks count together only where both say something. */
  readonly isOpen: boolean;
}

export type CronSchedule = {
  /** What it says of itself. */
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

/** A text says what is wrong. */
export function parseSchedule(schedule: string): CronSchedule | string {
  const [prefix = '', zone] = /^(?:CRON_)?TZ=([^ ]*)/.exec(schedule) ?? [];
  if (zone !== undefined && zone !== '' && zone !== 'Local' && !isTimeZone(zone)) {
    return `provided bad location ${zone}: unknown time zone ${zone}`;
  }
  const rest = schedule.slice(prefix.length);
  const text = zone === undefined ? rest : rest.trim();
  const named = zone === '' ? undefined : zone;
  if (text.startsWith(EVERY)) {
    const ms = goDuration(text.slice(EVERY.length));
    if (typeof ms === 'string') return `failed to parse duration ${text}: ${ms}`;
    return { type: 'every', zone: named, ms: Math.max(1, Math.floor(ms / 1_000)) * 1_000 };
  }
  const meant = text.startsWith('@') && Object.hasOwn(WORDS, text) ? WORDS[text] : undefined;
  if (text.startsWith('@') && meant === undefined) return `unrecognized descriptor: ${text}`;
  return fieldsOf(meant ?? text, named);
}

function fieldsOf(text: string, zone: string | undefined): CronSchedule | string {
  const parts = text.split(BLANKS).filter((part) => part !== '');
  if (parts.length !== FIELDS.length) return `expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  const fields: CronField[] = [];
  for (const [index, range] of FIELDS.entries()) {
    const field = fieldOf(parts[index] ?? '', range);
    if (typeof field === 'string') return field;
    fields.push(field);
  }
  const [minutes = NOTHING, hours = NOTHING, days = NOTHING, months = NOTHING, weekdays = NOTHING] = fields;
  return { type: 'fields', zone, minutes, hours, days, months, weekdays };
}

const NOTHING: CronField = { values: new Set(), isOpen: false };

/** Undefined when it is one. */
export function scheduleFault(schedule: string): string | undefined {
  const parsed = parseSchedule(schedule);
  return typeof parsed === 'string' ? parsed : undefined;
}

function fieldOf(field: string, range: Range): CronField | string {
  const values = new Set<number>();
  let isOpen = false;
  for (const part of field.split(',')) {
    const span = part === '' ? undefined : spanOf(part, range);
    if (typeof span === 'string') return span;
    if (span === undefined) continue;
    for (let value = span.first; value <= span.last; value += span.by) values.add(value);
    isOpen ||= span.isOpen;
  }
  return { values: new Set([...values].sort((one, other) => one - other)), isOpen };
}

interface Span {
  readonly first: number;
  readonly last: number;
  readonly by: number;
  readonly isOpen: boolean;
}

/** What can be said of a part is said in this order. */
function spanOf(part: string, range: Range): Span | string {
  const [span = '', step, ...moreSteps] = part.split('/');
  const [low = '', high, ...moreBounds] = span.split('-');
  let [first, last] = [range.least, range.most];
  const isAny = low === '*' || low === '?';
  if (!isAny) {
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
  if (by === 0) return `step of range should be a positive number: ${part}`;
  return { first, last, by, isOpen: isAny && by === 1 };
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
