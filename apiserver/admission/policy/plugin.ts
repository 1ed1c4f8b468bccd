/**
 * Asks the policies about a request: those whose constraints and bindings are about it, once for each parameter; tells of what they find as the binding says, and refuses.
 * Never changes anything.
 */
import { AuthorizerValue, ResourceCheck } from '../../../shared/expression/library/authorizer';
import { REQUEST_RESOURCE } from '../../../shared/expression/admission/variables';
import { untypedValue, lazyObject } from '../../../shared/expression/untyped-json';
import type { Value } from '../../../shared/expression/engine';
import { StatusError } from '../../../shared/api/errors/status';
import { groupResourceText } from '../../../shared/api/identity/identity';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import { quote } from '../../../shared/values/quote';
import { own, stringAt, type JsonObject } from '../../../shared/values/json';
import type { AdmissionTarget, AdmissionRequest } from '../../registry/admission';
import type { Entry } from '../../cache/cache';
import { runSteps, type Steps } from '../../../shared/scheduling/steps';
import { slotYielder, yieldSlot } from '../../../shared/scheduling/yielding';
import { parseEntry } from '../../registry/object/stored-object';
import { versionToConvertFrom } from '../../registry/object/hidden-fields';
import type { ServedResource } from '../../registry/verbs';
import type { ConditionsLook } from '../conditions-look';
import type { ValidatingPlugin } from '../chain';
import { isSelected, matchedResource, nameOf, namespaceOf, placeOf, type Equivalents } from '../webhook/match';
import { requestOf } from '../webhook/review';
import { inVersion, isConverted } from '../webhook/versioned';
import { viewOf } from '../webhook/view';
import { evaluatePolicy, type PolicyAnswer } from './evaluate';
import { parameterResource, parametersOf, type ConfigurationFault, type InVersion, type ParameterParts } from './parameters';
import type { PolicyBinding, BoundPolicy, Matching, NamedRule, Policies, AdmissionPolicy } from './policy';
import { Decisions, Unanswered, type AskAuthorizer } from '../webhook/decisions';

export interface PolicyParts {
  readonly policies: Policies;
  readonly parameters: ParameterParts;
  readonly equivalents: Equivalents;
  readonly names: GeneratedNames;
  readonly authorize: AskAuthorizer;
  readonly clock: Clock;
  /** Told of every judgement; absent = nobody counts. */
  readonly judged?: (judgement: Judgement) => void;
  /** Told of every look at conditions; absent = nobody counts. */
  readonly conditionsJudged?: (look: ConditionsLook) => void;
}

const OWN_GROUP = 'admissionregistration.platform.io';
const FAILURE = 'validation.policy.admission.platform.io/validation_failure';

