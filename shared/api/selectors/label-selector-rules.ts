/**
 * Validation of a LabelSelector in an object (`matchLabels`, `matchExpressions`). Returns errors in upstream's order.
 * Selectors in queries are texts, which label-selector.ts parses.
 */
import { appendAll } from '../../values/append';
import { forbiddenField, invalidValue, requiredValue, type FieldError } from '../errors/field-error';
import { arrayAt, isObject, type JsonObject, objectAt, stringAt, stringsAt } from '../../values/json';
import { checkLabelValue, checkQualifiedName } from '../../values/name-formats';
import { validateLabels } from '../metadata/object-meta-rules';

/** What the owner of a selector allows in it. */
export interface SelectorRules {
  /** Whether the values of expressions need not have the form of label values. */
  readonly allowsAnyValue: boolean;
}

/** Whether an operator needs values or forbids them. */
type ValueRule = 'some' | 'none';

const OPERATORS: ReadonlyMap<string, ValueRule> = new Map<string, ValueRule>([
  ['In', 'some'],
  ['NotIn', 'some'],
  ['Exists', 'none'],
  ['DoesNotExist', 'none'],
]);

/** The errors of the selector at the path `field`; none for an absent selector. */
export function labelSelectorErrors(selector: JsonObject | undefined, field: string, rules: SelectorRules): readonly FieldError[] {
  if (selector === undefined) return [];
  const errors: FieldError[] = [];
  const labels = objectAt(selector, 'matchLabels');
  if (labels !== undefined) validateLabels(labels, `${field}.matchLabels`, errors);
  const expressions = (arrayAt(selector, 'matchExpressions') ?? []).filter(isObject);
  expressions.forEach((expression, index) => appendAll(errors, expressionErrors(expression, `${field}.matchExpressions[${index}]`, rules)));
  return errors;
}

function expressionErrors(expression: JsonObject, path: string, rules: SelectorRules): readonly FieldError[] {
  const key = stringAt(expression, 'key') ?? '';
  const values = stringsAt(expression, 'values');
  return [
    ...operatorErrors(stringAt(expression, 'operator') ?? '', values, path),
    ...checkQualifiedName(key).map((text) => invalidValue(`${path}.key`, key, text)),
    ...(rules.allowsAnyValue
      ? []
      : values.flatMap((value, index) => checkLabelValue(value).map((text) => invalidValue(`${path}.values[${index}]`, value, text)))),
  ];
}

function operatorErrors(operator: string, values: readonly string[], path: string): readonly FieldError[] {
  switch (OPERATORS.get(operator)) {
    case undefined:
      return [invalidValue(`${path}.operator`, operator, 'not a valid selector operator')];
    case 'some':
      return values.length > 0 ? [] : [requiredValue(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'none':
      return values.length === 0
        ? []
        : [forbiddenField(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  }
}
