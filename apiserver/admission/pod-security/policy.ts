/** What the labels of a namespace say of the pods in it: a level and a version for each of three modes. */
import { invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { LEVELS, type SecurityLevel } from './standards';

export const MODES = ['enforce', 'audit', 'warn'] as const;
export type SecurityMode = (typeof MODES)[number];

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
export const LOOSE: SecurityPolicy = { enforce: NOTHING, audit: NOTHING, warn: NOTHING };

export interface LabelledPolicy {
  readonly policy: SecurityPolicy;
  /** Of labels that say nothing that is known. */
  readonly errors: readonly FieldError[];
  /** Those that labels speak of. */
  readonly said: readonly SecurityMode[];
}

export const isLoose = ({ enforce, audit, warn }: SecurityPolicy): boolean =>
  enforce.level === 'privileged' && audit.level === 'privileged' && warn.level === 'privileged';

/** What cannot be understood is taken for the strictest where it is enforced, and for nothing elsewhere. What is not said is as in `defaults`. */
export function policyOf(labels: JsonObject | Readonly<Record<string, string>>, defaults: SecurityPolicy = LOOSE): LabelledPolicy {
  const said = ownLabels(labels);
  if (said.size === 0) return { policy: defaults, errors: [], said: [] };
  const errors: FieldError[] = [];
  const modeOf = (mode: SecurityMode): LevelVersion => {
    const [level, version] = [said.get(mode), said.get(`${mode}-version`)];
    const known = level === undefined ? defaults[mode].level : LEVELS.find((one) => one === level.value);
    if (level !== undefined && known === undefined)
      errors.push(invalidValue(`metadata.labels[${level.key}]`, level.value, `must be one of ${LEVELS.join(', ')}`));
    const minor = version === undefined ? defaults[mode].minor : minorOf(version.value);
    if (version !== undefined && minor === undefined)
      errors.push(invalidValue(`metadata.labels[${version.key}]`, version.value, 'must be "latest" or "v1.x"'));
    return {
      level: known ?? (mode === 'enforce' ? 'restricted' : 'privileged'),
      version: minor === undefined ? LATEST : (version?.value ?? defaults[mode].version),
      minor: minor ?? Infinity,
    };
  };
  return {
    policy: { enforce: modeOf('enforce'), audit: modeOf('audit'), warn: modeOf('warn') },
    errors,
    said: MODES.filter((mode) => said.has(mode) || said.has(`${mode}-version`)),
  };
}

interface PolicyLabel {
  readonly key: string;
  readonly value: string;
}

/** The PodSecurity labels by their names without the prefix. Of two spellings of a label the stricter value is used. */
function ownLabels(labels: JsonObject | Readonly<Record<string, string>>): ReadonlyMap<string, PolicyLabel> {
  const policyLabels = new Map<string, PolicyLabel>();
  for (const key of Object.keys(labels)) {
    if (!key.startsWith(PART)) continue;
    const canonical = canonicalQualifiedName(key);
    const value = stringAt(labels, key);
    if (!canonical.startsWith(PREFIX) || value === undefined) continue;
    const name = canonical.slice(PREFIX.length);
    const other = policyLabels.get(name);
    if (other === undefined || strictness(name, value) > strictness(name, other.value)) policyLabels.set(name, { key, value });
  }
  return policyLabels;
}

/** An invalid value is the strictest, as it is when it has no other spelling beside it. */
function strictness(name: string, value: string): number {
  if (name.endsWith('-version')) return minorOf(value) ?? Infinity;
  const level = LEVELS.findIndex((candidate) => candidate === value);
  return level < 0 ? LEVELS.length : level;
}

/** One mode's, as a configuration says it; undefined = it is no version. */
export function levelVersion(level: SecurityLevel, version: string): LevelVersion | undefined {
  const minor = minorOf(version);
  return minor === undefined ? undefined : { level, version, minor };
}

function minorOf(version: string): number | undefined {
  if (version === LATEST) return Infinity;
  const digits = MINOR.exec(version)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export const policyText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

/** Whether they ask for the same; of what asks for nothing the version does not count. */
export const isSamePolicy = (one: SecurityPolicy, other: SecurityPolicy): boolean =>
  MODES.every((mode) => {
    const [now, before] = [one[mode], other[mode]];
    return now.level === before.level && (now.level === 'privileged' || now.version === before.version);
  });

/** Whether pods that were let through before may not be now. */
export function isStricter(now: LevelVersion, before: LevelVersion): boolean {
  if (now.level === 'privileged') return false;
  return now.version !== before.version || LEVELS.indexOf(now.level) > LEVELS.indexOf(before.level);
}
