/**
 * ValidatingAdmissionPolicy strategy. Every expression must compile to the type that its field requires, with the
 * variables that the field has; nothing is evaluated here. Evaluation is left to admission/policy, and the types of
 * the objects that a policy matches to the policy status controller.
 */
import { duplicateValue, invalidShownValue, invalidValue, requiredValue } from '../../../shared/api/errors/field-error';
import type {
  AdmissionregistrationV1AuditAnnotation,
  AdmissionregistrationV1ParamKind,
  AdmissionregistrationV1ValidatingAdmissionPolicy,
  AdmissionregistrationV1ValidatingAdmissionPolicySpec,
  AdmissionregistrationV1Validation,
} from '../../../shared/api/types/generated/members';
import { policyVariables, type PolicyVariables } from '../../../shared/expression/admission/variables';
import { compileExpression } from '../../../shared/expression/engine';
import { DYN, type Type } from '../../../shared/expression/types/type';
import { checkDns1035Label, checkDnsSubdomain, checkQualifiedName } from '../../../shared/values/name-formats';
import { quote } from '../../../shared/values/text/quote';
import type { Strategy } from '../../registry/strategy';
import { checkEnum, checkFormat, type Errors } from '../rules/checks';
import { checkMatchConditions, compileFieldError } from './match-conditions';
import { checkMatchResources } from './match-resources';

type Spec = AdmissionregistrationV1ValidatingAdmissionPolicySpec;

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const MAX_AUDIT_ANNOTATIONS = 20;
const MAX_VALUE_EXPRESSION_LENGTH = 5 * 1024;
const EMPTY_POLICY_TEXT = 'validations or auditAnnotations must contain at least one item';

export const validatingAdmissionPolicy: Strategy<AdmissionregistrationV1ValidatingAdmissionPolicy> = {
  validate: ({ metadata, spec = {} }) => validatePolicySpec(spec, metadata?.name ?? ''),
  update: { validate: ({ metadata, spec = {} }) => validatePolicySpec(spec, metadata?.name ?? '') },
  // Even short expressions may take long to compile, so every write runs in a worker thread.
  maxInlineBytes: 0,
};

function validatePolicySpec(spec: Spec, name: string): Errors {
  const errors: Errors = [];
  checkEnum(spec, 'failurePolicy', 'spec', FAILURE_POLICIES, errors);
  if (spec.paramKind !== undefined) checkParamKind(spec.paramKind, errors);
  checkMatchConstraints(spec, errors);
  const hasParams = spec.paramKind !== undefined;
  checkMatchConditions(spec.matchConditions ?? [], 'spec.matchConditions', errors, policyVariables({ hasParams, hasAuthorizer: true }));
  const hasVariables = (spec.variables ?? []).length > 0;
  const variables = checkVariables(spec, errors);
  const variablesFor: VariablesFor = ({ hasAuthorizer }) => ({ hasParams, hasAuthorizer, ...(hasVariables && { variables }) });
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length + auditAnnotations.length === 0) {
    errors.push(requiredValue('spec.validations', EMPTY_POLICY_TEXT), requiredValue('spec.auditAnnotations', EMPTY_POLICY_TEXT));
  }
  validations.forEach((validation, index) => checkValidation(validation, `spec.validations[${index}]`, variablesFor, errors));
  checkAuditAnnotations(auditAnnotations, name, variablesFor({ hasAuthorizer: true }), errors);
  return errors;
}

function checkParamKind({ apiVersion = '', kind = '' }: AdmissionregistrationV1ParamKind, errors: Errors): void {
  if (apiVersion === '') errors.push(requiredValue('spec.paramKind.apiVersion'));
  else checkApiVersion(apiVersion, errors);
  if (kind === '') {
    errors.push(requiredValue('spec.paramKind.kind'));
    return;
  }
  const reasons = checkDns1035Label(kind.toLowerCase());
  if (reasons.length === 0) return;
  errors.push(invalidValue('spec.paramKind.kind', kind, `may have mixed case, but should otherwise match: ${reasons.join(',')}`));
}

