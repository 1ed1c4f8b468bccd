/**
 * Decides whether the auto-generated token in a Secret is invalidated or deleted, after it was unused for a period. The
 * functions are pure. The behaviour is that of upstream 1.31.1.
 */
import { formatUtcDay, parseTimestamp } from '../../shared/api/metadata/object-meta';
import { LEGACY_TOKEN_LABELS } from '../../shared/names/legacy-token';
import { isObject, stringAt, type JsonValue } from '../../shared/values/json';
import type { Pod, Secret, ServiceAccount } from '../../shared/client/rest/typed-objects';

/** What is done with the Secret of a token. */
export type TokenAction =
  | { readonly type: 'none' }
  /** Labels the Secret: the API server rejects the token from this day on. Removing the label makes it valid again. */
  | { readonly type: 'invalidate'; readonly since: string }
  | { readonly type: 'delete' };

/** The clean-up period that ends now. Days are in UTC, as in labels: `2006-01-02`. */
export interface CleanUpPeriod {
  /** Milliseconds since 1970. Tokens that were created then or later are kept. */
  readonly createdBefore: number;
  /** The first day of the period. Tokens that were used or invalidated on this day or later are kept. */
  readonly firstDay: string;
  readonly today: string;
}

/**
 * `now`: milliseconds since 1970. `periodMs`: how long a token must be unused before it is invalidated, and invalid
 * before it is deleted.
 */
export const cleanUpPeriod = (now: number, periodMs: number): CleanUpPeriod => ({
  createdBefore: now - periodMs,
  firstDay: formatUtcDay(now - periodMs),
  today: formatUtcDay(now),
});

/**
 * Whether usage has been tracked for a whole period, so that a token without a day of use is unused. `since`: the day
 * on which tracking began.
 */
export const isTrackedLongEnough = (since: string, { firstDay }: CleanUpPeriod): boolean => isDay(since) && since < firstDay;

/** `2006-01-02`. */
const DAY = /^\d{4}-\d\d-\d\d$/;
const isDay = (text: string): boolean => DAY.test(text) && !Number.isNaN(Date.parse(text));

/**
 * `isManual`: no ServiceAccount that the Secret names has a reference to it, so the token was not auto-generated.
 * `isMounted`: a pod uses the Secret. `prefixes`: of the labels, in all dialects.
 */
export function reconcileToken(
  { metadata }: Secret,
  { isManual, isMounted }: { readonly isManual: boolean; readonly isMounted: boolean },
  period: CleanUpPeriod,
  prefixes: readonly string[],
): TokenAction {
  const label = (name: string): string | undefined =>
    prefixes.map((prefix) => metadata.labels?.[`${prefix}/${name}`]).find((value) => value !== undefined);
  const createdAt = parseTimestamp(metadata.creationTimestamp ?? undefined) ?? Infinity;
  if (isManual || isMounted || createdAt >= period.createdBefore) return { type: 'none' };
  const lastUsed = label(LEGACY_TOKEN_LABELS.lastUsed);
  const mayBeInUse = lastUsed !== undefined && (!isDay(lastUsed) || lastUsed >= period.firstDay);
  if (mayBeInUse) return { type: 'none' };
  const invalidSince = label(LEGACY_TOKEN_LABELS.invalidSince) ?? '';
  if (!isDay(invalidSince)) return { type: 'invalidate', since: period.today };
  return invalidSince >= period.firstDay ? { type: 'none' } : { type: 'delete' };
}

/** The names of the Secrets that a ServiceAccount refers to. */
export const referencedSecrets = ({ body }: ServiceAccount): ReadonlySet<string> =>
  new Set((body.secrets ?? []).map(({ name = '' }) => name));

/**
 * The names of the Secrets that a pod uses. Searches the whole spec, because references to Secrets are in many places.
 */
export function podSecretNames({ body }: Pod): ReadonlySet<string> {
  const names = new Set<string>();
  collectNames(body.spec, '', names);
  return names;
}

/** The fields with a name of a Secret, by the field that contains the reference. */
const REFERENCE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  secret: ['secretName', 'name'],
  secretKeyRef: ['name'],
  secretRef: ['name'],
  imagePullSecrets: ['name'],
  nodePublishSecretRef: ['name'],
};

/** `field`: the member that contains the value. */
function collectNames(value: JsonValue | undefined, field: string, names: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectNames(item, field, names);
  else if (isObject(value)) {
    for (const nameField of Object.hasOwn(REFERENCE_FIELDS, field) ? (REFERENCE_FIELDS[field] ?? []) : []) {
      const name = stringAt(value, nameField);
      if (name !== undefined) names.add(name);
    }
    for (const [member, item] of Object.entries(value)) collectNames(item, member, names);
  }
}
