/**
 * What has to be done so that a default role or binding grants at least what it should. What somebody added to it stays. Pure; writes nothing.
 */
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import { valueInEitherSpelling, omitNames } from '../../../shared/names/spellings';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { arrayAt, equalJson, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { covers, parts, readRule, type PolicyRule } from '../../authorization/rbac/rule';
import { autoUpdate } from './default-objects';

export type Remedy =
  | { readonly type: 'none' }
  | { readonly type: 'update'; readonly object: JsonObject }
  /** It names another role, which cannot be changed. */
  | { readonly type: 'replace' };

const NONE: Remedy = { type: 'none' };

export function reconcile(wanted: JsonObject, found: JsonObject, names: GeneratedNames): Remedy {
  const metadata = readMetadata(found);
  if (valueInEitherSpelling(objectAt(metadata, 'annotations') ?? {}, autoUpdate(names)) === 'false') return NONE;
  const roleRef = objectAt(wanted, 'roleRef');
  if (roleRef !== undefined && !equalJson(roleRef, objectAt(found, 'roleRef') ?? {})) return { type: 'replace' };
  const object = {
    ...found,
    metadata: { ...metadata, ...withMissing(readMetadata(wanted), metadata) },
    ...(roleRef === undefined ? missingRules(wanted, found) : missingSubjects(wanted, found, names)),
  };
  return equalJson(object, found) ? NONE : { type: 'update', object };
}

/** Adds labels and annotations that are missing in both spellings. Present ones keep their values. */
function withMissing(wanted: JsonObject, found: JsonObject): JsonObject {
  return Object.fromEntries(
    (['labels', 'annotations'] as const).map((member) => {
      const present = objectAt(found, member) ?? {};
      return [member, { ...omitNames(objectAt(wanted, member) ?? {}, Object.keys(present)), ...present }];
    }),
  );
}

function missingRules(wanted: JsonObject, found: JsonObject): JsonObject {
  const selectors = listAt(objectAt(wanted, 'aggregationRule'), 'clusterRoleSelectors');
  if (selectors.length > 0) {
    const present = listAt(objectAt(found, 'aggregationRule'), 'clusterRoleSelectors');
    return { aggregationRule: { clusterRoleSelectors: [...present, ...without(selectors, present)] } };
  }
  const present = listAt(found, 'rules');
  const held = present.map(readRule);
  const missing = listAt(wanted, 'rules')
    .flatMap((rule) => [...parts(readRule(rule))])
    .filter((part) => !held.some((rule) => covers(rule, part)));
  return missing.length === 0 ? {} : { rules: [...present, ...missing.map(ruleObject)] };
}

function ruleObject({ verbs, groups, resources, names, paths }: PolicyRule): JsonObject {
  const lists = { verbs, apiGroups: groups, resources, resourceNames: names, nonResourceURLs: paths };
  return Object.fromEntries(Object.entries(lists).flatMap(([member, list]) => (list.length === 0 ? [] : [[member, [...list]]])));
}

function missingSubjects(wanted: JsonObject, found: JsonObject, names: GeneratedNames): JsonObject {
  const present = listAt(found, 'subjects');
  const inThisSpelling = present.map((subject) => {
    const namespace = stringAt(subject, 'namespace');
    return namespace === undefined ? subject : { ...subject, namespace: canonicalNamespace(names, namespace) };
  });
  const missing = without(listAt(wanted, 'subjects'), inThisSpelling);
  return missing.length === 0 ? {} : { subjects: [...present, ...missing] };
}

const listAt = (object: JsonObject | undefined, member: string): readonly JsonObject[] => (arrayAt(object, member) ?? []).filter(isObject);

const without = (list: readonly JsonObject[], others: readonly JsonObject[]): readonly JsonObject[] =>
  list.filter((one) => !others.some((other) => equalJson(one, other)));
