/** What a new Pod is given before it is judged: notations that belong together are made to agree. Never refuses anything. */
import { own, stringAt } from '../../../../shared/values/json';
import type { GeneratedNames } from '../../../../shared/names/dialect';
import { APP_ARMOR, byMeaning, knownAnnotations } from '../pod-template/annotations';
import { OLD_APP_ARMOR } from '../pod-template/warnings';
import type {
  CoreV1AppArmorProfile,
  CoreV1Container,
  CoreV1Pod,
  CoreV1PodAffinityTerm,
  CoreV1PodSpec,
  MetaV1LabelSelectorRequirement,
} from '../../../../shared/api/types/generated/members';

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const LOCAL = 'localhost/';
const TYPES: Readonly<Record<string, string>> = { 'runtime/default': 'RuntimeDefault', unconfined: 'Unconfined' };

interface Confined {
  readonly container: CoreV1Container;
  readonly key: string;
  readonly value: string;
}

/** Containers that only an annotation confines, in a way that the pod's own profile does not. */
function byAnnotation(object: CoreV1Pod): readonly Confined[] {
  const known = knownAnnotations(object.metadata?.annotations);
  const spec = object.spec;
  if (known.length === 0 || spec === undefined || isForWindows(spec)) return [];
  const ofPod = profileOf(spec);
  const named = byMeaning(known);
  return LISTS.flatMap((list) =>
    (spec[list] ?? []).flatMap((container) => {
      const found = named.get(APP_ARMOR + (container.name ?? ''));
      if (found === undefined || profileOf(container) !== undefined) return [];
      const says = profileFrom(found.value);
      if (ofPod !== undefined && says !== undefined && asAnnotation(ofPod) === asAnnotation(says)) return [];
      return [{ container, key: found.key, value: found.value }];
    }),
  );
}

const isForWindows = (spec: CoreV1PodSpec): boolean => spec.os?.name === 'windows';
const profileOf = (holder: CoreV1PodSpec | CoreV1Container): CoreV1AppArmorProfile | undefined => holder.securityContext?.appArmorProfile;

function profileFrom(value: string): CoreV1AppArmorProfile | undefined {
  const type = own(TYPES, value);
  if (type !== undefined) return { type };
  const name = value.startsWith(LOCAL) ? value.slice(LOCAL.length) : '';
  return name === '' || name !== name.trim() ? undefined : { type: 'Localhost', localhostProfile: name };
}

function asAnnotation(profile: CoreV1AppArmorProfile): string | undefined {
  const type = profile.type ?? '';
  const name = profile.localhostProfile ?? '';
  if (type === 'Localhost') return name === '' ? undefined : LOCAL + name;
  return Object.keys(TYPES).find((value) => TYPES[value] === type);
}

/** Said of what was sent, whether or not it is taken. */
export const oldNotations = (object: CoreV1Pod): readonly string[] =>
  byAnnotation(object).map(({ key }) => `metadata.annotations[${key}]: ${OLD_APP_ARMOR}`);

/** AppArmor profiles stand in members and in annotations, for nodes of every age. */
export function mirrorProfiles(object: CoreV1Pod, names: GeneratedNames): void {
  for (const { container, value } of byAnnotation(object)) {
    const profile = profileFrom(value);
    if (profile !== undefined) container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
  const spec = object.spec;
  if (spec === undefined || isForWindows(spec)) return;
  const ofPod = profileOf(spec);
  const named = byMeaning(knownAnnotations(object.metadata?.annotations));
  const added: Record<string, string> = {};
  for (const list of LISTS) {
    for (const container of spec[list] ?? []) {
      const profile = profileOf(container) ?? ofPod;
      if (profile === undefined) continue;
      const name = container.name ?? '';
      const value = asAnnotation(profile);
      if (value === undefined || named.has(APP_ARMOR + name)) continue;
      added[`container.apparmor.security.beta.${names.prefix}/${name}`] = value;
    }
  }
  if (Object.keys(added).length === 0) return;
  const metadata = (object.metadata ??= {});
  metadata.annotations = { ...metadata.annotations, ...added };
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Terms of affinity that take values from the pod's own labels get them. */
export function takeLabelValues(object: CoreV1Pod): void {
  const affinity = object.spec?.affinity;
  const labels = object.metadata?.labels;
  if (affinity === undefined || labels === undefined) return;
  for (const member of ['podAffinity', 'podAntiAffinity'] as const) {
    const terms = affinity[member];
    for (const term of terms?.[REQUIRED] ?? []) completeSelector(term, labels);
    for (const preference of terms?.[PREFERRED] ?? []) completeSelector(preference.podAffinityTerm ?? {}, labels);
  }
}

function completeSelector(term: CoreV1PodAffinityTerm, labels: Record<string, string>): void {
  const selector = term.labelSelector;
  if (selector === undefined) return;
  const added: MetaV1LabelSelectorRequirement[] = [];
  for (const [member, operator] of [
    ['matchLabelKeys', 'In'],
    ['mismatchLabelKeys', 'NotIn'],
  ] as const) {
    for (const key of term[member] ?? []) {
      const value = stringAt(labels, key);
      if (value !== undefined) added.push({ key, operator, values: [value] });
    }
  }
  if (added.length > 0) selector.matchExpressions = [...(selector.matchExpressions ?? []), ...added];
}

/** A negative time to end in is the shortest one. */
export function liftGracePeriod(object: CoreV1Pod): void {
  const spec = object.spec;
  const seconds = spec === undefined ? undefined : spec.terminationGracePeriodSeconds;
  if (spec !== undefined && (typeof seconds === 'number' || typeof seconds === 'bigint') && seconds < 0) {
    spec.terminationGracePeriodSeconds = 1;
  }
}