/** By the reason of a refusal. */
const CODES: Readonly<Partial<Record<string, number>>> = { Invalid: 422, Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

/** What a policy has cost, for whoever counts. */
export interface Judgement {
  readonly policy: string;
  readonly binding: string;
  readonly action: 'allow' | 'deny' | 'warn' | 'audit';
  readonly isFault: boolean;
  readonly ms: number;
}

export function admissionPolicies(parts: PolicyParts): ValidatingPlugin {
  const isAbout = ({ resource: { row }, subresource = '' }: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
    row.group !== OWN_GROUP && parts.policies.bound().some(({ policy }) => mayMatch(policy.matching.rules, row.resource, subresource));
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: () => parts.policies.bound().length > 0,
    inspectsObject: isAbout,
    validate(request) {
      if (!isAbout(request)) return undefined;
      return new Asking(parts, request).run();
    },
  };
}

const mayMatch = (rules: readonly NamedRule[] | undefined, resource: string, subresource: string): boolean =>
  rules === undefined ||
  rules.some(({ rule }) =>
    rule.resources.some(([name, part]) => (name === '*' || name === resource) && (part === '*' || part === subresource)),
  );

interface Denial {
  readonly message: string;
  readonly reason: string;
}

/** One request. */
class Asking {
  private denial: Denial | undefined;
  private readonly warnings: string[] = [];
  /** By key, in the order in which they came. */
  private readonly notes = new Map<string, string[]>();
  private failure: string | undefined;
  private readonly views = new Map<ServedResource, ReadonlyMap<string, Value>>();
  private readonly decisions: Decisions;
  /** By version, where a webhook converts. */
  private readonly forms = new Map<string, AdmissionRequest | ConfigurationFault>();
  private readonly converted = new Map<Entry, Entry | ConfigurationFault>();

  constructor(
    private readonly parts: PolicyParts,
    private readonly request: AdmissionRequest,
  ) {
    this.decisions = new Decisions(parts.authorize, request.user);
  }

  /** Yields where it is due, which one expression may delay by some milliseconds. Starts again once an answer that an expression needs has arrived. */
  run(): Promise<void> | undefined {
    try {
      const pending = runSteps(this.askAll(), slotYielder(this.request.context));
      if (pending instanceof Promise)
        return pending.then(
          () => this.finish(),
          (error: unknown) => this.runAgain(error),
        );
    } catch (error) {
      return this.runAgain(error);
    }
    return this.finish();
  }

  private runAgain(error: unknown): Promise<void> {
    if (error instanceof Unanswered) return error.answer.then(() => this.run());
    throw error;
  }

  private *askAll(): Steps<void> {
    this.denial = undefined;
    this.failure = undefined;
    this.warnings.length = 0;
    this.notes.clear();
    for (const bound of this.parts.policies.bound()) yield* this.askPolicy(bound);
  }

  private finish(): undefined {
    const { context } = this.request;
    for (const warning of this.warnings) context.warn(warning);
    for (const [key, values] of this.notes) context.addAuditAnnotation?.(key, [...new Set(values)].join(', '));
    if (this.failure !== undefined) context.addAuditAnnotation?.(FAILURE, this.failure);
    if (this.denial !== undefined) throw refusal(this.request, this.denial);
    return undefined;
  }

  private *askPolicy({ policy, bindings }: BoundPolicy): Steps<void> {
    const as = this.matched(policy.matching);
    if (as === undefined) return;
    const kind = parameterResource(this.parts.parameters, policy);
    if (kind !== null && 'fault' in kind) {
      this.configurationFault(policy, undefined, kind.fault);
      return;
    }
    for (const binding of bindings) {
      yield;
      if (this.matched(binding.matching) === undefined) continue;
      const parameters =
        kind === null ? [undefined] : parametersOf(this.parts.parameters, binding, kind, namespaceOf(this.request), this.parameters);
      if ('fault' in parameters) this.configurationFault(policy, binding, parameters.fault);
      else for (const parameter of parameters) yield* this.judge(policy, binding, as, parameter);
    }
  }

  private configurationFault(policy: AdmissionPolicy, binding: PolicyBinding | undefined, fault: string): void {
    if (!policy.isIgnoredOnFailure) this.deny(policy, binding, { message: fault, reason: 'Invalid' });
    this.count(policy, binding, policy.isIgnoredOnFailure ? 'allow' : 'deny', true, 0);
  }

  private deny({ name }: AdmissionPolicy, binding: PolicyBinding | undefined, { message, reason }: Denial): void {
    const where = binding === undefined ? '' : ` with binding '${binding.name}'`;
    this.denial ??= { message: `ValidatingAdmissionPolicy '${name}'${where} denied request: ${message}`, reason };
  }

  private count(
    { name }: AdmissionPolicy,
    binding: PolicyBinding | undefined,
    action: Judgement['action'],
    isFault: boolean,
    ms: number,
  ): void {
    this.parts.judged?.({ policy: name, binding: binding?.name ?? '', action, isFault, ms });
  }

  private countConditions({ name, conditions }: AdmissionPolicy, met: 'yes' | 'no' | 'error', startedAt: number): void {
    if (conditions.length === 0) return;
    const { parts, request } = this;
    const ms = parts.clock.monotonic() - startedAt;
    const judged = { hasFailed: met === 'error', isLeftOut: met === 'no' };
    parts.conditionsJudged?.({ kind: 'policy', name, type: 'validating', operation: request.operation, ms, ...judged });
  }

  private *judge(policy: AdmissionPolicy, binding: PolicyBinding, as: ServedResource, parameter: JsonObject | undefined): Steps<void> {
    const shown = this.shownAs(as);
    if ('fault' in shown) {
      this.configurationFault(policy, binding, shown.fault);
      return;
    }
    const values = new Map(this.valuesFor(as, shown));
    if (parameter !== undefined) values.set('params', untypedValue(parameter));
    const startedAt = this.parts.clock.monotonic();
    const answer = yield* evaluatePolicy(policy, values, (met) => this.countConditions(policy, met, startedAt));
    if (answer.type !== 'judged') return;
    this.tell(policy, binding, answer);
    const [action] = answer.findings.length === 0 ? ['allow' as const] : binding.actions.map(actionOf);
    this.count(policy, binding, action ?? 'allow', false, this.parts.clock.monotonic() - startedAt);
  }

  private tell(
    policy: AdmissionPolicy,
    binding: PolicyBinding,
    { findings, unnoted, notes }: Extract<PolicyAnswer, { type: 'judged' }>,
  ): void {
    for (const { index, message, reason } of findings) {
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
          default:
            this.failure ??= JSON.stringify([
              { message, policy: policy.name, binding: binding.name, expressionIndex: index, validationActions: binding.actions },
            ]);
        }
      }
    }
    for (const message of unnoted) this.deny(policy, binding, { message, reason: 'Invalid' });
    for (const [key, value] of notes) {
      const name = `${policy.name}/${key}`;
      this.notes.set(name, [...(this.notes.get(name) ?? []), value]);
    }
  }

  /** The resource as which the request is judged. */
  private matched(matching: Matching): ServedResource | undefined {
    const { request } = this;
    if (!isSelected(matching, request)) return undefined;
    if (this.matches(matching.excluded, matching.isExact) !== undefined) return undefined;
    return matching.rules === undefined ? request.resource : this.matches(matching.rules, matching.isExact);
  }

  private matches(rules: readonly NamedRule[], isExact: boolean): ServedResource | undefined {
    const { request } = this;
    const name = nameOf(request);
    const named = rules.flatMap(({ rule, names }) => (names.size === 0 || names.has(name) ? [rule] : []));
    return named.length === 0 ? undefined : matchedResource({ rules: named, isExact }, request, this.parts.equivalents);
  }

  /** The request with its objects as a rule names them. Throws {@link Unanswered} where the webhook of their kind has to be asked. */
  private shownAs({ row: { version } }: ServedResource): AdmissionRequest | ConfigurationFault {
    const { request } = this;
    if (!isConverted(request) || version === request.resource.row.version) return request;
    const known = this.forms.get(version);
    if (known !== undefined) return known;
    const { object, oldObject, resource } = request;
    const shown = (one: JsonObject | undefined): Promise<JsonObject | undefined> =>
      one === undefined ? Promise.resolve(undefined) : inVersion(request, one, resource.row.version, version);
    throw new Unanswered(
      Promise.all([shown(object), shown(oldObject)]).then(
        ([made, old]) => void this.forms.set(version, { ...request, object: made, oldObject: old }),
        (error: unknown) => void this.forms.set(version, { fault: `${UNCONVERTED}: ${errorMessage(error)}` }),
      ),
    );
  }

  /** Parameters as the version of their resource has them. Throws {@link Unanswered} where the webhook of their kind has to be asked. */
  private readonly parameters: InVersion = (resource, entries) => {
    const missing = entries.filter((entry) => versionToConvertFrom(resource.row, entry) !== undefined && !this.converted.has(entry));
    const { context, deadline } = this.request;
    const requeue = (): Promise<void> => yieldSlot(context);
    if (missing.length > 0)
      throw new Unanswered(
        this.parts.parameters.conversions.convertEntries(resource.row, missing, { deadline, requeue }).then(
          (shown) => missing.forEach((entry, at) => this.converted.set(entry, shown[at] ?? entry)),
          (error: unknown) => missing.forEach((entry) => this.converted.set(entry, { fault: `${UNBOUND}: ${errorMessage(error)}` })),
        ),
      );
    const shown: Entry[] = [];
    for (const entry of entries) {
      const found = this.converted.get(entry) ?? entry;
      if ('fault' in found) return found;
      shown.push(found);
    }
    return shown;
  };

  /** Worked out once for each form in which the request is looked at. */
  private valuesFor(as: ServedResource, request: AdmissionRequest): ReadonlyMap<string, Value> {
    const known = this.views.get(as);
    if (known !== undefined) return known;
    const { names } = this.parts;
    const view = viewOf(request, as, names);
    const sent = as === request.resource ? view.row : viewOf(request, request.resource, names).row;
    const shown = (object: JsonObject | undefined): Value => (object === undefined ? null : view.value(object));
    const authorizer = new AuthorizerValue(this.decisions.ask);
    const values = new Map<string, Value>([
      ['request', lazyObject(() => requestOf(request, as, view.row, sent, names.dialect))],
      ['object', shown(request.object)],
      ['oldObject', shown(request.oldObject)],
      ['namespaceObject', namespaceValue(request)],
      ['authorizer', authorizer],
      [REQUEST_RESOURCE, new ResourceCheck(authorizer, placeOf(request))],
    ]);
    this.views.set(as, values);
    return values;
  }
}