function checkApiVersion(apiVersion: string, errors: Errors): void {
  const field = 'spec.paramKind.apiVersion';
  const parts = apiVersion.split('/');
  if (parts.length > 2) {
    errors.push(invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
    return;
  }
  const [group = '', version = ''] = parts.length === 2 ? parts : ['', apiVersion];
  if (version === '') {
    errors.push(invalidValue(field, apiVersion, 'version must be specified'));
    return;
  }
  if (group !== '') for (const error of checkDnsSubdomain(group)) errors.push(invalidValue(field, group, error));
  for (const error of checkDns1035Label(version)) errors.push(invalidValue(field, version, error));
}

function checkMatchConstraints({ matchConstraints }: Spec, errors: Errors): void {
  if (matchConstraints === undefined) {
    errors.push(requiredValue('spec.matchConstraints'));
    return;
  }
  checkMatchResources(matchConstraints, 'spec.matchConstraints', errors);
  if ((matchConstraints.resourceRules ?? []).length === 0) errors.push(requiredValue('spec.matchConstraints.resourceRules'));
}

/** An identifier of CEL, or one of its reserved words. */
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED_WORDS: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if'],
  ...['import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

/** Returns the types of the variables by name. Each variable may use the earlier ones. */
function checkVariables({ variables = [], paramKind }: Spec, errors: Errors): ReadonlyMap<string, Type> {
  const hasParams = paramKind !== undefined;
  const types = new Map<string, Type>();
  variables.forEach(({ name = '', expression = '' }, index) => {
    const fieldPath = `spec.variables[${index}]`;
    checkVariableName(name, `${fieldPath}.name`, errors);
    if (expression.trim() === '') {
      errors.push(requiredValue(`${fieldPath}.expression`, 'expression is not specified'));
      return;
    }
    const compiled = compileExpression(expression, policyVariables({ hasParams, hasAuthorizer: true, variables: types }));
    if ('error' in compiled) errors.push(compileFieldError(`${fieldPath}.expression`, expression, compiled));
    // A failed variable has a dynamic type, so that later ones report no consequential errors.
    types.set(name, 'error' in compiled ? DYN : compiled.type);
  });
  return types;
}

function checkVariableName(name: string, field: string, errors: Errors): void {
  if (name.trim() === '') errors.push(requiredValue(field, 'name is not specified'));
  else if (!IDENTIFIER.test(name) || RESERVED_WORDS.has(name)) {
    errors.push(invalidValue(field, name, 'name is not a valid CEL identifier'));
  }
}

/** Returns the variables that an expression may use. Expressions of messages may not use the authorizer. */
type VariablesFor = (options: { readonly hasAuthorizer: boolean }) => PolicyVariables;

function checkValidation(
  validation: AdmissionregistrationV1Validation,
  fieldPath: string,
  variablesFor: VariablesFor,
  errors: Errors,
): void {
  const { expression = '', message = '', messageExpression = '' } = validation;
  checkRequiredExpression(
    expression,
    `${fieldPath}.expression`,
    { variables: variablesFor({ hasAuthorizer: true }), types: ['bool'] },
    errors,
  );
  const messageRules: ExpressionRules = { variables: variablesFor({ hasAuthorizer: false }), types: ['string'] };
  if (messageExpression !== '') checkMessageExpression(messageExpression, `${fieldPath}.messageExpression`, messageRules, errors);
  if (message !== '') checkMessage(message, `${fieldPath}.message`, errors);
  checkEnum(validation, 'reason', fieldPath, REASONS, errors);
}

function checkRequiredExpression(expression: string, field: string, rules: ExpressionRules, errors: Errors): void {
  if (expression.trim() === '') errors.push(requiredValue(field, 'expression is not specified'));
  else checkExpression(expression, field, rules, errors);
}

function checkMessageExpression(expression: string, field: string, rules: ExpressionRules, errors: Errors): void {
  if (expression.trim() === '') errors.push(invalidValue(field, expression, 'must be non-empty if specified'));
  else checkExpression(expression, field, rules, errors);
}

function checkMessage(message: string, field: string, errors: Errors): void {
  if (message.trim() === '') errors.push(invalidValue(field, message, 'message must be non-empty if specified'));
  else if (message.trim().includes('\n')) errors.push(invalidValue(field, message, 'message must not contain line breaks'));
}

/** The names of types in messages, where they differ from {@link Type.kind}. */
const TYPE_NAMES: Readonly<Record<string, string>> = { null: 'null_type' };

/** The variables of an expression, and the types to which it may evaluate. */
interface ExpressionRules {
  readonly variables: PolicyVariables;
  readonly types: readonly Type['kind'][];
}

/** Reports the first error of the compiler, or else the wrong type of the result. */
function checkExpression(expression: string, field: string, { variables, types }: ExpressionRules, errors: Errors): void {
  const compiled = compileExpression(expression, policyVariables(variables));
  if ('error' in compiled) {
    errors.push(compileFieldError(field, expression, compiled));
    return;
  }
  if (types.includes(compiled.type.kind)) return;
  const names = types.map((kind) => TYPE_NAMES[kind] ?? kind);
  const expected = names.length === 1 ? names.join('') : `one of [${names.join(' ')}]`;
  errors.push(invalidValue(field, expression, `must evaluate to ${expected}`));
}

/** The annotations as Go's `%#v` prints them in upstream's message. */
function formatGoAuditAnnotations(annotations: readonly AdmissionregistrationV1AuditAnnotation[]): string {
  const type = 'admissionregistration.AuditAnnotation';
  const items = annotations.map(
    ({ key = '', valueExpression = '' }) => `${type}{Key:${quote(key)}, ValueExpression:${quote(valueExpression)}}`,
  );
  return `[]${type}{${items.join(', ')}}`;
}

/** `name`: the name of the policy, which is a prefix of the key in the audit log. */
function checkAuditAnnotations(
  annotations: readonly AdmissionregistrationV1AuditAnnotation[],
  name: string,
  variables: PolicyVariables,
  errors: Errors,
): void {
  if (annotations.length > MAX_AUDIT_ANNOTATIONS) {
    const shown = formatGoAuditAnnotations(annotations);
    errors.push(invalidShownValue('spec.auditAnnotations', shown, `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`));
    return;
  }
  const keys = new Set<string>();
  annotations.forEach(({ key = '', valueExpression = '' }, index) => {
    const fieldPath = `spec.auditAnnotations[${index}]`;
    checkFormat(`${name}/${key}`, `${fieldPath}.key`, checkQualifiedName, errors);
    const field = `${fieldPath}.valueExpression`;
    if (valueExpression.trim() === '') errors.push(requiredValue(field, 'valueExpression is not specified'));
    else if (Buffer.byteLength(valueExpression) > MAX_VALUE_EXPRESSION_LENGTH) {
      errors.push(requiredValue(field, `must not exceed ${MAX_VALUE_EXPRESSION_LENGTH} bytes in length`));
    } else checkExpression(valueExpression, field, { variables, types: ['string', 'null'] }, errors);
    if (keys.has(key)) errors.push(duplicateValue(`${fieldPath}.key`, key));
    keys.add(key);
  });
}
