/**
 * The ValidatingAdmissionPolicy plug-in. A policy is evaluated when its constraints and those of a binding match the request,
 * once for each parameter of the binding. A violation leads to the validation actions of the binding: the request is denied,
 * the client is warned, or an audit annotation is added. Changes no object. Evaluating expressions is left to
 * evaluate-policy.ts.
 */
import { AuthorizerValue, ResourceCheck } from '../../../shared/expression/library/authorizer';
import { REQUEST_RESOURCE } from '../../../shared/expression/admission/variables';
import { untypedValue, lazyObject } from '../../../shared/expression/untyped-json';
import type { Value } from '../../../shared/expression/engine';
import { StatusError } from '../../../shared/api/errors/status';
import { groupResourceText } from '../../../shared/api/identity/identity';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import type { CoreV1Namespace } from '../../../shared/api/types/generated/members';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { quote } from '../../../shared/values/text/quote';
import type { JsonObject } from '../../../shared/values/json';
import type { AdmissionTarget, AdmissionRequest } from '../../registry/admission';
import { runSteps, type Steps } from '../../../shared/scheduling/steps';
import { slotYielder } from '../../../shared/scheduling/yielding';
import { parseEntry } from '../../registry/object/stored-object';
import type { ServedResource } from '../../registry/verbs';
import type { MatchConditionObservation } from '../match-condition-observation';
import type { ValidatingPlugin } from '../chain';
import { isSelected, matchedResource, nameOf, namespaceOf, requestResourceOf, type Equivalents } from '../webhook/match';
import { admissionRequestOf } from '../webhook/admission-review';
import { viewOf } from '../webhook/object-view';
import { evaluatePolicy, type EvaluatedPolicy } from './evaluate-policy';
import { resolveParamKind, listParameters, type ParameterDependencies } from './parameters';
import { PolicyConversions } from './policy-conversions';
import type { PolicyBinding, BoundPolicy, MatchConstraints, NamedRule, AdmissionPolicies, AdmissionPolicy } from './admission-policies';
import { resourceMatches } from '../matching/rules';
import { AuthorizerDecisions, PendingResult, type AuthorizeCheck } from '../webhook/authorizer-decisions';

/** The policies of this replica, and what evaluating them needs. */
export interface PolicyDependencies {
  readonly policies: AdmissionPolicies;
  readonly parameters: ParameterDependencies;
  readonly equivalents: Equivalents;
  readonly names: GeneratedNames;
  readonly authorize: AuthorizeCheck;
  readonly clock: Clock;
  /**
   * Called for every evaluation that the match conditions do not exclude, and for every configuration error; absent =
   * evaluations are not counted.
   */
  readonly onEvaluation?: (evaluation: PolicyEvaluation) => void;
  /** Called for every evaluation of match conditions; absent = they are not counted. */
  readonly onMatchConditions?: (observation: MatchConditionObservation) => void;
}

const ADMISSION_GROUP = 'admissionregistration.platform.io';
const VALIDATION_FAILURE_ANNOTATION = 'validation.policy.admission.platform.io/validation_failure';

