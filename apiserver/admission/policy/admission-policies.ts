/**
 * ValidatingAdmissionPolicies and their bindings, parsed and compiled once for each revision. An expression that does
 * not compile, stored before it was validated, fails when it is evaluated.
 */
import { arrayAt, isObject, objectAt, own, stringAt, stringsAt, type JsonObject } from '../../../shared/values/json';
import { policyVariables } from '../../../shared/expression/admission/variables';
import { compileExpression, type Expression } from '../../../shared/expression/engine';
import type { Type } from '../../../shared/expression/types/type';
import { compileLabelSelector } from '../../../shared/api/selectors/label-selector';
import { requirementsOfSelector } from '../../../shared/api/selectors/object-selector';
import { appendToKey } from '../../../shared/values/append';
import { ruleNamesInBothSpellings } from '../../../shared/names/spellings';
import { readRule, type MatchRule } from '../matching/rules';

type LabelMatcher = ReturnType<typeof compileLabelSelector>;

/** An expression with its text. */
export interface CompiledExpression {
  readonly text: string;
  /** `undefined` when the text does not compile. */
  readonly expression: Expression | undefined;
}

export interface NamedRule {
  readonly rule: MatchRule;
  /** Empty = objects of every name. */
  readonly names: ReadonlySet<string>;
}

/** `matchConstraints` of a policy or `matchResources` of a binding. */
export interface MatchConstraints {
  /** `undefined` = every request matches. */
  readonly rules: readonly NamedRule[] | undefined;
  readonly excluded: readonly NamedRule[];
  readonly isExact: boolean;
  readonly namespaces: LabelMatcher | undefined;
  readonly objects: LabelMatcher | undefined;
}

export interface Validation extends CompiledExpression {
  /** '' = the message names the expression. */
  readonly message: string;
  readonly messageExpression: CompiledExpression | undefined;
  readonly reason: string;
}

export interface AdmissionPolicy {
  readonly name: string;
  readonly matching: MatchConstraints;
  /** `undefined` when the policy has no parameters. */
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly isIgnoredOnFailure: boolean;
  readonly conditions: readonly CompiledExpression[];
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  readonly validations: readonly Validation[];
  readonly annotations: readonly (CompiledExpression & { readonly key: string })[];
}

export interface PolicyBinding {
  readonly name: string;
  readonly policy: string;
  readonly matching: MatchConstraints;
  readonly actions: readonly string[];
  readonly parameters: ParameterReference | undefined;
}

export interface ParameterReference {
  readonly name: string;
  readonly namespace: string;
  readonly selector: LabelMatcher | undefined;
  readonly isNotFoundAllowed: boolean;
}

/** Policies that have bindings, in order of name. */
export class AdmissionPolicies {
  private readonly policies = new Map<string, AdmissionPolicy>();
  private readonly bindings = new Map<string, PolicyBinding>();
  private boundPolicies: readonly BoundPolicy[] | undefined;

  /** Wraps every compilation of an expression, so that its duration can be measured. */
  constructor(private readonly measure: MeasureCompilation = (compile) => compile()) {}

  bound(): readonly BoundPolicy[] {
    return (this.boundPolicies ??= this.joinBindings());
  }

  /** `object` is `undefined` when the policy was deleted. */
  setPolicy(name: string, object: JsonObject | undefined): void {
    if (object === undefined) this.policies.delete(name);
    else this.policies.set(name, readPolicy(name, objectAt(object, 'spec') ?? {}, this.measure));
    this.boundPolicies = undefined;
  }

  setBinding(name: string, object: JsonObject | undefined): void {
    if (object === undefined) this.bindings.delete(name);
    else this.bindings.set(name, readBinding(name, objectAt(object, 'spec') ?? {}));
    this.boundPolicies = undefined;
  }

  private joinBindings(): readonly BoundPolicy[] {
    const byPolicy = new Map<string, PolicyBinding[]>();
    for (const binding of byName(this.bindings.values())) appendToKey(byPolicy, binding.policy, binding);
    return byName(this.policies.values()).flatMap((policy) => {
      const bindings = byPolicy.get(policy.name);
      return bindings === undefined ? [] : [{ policy, bindings }];
    });
  }
}

export interface BoundPolicy {
  readonly policy: AdmissionPolicy;
  readonly bindings: readonly PolicyBinding[];
}

