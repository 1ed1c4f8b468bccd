/**
 * Converts label selectors of objects (`matchLabels`, `matchExpressions`) to requirements. The empty selector `{}` has none
 * and matches everything; what an absent one matches is up to the caller. An expression with an unknown operator is
 * ignored; validation rejects it.
 */
import { arrayAt, compareBytes, isObject, objectAt, ownMember, stringAt, stringsAt, type JsonObject } from '../../values/json';
import { compileLabelSelector, type LabelOperator, type LabelRequirement } from './label-selector';

const OPERATORS: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: 'absent' };

/** The requirements of a selector, sorted by key. */
export function requirementsOfSelector(selector: JsonObject): readonly LabelRequirement[] {
  const expressions = (arrayAt(selector, 'matchExpressions') ?? []).flatMap((item): readonly LabelRequirement[] => {
    if (!isObject(item)) return [];
    const operator = ownMember(OPERATORS, stringAt(item, 'operator') ?? '');
    if (operator === undefined) return [];
    return [{ key: stringAt(item, 'key') ?? '', operator, values: [...stringsAt(item, 'values')].sort(compareBytes) }];
  });
  return sortByKey([...equalityRequirements(objectAt(selector, 'matchLabels') ?? {}), ...expressions]);
}

/** The requirements of a map of labels, sorted by key. */
export function requirementsOfLabels(labels: JsonObject): readonly LabelRequirement[] {
  return sortByKey(equalityRequirements(labels));
}

/** Whether the selector matches an object with these labels. */
export function selectorMatches(selector: JsonObject, labels: JsonObject): boolean {
  const texts = Object.fromEntries(Object.entries(labels).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));
  return compileLabelSelector(requirementsOfSelector(selector))(texts);
}

/** A requirement `key=value` for each label. For a value that is not a string it has no value, and matches no object. */
function equalityRequirements(labels: JsonObject): readonly LabelRequirement[] {
  return Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: typeof value === 'string' ? [value] : [] }));
}

const sortByKey = (requirements: readonly LabelRequirement[]): readonly LabelRequirement[] =>
  [...requirements].sort((a, b) => compareBytes(a.key, b.key));