/** Status codes by the reason of a violation. */
const CODE_BY_REASON: Readonly<Partial<Record<string, number>>> = {
  Invalid: 422,
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

/** One evaluation, as reported to metrics. */
export interface PolicyEvaluation {
  readonly policy: string;
  readonly binding: string;
  readonly action: 'allow' | 'deny' | 'warn' | 'audit';
  readonly isError: boolean;
  readonly ms: number;
}

/**
 * Creates the plug-in. Policies do not apply to policies and webhook configurations, so that these can always be
 * repaired.
 */
export function validatingAdmissionPolicies(deps: PolicyDependencies): ValidatingPlugin {
  const isCandidate = ({ resource: { row }, subresource = '' }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
    row.group !== ADMISSION_GROUP && deps.policies.bound().some(({ policy }) => mayMatch(policy.matching.rules, row.resource, subresource));
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: () => deps.policies.bound().length > 0,
    inspectsObject: isCandidate,
    validate(request) {
      if (!isCandidate(request)) return undefined;
      return new RequestEvaluation(deps, request).evaluateAndApply();
    },
  };
}

/** Whether some rule matches the resource, in some version and for some operation. */
const mayMatch = (rules: readonly NamedRule[] | undefined, resource: string, subresource: string): boolean =>
  rules === undefined ||
  rules.some(({ rule }) => rule.resources.some((ruleResource) => resourceMatches(ruleResource, { resource, subresource })));

/** Why the request is denied. */
interface Denial {
  readonly message: string;
  readonly reason: string;
}

/** The list of parameters of a policy without `paramKind`: it is evaluated once, and expressions have no `params`. */
const WITHOUT_PARAMETERS: readonly undefined[] = [undefined];

/** Evaluates all policies for one request. */
class RequestEvaluation {
  /** The first denial; later ones are not reported. */
  private denial: Denial | undefined;
  private readonly warnings: string[] = [];
  /** By annotation key, in the order of evaluation. */
  private readonly auditAnnotations = new Map<string, string[]>();
  /** The value of the audit annotation about the first violation with the action Audit. */
  private validationFailure: string | undefined;
  /** What expressions can read, by the resource as which the request is evaluated. */
  private readonly valuesByResource = new Map<ServedResource, ReadonlyMap<string, Value>>();
  private readonly decisions: AuthorizerDecisions;
  private readonly conversions: PolicyConversions;

  constructor(
    private readonly deps: PolicyDependencies,
    private readonly request: AdmissionRequest,
  ) {
    this.decisions = new AuthorizerDecisions(deps.authorize, request.user);
    this.conversions = new PolicyConversions(deps.parameters.conversions, request);
  }

  /**
   * Yields to the event loop between expressions, of which one may take some milliseconds. When an expression needs a
   * result that is not available yet ({@link PendingResult}), everything is evaluated again once it has arrived.
   */
  evaluateAndApply(): Promise<void> | undefined {
    try {
      const pending = runSteps(this.evaluateAll(), slotYielder(this.request.context));
      if (pending instanceof Promise)
        return pending.then(
          () => this.applyOutcome(),
          (error: unknown) => this.retryWhenReady(error),
        );
    } catch (error) {
      return this.retryWhenReady(error);
    }
    return this.applyOutcome();
  }

  /** Repeats the evaluation when a missing result has arrived; throws other errors. */
  private retryWhenReady(error: unknown): Promise<void> {
    if (error instanceof PendingResult) return error.ready.then(() => this.evaluateAndApply());
    throw error;
  }

  /** Evaluates all policies from the beginning. */
  private *evaluateAll(): Steps<void> {
    this.denial = undefined;
    this.validationFailure = undefined;
    this.warnings.length = 0;
    this.auditAnnotations.clear();
    for (const bound of this.deps.policies.bound()) yield* this.evaluateBindings(bound);
  }

  /** Adds warnings and audit annotations. Throws when the request is denied. */
  private applyOutcome(): undefined {
    const { context } = this.request;
    for (const warning of this.warnings) context.warn(warning);
    for (const [key, values] of this.auditAnnotations) context.addAuditAnnotation?.(key, [...new Set(values)].join(', '));
    if (this.validationFailure !== undefined) context.addAuditAnnotation?.(VALIDATION_FAILURE_ANNOTATION, this.validationFailure);
    if (this.denial !== undefined) throw denialError(this.request, this.denial);
    return undefined;
  }

  /** Evaluates one policy with each of its bindings that match. */
  private *evaluateBindings({ policy, bindings }: BoundPolicy): Steps<void> {
    const matchedAs = this.resolveMatch(policy.matching);
    if (matchedAs === undefined) return;
    const paramResource = resolveParamKind(this.deps.parameters, policy);
    if (paramResource !== null && 'error' in paramResource) {
      this.denyMisconfigured(policy, undefined, paramResource.error);
      return;
    }
    for (const binding of bindings) {
      yield;
      if (this.resolveMatch(binding.matching) === undefined) continue;
      const parameters =
        paramResource === null
          ? WITHOUT_PARAMETERS
          : listParameters(this.deps.parameters, binding, {
              resource: paramResource,
              requestNamespace: namespaceOf(this.request),
              convert: this.conversions.convertParameters,
            });
      if ('error' in parameters) this.denyMisconfigured(policy, binding, parameters.error);
      else for (const parameter of parameters) yield* this.evaluateBinding(policy, binding, matchedAs, parameter);
    }
  }

  /** Denies unless the failure policy is Ignore. `binding` is `undefined` when the policy itself is misconfigured. */
  private denyMisconfigured(policy: AdmissionPolicy, binding: PolicyBinding | undefined, error: string): void {
    if (!policy.isIgnoredOnFailure) this.deny(policy, binding, { message: error, reason: 'Invalid' });
    this.recordEvaluation(policy, binding, { action: policy.isIgnoredOnFailure ? 'allow' : 'deny', isError: true, ms: 0 });
  }

  /** Keeps the first denial. */
  private deny({ name }: AdmissionPolicy, binding: PolicyBinding | undefined, { message, reason }: Denial): void {
    const bindingText = binding === undefined ? '' : ` with binding '${binding.name}'`;
    this.denial ??= { message: `ValidatingAdmissionPolicy '${name}'${bindingText} denied request: ${message}`, reason };
  }

  private recordEvaluation(
    { name }: AdmissionPolicy,
    binding: PolicyBinding | undefined,
    outcome: Pick<PolicyEvaluation, 'action' | 'isError' | 'ms'>,
  ): void {
    this.deps.onEvaluation?.({ policy: name, binding: binding?.name ?? '', ...outcome });
  }

  private recordConditions({ name, conditions }: AdmissionPolicy, outcome: 'met' | 'unmet' | 'error', startedAt: number): void {
    if (conditions.length === 0) return;
    const { deps, request } = this;
    const ms = deps.clock.monotonic() - startedAt;
    const flags = { hasFailed: outcome === 'error', isExcluded: outcome === 'unmet' };
    deps.onMatchConditions?.({ kind: 'policy', name, type: 'validating', operation: request.operation, ms, ...flags });
  }

  /** Evaluates one policy with one binding and one parameter. */
  private *evaluateBinding(
    policy: AdmissionPolicy,
    binding: PolicyBinding,
    matchedAs: ServedResource,
    parameter: JsonObject | undefined,
  ): Steps<void> {
    const converted = this.conversions.requestInVersion(matchedAs);
    if ('error' in converted) {
      this.denyMisconfigured(policy, binding, converted.error);
      return;
    }
    const values = new Map(this.valuesFor(matchedAs, converted));
    if (parameter !== undefined) values.set('params', untypedValue(parameter));
    const startedAt = this.deps.clock.monotonic();
    const result = yield* evaluatePolicy(policy, values, (outcome) => this.recordConditions(policy, outcome, startedAt));
    if (result.type !== 'evaluated') return;
    this.applyActions(policy, binding, result);
    // The metric counts an evaluation once, under the first action of its binding (upstream behaviour).
    const [action] = result.violations.length === 0 ? ['allow' as const] : binding.actions.map(actionOf);
    const ms = this.deps.clock.monotonic() - startedAt;
    this.recordEvaluation(policy, binding, { action: action ?? 'allow', isError: false, ms });
  }

  /** Records what the violations of one evaluation lead to. */
  private applyActions(
    policy: AdmissionPolicy,
    binding: PolicyBinding,
    { violations, annotationErrors, auditAnnotations }: EvaluatedPolicy,
  ): void {
    for (const { index, message, reason } of violations) {
      for (const action of binding.actions) {
        switch (action) {
          case 'Deny':
            this.deny(policy, binding, { message, reason });
            break;
          case 'Warn':
            this.warnings.push(
              `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
            );
            break;
          // Audit, the only other action that validation accepts.
          default:
            this.validationFailure ??= JSON.stringify([
              { message, policy: policy.name, binding: binding.name, expressionIndex: index, validationActions: binding.actions },
            ]);
        }
      }
    }
    for (const message of annotationErrors) this.deny(policy, binding, { message, reason: 'Invalid' });
    for (const [key, value] of auditAnnotations) {
      const name = `${policy.name}/${key}`;
      this.auditAnnotations.set(name, [...(this.auditAnnotations.get(name) ?? []), value]);
    }
  }

  /** The resource as which the request matches, possibly an equivalent one; `undefined` when it does not match. */
  private resolveMatch(matching: MatchConstraints): ServedResource | undefined {
    const { request } = this;
    if (!isSelected(matching, request)) return undefined;
    if (this.matchRules(matching.excluded, matching.isExact) !== undefined) return undefined;
    return matching.rules === undefined ? request.resource : this.matchRules(matching.rules, matching.isExact);
  }

  /** As {@link resolveMatch}, for rules alone. */
  private matchRules(rules: readonly NamedRule[], isExact: boolean): ServedResource | undefined {
    const { request } = this;
    const name = nameOf(request);
    const rulesForName = rules.flatMap(({ rule, names }) => (names.size === 0 || names.has(name) ? [rule] : []));
    return rulesForName.length === 0 ? undefined : matchedResource({ rules: rulesForName, isExact }, request, this.deps.equivalents);
  }

  /** Cached for each resource as which the request is evaluated. */
  private valuesFor(matchedAs: ServedResource, request: AdmissionRequest): ReadonlyMap<string, Value> {
    const cached = this.valuesByResource.get(matchedAs);
    if (cached !== undefined) return cached;
    const { names } = this.deps;
    const view = viewOf(request, matchedAs, names);
    const requestKind = matchedAs === request.resource ? view.row : viewOf(request, request.resource, names).row;
    const valueOf = (object: JsonObject | undefined): Value => (object === undefined ? null : view.value(object));
    const authorizer = new AuthorizerValue(this.decisions.check);
    const values = new Map<string, Value>([
      ['request', lazyObject(() => admissionRequestOf(request, { matchedAs, kind: view.row, requestKind }, names.dialect))],
      ['object', valueOf(request.object)],
      ['oldObject', valueOf(request.oldObject)],
      ['namespaceObject', namespaceValue(request)],
      ['authorizer', authorizer],
      [REQUEST_RESOURCE, new ResourceCheck(authorizer, requestResourceOf(request))],
    ]);
    this.valuesByResource.set(matchedAs, values);
    return values;
  }
}

function actionOf(validationAction: string): PolicyEvaluation['action'] {
  if (validationAction === 'Deny') return 'deny';
  return validationAction === 'Warn' ? 'warn' : 'audit';
}

/** The part of the request's Namespace that expressions can read; null for a cluster-scoped resource. */
function namespaceValue({ namespaceEntry, resource: { row } }: AdmissionRequest): Value {
  if (namespaceEntry === undefined || !row.namespaced) return null;
  return lazyObject(() => {
    const namespace: CoreV1Namespace = parseEntry(namespaceEntry).object;
    const { managedFields: _fields, ...metadata } = readMetadata(namespace);
    return { metadata, spec: namespace.spec ?? {}, status: namespace.status ?? {} };
  });
}

function denialError(request: AdmissionRequest, { message, reason }: Denial): StatusError {
  const { group, resource } = request.resource.row;
  const objectName = nameOf(request);
  const name = objectName === '' ? (readMetadata(request.object ?? {}).generateName ?? 'Unknown') : objectName;
  return new StatusError(
    undefined,
    `${groupResourceText({ group, resource })} ${quote(name)} is forbidden: ${message}`,
    { name, ...(group === '' ? {} : { group }), kind: resource, causes: [{ message }] },
    { code: CODE_BY_REASON[reason] ?? 422, reason },
  );
}
