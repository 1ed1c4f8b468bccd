/**
 * Validates the Pod annotations with a meaning to the server or to controllers, such as legacy spellings of fields.
 * Keys are recognized in either dialect and reported as the client spelled them. Does not validate the format of keys.
 */
import { forbiddenField, invalidValue } from '../../../../shared/api/errors/field-error';
import { isObject, ownMember, sortedKeys, stringAt, type JsonObject, type JsonValue } from '../../../../shared/values/json';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { checkLocalPath, type Errors } from '../../rules/checks';
import { checkTolerations } from './tolerations';
import { PROFILE_TYPES } from './containers/security-profiles';
import type { CoreV1Container, CoreV1PodSpec, CoreV1Toleration } from '../../../../shared/api/types/generated/members';

/**
 * `controller.` in `controller.platform.io/pod-deletion-cost`. Also matches other domains with such a part: this is
 * a quick test before the canonical name is computed.
 */
const WELL_KNOWN_DOMAIN = /(?:^|\.)(?:alpha|beta|controller|platform|kubernetes)\./;
/** Set on the Pod that stands for a static Pod of a kubelet. */
export const MIRROR_POD_ANNOTATION = 'platform.io/config.mirror';
const TOLERATIONS = 'scheduler.alpha.platform.io/tolerations';
const DELETION_COST = 'controller.platform.io/pod-deletion-cost';
const POD_SECCOMP = 'seccomp.security.alpha.platform.io/pod';
const CONTAINER_SECCOMP = 'container.seccomp.security.alpha.platform.io/';
/** Followed by the name of a container. */
export const APP_ARMOR_ANNOTATION_PREFIX = 'container.apparmor.security.beta.platform.io/';

/** An annotation that the server may validate. */
export interface KnownAnnotation {
  /** In the client's spelling. */
  readonly key: string;
  /** In the canonical spelling. */
  readonly canonical: string;
  readonly value: string;
}

const NO_ANNOTATIONS: readonly KnownAnnotation[] = [];

/** The annotations with a well-known domain, sorted by key. */
export function knownAnnotations(annotations: Record<string, string> | undefined): readonly KnownAnnotation[] {
  if (annotations === undefined) return NO_ANNOTATIONS;
  let known: KnownAnnotation[] | undefined;
  for (const key of sortedKeys(annotations)) {
    if (!WELL_KNOWN_DOMAIN.test(key)) continue;
    const value = stringAt(annotations, key);
    if (value === undefined) continue;
    known ??= [];
    known.push({ key, canonical: canonicalQualifiedName(key), value });
  }
  return known ?? NO_ANNOTATIONS;
}

const EMPTY_MAP: ReadonlyMap<string, KnownAnnotation> = new Map();

/** The annotations by canonical name; the first one when the object has both spellings. */
export function byCanonicalName(known: readonly KnownAnnotation[]): ReadonlyMap<string, KnownAnnotation> {
  if (known.length === 0) return EMPTY_MAP;
  const byName = new Map<string, KnownAnnotation>();
  for (const annotation of known) {
    if (!byName.has(annotation.canonical)) byName.set(annotation.canonical, annotation);
  }
  return byName;
}

/** One pass for each rule, in upstream's order of errors. `fieldPath` is the path of the annotations. */
export function checkKnownAnnotations(
  annotations: Record<string, string> | undefined,
  spec: CoreV1PodSpec,
  fieldPath: string,
  errors: Errors,
): void {
  const known = knownAnnotations(annotations);
  if (known.length === 0) return;
  for (const { key, canonical, value } of known) {
    if (canonical === MIRROR_POD_ANNOTATION && (spec.nodeName ?? '') === '') {
      errors.push(invalidValue(`${fieldPath}[${key}]`, value, 'must set spec.nodeName if mirror pod annotation is set'));
    }
  }
  for (const { key, canonical, value } of known) {
    if (canonical === TOLERATIONS && value !== '') checkTolerationsAnnotation(value, key, fieldPath, errors);
  }
  for (const { key, canonical, value } of known) {
    if (canonical === DELETION_COST && !isInt32(value)) errors.push(invalidValue(`${fieldPath}[${key}]`, value, 'must be a 32bit integer'));
  }
  for (const { key, canonical, value } of known) {
    if (canonical === POD_SECCOMP) checkSeccompAnnotation(value, `${fieldPath}.${key}`, errors);
  }
  for (const { key, canonical, value } of known) {
    if (canonical.startsWith(CONTAINER_SECCOMP)) checkSeccompAnnotation(value, `${fieldPath}.${key}`, errors);
  }
  const profiles = known.filter(({ canonical }) => canonical.startsWith(APP_ARMOR_ANNOTATION_PREFIX));
  if (profiles.length === 0) return;
  const containers = new Set(allContainers(spec).map(({ container }) => container.name ?? ''));
  for (const annotation of profiles) checkAppArmorAnnotation(annotation, containers, fieldPath, errors);
}

/** `0`, `12` and `-12`, but neither `012` nor `+12`. */
const INTEGER = /^(?:0|[1-9]\d*|-\d+)$/;

function isInt32(text: string): boolean {
  return INTEGER.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;
}

function checkTolerationsAnnotation(value: string, key: string, fieldPath: string, errors: Errors): void {
  const tolerations = parseTolerations(value);
  if (typeof tolerations === 'string') errors.push(invalidValue(fieldPath, key, tolerations));
  else checkTolerations(tolerations, `${fieldPath}.${key}`, errors);
}

/** The parsed tolerations, or an error text. */
function parseTolerations(text: string): readonly CoreV1Toleration[] | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return syntaxError(text);
  }
  if (isList(parsed)) return parsed.filter(isObject).map(toToleration);
  if (parsed === null) return [];
  const goType = typeof parsed === 'boolean' ? 'bool' : typeof parsed;
  return `json: cannot unmarshal ${goType} into Go value of type []core.Toleration`;
}

