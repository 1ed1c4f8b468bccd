/** The rules for a label selector in an object (`matchLabels`, `matchExpressions`). Returns errors in upstream's order; matches nothing. */
import { appendAll } from '../../values/append';
import { forbiddenField, invalidValue, required, type FieldError } from '../errors/field-error';
import { arrayAt, isObject, type JsonObject, objectAt, stringAt, stringsAt } from '../../values/json';
import { checkLabelValue, checkQualifiedName } from '../../values/name-formats';
import { validateLabels } from '../metadata/object-meta-rules';

export interface SelectorRules {
  /** Values of expressions may be any text. */
  readonly anyValue: boolean;
}

type Values = 'some' | 'none';

const OPERATORS: ReadonlyMap<string, Values> = new Map<string, Values>([
  ['In', 'some'],
  ['NotIn', 'some'],
  ['Exists', 'none'],
  ['DoesNotExist', 'none'],
]);

/** An absent selector is good. */
export function labelSelectorErrors(selector: JsonObject | undefined, field: string, rules: SelectorRules): readonly FieldError[] {
  if (selector === undefined) return [];
  const errors: FieldError[] = [];
  const labels = objectAt(selector, 'matchLabels');
  if (labels !== undefined) validateLabels(labels, `${field}.matchLabels`, errors);
  const expressions = (arrayAt(selector, 'matchExpressions') ?? []).filter(isObject);
  expressions.forEach((expression, index) => appendAll(errors, expressionErrors(expression, `${field}.matchExpressions[${index}]`, rules)));
  return errors;
}

function expressionErrors(expression: JsonObject, place: string, rules: SelectorRules): readonly FieldError[] {
  const key = stringAt(expression, 'key') ?? '';
  const values = stringsAt(expression, 'values');
  return [
    ...operatorErrors(stringAt(expression, 'operator') ?? '', values, place),
    ...checkQualifiedName(key).map((text) => invalidValue(`${place}.key`, key, text)),
    ...(rules.anyValue
      ? []
      : values.flatMap((value, index) => checkLabelValue(value).map((text) => invalidValue(`${place}.values[${index}]`, value, text)))),
  ];
}

function operatorErrors(operator: string, values: readonly string[], place: string): readonly FieldError[] {
  switch (OPERATORS.get(operator)) {
    case undefined:
      return [invalidValue(`${place}.operator`, operator, 'not a valid selector operator')];
    case 'some':
      return values.length > 0 ? [] : [required(`${place}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'none':
      return values.length === 0
        ? []
        : [forbiddenField(`${place}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  }
}
