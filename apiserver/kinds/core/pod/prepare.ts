/** What a new Pod is given before it is judged: notations that belong together are made to agree. Never refuses anything. */
import { arrayAt, type JsonObject, type JsonValue, objectAt, own, stringAt, stringsAt } from '../../../../shared/values/json';
import { metadataOf, readMetadata } from '../../../../shared/api/metadata/object-meta';
import type { GeneratedNames } from '../../../../shared/names/dialect';
import { listed } from '../../rules/field-rules';
import { annotationNamed, APP_ARMOR, knownAnnotations } from '../pod-template/annotations';
import { textAt } from '../../rules/checks';
import { OLD_APP_ARMOR } from '../pod-template/warnings';

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'];
const LOCAL = 'localhost/';
const TYPES: Readonly<Record<string, string>> = { 'runtime/default': 'RuntimeDefault', unconfined: 'Unconfined' };

interface Confined {
  readonly container: JsonObject;
  readonly key: string;
  readonly value: string;
}

/** Containers that only an annotation confines, in a way that the pod's own profile does not. */
function byAnnotation(object: JsonObject): readonly Confined[] {
  const known = knownAnnotations(objectAt(readMetadata(object), 'annotations'));
  const spec = objectAt(object, 'spec');
  if (known.length === 0 || spec === undefined || isForWindows(spec)) return [];
  const ofPod = profileOf(spec);
  return LISTS.flatMap((list) =>
    listed(spec, list).flatMap((container) => {
      const found = annotationNamed(known, APP_ARMOR + textAt(container, 'name'));
      if (found === undefined || profileOf(container) !== undefined) return [];
      const says = profileFrom(found.value);
      if (ofPod !== undefined && says !== undefined && asAnnotation(ofPod) === asAnnotation(says)) return [];
      return [{ container, key: found.key, value: found.value }];
    }),
  );
}

const isForWindows = (spec: JsonObject): boolean => textAt(objectAt(spec, 'os') ?? {}, 'name') === 'windows';
const profileOf = (holder: JsonObject): JsonObject | undefined => objectAt(objectAt(holder, 'securityContext'), 'appArmorProfile');

function profileFrom(value: string): JsonObject | undefined {
  const type = own(TYPES, value);
  if (type !== undefined) return { type };
  const name = value.startsWith(LOCAL) ? value.slice(LOCAL.length) : '';
  return name === '' || name !== name.trim() ? undefined : { type: 'Localhost', localhostProfile: name };
}

function asAnnotation(profile: JsonObject): string | undefined {
  const type = textAt(profile, 'type');
  const name = textAt(profile, 'localhostProfile');
  if (type === 'Localhost') return name === '' ? undefined : LOCAL + name;
  return Object.keys(TYPES).find((value) => TYPES[value] === type);
}

/** Said of what was sent, whether or not it is taken. */
export const oldNotations = (object: JsonObject): readonly string[] =>
  byAnnotation(object).map(({ key }) => `metadata.annotations[${key}]: ${OLD_APP_ARMOR}`);

/** AppArmor profiles stand in members and in annotations, for nodes of every age. */
export function mirrorProfiles(object: JsonObject, names: GeneratedNames): void {
  for (const { container, value } of byAnnotation(object)) {
    const profile = profileFrom(value);
    if (profile !== undefined) container['securityContext'] = { ...objectAt(container, 'securityContext'), appArmorProfile: profile };
  }
  const spec = objectAt(object, 'spec');
  if (spec === undefined || isForWindows(spec)) return;
  const ofPod = profileOf(spec);
  const known = knownAnnotations(objectAt(readMetadata(object), 'annotations'));
  for (const list of LISTS) {
    for (const container of listed(spec, list)) {
      const profile = profileOf(container) ?? ofPod;
      if (profile === undefined) continue;
      const name = textAt(container, 'name');
      const value = asAnnotation(profile);
      if (value === undefined || annotationNamed(known, APP_ARMOR + name) !== undefined) continue;
      const metadata = metadataOf(object);
      metadata['annotations'] = {
        ...objectAt(metadata, 'annotations'),
        [`container.apparmor.security.beta.${names.prefix}/${name}`]: value,
      };
    }
  }
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Terms of affinity that take values from the pod's own labels get them. */
export function takeLabelValues(object: JsonObject): void {
  const affinity = objectAt(objectAt(object, 'spec'), 'affinity');
  const labels = objectAt(readMetadata(object), 'labels');
  if (affinity === undefined || labels === undefined) return;
  for (const member of ['podAffinity', 'podAntiAffinity']) {
    const terms = objectAt(affinity, member);
    for (const term of listed(terms, REQUIRED)) completeSelector(term, labels);
    for (const preference of listed(terms, PREFERRED)) completeSelector(objectAt(preference, 'podAffinityTerm') ?? {}, labels);
  }
}

function completeSelector(term: JsonObject, labels: JsonObject): void {
  const selector = objectAt(term, 'labelSelector');
  if (selector === undefined) return;
  const added: JsonValue[] = [];
  for (const [member, operator] of [
    ['matchLabelKeys', 'In'],
    ['mismatchLabelKeys', 'NotIn'],
  ] as const) {
    for (const key of stringsAt(term, member)) {
      const value = stringAt(labels, key);
      if (value !== undefined) added.push({ key, operator, values: [value] });
    }
  }
  if (added.length > 0) selector['matchExpressions'] = [...(arrayAt(selector, 'matchExpressions') ?? []), ...added];
}

/** A negative time to end in is the shortest one. */
export function liftGracePeriod(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  const seconds = spec === undefined ? undefined : own(spec, 'terminationGracePeriodSeconds');
  if (spec !== undefined && (typeof seconds === 'number' || typeof seconds === 'bigint') && seconds < 0) {
    spec['terminationGracePeriodSeconds'] = 1;
  }
}
