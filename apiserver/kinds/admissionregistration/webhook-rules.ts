/**
 * Validates the rules of webhooks and admission policies: operations, groups, versions and resources. `*` means all and
 * must stand alone. Whether the resources exist is not checked: they may be registered later.
 */
import { invalidShownValue, invalidValue, unsupportedValue, requiredValue } from '../../../shared/api/errors/field-error';
import { quote } from '../../../shared/values/text/quote';
import type { Errors } from '../rules/checks';
import type { AdmissionregistrationV1RuleWithOperations } from '../../../shared/api/types/generated/members';

const ALL = '*';
const OPERATIONS = [ALL, 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = [ALL, 'Cluster', 'Namespaced'];

export function checkRuleWithOperations(rule: AdmissionregistrationV1RuleWithOperations, fieldPath: string, errors: Errors): void {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  checkOperations(operations, `${fieldPath}.operations`, errors);
  checkNames(apiGroups, `${fieldPath}.apiGroups`, 'API groups', errors);
  checkNames(apiVersions, `${fieldPath}.apiVersions`, 'API versions', errors);
  checkNoEmptyNames(apiVersions, `${fieldPath}.apiVersions`, errors);
  checkResources(resources, `${fieldPath}.resources`, errors);
  if (scope !== undefined && !SCOPES.includes(scope)) errors.push(unsupportedValue(`${fieldPath}.scope`, scope, SCOPES));
}

function checkOperations(operations: readonly string[], field: string, errors: Errors): void {
  if (operations.length === 0) errors.push(requiredValue(field));
  if (operations.length > 1 && operations.includes(ALL)) {
    const shown = `[]admissionregistration.OperationType{${operations.map((operation) => quote(operation)).join(', ')}}`;
    errors.push(invalidShownValue(field, shown, "if '*' is present, must not specify other operations"));
  }
  operations.forEach((operation, index) => {
    if (!OPERATIONS.includes(operation)) errors.push(unsupportedValue(`${field}[${index}]`, operation, OPERATIONS));
  });
}

function checkNames(names: readonly string[], field: string, plural: string, errors: Errors): void {
  if (names.length === 0) errors.push(requiredValue(field));
  if (names.length > 1 && names.includes(ALL)) {
    errors.push(invalidValue(field, names, `if '*' is present, must not specify other ${plural}`));
  }
}

function checkNoEmptyNames(names: readonly string[], field: string, errors: Errors): void {
  names.forEach((name, index) => {
    if (name === '') errors.push(requiredValue(`${field}[${index}]`));
  });
}

// Rejects entries that another entry covers:
// - `pods/log` after `pods/*` or `*/log`
// - any other entry beside `*/*`
// - an entry without a subresource beside `*`
function checkResources(resources: readonly string[], field: string, errors: Errors): void {
  if (resources.length === 0) errors.push(requiredValue(field));
  const wildcardResources = new Set<string>();
  const wildcardSubresources = new Set<string>();
  resources.forEach((resource, index) => {
    const fieldPath = `${field}[${index}]`;
    if (resource === '') {
      errors.push(requiredValue(fieldPath));
      return;
    }
    const slash = resource.indexOf('/');
    if (slash < 0) return;
    const parent = resource.slice(0, slash);
    const subresource = resource.slice(slash + 1);
    if (wildcardResources.has(parent)) {
      errors.push(invalidValue(fieldPath, resource, `if '${parent}/*' is present, must not specify ${resource}`));
    }
    if (wildcardSubresources.has(subresource)) {
      errors.push(invalidValue(fieldPath, resource, `if '*/${subresource}' is present, must not specify ${resource}`));
    }
    if (subresource === ALL) wildcardResources.add(parent);
    if (parent === ALL) wildcardSubresources.add(subresource);
  });
  const hasOthers = resources.length > 1;
  if (hasOthers && resources.includes('*/*')) {
    errors.push(invalidValue(field, resources, "if '*/*' is present, must not specify other resources"));
  } else if (resources.includes(ALL) && resources.some((resource) => resource !== ALL && !resource.includes('/'))) {
    errors.push(invalidValue(field, resources, "if '*' is present, must not specify other resources without subresources"));
  }
}
