/** Role and ClusterRole: what a rule may say. Who may grant what is not decided here. */
import { invalidValue, required, type FieldError } from '../../../shared/api/errors/field-error';
import { arrayAt, type JsonObject, objectAt, own, stringsAt } from '../../../shared/values/json';
import { labelSelectorErrors } from '../../../shared/api/selectors/label-selector-rules';
import { listed } from '../rules/field-rules';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

export const role: Strategy = { validate: (object) => rulesErrors(object, true), update: { stages: UPDATE.objectTwiceThenChange } };
export const clusterRole: Strategy = {
  validate: (object) => [...rulesErrors(object, false), ...aggregationErrors(object)],
  update: { stages: UPDATE.objectTwiceThenChange },
};

function rulesErrors(object: JsonObject, namespaced: boolean): readonly FieldError[] {
  return listed(object, 'rules').flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, namespaced));
}

function ruleErrors(rule: JsonObject, place: string, namespaced: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isEmpty(rule, 'verbs')) errors.push(required(`${place}.verbs`, 'verbs must contain at least one value'));
  if (!isEmpty(rule, 'nonResourceURLs')) {
    const refused = (text: string): FieldError => invalidValue(`${place}.nonResourceURLs`, stringsAt(rule, 'nonResourceURLs'), text);
    if (namespaced) errors.push(refused('namespaced rules cannot apply to non-resource URLs'));
    const mixed = ['apiGroups', 'resources', 'resourceNames'].some((member) => !isEmpty(rule, member));
    return mixed ? [...errors, refused('rules cannot apply to both regular resources and non-resource URLs')] : errors;
  }
  if (isEmpty(rule, 'apiGroups')) errors.push(required(`${place}.apiGroups`, 'resource rules must supply at least one api group'));
  if (isEmpty(rule, 'resources')) errors.push(required(`${place}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

const isEmpty = (object: JsonObject, member: string): boolean => (arrayAt(object, member) ?? []).length === 0;

function aggregationErrors(object: JsonObject): readonly FieldError[] {
  if (own(object, 'aggregationRule') === undefined) return [];
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = listed(objectAt(object, 'aggregationRule'), 'clusterRoleSelectors');
  if (selectors.length === 0) return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return selectors.flatMap((selector, index) => {
    const place = `${field}[${index}]`;
    const errors = labelSelectorErrors(selector, place, { anyValue: false });
    // Upstream also fails to build the selector, and shows that there is none.
    return errors.length === 0 ? errors : [...errors, invalidValue(place, 'null', 'invalid label selector.')];
  });
}
