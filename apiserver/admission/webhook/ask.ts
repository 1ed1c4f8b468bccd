/** One webhook is asked about one request: whether it is about it at all, what it is shown, and what comes of its answer. Changes nothing. */
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
import type { ConditionsLook } from '../conditions-look';
import type { Webhook } from './configuration';
import { type Decisions, Unanswered, type AskAuthorizer } from './decisions';
import { checkConditions, isSelected, matchedResource, placeOf, type Equivalents } from './match';
import { readVerdict, requestOf, reviewBody, type Verdict } from './review';
import { viewOf, type ObjectView } from './view';

/** What a webhook has cost, for whoever counts. */
export interface WebhookCall {
  readonly webhook: Webhook;
  readonly operation: AdmissionRequest['operation'];
  readonly ms: number;
  readonly outcome: 'allowed' | 'denied' | 'failed' | 'failed-open';
  /** Of a refusal; 0 = none. */
  readonly code: number;
}

export interface AskParts {
  readonly client: Pick<WebhookClient, 'call'>;
  readonly equivalents: Equivalents;
  readonly names: GeneratedNames;
  /** Asked by expressions. */
  readonly authorize: AskAuthorizer;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of every call; absent = nobody counts. */
  readonly called?: (call: WebhookCall) => void;
  /** Told of every look at conditions; absent = nobody counts. */
  readonly matched?: (look: ConditionsLook) => void;
  /** Told of a webhook that does not answer as it should. */
  readonly failed: (error: Error) => void;
}

/** What a webhook is to be asked. */
export interface Question {
  readonly webhook: Webhook;
  readonly view: ObjectView;
  /** What it is shown, which its patch changes. */
  readonly object: JsonObject | undefined;
  /** The object's text; `null` where there is none. */
  readonly text: string;
  readonly oldText: string;
  readonly body: (uid: string) => Buffer;
}

/** The resource as which a webhook is asked about a request; undefined = it is not about it. */
export function askedAs(
  { equivalents }: Pick<AskParts, 'equivalents'>,
  webhook: Webhook,
  request: AdmissionRequest,
): ServedResource | undefined {
  const as = matchedResource(webhook, request, equivalents);
  return as === undefined || !isSelected(webhook, request) ? undefined : as;
}

/** `request` with objects as `as` has them. Undefined = its conditions are not met. Fails with the refusal of one whose conditions cannot be told. */
export function questionFor(
  parts: Pick<AskParts, 'names' | 'clock' | 'matched'>,
  webhook: Webhook,
  request: AdmissionRequest,
  as: ServedResource,
  decisions: Decisions,
): MaybePromise<Question | undefined> {
  try {
    return questionNow(parts, webhook, request, as, decisions);
  } catch (error) {
    if (error instanceof Unanswered) return error.answer.then(() => questionFor(parts, webhook, request, as, decisions));
    throw error;
  }
}

function questionNow(
  { names, clock, matched }: Pick<AskParts, 'names' | 'clock' | 'matched'>,
  webhook: Webhook,
  request: AdmissionRequest,
  as: ServedResource,
  decisions: Decisions,
): Question | undefined {
  const view = viewOf(request, as, names);
  const sent = as === request.resource ? view.row : viewOf(request, request.resource, names).row;
  const told = requestOf(request, as, view.row, sent, names.dialect);
  const { object, oldObject } = request;
  const startedAt = webhook.conditions.length === 0 ? 0 : clock.monotonic();
  const answer = checkConditions(webhook.conditions, () => ({
    request: told,
    object: object === undefined ? null : view.value(object),
    oldObject: oldObject === undefined ? null : view.value(oldObject),
    ask: decisions.ask,
    place: placeOf(request),
  }));
  if (webhook.conditions.length > 0) {
    const { name, type, isIgnoredOnFailure } = webhook;
    const hasFailed = answer.type === 'errors';
    const isLeftOut = answer.type === 'unmet' || (hasFailed && isIgnoredOnFailure);
    matched?.({ kind: 'webhook', name, type, operation: request.operation, ms: clock.monotonic() - startedAt, hasFailed, isLeftOut });
  }
  if (answer.type === 'unmet') return undefined;
  if (answer.type === 'errors') {
    if (webhook.isIgnoredOnFailure) return undefined;
    throw unmatched(request, answer.errors);
  }
  const text = object === undefined ? 'null' : view.text(object);
  const oldText = oldObject === undefined ? 'null' : view.text(oldObject);
  return { webhook, view, object, text, oldText, body: (uid) => reviewBody(uid, told, text, oldText, names.dialect) };
}

