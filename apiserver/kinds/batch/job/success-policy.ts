/** When an indexed Job has succeeded although not every index has: after so many, or after certain ones. */
import { append } from '../../../../shared/values/append';
import { invalidAs, invalidValue, required, tooLong, tooMany, type FieldError } from '../../../../shared/api/errors/field-error';
import { own, stringAt, type JsonObject } from '../../../../shared/values/json';
import { quote } from '../../../../shared/values/quote';
import { listed, negativeErrors, numberAt } from '../../rules/field-rules';

const MOST_RULES = 20;
const LONGEST_INDEXES = 65_536;

export function successPolicyErrors(spec: JsonObject, policy: JsonObject, place: string): readonly FieldError[] {
  if (own(spec, 'completionMode') !== 'Indexed') return [invalidValue(place, policy, 'requires indexed completion mode')];
  const rules = listed(policy, 'rules');
  if (rules.length === 0) return [required(`${place}.rules`, 'at least one rules must be specified when the successPolicy is specified')];
  if (rules.length > MOST_RULES) return [tooMany(`${place}.rules`, rules.length, MOST_RULES)];
  const completions = numberAt(spec, 'completions');
  return rules.flatMap((rule, index) => ruleErrors(rule, completions, `${place}.rules[${index}]`));
}

function ruleErrors(rule: JsonObject, completions: number, place: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [indexes, count] = [stringAt(rule, 'succeededIndexes'), own(rule, 'succeededCount')];
  if (indexes === undefined && typeof count !== 'number') {
    errors.push(required(place, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let total: number | undefined;
  if (indexes !== undefined) {
    const field = `${place}.succeededIndexes`;
    if (Buffer.byteLength(indexes) > LONGEST_INDEXES) errors.push(tooLong(field, LONGEST_INDEXES));
    const read = readIndexes(indexes, completions);
    total = typeof read === 'number' ? read : 0;
    if (typeof read === 'string') errors.push(invalidValue(field, indexes, `error parsing succeededIndexes: ${read}`));
  }
  if (typeof count !== 'number') return errors;
  const field = `${place}.succeededCount`;
  const exceeds = (most: number, what: string): FieldError =>
    invalidAs(field, String(count), `must be less than or equal to ${most} (the number of ${what})`);
  append(errors, negativeErrors(rule, place, ['succeededCount']));
  if (count > completions) errors.push(exceeds(completions, 'specified completions'));
  if (total !== undefined && count > total) errors.push(exceeds(total, 'indexes in the specified succeededIndexes field'));
  return errors;
}

/** How many indexes a text such as `0,2-4` names, or what is wrong with it. */
function readIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let total = 0;
  let previous: number | undefined;
  for (const interval of text.split(',')) {
    const bounds = interval.split('-');
    if (bounds.length > 2) {
      return `the fragment ${quote(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    }
    const read: number[] = [];
    for (const bound of bounds) {
      const index = /^[+-]?\d+$/.test(bound) ? Number(bound) : undefined;
      if (index === undefined) return `cannot convert string to integer for index: ${quote(bound)}`;
      if (previous !== undefined && previous >= index) return `non-increasing order, previous: ${previous}, current: ${index}`;
      if (index >= completions) return `too large index: ${quote(bound)}`;
      previous = index;
      read.push(index);
    }
    const [first = 0, last = first] = read;
    total += last - first + 1;
  }
  return total;
}
