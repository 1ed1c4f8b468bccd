/** Admission policies and their bindings, read and compiled once for each of their revisions. What was stored before anybody checked it cannot be compiled, and says so when it is asked. Judges nothing. */
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

/** A text, and what it says. */
export interface CompiledText {
  readonly text: string;
  /** Undefined = nothing. */
  readonly expression: Expression | undefined;
}

export interface NamedRule {
  readonly rule: MatchRule;
  /** Empty = all. */
  readonly names: ReadonlySet<string>;
}

/** Which requests a policy or a binding is about. */
export interface Matching {
  /** Undefined = all. */
  readonly rules: readonly NamedRule[] | undefined;
  readonly excluded: readonly NamedRule[];
  readonly isExact: boolean;
  readonly namespaces: LabelMatcher | undefined;
  readonly objects: LabelMatcher | undefined;
}

export interface Validation extends CompiledText {
  /** '' = the expression itself is named. */
  readonly message: string;
  readonly messageExpression: CompiledText | undefined;
  readonly reason: string;
}

export interface AdmissionPolicy {
  readonly name: string;
  readonly matching: Matching;
  /** Undefined = it has no parameters. */
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly isIgnoredOnFailure: boolean;
  readonly conditions: readonly CompiledText[];
  readonly variables: ReadonlyMap<string, CompiledText>;
  readonly validations: readonly Validation[];
  readonly annotations: readonly (CompiledText & { readonly key: string })[];
}

export interface PolicyBinding {
  readonly name: string;
  readonly policy: string;
  readonly matching: Matching;
  readonly actions: readonly string[];
  readonly parameters: ParameterReference | undefined;
}

export interface ParameterReference {
  readonly name: string;
  readonly namespace: string;
  readonly selector: LabelMatcher | undefined;
  readonly isAllowedWithout: boolean;
}

/** The policies that are bound, in the order in which they are asked. */
export class Policies {
  private readonly policies = new Map<string, AdmissionPolicy>();
  private readonly bindings = new Map<string, PolicyBinding>();
  private all: readonly BoundPolicy[] | undefined;

  /** `around` = every compilation of an expression, so that it can be timed. */
  constructor(private readonly around: Around = (work) => work()) {}

  bound(): readonly BoundPolicy[] {
    return (this.all ??= this.joined());
  }

  /** `object` undefined = it is gone. */
  setPolicy(name: string, object: JsonObject | undefined): void {
    if (object === undefined) this.policies.delete(name);
    else this.policies.set(name, readPolicy(name, objectAt(object, 'spec') ?? {}, this.around));
    this.all = undefined;
  }

  setBinding(name: string, object: JsonObject | undefined): void {
    if (object === undefined) this.bindings.delete(name);
    else this.bindings.set(name, readBinding(name, objectAt(object, 'spec') ?? {}));
    this.all = undefined;
  }

  private joined(): readonly BoundPolicy[] {
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

const byName = <T extends { readonly name: string }>(all: Iterable<T>): readonly T[] =>
  [...all].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

const objectsAt = (object: JsonObject | undefined, member: string): readonly JsonObject[] =>
  (arrayAt(object, member) ?? []).filter(isObject);

/** Does what it is given. */
export type Around = <T>(work: () => T) => T;

function readPolicy(name: string, spec: JsonObject, around: Around): AdmissionPolicy {
  const kind = objectAt(spec, 'paramKind');
  const params = kind !== undefined;
  const variables = new Map<string, CompiledText>();
  const types = new Map<string, Type>();
  const compile = (text: string, authorizer: boolean): CompiledText => {
    const compiled = around(() => compileExpression(text.trim(), policyVariables({ params, authorizer, variables: types })));
    return { text: text.trim(), expression: 'fault' in compiled ? undefined : compiled };
  };
  const at = (object: JsonObject, member: string): CompiledText => compile(stringAt(object, member) ?? '', true);
  for (const variable of objectsAt(spec, 'variables')) {
    const compiled = at(variable, 'expression');
    const variableName = stringAt(variable, 'name') ?? '';
    variables.set(variableName, compiled);
    if (compiled.expression !== undefined) types.set(variableName, compiled.expression.type);
  }
  return {
    name,
    matching: readMatching(objectAt(spec, 'matchConstraints') ?? {}),
    paramKind: params ? { apiVersion: stringAt(kind, 'apiVersion') ?? '', kind: stringAt(kind, 'kind') ?? '' } : undefined,
    isIgnoredOnFailure: stringAt(spec, 'failurePolicy') === 'Ignore',
    conditions: objectsAt(spec, 'matchConditions').map((condition) => at(condition, 'expression')),
    variables,
    validations: objectsAt(spec, 'validations').map((validation) => {
      const message = (stringAt(validation, 'messageExpression') ?? '').trim();
      return {
        ...at(validation, 'expression'),
        message: (stringAt(validation, 'message') ?? '').trim(),
        messageExpression: message === '' ? undefined : compile(message, false),
        reason: stringAt(validation, 'reason') ?? 'Invalid',
      };
    }),
    annotations: objectsAt(spec, 'auditAnnotations').map((annotation) => ({
      ...at(annotation, 'valueExpression'),
      key: stringAt(annotation, 'key') ?? '',
    })),
  };
}

function readBinding(name: string, spec: JsonObject): PolicyBinding {
  const reference = objectAt(spec, 'paramRef');
  return {
    name,
    policy: stringAt(spec, 'policyName') ?? '',
    matching: readMatching(objectAt(spec, 'matchResources') ?? {}),
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
            isAllowedWithout: stringAt(reference, 'parameterNotFoundAction') === 'Allow',
          },
  };
}

function readMatching(match: JsonObject): Matching {
  const rules = objectsAt(match, 'resourceRules').map(readNamed);
  return {
    rules: rules.length === 0 ? undefined : rules,
    excluded: objectsAt(match, 'excludeResourceRules').map(readNamed),
    isExact: stringAt(match, 'matchPolicy') === 'Exact',
    namespaces: selectorOf(objectAt(match, 'namespaceSelector')),
    objects: selectorOf(objectAt(match, 'objectSelector')),
  };
}

const readNamed = (rule: JsonObject): NamedRule => ({
  rule: readRule(rule),
  names: new Set(ruleNamesInBothSpellings(stringsAt(rule, 'resources'), stringsAt(rule, 'resourceNames'))),
});

function selectorOf(selector: JsonObject | undefined): LabelMatcher | undefined {
  const requirements = requirementsOfSelector(selector ?? {});
  return requirements.length === 0 ? undefined : compileLabelSelector(requirements);
}
