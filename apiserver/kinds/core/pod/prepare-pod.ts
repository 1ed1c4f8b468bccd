/**
 * Prepares Pods before validation: synchronizes AppArmor annotations and fields, resolves the label keys of affinity
 * terms, and replaces negative grace periods. Reports no errors.
 */
import { ownMember, stringAt } from '../../../../shared/values/json';
import type { GeneratedNames } from '../../../../shared/names/dialect';
import { APP_ARMOR_ANNOTATION_PREFIX, byCanonicalName, knownAnnotations } from '../pod-template/annotations';
import { APP_ARMOR_ANNOTATION_WARNING } from '../pod-template/warnings';
import type {
  CoreV1AppArmorProfile,
  CoreV1Container,
  CoreV1Pod,
  CoreV1PodAffinityTerm,
  CoreV1PodSpec,
  MetaV1LabelSelectorRequirement,
} from '../../../../shared/api/types/generated/members';

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const LOCALHOST_PREFIX = 'localhost/';
/** The values of AppArmor annotations without the name of a profile. */
const TYPE_BY_ANNOTATION_VALUE: Readonly<Record<string, string>> = { 'runtime/default': 'RuntimeDefault', unconfined: 'Unconfined' };

/** A container with the key, as the client spelled it, and the value of its AppArmor annotation. */
interface AnnotatedContainer {
  readonly container: CoreV1Container;
  readonly key: string;
  readonly value: string;
}

/**
 * Containers with an AppArmor annotation and no profile of their own, except where the Pod's profile equals the
 * annotation.
 */
function containersWithAppArmorAnnotation(object: CoreV1Pod): readonly AnnotatedContainer[] {
  const known = knownAnnotations(object.metadata?.annotations);
  const spec = object.spec;
  if (known.length === 0 || spec === undefined || isWindowsPod(spec)) return [];
  const podProfile = appArmorProfileOf(spec);
  const annotationsByName = byCanonicalName(known);
  return CONTAINER_LISTS.flatMap((list) =>
    (spec[list] ?? []).flatMap((container) => {
      const annotation = annotationsByName.get(APP_ARMOR_ANNOTATION_PREFIX + (container.name ?? ''));
      if (annotation === undefined || appArmorProfileOf(container) !== undefined) return [];
      const annotatedProfile = parseAppArmorAnnotation(annotation.value);
      const isPodProfile =
        podProfile !== undefined &&
        annotatedProfile !== undefined &&
        formatAppArmorAnnotation(podProfile) === formatAppArmorAnnotation(annotatedProfile);
      if (isPodProfile) return [];
      return [{ container, key: annotation.key, value: annotation.value }];
    }),
  );
}

const isWindowsPod = (spec: CoreV1PodSpec): boolean => spec.os?.name === 'windows';
const appArmorProfileOf = (holder: CoreV1PodSpec | CoreV1Container): CoreV1AppArmorProfile | undefined =>
  holder.securityContext?.appArmorProfile;

/** `localhost/a` -> `{ type: 'Localhost', localhostProfile: 'a' }`. `undefined` when the annotation is invalid. */
function parseAppArmorAnnotation(value: string): CoreV1AppArmorProfile | undefined {
  const type = ownMember(TYPE_BY_ANNOTATION_VALUE, value);
  if (type !== undefined) return { type };
  const name = value.startsWith(LOCALHOST_PREFIX) ? value.slice(LOCALHOST_PREFIX.length) : '';
  return name === '' || name !== name.trim() ? undefined : { type: 'Localhost', localhostProfile: name };
}

/** The inverse of {@link parseAppArmorAnnotation}. `undefined` when the profile has no annotation. */
function formatAppArmorAnnotation(profile: CoreV1AppArmorProfile): string | undefined {
  const type = profile.type ?? '';
  const name = profile.localhostProfile ?? '';
  if (type === 'Localhost') return name === '' ? undefined : LOCALHOST_PREFIX + name;
  return Object.keys(TYPE_BY_ANNOTATION_VALUE).find((value) => TYPE_BY_ANNOTATION_VALUE[value] === type);
}

/** The warnings about AppArmor annotations, computed from the object as sent, even if it is rejected later. */
export const appArmorAnnotationWarnings = (object: CoreV1Pod): readonly string[] =>
  containersWithAppArmorAnnotation(object).map(({ key }) => `metadata.annotations[${key}]: ${APP_ARMOR_ANNOTATION_WARNING}`);

/** Writes AppArmor profiles both to fields and to annotations, because older nodes read only the annotations. */
export function syncAppArmorProfiles(object: CoreV1Pod, names: GeneratedNames): void {
  for (const { container, value } of containersWithAppArmorAnnotation(object)) {
    const profile = parseAppArmorAnnotation(value);
    if (profile !== undefined) container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
  const spec = object.spec;
  if (spec === undefined || isWindowsPod(spec)) return;
  const podProfile = appArmorProfileOf(spec);
  const annotationsByName = byCanonicalName(knownAnnotations(object.metadata?.annotations));
  const added: Record<string, string> = {};
  for (const list of CONTAINER_LISTS) {
    for (const container of spec[list] ?? []) {
      const profile = appArmorProfileOf(container) ?? podProfile;
      if (profile === undefined) continue;
      const name = container.name ?? '';
      const value = formatAppArmorAnnotation(profile);
      if (value === undefined || annotationsByName.has(APP_ARMOR_ANNOTATION_PREFIX + name)) continue;
      added[`container.apparmor.security.beta.${names.prefix}/${name}`] = value;
    }
  }
  if (Object.keys(added).length === 0) return;
  const metadata = (object.metadata ??= {});
  metadata.annotations = { ...metadata.annotations, ...added };
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/**
 * Adds requirements for `matchLabelKeys` and `mismatchLabelKeys` to the selectors of affinity terms. The values are those
 * of the Pod's own labels: for the key `a` and the label `a: b` the requirement is `a In (b)`.
 */
export function applyMatchLabelKeys(object: CoreV1Pod): void {
  const affinity = object.spec?.affinity;
  const labels = object.metadata?.labels;
  if (affinity === undefined || labels === undefined) return;
  for (const member of ['podAffinity', 'podAntiAffinity'] as const) {
    const terms = affinity[member];
    for (const term of terms?.[REQUIRED] ?? []) addLabelKeyRequirements(term, labels);
    for (const preference of terms?.[PREFERRED] ?? []) addLabelKeyRequirements(preference.podAffinityTerm ?? {}, labels);
  }
}

const LABEL_KEY_OPERATORS = [
  { member: 'matchLabelKeys', operator: 'In' },
  { member: 'mismatchLabelKeys', operator: 'NotIn' },
] as const;

function addLabelKeyRequirements(term: CoreV1PodAffinityTerm, labels: Record<string, string>): void {
  const selector = term.labelSelector;
  if (selector === undefined) return;
  const added: MetaV1LabelSelectorRequirement[] = [];
  for (const { member, operator } of LABEL_KEY_OPERATORS) {
    for (const key of term[member] ?? []) {
      const value = stringAt(labels, key);
      if (value !== undefined) added.push({ key, operator, values: [value] });
    }
  }
  if (added.length > 0) selector.matchExpressions = [...(selector.matchExpressions ?? []), ...added];
}

/** Replaces a negative grace period by one second. */
export function normalizeGracePeriod(object: CoreV1Pod): void {
  const { spec } = object;
  if (spec !== undefined && (spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
}
