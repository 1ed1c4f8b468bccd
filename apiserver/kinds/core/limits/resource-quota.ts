/** ResourceQuota: what may be limited, and for which pods. Counts nothing. */
import { invalidAs, invalidValue, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { type JsonObject, objectAt, sortedKeys, stringAt, stringsAt } from '../../../../shared/values/json';
import { quote } from '../../../../shared/values/quote';
import { listed } from '../../rules/field-rules';
import { countErrors, isStandardQuota, quotaResourceErrors } from '../../rules/resource-names';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';

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

export const resourceQuota: Strategy = {
  validate: (object) => specErrors(objectAt(object, 'spec') ?? {}),
  update: { stages: UPDATE.objectThenChange, validate: sameScopes },
  status: {
    validate(object) {
      const status = objectAt(object, 'status') ?? {};
      return ['hard', 'used'].flatMap((member) => amountErrors(objectAt(status, member), `status.${member}`));
    },
  },
};

function specErrors(spec: JsonObject): readonly FieldError[] {
  return [...amountErrors(objectAt(spec, 'hard'), 'spec.hard'), ...scopeErrors(spec), ...selectorErrors(spec)];
}

function amountErrors(amounts: JsonObject | undefined, place: string): readonly FieldError[] {
  return sortedKeys(amounts ?? {}).flatMap((name) => {
    const field = `${place}[${name}]`;
    return [...quotaResourceErrors(name, field), ...countErrors(name, stringAt(amounts, name) ?? '0', field)];
  });
}

function scopeErrors(spec: JsonObject): readonly FieldError[] {
  const scopes = stringsAt(spec, 'scopes');
  const refused = (text: string): FieldError => invalidAs('spec.scopes', goScopes(scopes), text);
  const errors = scopes.flatMap((scope) => [
    ...(SCOPES.has(scope) ? [] : [refused('unsupported scope')]),
    ...misapplied(spec, scope).map(() => refused('unsupported scope applied to resource')),
  ]);
  return contradict(scopes) ? [...errors, refused('conflicting scopes')] : errors;
}

/** Resources of the quota that the scope cannot be applied to; those of a domain take any. */
function misapplied(spec: JsonObject, scope: string): readonly string[] {
  const known = SCOPES.get(scope);
  if (known === undefined) return [];
  return Object.keys(objectAt(spec, 'hard') ?? {}).filter((name) => isStandardQuota(name) && !known.resources.includes(name));
}

const contradict = (scopes: readonly string[]): boolean => CONTRADICTIONS.some((pair) => pair.every((scope) => scopes.includes(scope)));

function selectorErrors(spec: JsonObject): readonly FieldError[] {
  const place = 'spec.scopeSelector.matchExpressions';
  const expressions = listed(objectAt(spec, 'scopeSelector'), 'matchExpressions');
  const errors = expressions.flatMap((expression) => {
    const scope = stringAt(expression, 'scopeName') ?? '';
    return [
      ...(SCOPES.has(scope) ? [] : [invalidValue(`${place}.scopeName`, scope, 'unsupported scope')]),
      ...misapplied(spec, scope).map(() =>
        invalidValue(place, objectAt(spec, 'scopeSelector') ?? {}, 'unsupported scope applied to resource'),
      ),
      ...operatorErrors(expression, scope, place),
    ];
  });
  const scopes = expressions.map((expression) => stringAt(expression, 'scopeName') ?? '');
  return contradict(scopes) ? [...errors, invalidAs(place, goScopes(stringsAt(spec, 'scopes')), 'conflicting scopes')] : errors;
}

const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, " +
  'ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';

function operatorErrors(expression: JsonObject, scope: string, place: string): readonly FieldError[] {
  const operator = stringAt(expression, 'operator') ?? '';
  const values = stringsAt(expression, 'values');
  const known = SCOPES.get(scope);
  const errors: FieldError[] = [];
  if (known !== undefined && known.hasValues !== true && operator !== 'Exists') {
    errors.push(invalidValue(`${place}.operator`, operator, ONLY_EXISTS));
  }
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return errors;
      return [...errors, required(`${place}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return errors;
      return [
        ...errors,
        invalidValue(`${place}.values`, values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"),
      ];
    default:
      return [...errors, invalidValue(`${place}.operator`, operator, 'not a valid selector operator')];
  }
}

function sameScopes(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [scopes, before] = [object, old].map((quota) => stringsAt(objectAt(quota, 'spec') ?? {}, 'scopes'));
  const then = new Set(before);
  const isSame = new Set(scopes).size === then.size && (scopes ?? []).every((scope) => then.has(scope));
  return isSame ? [] : [invalidAs('spec.scopes', goScopes(scopes ?? []), 'field is immutable')];
}

const goScopes = (scopes: readonly string[]): string =>
  `[]core.ResourceQuotaScope${scopes.length === 0 ? '(nil)' : `{${scopes.map((scope) => quote(scope)).join(', ')}}`}`;
