/**
 * Matches a webhook with a request by rules, selectors and match conditions. A rule may name the requested version of
 * the resource or an equivalent one. Webhook configurations and policies match no webhook, because a webhook that
 * rejects its own removal could not be removed.
 */
import { CostBudget, CostExceededError, ErrorValue, type Expression, type Value } from '../../../shared/expression/engine';
import { AuthorizerValue, ResourceCheck, type Authorize } from '../../../shared/expression/library/authorizer';
import { REQUEST_RESOURCE } from '../../../shared/expression/admission/variables';
import { untypedValue } from '../../../shared/expression/untyped-json';
import type { KindRow } from '../../../shared/api/kinds';
import { stringLabelsOf, readMetadata } from '../../../shared/api/metadata/object-meta';
import type { JsonObject } from '../../../shared/values/json';
import type { AdmissionTarget, AdmissionRequest } from '../../registry/admission';
import type { ServedResource } from '../../registry/verbs';
import { resourceMatches, ruleMatches, type MatchRule, type RuleTarget } from '../matching/rules';
import type { MatchCondition, Webhook } from './webhooks';

/** The resources that serve the same objects in another group or version, the given one first. */
export type Equivalents = (resource: ServedResource) => readonly ServedResource[];

const ADMISSION_GROUP = 'admissionregistration.platform.io';

/** The attributes of a request that rules depend on. */
type MatchedRequest = Pick<AdmissionRequest, 'name' | 'namespace' | 'operation' | 'resource' | 'subresource'>;

/** Whether the webhook can match requests for a resource, in some version and for some operation. */
export function canMatch(
  { rules }: Webhook,
  { resource: { row }, subresource = '' }: Pick<AdmissionTarget, 'resource' | 'subresource'>,
): boolean {
  if (row.group === ADMISSION_GROUP) return false;
  const target = { resource: row.resource, subresource };
  return rules.some(({ resources }) => resources.some((ruleResource) => resourceMatches(ruleResource, target)));
}

/** The resource as which the webhook matches the request; `undefined` when no rule matches. */
export function matchedResource(
  webhook: Pick<Webhook, 'isExact' | 'rules'>,
  request: MatchedRequest,
  equivalents: Equivalents,
): ServedResource | undefined {
  const { resource } = request;
  if (resource.row.group === ADMISSION_GROUP) return undefined;
  const { rules } = webhook;
  if (anyMatches(rules, targetOf(request, resource.row))) return resource;
  if (webhook.isExact) return undefined;
  for (const rule of rules) {
    for (const equivalent of equivalents(resource))
      if (equivalent !== resource && ruleMatches(rule, targetOf(request, equivalent.row))) return equivalent;
  }
  return undefined;
}

const anyMatches = (rules: readonly MatchRule[], target: RuleTarget): boolean => rules.some((rule) => ruleMatches(rule, target));

/** The attributes of the request for one of the equivalent resources. */
function targetOf(request: MatchedRequest, { group, version, resource }: KindRow): RuleTarget {
  const { operation, subresource = '' } = request;
  return { operation, group, version, resource, subresource, namespace: namespaceOf(request) };
}

/** The namespace of a request: a Namespace counts as being in the namespace of its name. */
export function namespaceOf({ resource: { row }, namespace, name }: Pick<AdmissionRequest, 'name' | 'namespace' | 'resource'>): string {
  return row.group === '' && row.resource === 'namespaces' ? name : namespace;
}

/** The name of the object; '' while it is not generated yet. */
export const nameOf = ({ name, object }: AdmissionRequest): string => (name === '' ? (readMetadata(object ?? {}).name ?? '') : name);

/** The attributes that `authorizer.requestResource` checks. */
export function requestResourceOf(request: AdmissionRequest): ResourceCheck['attributes'] {
  const { group, resource } = request.resource.row;
  return { group, resource, subresource: request.subresource ?? '', namespace: request.namespace, name: nameOf(request) };
}

type Labels = Readonly<Record<string, string>>;

/** Whether the selectors match the namespace, and the object or the old object. */
export function isSelected({ namespaces, objects }: Pick<Webhook, 'namespaces' | 'objects'>, request: AdmissionRequest): boolean {
  if (namespaces !== undefined && !isNamespaceSelected(namespaces, request)) return false;
  if (objects === undefined) return true;
  const { object, oldObject } = request;
  // A body without metadata, such as the options of `exec`, matches no selector.
  const isObjectSelected = (candidate: JsonObject | undefined): boolean =>
    candidate !== undefined && 'metadata' in candidate && objects(stringLabelsOf(candidate));
  return isObjectSelected(object) || isObjectSelected(oldObject);
}

/** A request for a Namespace is matched by its own labels; other cluster-scoped requests always match. */
function isNamespaceSelected(matches: (labels: Labels) => boolean, request: AdmissionRequest): boolean {
  const { row } = request.resource;
  if (row.group === '' && row.resource === 'namespaces') return matches(stringLabelsOf(request.object ?? request.oldObject ?? {}));
  return request.namespace === '' || matches(request.namespaceEntry?.labels ?? {});
}

/** Upstream's limit of the cost of one expression. */
const EXPRESSION_COST_LIMIT = 1_000_000;
/** Upstream's limit of the cost of all conditions of a webhook. */
const WEBHOOK_COST_BUDGET = 2_500_000;

/** `met`: all conditions are true. `unmet`: one is false. `errors`: some failed to evaluate, and none is false. */
export type ConditionsResult = { readonly type: 'met' | 'unmet' } | { readonly type: 'errors'; readonly errors: readonly string[] };

/** The variables of match conditions; objects are in the webhook's version. */
export interface ConditionInput {
  readonly request: JsonObject;
  readonly object: Value;
  readonly oldObject: Value;
  readonly checkAccess: Authorize;
  readonly requestResource: ReturnType<typeof requestResourceOf>;
}

/**
 * Evaluates the match conditions of a webhook. `input` is called only when there are conditions. Throws
 * {@link PendingResult} while the authorizer is called.
 */
export function checkConditions(conditions: readonly MatchCondition[], input: () => ConditionInput): ConditionsResult {
  if (conditions.length === 0) return { type: 'met' };
  const { request, object, oldObject, checkAccess, requestResource } = input();
  const authorizer = new AuthorizerValue(checkAccess);
  const variables = new Map<string, Value>([
    ['request', untypedValue(request)],
    ['object', object],
    ['oldObject', oldObject],
    ['namespaceObject', null],
    ['authorizer', authorizer],
    [REQUEST_RESOURCE, new ResourceCheck(authorizer, requestResource)],
  ]);
  const budget = new CostBudget(WEBHOOK_COST_BUDGET);
  const errors: string[] = [];
  for (const { text, expression } of conditions) {
    const value = expression === undefined ? 'it does not compile' : evaluate(expression, variables, budget);
    if (value === false) return { type: 'unmet' };
    if (value !== true) errors.push(`expression '${text}' resulted in error: ${value}`);
  }
  return errors.length === 0 ? { type: 'met' } : { type: 'errors', errors };
}

/** The result of a condition, or an error text. */
function evaluate(expression: Expression, variables: ReadonlyMap<string, Value>, budget: CostBudget): boolean | string {
  try {
    const value = expression.evaluate(variables, EXPRESSION_COST_LIMIT, budget);
    if (typeof value === 'boolean') return value;
    return value instanceof ErrorValue ? value.message : 'it is not a boolean';
  } catch (error) {
    if (error instanceof CostExceededError) return 'operation cancelled: actual cost limit exceeded';
    throw error;
  }
}
