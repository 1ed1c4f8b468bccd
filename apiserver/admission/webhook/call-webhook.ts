/**
 * Calls one webhook for one request: matching, the review that is sent, and the outcome. Does not change the object:
 * applying a patch is left to webhook-patch.ts, and the order of webhooks to webhook-plugins.ts.
 */
import { forbidden, internalError, type StatusError } from '../../../shared/api/errors/status';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { MaybePromise } from '../../../shared/runtime/maybe-promise';
import type { Random } from '../../../shared/runtime/random';
import type { JsonObject } from '../../../shared/values/json';
import { checkQualifiedName } from '../../../shared/values/name-formats';
import type { AdmissionRequest } from '../../registry/admission';
import type { ServedResource } from '../../registry/verbs';
import type { TraceSpan } from '../../tracing/span';
import type { WebhookClient } from '../../webhook-client/client';
import type { Reply } from '../../webhook-client/reply';
import type { MatchConditionObservation } from '../match-condition-observation';
import type { Webhook } from './webhooks';
import { type AuthorizerDecisions, PendingResult, type AuthorizeCheck } from './authorizer-decisions';
import { checkConditions, isSelected, matchedResource, requestResourceOf, type ConditionsResult, type Equivalents } from './match';
import { readAdmissionResponse, type AdmissionResponse } from './admission-response';
import { admissionRequestOf, reviewBody } from './admission-review';
import { viewOf, type ObjectView } from './object-view';

/** One call, as reported to metrics. */
export interface WebhookCall {
  readonly webhook: Webhook;
  readonly operation: AdmissionRequest['operation'];
  readonly ms: number;
  readonly outcome: 'allowed' | 'denied' | 'failed' | 'failed-open';
  /** Status code of a rejection; 0 = none. */
  readonly code: number;
}

/** How webhooks are matched and called, and where calls are recorded. */
export interface WebhookDependencies {
  readonly client: Pick<WebhookClient, 'call'>;
  readonly equivalents: Equivalents;
  readonly names: GeneratedNames;
  /** For the `authorizer` variable of expressions. */
  readonly authorize: AuthorizeCheck;
  readonly clock: Clock;
  readonly random: Random;
  /** Called after every call; absent = calls are not counted. */
  readonly onCall?: (call: WebhookCall) => void;
  /** Called for every evaluation of match conditions; absent = they are not counted. */
  readonly onMatchConditions?: (observation: MatchConditionObservation) => void;
  /** Called when a webhook fails or sends an invalid response. */
  readonly onFailure: (error: Error) => void;
}

/** The review of one webhook for one request. */
export interface PreparedReview {
  readonly webhook: Webhook;
  readonly view: ObjectView;
  /** The object that a patch modifies; its version is that of {@link WebhookMatch.request}. */
  readonly object: JsonObject | undefined;
  /** JSON of the object; `null` when there is none. */
  readonly text: string;
  /** JSON of the old object; `null` when there is none. */
  readonly oldText: string;
  /** The body of the call with the given uid. */
  readonly body: (uid: string) => Buffer;
}

/** The resource as which the webhook matches the request; `undefined` when it does not match. */
export function matchWebhook(
  { equivalents }: Pick<WebhookDependencies, 'equivalents'>,
  webhook: Webhook,
  request: AdmissionRequest,
): ServedResource | undefined {
  const matchedAs = matchedResource(webhook, request, equivalents);
  return matchedAs === undefined || !isSelected(webhook, request) ? undefined : matchedAs;
}

/** A webhook with rules and selectors that match a request. */
export interface WebhookMatch {
  readonly webhook: Webhook;
  /** Has its objects in the version of `matchedAs` if only a conversion webhook can convert them, else in stored form. */
  readonly request: AdmissionRequest;
  readonly matchedAs: ServedResource;
  readonly decisions: AuthorizerDecisions;
}

/**
 * Evaluates the match conditions and encodes the objects. Returns `undefined` when the conditions exclude the request.
 * Throws or rejects with a StatusError when they fail and the failure policy is Fail.
 */
export function prepareReview(
  deps: Pick<WebhookDependencies, 'names' | 'clock' | 'onMatchConditions'>,
  match: WebhookMatch,
): MaybePromise<PreparedReview | undefined> {
  try {
    return prepareReviewSync(deps, match);
  } catch (error) {
    if (error instanceof PendingResult) return error.ready.then(() => prepareReview(deps, match));
    throw error;
  }
}

/** Throws {@link PendingResult} while the authorizer is called. */
function prepareReviewSync(
  deps: Pick<WebhookDependencies, 'names' | 'clock' | 'onMatchConditions'>,
  { webhook, request, matchedAs, decisions }: WebhookMatch,
): PreparedReview | undefined {
  const { names, clock } = deps;
  const view = viewOf(request, matchedAs, names);
  const requestKind = matchedAs === request.resource ? view.row : viewOf(request, request.resource, names).row;
  const admissionRequest = admissionRequestOf(request, { matchedAs, kind: view.row, requestKind }, names.dialect);
  const { object, oldObject } = request;
  const startedAt = webhook.conditions.length === 0 ? 0 : clock.monotonic();
  const conditions = checkConditions(webhook.conditions, () => ({
    request: admissionRequest,
    object: object === undefined ? null : view.value(object),
    oldObject: oldObject === undefined ? null : view.value(oldObject),
    checkAccess: decisions.check,
    requestResource: requestResourceOf(request),
  }));
  if (webhook.conditions.length > 0) reportConditions(deps, { webhook, operation: request.operation, startedAt }, conditions.type);
  if (conditions.type === 'unmet') return undefined;
  if (conditions.type === 'errors') {
    if (webhook.isIgnoredOnFailure) return undefined;
    throw matchConditionError(request, conditions.errors);
  }
  const text = object === undefined ? 'null' : view.text(object);
  const oldText = oldObject === undefined ? 'null' : view.text(oldObject);
  const body = (uid: string): Buffer => reviewBody(uid, admissionRequest, { object: text, oldObject: oldText }, names.dialect);
  return { webhook, view, object, text, oldText, body };
}

