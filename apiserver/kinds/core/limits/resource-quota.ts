/** ResourceQuota: what may be limited, and for which pods. Counts nothing. */
import { invalidShownValue, invalidValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { sortedKeys, stringAt } from '../../../../shared/values/json';
import { quote } from '../../../../shared/values/quote';
import type { Errors } from '../../rules/checks';
import { checkAmount, checkQuotaResource, isStandardQuota } from '../../rules/resource-names';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import type {
  CoreV1ResourceQuota,
  CoreV1ResourceQuotaSpec,
  CoreV1ScopedResourceSelectorRequirement,
} from '../../../../shared/api/types/generated/members';

/** Resources that can be limited for some pods only. */
const OF_PODS = ['pods', 'cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

/** Scopes with what they can be limited to. */
const SCOPES: ReadonlyMap<string, { readonly resources: readonly string[]; readonly hasValues?: true }> = new Map([
  ['Terminating', { resources: OF_PODS }],
  ['NotTerminating', { resources: OF_PODS }],
  ['BestEffort', { resources: ['pods'] }],
  ['NotBestEffort', { resources: OF_PODS }],
  ['PriorityClass', { resources: OF_PODS, hasValues: true as const }],
  ['CrossNamespacePodAffinity', { resources: OF_PODS }],
]);
const CONTRADICTIONS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

export const resourceQuota: Strategy<CoreV1ResourceQuota> = {
  validate: (object) => specErrors(object.spec ?? {}),
  update: { stages: UPDATE.bareObjectThenChange, validate: sameScopes },
  status: {
    validate(object) {
      const errors: Errors = [];
      for (const member of ['hard', 'used'] as const) checkAmounts(object.status?.[member], `status.${member}`, errors);
      return errors;
    },
  },
};

function specErrors(spec: CoreV1ResourceQuotaSpec): readonly FieldError[] {
  const errors: Errors = [];
  checkAmounts(spec.hard, 'spec.hard', errors);
  checkScopes(spec, errors);
  checkSelectedScopes(spec, errors);
  return errors;
}

function checkAmounts(amounts: Record<string, string> | undefined, place: string, errors: Errors): void {
  for (const name of sortedKeys(amounts ?? {})) {
    const field = `${place}[${name}]`;
    checkQuotaResource(name, field, errors);
    checkAmount(name, stringAt(amounts, name) ?? '0', field, errors);
  }
}

function checkScopes(spec: CoreV1ResourceQuotaSpec, errors: Errors): void {
  const scopes = spec.scopes ?? [];
  const shown = goScopes(scopes);
  const refused = (text: string): FieldError => invalidShownValue('spec.scopes', shown, text);
  const unsupported = refused('unsupported scope');
  const checkApplied = appliedCheck(spec, refused(MISAPPLIED), errors);
  for (const scope of scopes) {
    if (!SCOPES.has(scope)) errors.push(unsupported);
    checkApplied(scope);
  }
  if (contradict(scopes)) errors.push(refused('conflicting scopes'));
}

const MISAPPLIED = 'unsupported scope applied to resource';
/** Clients choose how many scopes there are, and how many resources. */
const MOST_MISAPPLIED = 1000;

/** The check of a scope of a quota: adds `error` for every resource that it cannot be applied to; those of a domain take any. */
function appliedCheck(spec: CoreV1ResourceQuotaSpec, error: FieldError, errors: Errors): (scope: string) => void {
  const names = Object.keys(spec.hard ?? {}).filter(isStandardQuota);
  const counts = new Map<string, number>();
  for (const [scope, { resources }] of SCOPES) counts.set(scope, names.filter((name) => !resources.includes(name)).length);
  let told = 0;
  return (scope) => {
    for (let left = counts.get(scope) ?? 0; left > 0 && told < MOST_MISAPPLIED; left -= 1) {
      errors.push(error);
      told += 1;
    }
  };
}

const contradict = (scopes: readonly string[]): boolean => CONTRADICTIONS.some((pair) => pair.every((scope) => scopes.includes(scope)));

function checkSelectedScopes(spec: CoreV1ResourceQuotaSpec, errors: Errors): void {
  const place = 'spec.scopeSelector.matchExpressions';
  const selector = spec.scopeSelector ?? {};
  const expressions = selector.matchExpressions ?? [];
  const checkApplied = appliedCheck(spec, invalidValue(place, selector, MISAPPLIED), errors);
  for (const expression of expressions) {
    const scope = expression.scopeName ?? '';
    if (!SCOPES.has(scope)) errors.push(invalidValue(`${place}.scopeName`, scope, 'unsupported scope'));
    checkApplied(scope);
    checkOperator(expression, scope, place, errors);
  }
  const scopes = expressions.map((expression) => expression.scopeName ?? '');
  if (contradict(scopes)) errors.push(invalidShownValue(place, goScopes(spec.scopes ?? []), 'conflicting scopes'));
}

const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, " +
  'ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';

function checkOperator(expression: CoreV1ScopedResourceSelectorRequirement, scope: string, place: string, errors: Errors): void {
  const operator = expression.operator ?? '';
  const values = expression.values ?? [];
  const known = SCOPES.get(scope);
  if (known !== undefined && known.hasValues !== true && operator !== 'Exists') {
    errors.push(invalidValue(`${place}.operator`, operator, ONLY_EXISTS));
  }
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return;
      errors.push(requiredValue(`${place}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"));
      return;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return;
      errors.push(
        invalidValue(`${place}.values`, values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"),
      );
      return;
    default:
      errors.push(invalidValue(`${place}.operator`, operator, 'not a valid selector operator'));
  }
}

function sameScopes(object: CoreV1ResourceQuota, old: CoreV1ResourceQuota): readonly FieldError[] {
  const scopes = object.spec?.scopes ?? [];
  const then = new Set(old.spec?.scopes);
  const isSame = new Set(scopes).size === then.size && scopes.every((scope) => then.has(scope));
  return isSame ? [] : [invalidShownValue('spec.scopes', goScopes(scopes), 'field is immutable')];
}

const goScopes = (scopes: readonly string[]): string =>
  `[]core.ResourceQuotaScope${scopes.length === 0 ? '(nil)' : `{${scopes.map((scope) => quote(scope)).join(', ')}}`}`;
