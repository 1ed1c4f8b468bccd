/**
 * Determines the change that makes a stored role or binding grant at least what the default one grants. What users have
 * added is kept, except that a binding to another role is replaced. Pure functions: default-roles-reconciler.ts makes
 * the change.
 */
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import { valueInEitherSpelling, omitNames } from '../../../shared/names/spellings';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import type { MetaV1ObjectMeta, RbacV1ClusterRole, RbacV1PolicyRule, RbacV1RoleBinding } from '../../../shared/api/types/generated/members';
import { equalJson, type JsonValue } from '../../../shared/values/json';
import { ruleCovers, breakdownRule, readRule, type PolicyRule } from '../../authorization/rbac/rule';
import { autoUpdateAnnotation, type RbacObject } from './default-objects';

/** What has to be done with a stored object; `update` has the whole new object. */
export type ReconcileAction =
  | { readonly type: 'none' }
  | { readonly type: 'update'; readonly object: RbacObject }
  /** The binding refers to another role; roleRef is immutable. */
  | { readonly type: 'replace' };

const NONE: ReconcileAction = { type: 'none' };

/** `none` when nothing is missing, or when the annotation `autoupdate` is `false`. Changes neither argument. */
export function reconcileActionFor(desired: RbacObject, existing: RbacObject, names: GeneratedNames): ReconcileAction {
  const metadata = readMetadata(existing);
  if (valueInEitherSpelling(metadata.annotations ?? {}, autoUpdateAnnotation(names)) === 'false') return NONE;
  const { roleRef } = desired;
  if (roleRef !== undefined && !equalJson(roleRef, existing.roleRef ?? {})) return { type: 'replace' };
  const object = {
    ...existing,
    metadata: { ...metadata, ...withMissing(readMetadata(desired), metadata) },
    ...(roleRef === undefined ? missingRules(desired, existing) : missingSubjects(desired, existing, names)),
  };
  return equalJson(object, existing) ? NONE : { type: 'update', object };
}

/** The stored labels and annotations, with those desired ones that they have in neither spelling. */
function withMissing(desired: MetaV1ObjectMeta, existing: MetaV1ObjectMeta): Pick<MetaV1ObjectMeta, 'annotations' | 'labels'> {
  const merge = (member: 'annotations' | 'labels'): Record<string, string> => {
    const present = existing[member] ?? {};
    return { ...omitNames(desired[member] ?? {}, Object.keys(present)), ...present };
  };
  return { labels: merge('labels'), annotations: merge('annotations') };
}

/** The rules or aggregation rule of the stored role with what it lacks; empty when it lacks nothing. */
function missingRules(desired: RbacV1ClusterRole, existing: RbacV1ClusterRole): RbacV1ClusterRole {
  const selectors = desired.aggregationRule?.clusterRoleSelectors ?? [];
  if (selectors.length > 0) {
    const present = existing.aggregationRule?.clusterRoleSelectors ?? [];
    return { aggregationRule: { clusterRoleSelectors: [...present, ...without(selectors, present)] } };
  }
  const present = existing.rules ?? [];
  const presentRules = present.map(readRule);
  // Compared part by part (one verb on one resource): the stored rules may grant them in another combination.
  const missing = (desired.rules ?? [])
    .flatMap((rule) => [...breakdownRule(readRule(rule))])
    .filter((part) => !presentRules.some((rule) => ruleCovers(rule, part)));
  return missing.length === 0 ? {} : { rules: [...present, ...missing.map(ruleObject)] };
}

/** The rule as it is stored, without empty lists. */
function ruleObject({ verbs, groups, resources, names, paths }: PolicyRule): RbacV1PolicyRule {
  const lists: Readonly<Record<keyof RbacV1PolicyRule, readonly string[]>> = {
    verbs,
    apiGroups: groups,
    resources,
    resourceNames: names,
    nonResourceURLs: paths,
  };
  return Object.fromEntries(Object.entries(lists).flatMap(([member, list]) => (list.length === 0 ? [] : [[member, [...list]]])));
}

/** The subjects of the stored binding with those it lacks; empty when it lacks none. */
function missingSubjects(desired: RbacV1RoleBinding, existing: RbacV1RoleBinding, names: GeneratedNames): RbacV1RoleBinding {
  const present = existing.subjects ?? [];
  const canonicalSubjects = present.map((subject) =>
    subject.namespace === undefined ? subject : { ...subject, namespace: canonicalNamespace(names, subject.namespace) },
  );
  const missing = without(desired.subjects ?? [], canonicalSubjects);
  return missing.length === 0 ? {} : { subjects: [...present, ...missing] };
}

const without = <T extends JsonValue>(list: readonly T[], others: readonly T[]): readonly T[] =>
  list.filter((item) => !others.some((other) => equalJson(item, other)));
