/**
 * ValidatingAdmissionPolicyBinding strategy. A binding names its policy and at least one action, and a parameter by
 * name or by selector, not both. Whether the policy and the parameters exist is not checked: they may be created
 * later.
 */
import { duplicateValue, forbiddenField, invalidShownValue, unsupportedValue, requiredValue } from '../../../shared/api/errors/field-error';
import type {
  AdmissionregistrationV1ParamRef,
  AdmissionregistrationV1ValidatingAdmissionPolicyBinding,
  AdmissionregistrationV1ValidatingAdmissionPolicyBindingSpec,
} from '../../../shared/api/types/generated/members';
import { checkDnsSubdomain, checkPathSegment } from '../../../shared/values/name-formats';
import { quote } from '../../../shared/values/text/quote';
import type { Strategy } from '../../registry/strategy';
import { checkFormat, checkRequired, type Errors } from '../rules/checks';
import { checkSelector } from '../rules/selectors';
import { checkMatchResources } from './match-resources';

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];

export const validatingAdmissionPolicyBinding: Strategy<AdmissionregistrationV1ValidatingAdmissionPolicyBinding> = {
  validate: ({ spec = {} }) => validateBindingSpec(spec),
  update: { validate: ({ spec = {} }) => validateBindingSpec(spec) },
};

function validateBindingSpec(spec: AdmissionregistrationV1ValidatingAdmissionPolicyBindingSpec): Errors {
  const errors: Errors = [];
  checkRequired(spec, 'policyName', 'spec', errors, checkDnsSubdomain);
  if (spec.paramRef !== undefined) checkReference(spec.paramRef, errors);
  // The misspelled field path is upstream's.
  if (spec.matchResources !== undefined) checkMatchResources(spec.matchResources, 'spec.matchResouces', errors);
  checkActions(spec.validationActions ?? [], errors);
  return errors;
}

const MUTUALLY_EXCLUSIVE = 'name and selector are mutually exclusive';

function checkReference({ name = '', selector, parameterNotFoundAction = '' }: AdmissionregistrationV1ParamRef, errors: Errors): void {
  const fieldPath = 'spec.paramRef';
  if (name !== '') {
    checkFormat(name, `${fieldPath}.name`, checkPathSegment, errors);
    if (selector !== undefined) {
      errors.push(forbiddenField(`${fieldPath}.name`, MUTUALLY_EXCLUSIVE), forbiddenField(`${fieldPath}.selector`, MUTUALLY_EXCLUSIVE));
    }
  } else if (selector === undefined) errors.push(requiredValue(fieldPath, 'one of name or selector must be specified'));
  else checkSelector(selector, `${fieldPath}.selector`, errors);
  const field = `${fieldPath}.parameterNotFoundAction`;
  if (parameterNotFoundAction === '') errors.push(requiredValue(field));
  else if (!NOT_FOUND_ACTIONS.includes(parameterNotFoundAction)) {
    errors.push(unsupportedValue(field, parameterNotFoundAction, NOT_FOUND_ACTIONS));
  }
}

function checkActions(actions: readonly string[], errors: Errors): void {
  const field = 'spec.validationActions';
  if (actions.length === 0) errors.push(requiredValue(field, 'at least one validation action is required'));
  const seen = new Set<string>();
  actions.forEach((action, index) => {
    if (!ACTIONS.includes(action)) errors.push(unsupportedValue(`${field}[${index}]`, action, ACTIONS));
    if (seen.has(action)) errors.push(duplicateValue(`${field}[${index}]`, action));
    seen.add(action);
  });
  if (!seen.has('Deny') || !seen.has('Warn')) return;
  const shown = `[]admissionregistration.ValidationAction{${actions.map((action) => quote(action)).join(', ')}}`;
  const reason = 'repeating the same validation failure information in the API response and headers serves no purpose';
  errors.push(invalidShownValue(field, shown, `must not contain both Deny and Warn (${reason})`));
}
