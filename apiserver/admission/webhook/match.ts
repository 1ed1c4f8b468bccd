/**
 * Whether a webhook is about a request: its rules, in the version that was asked for or in an equivalent one, its selectors, and its conditions. Configurations of
 * webhooks and policies are nobody's affair: whoever could refuse them could not be removed. Asks nobody.
 */
import { Budget, CostExceeded, Failure, type Expression, type Value } from '../../../shared/expression/engine';
import { AuthorizerValue, ResourceCheck, type Authorize } from '../../../shared/expression/library/authorizer';
import { REQUEST_RESOURCE } from '../../../shared/expression/admission/variables';
import { untypedValue } from '../../../shared/expression/untyped-json';
import type { KindRow } from '../../../shared/api/kinds';
import { stringLabelsOf, readMetadata } from '../../../shared/api/metadata/object-meta';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import type { AdmissionTarget, AdmissionRequest } from '../../registry/admission';
import type { ServedResource } from '../../registry/verbs';
import { ruleMatches, type MatchRule, type RuleTarget } from '../matching/rules';
import type { MatchCondition, Webhook } from './configuration';

/** The resources under which the objects of a resource are served, itself first. */
export type Equivalents = (resource: ServedResource) => readonly ServedResource[];

const OWN_GROUP = 'admissionregistration.platform.io';

type Matched = Pick<AdmissionRequest, 'name' | 'namespace' | 'operation' | 'resource' | 'subresource'>;

/** Whether a webhook may be asked about such requests, whatever their verb and version. */
export function mayMatch(
  { rules }: Webhook,
  { resource: { row }, subresource = '' }: Pick<AdmissionTarget, 'resource' | 'subresource'>,
): boolean {
  if (row.group === OWN_GROUP) return false;
  return rules.some(({ resources }) =>
    resources.some(([name, part]) => (name === '*' || name === row.resource) && (part === '*' || part === subresource)),
  );
}

/** The resource as which the webhook is shown the request; undefined = its rules are not about it. */
export function matchedResource(
  webhook: Pick<Webhook, 'isExact' | 'rules'>,
  request: Matched,
  equivalents: Equivalents,
): ServedResource | undefined {
  const { resource } = request;
  if (resource.row.group === OWN_GROUP) return undefined;
  const { rules } = webhook;
  if (anyMatches(rules, targetOf(request, resource.row))) return resource;
  if (webhook.isExact) return undefined;
  for (const rule of rules) {
    for (const other of equivalents(resource)) if (other !== resource && ruleMatches(rule, targetOf(request, other.row))) return other;
  }
  return undefined;
}

const anyMatches = (rules: readonly MatchRule[], target: RuleTarget): boolean => rules.some((rule) => ruleMatches(rule, target));

function targetOf(request: Matched, { group, version, resource }: KindRow): RuleTarget {
  const { operation, subresource = '' } = request;
  return { operation, group, version, resource, subresource, namespace: namespaceOf(request) };
}

/** A Namespace is its own. */
export function namespaceOf({ resource: { row }, namespace, name }: Pick<AdmissionRequest, 'name' | 'namespace' | 'resource'>): string {
  return row.group === '' && row.resource === 'namespaces' ? name : namespace;
}

/** As far as it is known. */
export const nameOf = ({ name, object }: AdmissionRequest): string =>
  name === '' ? (stringAt(readMetadata(object ?? {}), 'name') ?? '') : name;

/** What `authorizer.requestResource` is about. */
export function placeOf(request: AdmissionRequest): ConstructorParameters<typeof ResourceCheck>[1] {
  const { group, resource } = request.resource.row;
  return { group, resource, subresource: request.subresource ?? '', namespace: request.namespace, name: nameOf(request) };
}

type Labels = Readonly<Record<string, string>>;

export function isSelected({ namespaces, objects }: Pick<Webhook, 'namespaces' | 'objects'>, request: AdmissionRequest): boolean {
  if (namespaces !== undefined && !isInNamespace(namespaces, request)) return false;
  if (objects === undefined) return true;
  const { object, oldObject } = request;
  return [object, oldObject].some((one) => one !== undefined && 'metadata' in one && objects(stringLabelsOf(one)));
}

function isInNamespace(matches: (labels: Labels) => boolean, request: AdmissionRequest): boolean {
  const { row } = request.resource;
  if (row.group === '' && row.resource === 'namespaces') return matches(stringLabelsOf(request.object ?? request.oldObject ?? {}));
  return request.namespace === '' || matches(request.namespaceEntry?.labels ?? {});
}

/** What one expression may cost, and all of a webhook. */
const LIMIT = 1_000_000;
const BUDGET = 2_500_000;

export interface Conditions {
  readonly type: 'met' | 'unmet';
}

/** `errors`: of those that could not be told, where none is false. */
export type ConditionsAnswer = Conditions | { readonly type: 'errors'; readonly errors: readonly string[] };

/** What conditions are about: a request, and its objects as the webhook is shown them. */
export interface ConditionView {
  readonly request: JsonObject;
  readonly object: Value;
  readonly oldObject: Value;
  readonly ask: Authorize;
  readonly place: ReturnType<typeof placeOf>;
}

/** Throws `Unanswered` where the authorizer takes its time. */
export function checkConditions(conditions: readonly MatchCondition[], view: () => ConditionView): ConditionsAnswer {
  if (conditions.length === 0) return { type: 'met' };
  const { request, object, oldObject, ask, place } = view();
  const authorizer = new AuthorizerValue(ask);
  const variables = new Map<string, Value>([
    ['request', untypedValue(request)],
    ['object', object],
    ['oldObject', oldObject],
    ['namespaceObject', null],
    ['authorizer', authorizer],
    [REQUEST_RESOURCE, new ResourceCheck(authorizer, place)],
  ]);
  const budget = new Budget(BUDGET);
  const errors: string[] = [];
  for (const { text, expression } of conditions) {
    const value = expression === undefined ? 'it does not compile' : evaluate(expression, variables, budget);
    if (value === false) return { type: 'unmet' };
    if (value !== true) errors.push(`expression '${text}' resulted in error: ${value}`);
  }
  return errors.length === 0 ? { type: 'met' } : { type: 'errors', errors };
}

function evaluate(expression: Expression, variables: ReadonlyMap<string, Value>, budget: Budget): boolean | string {
  try {
    const value = expression.evaluate(variables, LIMIT, budget);
    if (typeof value === 'boolean') return value;
    return value instanceof Failure ? value.message : 'it is neither true nor false';
  } catch (error) {
    if (error instanceof CostExceeded) return 'operation cancelled: actual cost limit exceeded';
    throw error;
  }
}