const byName = <T extends { readonly name: string }>(items: Iterable<T>): readonly T[] =>
  [...items].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

const objectsAt = (object: JsonObject | undefined, member: string): readonly JsonObject[] =>
  (arrayAt(object, member) ?? []).filter(isObject);

/** Calls the given function and returns its result. */
export type MeasureCompilation = <T>(compile: () => T) => T;

function readPolicy(name: string, spec: JsonObject, measure: MeasureCompilation): AdmissionPolicy {
  const kind = objectAt(spec, 'paramKind');
  const hasParams = kind !== undefined;
  const variables = new Map<string, CompiledExpression>();
  const types = new Map<string, Type>();
  const compileText = (text: string, authorizer: boolean): CompiledExpression => {
    const compiled = measure(() => compileExpression(text.trim(), policyVariables({ params: hasParams, authorizer, variables: types })));
    return { text: text.trim(), expression: 'fault' in compiled ? undefined : compiled };
  };
  const compileMember = (object: JsonObject, member: string): CompiledExpression => compileText(stringAt(object, member) ?? '', true);
  for (const variable of objectsAt(spec, 'variables')) {
    const compiled = compileMember(variable, 'expression');
    const variableName = stringAt(variable, 'name') ?? '';
    variables.set(variableName, compiled);
    if (compiled.expression !== undefined) types.set(variableName, compiled.expression.type);
  }
  return {
    name,
    matching: readMatchConstraints(objectAt(spec, 'matchConstraints') ?? {}),
    paramKind: hasParams ? { apiVersion: stringAt(kind, 'apiVersion') ?? '', kind: stringAt(kind, 'kind') ?? '' } : undefined,
    isIgnoredOnFailure: stringAt(spec, 'failurePolicy') === 'Ignore',
    conditions: objectsAt(spec, 'matchConditions').map((condition) => compileMember(condition, 'expression')),
    variables,
    validations: objectsAt(spec, 'validations').map((validation) => {
      const messageExpression = (stringAt(validation, 'messageExpression') ?? '').trim();
      return {
        ...compileMember(validation, 'expression'),
        message: (stringAt(validation, 'message') ?? '').trim(),
        messageExpression: messageExpression === '' ? undefined : compileText(messageExpression, false),
        reason: stringAt(validation, 'reason') ?? 'Invalid',
      };
    }),
    annotations: objectsAt(spec, 'auditAnnotations').map((annotation) => ({
      ...compileMember(annotation, 'valueExpression'),
      key: stringAt(annotation, 'key') ?? '',
    })),
  };
}

function readBinding(name: string, spec: JsonObject): PolicyBinding {
  const reference = objectAt(spec, 'paramRef');
  return {
    name,
    policy: stringAt(spec, 'policyName') ?? '',
    matching: readMatchConstraints(objectAt(spec, 'matchResources') ?? {}),
    actions: stringsAt(spec, 'validationActions'),
    parameters:
      reference === undefined
        ? undefined
        : {
            name: stringAt(reference, 'name') ?? '',
            namespace: stringAt(reference, 'namespace') ?? '',
            selector:
              own(reference, 'selector') === undefined
                ? undefined
                : compileLabelSelector(requirementsOfSelector(objectAt(reference, 'selector') ?? {})),
            isNotFoundAllowed: stringAt(reference, 'parameterNotFoundAction') === 'Allow',
          },
  };
}

function readMatchConstraints(match: JsonObject): MatchConstraints {
  const rules = objectsAt(match, 'resourceRules').map(readNamedRule);
  return {
    rules: rules.length === 0 ? undefined : rules,
    excluded: objectsAt(match, 'excludeResourceRules').map(readNamedRule),
    isExact: stringAt(match, 'matchPolicy') === 'Exact',
    namespaces: selectorOf(objectAt(match, 'namespaceSelector')),
    objects: selectorOf(objectAt(match, 'objectSelector')),
  };
}

const readNamedRule = (rule: JsonObject): NamedRule => ({
  rule: readRule(rule),
  names: new Set(ruleNamesInBothSpellings(stringsAt(rule, 'resources'), stringsAt(rule, 'resourceNames'))),
});

function selectorOf(selector: JsonObject | undefined): LabelMatcher | undefined {
  const requirements = requirementsOfSelector(selector ?? {});
  return requirements.length === 0 ? undefined : compileLabelSelector(requirements);
}
