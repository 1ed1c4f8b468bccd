/**
 * Annotations of a pod that mean something to the server: old spellings of members, and some that controllers count on. Keys are known in either
 * dialect and named as the client spelled them. Never judges the form of keys.
 */
import { forbiddenField, invalidValue } from '../../../../shared/api/errors/field-error';
import { isObject, own, sortedKeys, stringAt, type JsonObject, type JsonValue } from '../../../../shared/values/json';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { checkLocalPath, type Errors } from '../../rules/checks';
import { checkTolerations } from './tolerations';
import { PROFILE_TYPES } from './profiles';
import type { CoreV1Container, CoreV1PodSpec, CoreV1Toleration } from '../../../../shared/api/types/generated/members';

const PRODUCT = /(?:^|\.)(?:alpha|beta|controller|platform|kubernetes)\./;
export const MIRROR = 'platform.io/config.mirror';
const TOLERATIONS = 'scheduler.alpha.platform.io/tolerations';
const DELETION_COST = 'controller.platform.io/pod-deletion-cost';
const POD_SECCOMP = 'seccomp.security.alpha.platform.io/pod';
const CONTAINER_SECCOMP = 'container.seccomp.security.alpha.platform.io/';
export const APP_ARMOR = 'container.apparmor.security.beta.platform.io/';

export interface Known {
  /** As the client spells it. */
  readonly key: string;
  /** In the canonical spelling. */
  readonly canonical: string;
  readonly value: string;
}

/** The annotations that may mean something, in the order of their keys. */
export function knownAnnotations(annotations: Record<string, string> | undefined): readonly Known[] {
  if (annotations === undefined) return NONE;
  let known: Known[] | undefined;
  for (const key of sortedKeys(annotations)) {
    if (!PRODUCT.test(key)) continue;
    const value = stringAt(annotations, key);
    if (value !== undefined) (known ??= []).push({ key, canonical: canonicalQualifiedName(key), value });
  }
  return known ?? NONE;
}

const NONE: readonly Known[] = [];

const NOTHING: ReadonlyMap<string, Known> = new Map();

/** By their canonical spelling; of several spellings the first. */
export function byMeaning(known: readonly Known[]): ReadonlyMap<string, Known> {
  if (known.length === 0) return NOTHING;
  const named = new Map<string, Known>();
  for (const one of known) if (!named.has(one.canonical)) named.set(one.canonical, one);
  return named;
}

/** `place` = the path of the annotations. */
export function checkKnownAnnotations(
  annotations: Record<string, string> | undefined,
  spec: CoreV1PodSpec,
  place: string,
  errors: Errors,
): void {
  const known = knownAnnotations(annotations);
  if (known.length === 0) return;
  for (const { key, canonical, value } of known) {
    if (canonical === MIRROR && (spec.nodeName ?? '') === '') {
      errors.push(invalidValue(`${place}[${key}]`, value, 'must set spec.nodeName if mirror pod annotation is set'));
    }
  }
  for (const { key, canonical, value } of known)
    if (canonical === TOLERATIONS && value !== '') checkOldTolerations(value, key, place, errors);
  for (const { key, canonical, value } of known) {
    if (canonical === DELETION_COST && !isInteger(value)) errors.push(invalidValue(`${place}[${key}]`, value, 'must be a 32bit integer'));
  }
  for (const { key, canonical, value } of known) if (canonical === POD_SECCOMP) checkOldSeccomp(value, `${place}.${key}`, errors);
  for (const { key, canonical, value } of known) {
    if (canonical.startsWith(CONTAINER_SECCOMP)) checkOldSeccomp(value, `${place}.${key}`, errors);
  }
  const profiles = known.filter(({ canonical }) => canonical.startsWith(APP_ARMOR));
  if (profiles.length === 0) return;
  const containers = new Set(allContainers(spec).map(({ container }) => container.name ?? ''));
  for (const one of profiles) checkOldAppArmor(one, containers, place, errors);
}

const INTEGER = /^(?:0|[1-9]\d*|-\d+)$/;

function isInteger(text: string): boolean {
  return INTEGER.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;
}

function checkOldTolerations(value: string, key: string, place: string, errors: Errors): void {
  const reading = readTolerations(value);
  if (typeof reading === 'string') errors.push(invalidValue(place, key, reading));
  else checkTolerations(reading, `${place}.${key}`, errors);
}

/** The tolerations, or what is wrong with the text. */
function readTolerations(text: string): readonly CoreV1Toleration[] | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return syntaxFault(text);
  }
  if (isList(parsed)) return parsed.filter(isObject).map(asToleration);
  const kind = parsed === null ? undefined : typeof parsed === 'boolean' ? 'bool' : typeof parsed;
  return kind === undefined ? [] : `json: cannot unmarshal ${kind} into Go value of type []core.Toleration`;
}

