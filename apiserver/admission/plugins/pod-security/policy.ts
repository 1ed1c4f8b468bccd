/**
 * The PodSecurity policy of a namespace: a level and a version for each of three modes, read from its labels. Evaluating pods
 * is left to standards.ts.
 */
import { invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { LEVELS, type SecurityLevel } from './standards';

/** What follows from a violation: the request is rejected, the violation is audited, or the client is warned. */
export const MODES = ['enforce', 'audit', 'warn'] as const;
/** One of {@link MODES}. */
export type SecurityMode = (typeof MODES)[number];

/** A level as a release of the standards defines it. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  /** As written in the label or configuration. */
  readonly version: string;
  /** The minor version x of the release v1.x; Infinity for `latest`. */
  readonly minor: number;
}

/** The level of each mode. */
export type SecurityPolicy = Readonly<Record<SecurityMode, LevelVersion>>;

/** The part that both spellings of these labels share. */
const LABEL_DOMAIN_PREFIX = 'pod-security.';
const CANONICAL_PREFIX = `${LABEL_DOMAIN_PREFIX}platform.io/`;
const LATEST = 'latest';
/** `v1.31`, with the minor version as a group. */
const MINOR_VERSION = /^v1\.(0|[1-9][0-9]*)$/;

const PRIVILEGED: LevelVersion = { level: 'privileged', version: LATEST, minor: Infinity };
/** The policy without any violation. */
export const PRIVILEGED_POLICY: SecurityPolicy = { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED };

/** The policy that the labels of a namespace state. */
export interface LabelledPolicy {
  readonly policy: SecurityPolicy;
  /** Errors of labels with invalid values. */
  readonly errors: readonly FieldError[];
  /** The modes that have a label. */
  readonly labelledModes: readonly SecurityMode[];
}

/** Whether no mode can find a violation. */
export const isFullyPrivileged = ({ enforce, audit, warn }: SecurityPolicy): boolean =>
  enforce.level === 'privileged' && audit.level === 'privileged' && warn.level === 'privileged';

/**
 * Reads the labels of a namespace. An invalid level counts as `restricted` when enforced, and as `privileged` in other modes.
 * Modes without a label come from `defaults`.
 */
export function readPolicyLabels(labels: Readonly<Record<string, string>>, defaults: SecurityPolicy = PRIVILEGED_POLICY): LabelledPolicy {
  const policyLabels = podSecurityLabels(labels);
  if (policyLabels.size === 0) return { policy: defaults, errors: [], labelledModes: [] };
  const errors: FieldError[] = [];
  const readMode = (mode: SecurityMode): LevelVersion => {
    const level = policyLabels.get(mode);
    const version = policyLabels.get(`${mode}-version`);
    const knownLevel = level === undefined ? defaults[mode].level : LEVELS.find((candidate) => candidate === level.value);
    if (level !== undefined && knownLevel === undefined)
      errors.push(invalidValue(`metadata.labels[${level.key}]`, level.value, `must be one of ${LEVELS.join(', ')}`));
    const minor = version === undefined ? defaults[mode].minor : parseMinor(version.value);
    if (version !== undefined && minor === undefined)
      errors.push(invalidValue(`metadata.labels[${version.key}]`, version.value, 'must be "latest" or "v1.x"'));
    return {
      level: knownLevel ?? (mode === 'enforce' ? 'restricted' : 'privileged'),
      version: minor === undefined ? LATEST : (version?.value ?? defaults[mode].version),
      minor: minor ?? Infinity,
    };
  };
  return {
    policy: { enforce: readMode('enforce'), audit: readMode('audit'), warn: readMode('warn') },
    errors,
    labelledModes: MODES.filter((mode) => policyLabels.has(mode) || policyLabels.has(`${mode}-version`)),
  };
}

/** A label of a namespace. */
interface PolicyLabel {
  /** As the namespace spells it. */
  readonly key: string;
  readonly value: string;
}

/** The PodSecurity labels by their names without the prefix. Of two spellings of a label the stricter value is used. */
function podSecurityLabels(labels: Readonly<Record<string, string>>): ReadonlyMap<string, PolicyLabel> {
  const policyLabels = new Map<string, PolicyLabel>();
  for (const key of Object.keys(labels)) {
    if (!key.startsWith(LABEL_DOMAIN_PREFIX)) continue;
    const canonical = canonicalQualifiedName(key);
    const value = labels[key];
    if (!canonical.startsWith(CANONICAL_PREFIX) || value === undefined) continue;
    const name = canonical.slice(CANONICAL_PREFIX.length);
    const existing = policyLabels.get(name);
    if (existing === undefined || strictness(name, value) > strictness(name, existing.value)) policyLabels.set(name, { key, value });
  }
  return policyLabels;
}

/** An invalid value is the strictest, so that it is reported instead of being hidden by the other spelling. */
function strictness(name: string, value: string): number {
  if (name.endsWith('-version')) return parseMinor(value) ?? Infinity;
  const level = LEVELS.findIndex((candidate) => candidate === value);
  return level < 0 ? LEVELS.length : level;
}

/** A level and version from a configuration; `undefined` when the version is invalid. */
export function parseLevelVersion(level: SecurityLevel, version: string): LevelVersion | undefined {
  const minor = parseMinor(version);
  return minor === undefined ? undefined : { level, version, minor };
}

/** The minor release of a version, Infinity for `latest`; `undefined` when the version is invalid. */
function parseMinor(version: string): number | undefined {
  if (version === LATEST) return Infinity;
  const digits = MINOR_VERSION.exec(version)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** `restricted:v1.31`, as messages and annotations show it. */
export const levelVersionText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

/** Whether the policies are equivalent; the version of the privileged level is irrelevant. */
export const isSamePolicy = (a: SecurityPolicy, b: SecurityPolicy): boolean =>
  MODES.every((mode) => {
    const { level, version } = a[mode];
    return level === b[mode].level && (level === 'privileged' || version === b[mode].version);
  });

/** Whether pods that were admitted before may now be rejected. Another version counts as stricter, even an older one. */
export function isStricter(now: LevelVersion, before: LevelVersion): boolean {
  if (now.level === 'privileged') return false;
  return now.version !== before.version || LEVELS.indexOf(now.level) > LEVELS.indexOf(before.level);
}
