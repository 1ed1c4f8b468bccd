/**
 * Pure function: the change that makes a default role or binding grant at least its rules or subjects. Additions of
 * users are kept.
 */
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import { valueInEitherSpelling, omitNames } from '../../../shared/names/spellings';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { arrayAt, equalJson, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { ruleCovers, breakdownRule, readRule, type PolicyRule } from '../../authorization/rbac/rule';
import { autoUpdateAnnotation } from './default-objects';

export type Remedy =
  | { readonly type: 'none' }
  | { readonly type: 'update'; readonly object: JsonObject }
  /** The binding refers to another role; roleRef is immutable. */
  | { readonly type: 'replace' };

const NONE: Remedy = { type: 'none' };

export function reconcile(desired: JsonObject, existing: JsonObject, names: GeneratedNames): Remedy {
  const metadata = readMetadata(existing);
  if (valueInEitherSpelling(objectAt(metadata, 'annotations') ?? {}, autoUpdateAnnotation(names)) === 'false') return NONE;
  const roleRef = objectAt(desired, 'roleRef');
  if (roleRef !== undefined && !equalJson(roleRef, objectAt(existing, 'roleRef') ?? {})) return { type: 'replace' };
  const object = {
    ...existing,
    metadata: { ...metadata, ...withMissing(readMetadata(desired), metadata) },
    ...(roleRef === undefined ? missingRules(desired, existing) : missingSubjects(desired, existing, names)),
  };
  return equalJson(object, existing) ? NONE : { type: 'update', object };
}

/** Adds labels and annotations that exist in neither spelling. Existing ones keep their values. */
function withMissing(desired: JsonObject, existing: JsonObject): JsonObject {
  return Object.fromEntries(
    (['labels', 'annotations'] as const).map((member) => {
      const present = objectAt(existing, member) ?? {};
      return [member, { ...omitNames(objectAt(desired, member) ?? {}, Object.keys(present)), ...present }];
    }),
  );
}

function missingRules(desired: JsonObject, existing: JsonObject): JsonObject {
  const selectors = listAt(objectAt(desired, 'aggregationRule'), 'clusterRoleSelectors');
  if (selectors.length > 0) {
    const present = listAt(objectAt(existing, 'aggregationRule'), 'clusterRoleSelectors');
    return { aggregationRule: { clusterRoleSelectors: [...present, ...without(selectors, present)] } };
  }
  const present = listAt(existing, 'rules');
  const held = present.map(readRule);
  const missing = listAt(desired, 'rules')
    .flatMap((rule) => [...breakdownRule(readRule(rule))])
    .filter((part) => !held.some((rule) => ruleCovers(rule, part)));
  return missing.length === 0 ? {} : { rules: [...present, ...missing.map(ruleObject)] };
}

function ruleObject({ verbs, groups, resources, names, paths }: PolicyRule): JsonObject {
  const lists = { verbs, apiGroups: groups, resources, resourceNames: names, nonResourceURLs: paths };
  return Object.fromEntries(Object.entries(lists).flatMap(([member, list]) => (list.length === 0 ? [] : [[member, [...list]]])));
}

function missingSubjects(desired: JsonObject, existing: JsonObject, names: GeneratedNames): JsonObject {
  const present = listAt(existing, 'subjects');
  const canonicalSubjects = present.map((subject) => {
    const namespace = stringAt(subject, 'namespace');
    return namespace === undefined ? subject : { ...subject, namespace: canonicalNamespace(names, namespace) };
  });
  const missing = without(listAt(desired, 'subjects'), canonicalSubjects);
  return missing.length === 0 ? {} : { subjects: [...present, ...missing] };
}

const listAt = (object: JsonObject | undefined, member: string): readonly JsonObject[] => (arrayAt(object, member) ?? []).filter(isObject);

const without = (list: readonly JsonObject[], others: readonly JsonObject[]): readonly JsonObject[] =>
  list.filter((item) => !others.some((other) => equalJson(item, other)));
