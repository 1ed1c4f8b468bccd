/** Bindings of admission policies: which policy, with which parameters, for which requests, and what is done with what it finds. */
import { duplicateValue, forbiddenField, invalidShownValue, unsupportedValue, requiredValue } from '../../../shared/api/errors/field-error';
import type {
  AdmissionregistrationV1ParamRef,
  AdmissionregistrationV1ValidatingAdmissionPolicyBinding,
  AdmissionregistrationV1ValidatingAdmissionPolicyBindingSpec,
} from '../../../shared/api/types/generated/members';
import { checkDnsSubdomain, checkPathSegment } from '../../../shared/values/name-formats';
import { quote } from '../../../shared/values/quote';
import type { Strategy } from '../../registry/strategy';
import { checkFormat, checkRequired, type Errors } from '../rules/checks';
import { checkSelector } from '../rules/selectors';
import { checkMatchResources } from './match-resources';

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const WITHOUT = ['Deny', 'Allow'];

export const policyBinding: Strategy<AdmissionregistrationV1ValidatingAdmissionPolicyBinding> = {
  validate: ({ spec = {} }) => judged(spec),
  update: { validate: ({ spec = {} }) => judged(spec) },
};

function judged(spec: AdmissionregistrationV1ValidatingAdmissionPolicyBindingSpec): Errors {
  const errors: Errors = [];
  checkRequired(spec, 'policyName', 'spec', errors, checkDnsSubdomain);
  if (spec.paramRef !== undefined) checkReference(spec.paramRef, errors);
  // As upstream spells it.
  if (spec.matchResources !== undefined) checkMatchResources(spec.matchResources, 'spec.matchResouces', errors);
  checkActions(spec.validationActions ?? [], errors);
  return errors;
}

const EITHER = 'name and selector are mutually exclusive';

function checkReference({ name = '', selector, parameterNotFoundAction = '' }: AdmissionregistrationV1ParamRef, errors: Errors): void {
  const place = 'spec.paramRef';
  if (name !== '') {
    checkFormat(name, `${place}.name`, checkPathSegment, errors);
    if (selector !== undefined) errors.push(forbiddenField(`${place}.name`, EITHER), forbiddenField(`${place}.selector`, EITHER));
  } else if (selector === undefined) errors.push(requiredValue(place, 'one of name or selector must be specified'));
  else checkSelector(selector, `${place}.selector`, errors);
  const field = `${place}.parameterNotFoundAction`;
  if (parameterNotFoundAction === '') errors.push(requiredValue(field));
  else if (!WITHOUT.includes(parameterNotFoundAction)) errors.push(unsupportedValue(field, parameterNotFoundAction, WITHOUT));
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
  const why = 'repeating the same validation failure information in the API response and headers serves no purpose';
  errors.push(invalidShownValue(field, shown, `must not contain both Deny and Warn (${why})`));
}
