/**
 * ValidatingAdmissionPolicies and their bindings, parsed and compiled once for each revision. An object may have been
 * stored by a release with other rules, so an expression need not compile: it then fails when it is evaluated. Evaluation
 * is left to evaluate-policy.ts.
 */
import type {
  AdmissionregistrationV1MatchResources,
  AdmissionregistrationV1NamedRuleWithOperations,
  AdmissionregistrationV1ParamRef,
  AdmissionregistrationV1ValidatingAdmissionPolicy,
  AdmissionregistrationV1ValidatingAdmissionPolicyBinding,
  AdmissionregistrationV1ValidatingAdmissionPolicyBindingSpec,
  AdmissionregistrationV1ValidatingAdmissionPolicySpec,
  MetaV1LabelSelector,
} from '../../../shared/api/types/generated/members';
import { policyVariables } from '../../../shared/expression/admission/variables';
import { compileExpression, type Expression } from '../../../shared/expression/engine';
import type { Type } from '../../../shared/expression/types/type';
import { compileLabelSelector } from '../../../shared/api/selectors/label-selector';
import { requirementsOfSelector } from '../../../shared/api/selectors/object-selector';
import { appendToKey } from '../../../shared/values/append';
import { ruleNamesInBothSpellings } from '../../../shared/names/spellings';
import { readRule, type MatchRule } from '../matching/rules';

/** Whether the labels of an object match a selector. */
type LabelMatcher = ReturnType<typeof compileLabelSelector>;

/** An expression with its text. */
export interface CompiledExpression {
  readonly text: string;
  /** `undefined` when the text does not compile. */
  readonly expression: Expression | undefined;
}

/** A rule that may be limited to objects of some names. */
export interface NamedRule {
  readonly rule: MatchRule;
  /** Empty = objects of every name. */
  readonly names: ReadonlySet<string>;
}

/** `matchConstraints` of a policy or `matchResources` of a binding. */
export interface MatchConstraints {
  /** `undefined` = every request matches. */
  readonly rules: readonly NamedRule[] | undefined;
  /** A request that matches one of these rules does not match, whatever `rules` contains. */
  readonly excluded: readonly NamedRule[];
  /** `matchPolicy` is Exact: requests for other versions of a resource do not match. */
  readonly isExact: boolean;
  /** `undefined` = every namespace is selected. */
  readonly namespaces: LabelMatcher | undefined;
  /** `undefined` = every object is selected. */
  readonly objects: LabelMatcher | undefined;
}

/** An expression that must be true, and the rejection when it is not. */
export interface Validation extends CompiledExpression {
  /** '' = the message names the expression. */
  readonly message: string;
  /** `undefined` = `message` is used. */
  readonly messageExpression: CompiledExpression | undefined;
  /** Determines the status code: `Invalid`, `Forbidden`, `Unauthorized` or `RequestEntityTooLarge`. */
  readonly reason: string;
}

/** A compiled policy. */
export interface AdmissionPolicy {
  readonly name: string;
  readonly matching: MatchConstraints;
  /** `undefined` when the policy has no parameters. */
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** `failurePolicy` is Ignore: an expression that fails does not deny. */
  readonly isIgnoredOnFailure: boolean;
  /** `matchConditions`: when one of them is false, the policy does not apply to the request. */
  readonly conditions: readonly CompiledExpression[];
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  readonly validations: readonly Validation[];
  /** Audit annotations: each expression computes the value for its key. */
  readonly annotations: readonly (CompiledExpression & { readonly key: string })[];
}

/** A binding, which applies its policy to the requests that match both the policy and the binding. */
export interface PolicyBinding {
  readonly name: string;
  /** Name of the policy, which need not exist. */
  readonly policy: string;
  readonly matching: MatchConstraints;
  /** `Deny`, `Warn`, `Audit`. */
  readonly actions: readonly string[];
  /** `undefined` when the binding has no `paramRef`. */
  readonly parameters: ParameterReference | undefined;
}

/** Which objects are the parameters of a binding. */
export interface ParameterReference {
  /** '' when the parameters are selected by label. */
  readonly name: string;
  /** '' = that of the request, or none for a cluster-scoped kind. */
  readonly namespace: string;
  /** `undefined` when the parameter is referenced by name. */
  readonly selector: LabelMatcher | undefined;
  /**
   * `parameterNotFoundAction` is Allow: when no parameter is found, the policy is not evaluated. Otherwise that is an
   * error, which the failure policy decides about.
   */
  readonly isNotFoundAllowed: boolean;
}

/** The policies and bindings that this replica has seen. */
export class AdmissionPolicies {
  private readonly policies = new Map<string, AdmissionPolicy>();
  private readonly bindings = new Map<string, PolicyBinding>();
  /** `undefined` after a change, and before the first call of {@link bound}. */
  private boundPolicies: readonly BoundPolicy[] | undefined;

  /** Wraps every compilation of an expression, so that its duration can be measured. */
  constructor(private readonly measure: MeasureCompilation = (compile) => compile()) {}

  /** The policies that have bindings, in order of name. Cached until a policy or binding changes. */
  bound(): readonly BoundPolicy[] {
    return (this.boundPolicies ??= this.joinBindings());
  }