const isList = (value: unknown): value is readonly JsonValue[] => Array.isArray(value);

/** What its members say, as far as they are what they should be. */
function asToleration(value: JsonObject): CoreV1Toleration {
  const text = (member: string): string => stringAt(value, member) ?? '';
  const seconds = own(value, 'tolerationSeconds');
  const limit = typeof seconds === 'number' ? { tolerationSeconds: seconds } : {};
  return { key: text('key'), operator: text('operator'), value: text('value'), effect: text('effect'), ...limit };
}

function syntaxFault(text: string): string {
  const first = text.trimStart().charAt(0);
  return first === '' ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`;
}

const LOCAL = 'localhost/';
const SECCOMP_PROFILES = new Set(['runtime/default', 'docker/default', 'unconfined']);

function checkOldSeccomp(value: string, field: string, errors: Errors): void {
  if (SECCOMP_PROFILES.has(value)) return;
  if (value.startsWith(LOCAL)) checkLocalPath(value.slice(LOCAL.length), field, errors);
  else errors.push(invalidValue(field, value, 'must be a valid seccomp profile'));
}

const APP_ARMOR_PROFILES = new Set(['', 'runtime/default', 'unconfined']);

function checkOldAppArmor({ key, canonical, value }: Known, containers: ReadonlySet<string>, place: string, errors: Errors): void {
  const field = `${place}[${key}]`;
  const name = canonical.slice(APP_ARMOR.length);
  if (!containers.has(name)) errors.push(invalidValue(field, name, 'container not found'));
  if (!APP_ARMOR_PROFILES.has(value) && !value.startsWith(LOCAL)) {
    errors.push(invalidValue(field, value, `invalid AppArmor profile name: "${value}"`));
  }
}

interface Placed {
  readonly container: CoreV1Container;
  /** Within the spec: `containers[0]`. */
  readonly place: string;
}

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Init containers first. */
function allContainers(spec: CoreV1PodSpec): readonly Placed[] {
  return CONTAINER_LISTS.flatMap((list) => (spec[list] ?? []).map((container, index) => ({ container, place: `${list}[${index}]` })));
}

/** Where a profile stands in an annotation and in a member, they say the same. `place` = the path of the spec. */
export function checkProfilesAgree(
  annotations: Record<string, string> | undefined,
  spec: CoreV1PodSpec,
  place: string,
  errors: Errors,
): void {
  const known = knownAnnotations(annotations);
  if (known.length === 0) return;
  const named = byMeaning(known);
  const valueOf = (canonical: string): string | undefined => named.get(canonical)?.value;
  checkAgree(valueOf(POD_SECCOMP), spec, SECCOMP, place, errors);
  for (const rules of [SECCOMP, ARMOR] as const) {
    for (const { container, place: within } of allContainers(spec)) {
      checkAgree(valueOf(rules.prefix + (container.name ?? '')), container, rules, `${place}.${within}`, errors);
    }
  }
}

interface Agreement {
  readonly prefix: string;
  readonly member: 'seccompProfile' | 'appArmorProfile';
  readonly shown: string;
  /** The types of profiles that annotations know by name. */
  readonly types: Readonly<Record<string, string>>;
}

const SECCOMP: Agreement = {
  prefix: CONTAINER_SECCOMP,
  member: 'seccompProfile',
  shown: 'seccomp',
  types: { 'runtime/default': 'RuntimeDefault', 'docker/default': 'RuntimeDefault', unconfined: 'Unconfined' },
};
const ARMOR: Agreement = {
  prefix: APP_ARMOR,
  member: 'appArmorProfile',
  shown: 'apparmor',
  types: { 'runtime/default': 'RuntimeDefault', unconfined: 'Unconfined' },
};

function checkAgree(
  value: string | undefined,
  holder: CoreV1PodSpec | CoreV1Container,
  rules: Agreement,
  place: string,
  errors: Errors,
): void {
  const profile = holder.securityContext?.[rules.member];
  if (value === undefined || profile === undefined) return;
  const field = `${place}.securityContext.${rules.member}`;
  const type = profile.type ?? '';
  // Another one is refused as such.
  if (!PROFILE_TYPES.includes(type)) return;
  if (type !== (value.startsWith(LOCAL) ? 'Localhost' : own(rules.types, value))) {
    errors.push(forbiddenField(`${field}.type`, `${rules.shown} type in annotation and field must match`));
  } else if (type === 'Localhost' && profile.localhostProfile !== value.slice(LOCAL.length)) {
    errors.push(forbiddenField(`${field}.localhostProfile`, `${rules.shown} profile in annotation and field must match`));
  }
}
