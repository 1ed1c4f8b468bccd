/** What the labels of a namespace say of the pods in it: a level and a version for each of three modes. */
import { invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { LEVELS, type SecurityLevel } from './standards';

export const MODES = ['enforce', 'audit', 'warn'] as const;
type SecurityMode = (typeof MODES)[number];

export interface LevelVersion {
  readonly level: SecurityLevel;
  /** As it is written. */
  readonly version: string;
  /** Infinity = the latest. */
  readonly minor: number;
}

export type SecurityPolicy = Readonly<Record<SecurityMode, LevelVersion>>;

/** Of all names that these labels have. */
const PART = 'pod-security.';
const PREFIX = `${PART}platform.io/`;
const LATEST = 'latest';
const MINOR = /^v1\.(0|[1-9][0-9]*)$/;

const NOTHING: LevelVersion = { level: 'privileged', version: LATEST, minor: Infinity };
const LOOSE: SecurityPolicy = { enforce: NOTHING, audit: NOTHING, warn: NOTHING };

export interface LabelledPolicy {
  readonly policy: SecurityPolicy;
  /** Of labels that say nothing that is known. */
  readonly errors: readonly FieldError[];
}

const UNLABELLED: LabelledPolicy = { policy: LOOSE, errors: [] };

export const isLoose = ({ enforce, audit, warn }: SecurityPolicy): boolean =>
  enforce.level === 'privileged' && audit.level === 'privileged' && warn.level === 'privileged';

/** What cannot be understood is taken for the strictest where it is enforced, and for nothing elsewhere. */
export function policyOf(labels: JsonObject | Readonly<Record<string, string>>): LabelledPolicy {
  const said = ownLabels(labels);
  if (said.size === 0) return UNLABELLED;
  const errors: FieldError[] = [];
  const modeOf = (mode: SecurityMode): LevelVersion => {
    const [level, version] = [said.get(mode), said.get(`${mode}-version`)];
    const known = level === undefined ? 'privileged' : LEVELS.find((one) => one === level.value);
    if (level !== undefined && known === undefined)
      errors.push(invalidValue(`metadata.labels[${level.key}]`, level.value, `must be one of ${LEVELS.join(', ')}`));
    const minor = version === undefined ? Infinity : minorOf(version.value);
    if (version !== undefined && minor === undefined)
      errors.push(invalidValue(`metadata.labels[${version.key}]`, version.value, 'must be "latest" or "v1.x"'));
    return {
      level: known ?? (mode === 'enforce' ? 'restricted' : 'privileged'),
      version: minor === undefined ? LATEST : (version?.value ?? LATEST),
      minor: minor ?? Infinity,
    };
  };
  return { policy: { enforce: modeOf('enforce'), audit: modeOf('audit'), warn: modeOf('warn') }, errors };
}

function ownLabels(
  labels: JsonObject | Readonly<Record<string, string>>,
): ReadonlyMap<string, { readonly key: string; readonly value: string }> {
  const said = new Map<string, { readonly key: string; readonly value: string }>();
  for (const key of Object.keys(labels)) {
    if (!key.startsWith(PART)) continue;
    const canonical = canonicalQualifiedName(key);
    const value = stringAt(labels, key);
    if (!canonical.startsWith(PREFIX) || value === undefined) continue;
    said.set(canonical.slice(PREFIX.length), { key, value });
  }
  return said;
}

function minorOf(version: string): number | undefined {
  if (version === LATEST) return Infinity;
  const digits = MINOR.exec(version)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export const policyText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

/** Whether pods that were let through before may not be now. */
export function isStricter(now: LevelVersion, before: LevelVersion): boolean {
  if (now.level === 'privileged') return false;
  return now.version !== before.version || LEVELS.indexOf(now.level) > LEVELS.indexOf(before.level);
}