  /** `object` is `undefined` when the policy was deleted. */
  setPolicy(name: string, object: AdmissionregistrationV1ValidatingAdmissionPolicy | undefined): void {
    if (object === undefined) this.policies.delete(name);
    else this.policies.set(name, readPolicy(name, object.spec ?? {}, this.measure));
    this.boundPolicies = undefined;
  }

  /** `object` is `undefined` when the binding was deleted. */
  setBinding(name: string, object: AdmissionregistrationV1ValidatingAdmissionPolicyBinding | undefined): void {
    if (object === undefined) this.bindings.delete(name);
    else this.bindings.set(name, readBinding(name, object.spec ?? {}));
    this.boundPolicies = undefined;
  }

  private joinBindings(): readonly BoundPolicy[] {
    const byPolicy = new Map<string, PolicyBinding[]>();
    for (const binding of sortedByName(this.bindings.values())) appendToKey(byPolicy, binding.policy, binding);
    return sortedByName(this.policies.values()).flatMap((policy) => {
      const bindings = byPolicy.get(policy.name);
      return bindings === undefined ? [] : [{ policy, bindings }];
    });
  }
}

/** A policy with its bindings in order of name, at least one. */
export interface BoundPolicy {
  readonly policy: AdmissionPolicy;
  readonly bindings: readonly PolicyBinding[];
}

const sortedByName = <T extends { readonly name: string }>(items: Iterable<T>): readonly T[] =>
  [...items].sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));

/** Calls `compile` and returns its result. */
export type MeasureCompilation = <T>(compile: () => T) => T;

/** Compiles the expressions of a policy. */
function readPolicy(
  name: string,
  spec: AdmissionregistrationV1ValidatingAdmissionPolicySpec,
  measure: MeasureCompilation,
): AdmissionPolicy {
  const { paramKind } = spec;
  const hasParams = paramKind !== undefined;
  const variables = new Map<string, CompiledExpression>();
  /** The types of the variables compiled so far: an expression can use the variables before it. */
  const types = new Map<string, Type>();
  const compileText = (expression = '', { hasAuthorizer } = { hasAuthorizer: true }): CompiledExpression => {
    const text = expression.trim();
    const compiled = measure(() => compileExpression(text, policyVariables({ hasParams, hasAuthorizer, variables: types })));
    return { text, expression: 'error' in compiled ? undefined : compiled };
  };
  for (const { name: variableName = '', expression } of spec.variables ?? []) {
    const compiled = compileText(expression);
    variables.set(variableName, compiled);
    if (compiled.expression !== undefined) types.set(variableName, compiled.expression.type);
  }
  return {
    name,
    matching: readMatchConstraints(spec.matchConstraints),
    paramKind: hasParams ? { apiVersion: paramKind.apiVersion ?? '', kind: paramKind.kind ?? '' } : undefined,
    isIgnoredOnFailure: spec.failurePolicy === 'Ignore',
    conditions: (spec.matchConditions ?? []).map(({ expression }) => compileText(expression)),
    variables,
    validations: (spec.validations ?? []).map(({ expression, message = '', messageExpression = '', reason = 'Invalid' }) => ({
      ...compileText(expression),
      message: message.trim(),
      messageExpression: messageExpression.trim() === '' ? undefined : compileText(messageExpression, { hasAuthorizer: false }),
      reason,
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ key = '', valueExpression }) => ({ ...compileText(valueExpression), key })),
  };
}

function readBinding(name: string, spec: AdmissionregistrationV1ValidatingAdmissionPolicyBindingSpec): PolicyBinding {
  const { policyName = '', matchResources, validationActions = [], paramRef } = spec;
  return {
    name,
    policy: policyName,
    matching: readMatchConstraints(matchResources),
    actions: validationActions,
    parameters: paramRef === undefined ? undefined : readParameterReference(paramRef),
  };
}

function readParameterReference({
  name = '',
  namespace = '',
  selector,
  parameterNotFoundAction,
}: AdmissionregistrationV1ParamRef): ParameterReference {
  return {
    name,
    namespace,
    selector: selector === undefined ? undefined : compileLabelSelector(requirementsOfSelector(selector)),
    isNotFoundAllowed: parameterNotFoundAction === 'Allow',
  };
}

function readMatchConstraints(match: AdmissionregistrationV1MatchResources = {}): MatchConstraints {
  const rules = (match.resourceRules ?? []).map(readNamedRule);
  return {
    rules: rules.length === 0 ? undefined : rules,
    excluded: (match.excludeResourceRules ?? []).map(readNamedRule),
    isExact: match.matchPolicy === 'Exact',
    namespaces: selectorOf(match.namespaceSelector),
    objects: selectorOf(match.objectSelector),
  };
}

const readNamedRule = (rule: AdmissionregistrationV1NamedRuleWithOperations): NamedRule => ({
  rule: readRule(rule),
  names: new Set(ruleNamesInBothSpellings(rule.resources ?? [], rule.resourceNames ?? [])),
});

/** `undefined` for a selector that selects everything. */
function selectorOf(selector: MetaV1LabelSelector | undefined): LabelMatcher | undefined {
  const requirements = requirementsOfSelector(selector ?? {});
  return requirements.length === 0 ? undefined : compileLabelSelector(requirements);
}
