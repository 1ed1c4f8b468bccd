/** Label selectors as objects hold them (`matchLabels`, `matchExpressions`), turned into requirements. What is malformed there selects nothing. */
import { arrayAt, compareBytes, isObject, objectAt, own, stringAt, stringsAt, type JsonObject } from '../../values/json';
import { compileLabelSelector, type LabelOperator, type LabelRequirement } from './label-selector';

const OPERATORS: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: 'absent' };

/** Ordered by key. */
export function requirementsOf(selector: JsonObject): readonly LabelRequirement[] {
  const expressions = (arrayAt(selector, 'matchExpressions') ?? []).flatMap((item): readonly LabelRequirement[] => {
    const operator = isObject(item) ? own(OPERATORS, stringAt(item, 'operator') ?? '') : undefined;
    if (operator === undefined || !isObject(item)) return [];
    return [{ key: stringAt(item, 'key') ?? '', operator, values: [...stringsAt(item, 'values')].sort(compareBytes) }];
  });
  return inOrder([...equalities(objectAt(selector, 'matchLabels') ?? {}), ...expressions]);
}

/** The requirements of a plain map of labels. */
export function requirementsOfLabels(labels: JsonObject): readonly LabelRequirement[] {
  return inOrder(equalities(labels));
}

/** Whether an object with these labels is selected. */
export function selects(selector: JsonObject, labels: JsonObject): boolean {
  const texts = Object.fromEntries(Object.entries(labels).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));
  return compileLabelSelector(requirementsOf(selector))(texts);
}

function equalities(labels: JsonObject): readonly LabelRequirement[] {
  return Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: typeof value === 'string' ? [value] : [] }));
}

const inOrder = (requirements: readonly LabelRequirement[]): readonly LabelRequirement[] =>
  [...requirements].sort((a, b) => compareBytes(a.key, b.key));
