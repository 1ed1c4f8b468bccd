/**
 * ResourceQuota strategy: resource names, quantities, and scopes that fit the resources. `scopes` is immutable, the
 * scope selector is not. Usage is computed by the quota controller and the ResourceQuota plug-in.
 */
import { invalidShownValue, invalidValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { sortedKeys, stringAt } from '../../../../shared/values/json';
import { quote } from '../../../../shared/values/text/quote';
import type { Errors } from '../../rules/checks';
import { checkResourceQuantity, checkQuotaResource, isStandardQuotaResource } from '../../rules/resource-names';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import type {
  CoreV1ResourceQuota,
  CoreV1ResourceQuotaSpec,
  CoreV1ScopedResourceSelectorRequirement,
} from '../../../../shared/api/types/generated/members';

/** Resources that a scoped quota may limit. */
const POD_RESOURCES = ['pods', 'cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

/** Scopes with the resources that they apply to. `hasValues`: whether a selector may name values of the scope. */
const SCOPES: ReadonlyMap<string, { readonly resources: readonly string[]; readonly hasValues?: true }> = new Map([
  ['Terminating', { resources: POD_RESOURCES }],
  ['NotTerminating', { resources: POD_RESOURCES }],
  ['BestEffort', { resources: ['pods'] }],
  ['NotBestEffort', { resources: POD_RESOURCES }],
  ['PriorityClass', { resources: POD_RESOURCES, hasValues: true as const }],
  ['CrossNamespacePodAffinity', { resources: POD_RESOURCES }],
]);
const CONFLICTING_SCOPES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

export const resourceQuota: Strategy<CoreV1ResourceQuota> = {
  validate: (object) => validateSpec(object.spec ?? {}),
  update: { stages: UPDATE.bareObjectThenChange, validate: validateScopesUnchanged },
  status: {
    validate(object) {
      const errors: Errors = [];
      for (const member of ['hard', 'used'] as const) checkQuantities(object.status?.[member], `status.${member}`, errors);
      return errors;
    },
  },
};

function validateSpec(spec: CoreV1ResourceQuotaSpec): readonly FieldError[] {
  const errors: Errors = [];
  checkQuantities(spec.hard, 'spec.hard', errors);
  checkScopes(spec, errors);
  checkSelectedScopes(spec, errors);
  return errors;
}

function checkQuantities(quantities: Record<string, string> | undefined, fieldPath: string, errors: Errors): void {
  for (const name of sortedKeys(quantities ?? {})) {
    const field = `${fieldPath}[${name}]`;
    checkQuotaResource(name, field, errors);
    checkResourceQuantity(name, stringAt(quantities, name) ?? '0', field, errors);
  }
}

const MISAPPLIED_SCOPE = 'unsupported scope applied to resource';
/** One error for each pair of a scope and a resource. Clients choose the numbers of both, so the product is limited. */
const MAX_MISAPPLIED_ERRORS = 1000;

function checkScopes(spec: CoreV1ResourceQuotaSpec, errors: Errors): void {
  const scopes = spec.scopes ?? [];
  const shown = formatGoScopes(scopes);
  const scopesError = (text: string): FieldError => invalidShownValue('spec.scopes', shown, text);
  const unsupported = scopesError('unsupported scope');
  const checkApplied = createAppliedCheck(spec, scopesError(MISAPPLIED_SCOPE), errors);
  for (const scope of scopes) {
    if (!SCOPES.has(scope)) errors.push(unsupported);
    checkApplied(scope);
  }
  if (hasConflictingScopes(scopes)) errors.push(scopesError('conflicting scopes'));
}

/**
 * Returns a check of one scope that adds `error` for every standard resource that the scope does not apply to.
 * Resources with a domain accept any scope.
 */
function createAppliedCheck(spec: CoreV1ResourceQuotaSpec, error: FieldError, errors: Errors): (scope: string) => void {
  const standardResources = Object.keys(spec.hard ?? {}).filter(isStandardQuotaResource);
  /** By scope, the number of resources that it does not apply to. */
  const misappliedCounts = new Map<string, number>();
  for (const [scope, { resources }] of SCOPES) {
    misappliedCounts.set(scope, standardResources.filter((name) => !resources.includes(name)).length);
  }
  let reportedCount = 0;
  return (scope) => {
    const count = Math.min(misappliedCounts.get(scope) ?? 0, MAX_MISAPPLIED_ERRORS - reportedCount);
    reportedCount += count;
    for (let index = 0; index < count; index += 1) errors.push(error);
  };
}

const hasConflictingScopes = (scopes: readonly string[]): boolean =>
  CONFLICTING_SCOPES.some((pair) => pair.every((scope) => scopes.includes(scope)));

function checkSelectedScopes(spec: CoreV1ResourceQuotaSpec, errors: Errors): void {
  const fieldPath = 'spec.scopeSelector.matchExpressions';
  const selector = spec.scopeSelector ?? {};
  const expressions = selector.matchExpressions ?? [];
  const checkApplied = createAppliedCheck(spec, invalidValue(fieldPath, selector, MISAPPLIED_SCOPE), errors);
  for (const expression of expressions) {
    const scope = expression.scopeName ?? '';
    if (!SCOPES.has(scope)) errors.push(invalidValue(`${fieldPath}.scopeName`, scope, 'unsupported scope'));
    checkApplied(scope);
    checkOperator(expression, scope, fieldPath, errors);
  }
  const scopes = expressions.map((expression) => expression.scopeName ?? '');
  if (hasConflictingScopes(scopes)) errors.push(invalidShownValue(fieldPath, formatGoScopes(spec.scopes ?? []), 'conflicting scopes'));
}

const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, " +
  'ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';

function checkOperator(expression: CoreV1ScopedResourceSelectorRequirement, scope: string, fieldPath: string, errors: Errors): void {
  const operator = expression.operator ?? '';
  const values = expression.values ?? [];
  const supported = SCOPES.get(scope);
  if (supported !== undefined && supported.hasValues !== true && operator !== 'Exists') {
    errors.push(invalidValue(`${fieldPath}.operator`, operator, ONLY_EXISTS));
  }
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return;
      errors.push(requiredValue(`${fieldPath}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"));
      return;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return;
      errors.push(
        invalidValue(`${fieldPath}.values`, values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"),
      );
      return;
    default:
      errors.push(invalidValue(`${fieldPath}.operator`, operator, 'not a valid selector operator'));
  }
}

function validateScopesUnchanged(object: CoreV1ResourceQuota, old: CoreV1ResourceQuota): readonly FieldError[] {
  const scopes = object.spec?.scopes ?? [];
  const oldScopes = new Set(old.spec?.scopes);
  const isSame = new Set(scopes).size === oldScopes.size && scopes.every((scope) => oldScopes.has(scope));
  return isSame ? [] : [invalidShownValue('spec.scopes', formatGoScopes(scopes), 'field is immutable')];
}

/** The scopes as Go's `%#v` prints them. */
const formatGoScopes = (scopes: readonly string[]): string =>
  `[]core.ResourceQuotaScope${scopes.length === 0 ? '(nil)' : `{${scopes.map((scope) => quote(scope)).join(', ')}}`}`;