function unmatched({ resource: { row }, name }: AdmissionRequest, errors: readonly string[]): StatusError {
  const { group, resource } = row;
  return forbidden({ group, resource }, name, errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`);
}

/** `failed` = it could not be asked, and that is to be borne with. */
export type Outcome = { readonly type: 'verdict'; readonly verdict: Verdict } | { readonly type: 'failed' };

/** Asks. Rejects with a StatusError where it cannot be asked and has to be. Warnings and annotations have been passed on. */
export async function ask(parts: AskParts, { webhook, body }: Question, request: AdmissionRequest): Promise<Outcome> {
  const { clock, random, names } = parts;
  const startedAt = clock.monotonic();
  const uid = random.uuid();
  const timeoutMs = Math.max(1, Math.min(webhook.timeoutSeconds * 1000, request.deadline - startedAt));
  const send = (): Promise<Reply> => parts.client.call(webhook, body(uid), { query: `?timeout=${webhook.timeoutSeconds}s`, timeoutMs });
  const { trace } = request.context;
  const asked = trace === undefined ? send() : traced(trace, webhook, request, uid, send);
  const reply = inWords(await asked);
  const verdict = 'fault' in reply ? reply : readVerdict(reply.bytes, webhook.type, uid, names.dialect);
  const tell = (outcome: WebhookCall['outcome'], code: number): void =>
    parts.called?.({ webhook, operation: request.operation, ms: clock.monotonic() - startedAt, outcome, code });
  if ('fault' in verdict) {
    const error = internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${verdict.fault}`);
    parts.failed(error);
    tell(webhook.isIgnoredOnFailure ? 'failed-open' : 'failed', error.code);
    if (webhook.isIgnoredOnFailure) return { type: 'failed' };
    throw error;
  }
  tell(verdict.allowed ? 'allowed' : 'denied', verdict.allowed ? 0 : verdict.refusal.code);
  pass(webhook, verdict, request);
  return { type: 'verdict', verdict };
}

/** As a part of the trace of the request that it is asked about. */
function traced(
  trace: TraceSpan,
  { type, configuration, name }: Webhook,
  { operation, resource: { row }, subresource }: AdmissionRequest,
  uid: string,
  send: () => Promise<Reply>,
): Promise<Reply> {
  const { group, version, resource } = row;
  const attributes = {
    UID: uid,
    configuration,
    operation,
    resource: `${group}/${version}, Resource=${resource}`,
    subresource: subresource ?? '',
    webhook: name,
  };
  return trace.runInChildSpan(`Call ${type} webhook`, attributes, async (part) => {
    const reply = await send();
    if ('bytes' in reply) part.addEvent('Request completed');
    return reply;
  });
}

const inWords = (reply: Reply): Reply =>
  'bytes' in reply
    ? reply
    : { ...reply, fault: `${reply.isCallFailure ? 'failed to call webhook' : 'could not get REST client'}: ${reply.fault}` };

const LONGEST_ANNOTATION = 256 * 1024;

function pass({ name }: Webhook, { warnings, annotations }: Verdict, { context }: AdmissionRequest): void {
  for (const warning of warnings) if (warning !== '') context.warn(warning);
  for (const [key, value] of annotations) {
    const annotation = `${name}/${key}`;
    if (checkQualifiedName(annotation).length === 0) context.addAuditAnnotation?.(annotation, value.slice(0, LONGEST_ANNOTATION));
  }
}
