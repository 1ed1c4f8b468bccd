/**
 * What is done about tokens of service accounts that an earlier release made by itself and that nobody has used for long; decided from what is seen, without a
 * server. Seen at release 1.31.1.
 */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { formatUtcDay, parseTimestamp } from '../../shared/api/metadata/object-meta';
import { LEGACY_TOKEN_LABELS } from '../../shared/names/legacy-token';
import { arrayAt, isObject, objectAt, stringAt, type JsonValue } from '../../shared/values/json';

export type Cleaning =
  | { readonly type: 'keep' }
  /** Out of use from this day on, which can be taken back. */
  | { readonly type: 'mark'; readonly day: string }
  | { readonly type: 'delete' };

/** Days are in UTC, as in labels: `2006-01-02`. */
export interface CleaningTerm {
  /** Milliseconds since 1970: what was made later is kept. */
  readonly madeBefore: number;
  /** What was used, or marked, on this day or later is kept. */
  readonly day: string;
  readonly today: string;
}

/** `periodMs`: for how long a token may lie unused, and then marked. */
export const termAt = (now: number, periodMs: number): CleaningTerm => ({
  madeBefore: now - periodMs,
  day: formatUtcDay(now - periodMs),
  today: formatUtcDay(now),
});

/** Uses have been recorded for as long as a token may lie unused; before that nothing can be said. */
export const isKnownLongEnough = (since: string, { day }: CleaningTerm): boolean => isDay(since) && since < day;

const DAY = /^\d{4}-\d\d-\d\d$/;
const isDay = (text: string): boolean => DAY.test(text) && !Number.isNaN(Date.parse(text));

/** `isMadeByHand`: its account does not name it. `isMounted`: a pod uses it. */
export function cleaningOf(
  secret: ApiObject,
  { isMadeByHand, isMounted }: { readonly isMadeByHand: boolean; readonly isMounted: boolean },
  term: CleaningTerm,
  prefixes: readonly string[],
): Cleaning {
  const metadata = objectAt(secret.body, 'metadata');
  const labels = objectAt(metadata, 'labels');
  const label = (name: string): string | undefined =>
    prefixes.map((prefix) => stringAt(labels, `${prefix}/${name}`)).find((text) => text !== undefined);
  const made = parseTimestamp(stringAt(metadata, 'creationTimestamp')) ?? Infinity;
  if (isMadeByHand || isMounted || made >= term.madeBefore) return { type: 'keep' };
  const lastUsed = label(LEGACY_TOKEN_LABELS.lastUsed);
  if (lastUsed !== undefined && (!isDay(lastUsed) || lastUsed >= term.day)) return { type: 'keep' };
  const invalidSince = label(LEGACY_TOKEN_LABELS.invalidSince) ?? '';
  if (!isDay(invalidSince)) return { type: 'mark', day: term.today };
  return invalidSince >= term.day ? { type: 'keep' } : { type: 'delete' };
}

/** The Secrets that an account names. */
export function secretsOf({ body }: ApiObject): ReadonlySet<string> {
  return new Set((arrayAt(body, 'secrets') ?? []).filter(isObject).map((reference) => stringAt(reference, 'name') ?? ''));
}

/** The names of Secrets that a pod mounts or reads, wherever it names them. */
export function secretsIn({ body }: ApiObject): ReadonlySet<string> {
  const found = new Set<string>();
  collect(body['spec'], '', found);
  return found;
}

/** By the members under which references to Secrets stand in a pod. */
const REFERENCES: Readonly<Record<string, readonly string[]>> = {
  secret: ['secretName', 'name'],
  secretKeyRef: ['name'],
  secretRef: ['name'],
  imagePullSecrets: ['name'],
  nodePublishSecretRef: ['name'],
};

function collect(value: JsonValue | undefined, member: string, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, member, found);
  else if (isObject(value)) {
    for (const name of Object.hasOwn(REFERENCES, member) ? (REFERENCES[member] ?? []) : []) {
      const text = stringAt(value, name);
      if (text !== undefined) found.add(text);
    }
    for (const [name, item] of Object.entries(value)) collect(item, name, found);
  }
}
