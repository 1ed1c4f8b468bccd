/**
 * Recorded answers to writes that a kind's rules decide: what the file looks like, for those who make it (test/recordings) and those who replay it.
 */

import type { Body, Json } from '../recordings/reference';

/** What a server says to one write. */
export interface RuleAnswer {
  readonly code: number;
  /** Where no causes say what is wrong. */
  readonly message?: string;
  /** Field, reason and message of each cause; the explanations of patterns are shortened to `(…)`. */
  readonly causes?: readonly (readonly string[])[];
  readonly warnings?: readonly string[];
  /** The object that was accepted, without what is new in every run and without the members of {@link asSent}. Absent where it is too long. */
  readonly object?: Body;
  /** The object's members that are just as the body has them. */
  readonly asSent?: readonly string[];
}

export interface RuleCase {
  readonly title: string;
  /** What is stored before an update; absent = the kind's base. */
  readonly old?: Body;
  readonly body: Body;
  readonly create?: RuleAnswer;
  /** `same` as the answer to a create. */
  readonly update?: RuleAnswer | 'same';
  /** To a PUT of the status endpoint. */
  readonly status?: RuleAnswer;
}

export interface KindRecording {
  readonly resource: string;
  readonly base: Body;
  readonly cases: readonly RuleCase[];
}

/**
 * A body with its abbreviations written out: `{ "$times": 3, "of": x }` as an element of a list is x three times, with `$i` in its texts counting up
 * from 0; `{ "$text": "a", "$times": 70 }` is 70 times that text.
 */
export function expand(value: Json): Json {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const times = timesOf(item);
      if (times === undefined || !isRecord(item) || item['of'] === undefined) return [expand(item)];
      return Array.from({ length: times }, (_, index): Json => JSON.parse(JSON.stringify(item['of']).replaceAll('$i', String(index))));
    });
  }
  if (!isRecord(value)) return value;
  const text = value['$text'];
  if (typeof text === 'string') return text.repeat(timesOf(value) ?? 1);
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, expand(inner)]));
}

function timesOf(value: Json): number | undefined {
  const times = isRecord(value) ? value['$times'] : undefined;
  return typeof times === 'number' ? times : undefined;
}

function isRecord(value: Json): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const shortenPatterns = (text: string): string => text.replace(/\(e\.g\. '[^)]*?regex used for validation is '(?:[^'])*'\)/g, '(…)');