const UNBOUND = 'failed to configure binding';
const UNCONVERTED = `${UNBOUND}: failed to convert object version`;

const actionOf = (action: string): Judgement['action'] => (action === 'Deny' ? 'deny' : action === 'Warn' ? 'warn' : 'audit');

/** What expressions may know of a Namespace. */
function namespaceValue({ namespaceEntry, resource: { row } }: AdmissionRequest): Value {
  if (namespaceEntry === undefined || !row.namespaced) return null;
  return lazyObject(() => {
    const { object } = parseEntry(namespaceEntry);
    const { managedFields: _fields, ...metadata } = readMetadata(object);
    return { metadata, spec: own(object, 'spec') ?? {}, status: own(object, 'status') ?? {} };
  });
}

function refusal(request: AdmissionRequest, { message, reason }: Denial): StatusError {
  const { group, resource } = request.resource.row;
  const shown = nameOf(request);
  const name = shown === '' ? (stringAt(readMetadata(request.object ?? {}), 'generateName') ?? 'Unknown') : shown;
  return new StatusError(
    undefined,
    `${groupResourceText({ group, resource })} ${quote(name)} is forbidden: ${message}`,
    { name, ...(group === '' ? {} : { group }), kind: resource, causes: [{ message }] },
    { code: CODES[reason] ?? 422, reason },
  );
}