const isList = (value: unknown): value is readonly JsonValue[] => Array.isArray(value);

/** Ignores members of a wrong type. */
function toToleration(value: JsonObject): CoreV1Toleration {
  const text = (member: string): string => stringAt(value, member) ?? '';
  const seconds = ownMember(value, 'tolerationSeconds');
  const limit = typeof seconds === 'number' ? { tolerationSeconds: seconds } : {};
  return { key: text('key'), operator: text('operator'), value: text('value'), effect: text('effect'), ...limit };
}

/** Go's error for a text that does not begin as JSON. Errors further inside get the same text. */
function syntaxError(text: string): string {
  const first = text.trimStart().charAt(0);
  return first === '' ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`;
}

const LOCALHOST_PREFIX = 'localhost/';
const SECCOMP_PROFILES = new Set(['runtime/default', 'docker/default', 'unconfined']);

function checkSeccompAnnotation(value: string, field: string, errors: Errors): void {
  if (SECCOMP_PROFILES.has(value)) return;
  if (value.startsWith(LOCALHOST_PREFIX)) checkLocalPath(value.slice(LOCALHOST_PREFIX.length), field, errors);
  else errors.push(invalidValue(field, value, 'must be a valid seccomp profile'));
}

const APP_ARMOR_PROFILES = new Set(['', 'runtime/default', 'unconfined']);

function checkAppArmorAnnotation(
  { key, canonical, value }: KnownAnnotation,
  containers: ReadonlySet<string>,
  fieldPath: string,
  errors: Errors,
): void {
  const field = `${fieldPath}[${key}]`;
  const name = canonical.slice(APP_ARMOR_ANNOTATION_PREFIX.length);
  if (!containers.has(name)) errors.push(invalidValue(field, name, 'container not found'));
  if (!APP_ARMOR_PROFILES.has(value) && !value.startsWith(LOCALHOST_PREFIX)) {
    errors.push(invalidValue(field, value, `invalid AppArmor profile name: "${value}"`));
  }
}

interface LocatedContainer {
  readonly container: CoreV1Container;
  /** Relative to the spec: `containers[0]`. */
  readonly fieldPath: string;
}

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

function allContainers(spec: CoreV1PodSpec): readonly LocatedContainer[] {
  return CONTAINER_LISTS.flatMap((list) => (spec[list] ?? []).map((container, index) => ({ container, fieldPath: `${list}[${index}]` })));
}

/** The annotations and the field of one kind of profile. */
interface ProfileRules {
  /** Begins the name of a container's annotation; the name of the container follows. */
  readonly prefix: string;
  readonly member: 'seccompProfile' | 'appArmorProfile';
  /** The name in messages. */
  readonly shownName: string;
  /** Profile types by annotation value. */
  readonly types: Readonly<Record<string, string>>;
}

const SECCOMP_RULES: ProfileRules = {
  prefix: CONTAINER_SECCOMP,
  member: 'seccompProfile',
  shownName: 'seccomp',
  types: { 'runtime/default': 'RuntimeDefault', 'docker/default': 'RuntimeDefault', unconfined: 'Unconfined' },
};
const APP_ARMOR_RULES: ProfileRules = {
  prefix: APP_ARMOR_ANNOTATION_PREFIX,
  member: 'appArmorProfile',
  shownName: 'apparmor',
  types: { 'runtime/default': 'RuntimeDefault', unconfined: 'Unconfined' },
};

/** Annotation and field must agree where both are set. `fieldPath` is the path of the spec. */
export function checkAnnotationsMatchProfiles(
  annotations: Record<string, string> | undefined,
  spec: CoreV1PodSpec,
  fieldPath: string,
  errors: Errors,
): void {
  const known = knownAnnotations(annotations);
  if (known.length === 0) return;
  const byName = byCanonicalName(known);
  const valueOf = (canonical: string): string | undefined => byName.get(canonical)?.value;
  checkAnnotationMatchesProfile(valueOf(POD_SECCOMP), spec, SECCOMP_RULES, fieldPath, errors);
  for (const rules of [SECCOMP_RULES, APP_ARMOR_RULES] as const) {
    for (const { container, fieldPath: containerPath } of allContainers(spec)) {
      checkAnnotationMatchesProfile(
        valueOf(rules.prefix + (container.name ?? '')),
        container,
        rules,
        `${fieldPath}.${containerPath}`,
        errors,
      );
    }
  }
}

/** `value` is that of the annotation; `undefined` without one. `holder` has the profile in its security context. */
function checkAnnotationMatchesProfile(
  value: string | undefined,
  holder: CoreV1PodSpec | CoreV1Container,
  rules: ProfileRules,
  fieldPath: string,
  errors: Errors,
): void {
  const profile = holder.securityContext?.[rules.member];
  if (value === undefined || profile === undefined) return;
  const field = `${fieldPath}.securityContext.${rules.member}`;
  const type = profile.type ?? '';
  // An unknown type is reported with the profile (security-profiles.ts).
  if (!PROFILE_TYPES.includes(type)) return;
  const annotatedType = value.startsWith(LOCALHOST_PREFIX) ? 'Localhost' : ownMember(rules.types, value);
  if (type !== annotatedType) {
    errors.push(forbiddenField(`${field}.type`, `${rules.shownName} type in annotation and field must match`));
  } else if (type === 'Localhost' && profile.localhostProfile !== value.slice(LOCALHOST_PREFIX.length)) {
    errors.push(forbiddenField(`${field}.localhostProfile`, `${rules.shownName} profile in annotation and field must match`));
  }
}