/** The webhook and the request of an evaluation, and the time of the clock at its start. */
interface ConditionsEvaluation extends Pick<MatchConditionObservation, 'operation'> {
  readonly webhook: Webhook;
  readonly startedAt: number;
}

/** Reports an evaluation of match conditions to metrics. */
function reportConditions(
  { clock, onMatchConditions }: Pick<WebhookDependencies, 'clock' | 'onMatchConditions'>,
  { webhook, operation, startedAt }: ConditionsEvaluation,
  outcome: ConditionsResult['type'],
): void {
  const { name, type, isIgnoredOnFailure } = webhook;
  const hasFailed = outcome === 'errors';
  const isExcluded = outcome === 'unmet' || (hasFailed && isIgnoredOnFailure);
  onMatchConditions?.({ kind: 'webhook', name, type, operation, ms: clock.monotonic() - startedAt, hasFailed, isExcluded });
}

function matchConditionError({ resource: { row }, name }: AdmissionRequest, errors: readonly string[]): StatusError {
  const { group, resource } = row;
  return forbidden({ group, resource }, name, errors.length === 1 ? errors.join() : `[${errors.join(', ')}]`);
}

/** `failed` = the call failed and the failure policy is Ignore. */
export type CallOutcome = { readonly type: 'response'; readonly response: AdmissionResponse } | { readonly type: 'failed' };

/**
 * Sends the review, and relays the warnings and audit annotations of the response to the request. Rejects with a
 * StatusError when the call fails and the failure policy is Fail. Leaves a denial and a patch to the caller.
 */
export async function callWebhook(
  deps: WebhookDependencies,
  { webhook, body }: PreparedReview,
  request: AdmissionRequest,
): Promise<CallOutcome> {
  const { clock, random, names } = deps;
  const startedAt = clock.monotonic();
  const uid = random.uuid();
  // Not longer than the request may take, and positive when the deadline has just passed.
  const timeoutMs = Math.max(1, Math.min(webhook.timeoutSeconds * 1000, request.deadline - startedAt));
  const send = (): Promise<Reply> => deps.client.call(webhook, body(uid), { query: `?timeout=${webhook.timeoutSeconds}s`, timeoutMs });
  const { trace } = request.context;
  const pendingReply = trace === undefined ? send() : callInSpan(trace, { webhook, request, uid }, send);
  const reply = withUpstreamPrefix(await pendingReply);
  const response = 'error' in reply ? reply : readAdmissionResponse(reply.bytes, webhook.type, uid, names.dialect);
  const recordCall = (outcome: WebhookCall['outcome'], code: number): void =>
    deps.onCall?.({ webhook, operation: request.operation, ms: clock.monotonic() - startedAt, outcome, code });
  if ('error' in response) {
    const error = internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${response.error}`);
    deps.onFailure(error);
    recordCall(webhook.isIgnoredOnFailure ? 'failed-open' : 'failed', error.code);
    if (webhook.isIgnoredOnFailure) return { type: 'failed' };
    throw error;
  }
  recordCall(response.allowed ? 'allowed' : 'denied', response.allowed ? 0 : response.rejection.code);
  relayWarningsAndAnnotations(webhook, response, request);
  return { type: 'response', response };
}

/** Calls `send` in a child span of the request's trace. */
function callInSpan(
  trace: TraceSpan,
  { webhook, request, uid }: { readonly webhook: Webhook; readonly request: AdmissionRequest; readonly uid: string },
  send: () => Promise<Reply>,
): Promise<Reply> {
  const { type, configuration, name } = webhook;
  const { operation, subresource } = request;
  const { group, version, resource } = request.resource.row;
  const attributes = {
    UID: uid,
    configuration,
    operation,
    resource: `${group}/${version}, Resource=${resource}`,
    subresource: subresource ?? '',
    webhook: name,
  };
  return trace.runInChildSpan(`Call ${type} webhook`, attributes, async (span) => {
    const reply = await send();
    if ('bytes' in reply) span.addEvent('Request completed');
    return reply;
  });
}

/** Adds upstream's prefix to the error of a failed call. */
function withUpstreamPrefix(reply: Reply): Reply {
  if ('bytes' in reply) return reply;
  const prefix = reply.isCallFailure ? 'failed to call webhook' : 'could not get REST client';
  return { ...reply, error: `${prefix}: ${reply.error}` };
}

/** Longer values are cut off, so that a webhook cannot make audit events arbitrarily large. */
const MAX_ANNOTATION_LENGTH = 256 * 1024;

/** Annotations with invalid names are dropped. */
function relayWarningsAndAnnotations({ name }: Webhook, { warnings, annotations }: AdmissionResponse, { context }: AdmissionRequest): void {
  for (const warning of warnings) if (warning !== '') context.warn(warning);
  for (const [key, value] of annotations) {
    const annotation = `${name}/${key}`;
    if (checkQualifiedName(annotation).length === 0) context.addAuditAnnotation?.(annotation, value.slice(0, MAX_ANNOTATION_LENGTH));
  }
}
