/**
 * The MutatingAdmissionWebhook and ValidatingAdmissionWebhook plug-ins. Mutating webhooks are called in sequence. One
 * with the reinvocation policy IfNeeded is called once more when the object changed after its call. Validating webhooks
 * are called concurrently. Without webhooks the cost is one comparison. A single call is left to call-webhook.ts.
 */
import { deniedByWebhook, internalError, type StatusError } from '../../../shared/api/errors/status';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import type { MaybePromise } from '../../../shared/runtime/maybe-promise';
import { cloneJson, equalJson, type JsonObject } from '../../../shared/values/json';
import type { AdmissionOperation, AdmissionTarget, AdmissionRequest } from '../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../chain';
import { callWebhook, matchWebhook, prepareReview, type WebhookDependencies, type PreparedReview } from './call-webhook';
import type { Webhook, Webhooks, WebhookType } from './webhooks';
import { AuthorizerDecisions } from './authorizer-decisions';
import { canMatch } from './match';
import { patchText, applyWebhookPatch } from './webhook-patch';
import { isWebhookConverted, VersionedObjects } from './versioned-objects';

/** The configured webhooks, and what calls of them need. */
export interface WebhookPluginDependencies extends WebhookDependencies {
  readonly webhooks: Webhooks;
}

const ANNOTATION_DOMAIN = 'webhook.admission.platform.io';

/** The members that both plug-ins share. */
function pluginBase({ webhooks }: WebhookPluginDependencies, type: WebhookType) {
  const canAnyMatch = (target: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
    webhooks.list(type).some((webhook) => canMatch(webhook, target));
  return {
    inspectsObject: canAnyMatch,
    callsWebhooks: canAnyMatch,
    handles: (_operation: AdmissionOperation): boolean => webhooks.list(type).length > 0,
  };
}

/** `reinvoke` runs the mutating plug-ins before this one again, for the object that webhooks have changed. */
export function mutatingWebhooks(
  deps: WebhookPluginDependencies,
  reinvoke: (request: AdmissionRequest) => Promise<void> | undefined,
): MutatingPlugin {
  return {
    name: 'MutatingAdmissionWebhook',
    ...pluginBase(deps, 'mutating'),
    mutate(request) {
      const webhooks = deps.webhooks.list('mutating');
      return webhooks.some((webhook) => canMatch(webhook, request))
        ? new MutatingCalls(deps, webhooks, request).callAll(reinvoke)
        : undefined;
    },
  };
}

/** Calls the mutating webhooks for one request. */
class MutatingCalls {
  /** Ids of the webhooks with the reinvocation policy IfNeeded that were called since the last change of the object. */
  private calledSinceChange = new Set<string>();
  /** Ids of the webhooks with that policy that have not seen the last change. */
  private needsReinvocation = new Set<string>();
  /** Whether a webhook of this request has changed the object. */
  private hasChanged = false;
  private readonly decisions: AuthorizerDecisions;
  /** Absent when no conversion webhook is needed. */
  private objects: VersionedObjects | undefined;

  constructor(
    private readonly deps: WebhookPluginDependencies,
    private readonly webhooks: readonly Webhook[],
    private readonly request: AdmissionRequest,
  ) {
    this.decisions = new AuthorizerDecisions(deps.authorize, request.user);
  }

  /** The first round calls every matching webhook, the second those that need reinvocation. */
  async callAll(reinvoke: (request: AdmissionRequest) => Promise<void> | undefined): Promise<void> {
    const { object } = this.request;
    await this.runRound(0, () => true);
    if (!this.hasChanged || object === undefined) return;
    const before = cloneJson(object);
    const pending = reinvoke(this.request);
    if (pending !== undefined) await pending;
    if (!equalJson(before, object)) this.requireReinvocation();
    await this.runRound(1, ({ id }) => this.needsReinvocation.has(id));
  }

  /** Calls the webhooks of one round in sequence. */
  private async runRound(round: number, shouldCall: (webhook: Webhook) => boolean): Promise<void> {
    this.objects = isWebhookConverted(this.request) ? new VersionedObjects(this.request, mutatingConversionError) : undefined;
    for (const [index, webhook] of this.webhooks.entries()) {
      const context = { deps: this.deps, requestToReview: this.request, decisions: this.decisions, objects: this.objects };
      const review = shouldCall(webhook) ? await prepareWhenMatched(context, webhook) : undefined;
      // The index counts all mutating webhooks, not only those that are called.
      if (review !== undefined) await this.callAndRecord(review, `round_${round}_index_${index}`);
    }
    await this.objects?.writeBack();
  }

  /** `annotationSuffix` identifies the call in audit annotations. */
  private async callAndRecord(review: PreparedReview, annotationSuffix: string): Promise<void> {
    const { webhook } = review;
    let isMutated = false;
    try {
      isMutated = await this.callAndApply(review, annotationSuffix);
    } finally {
      this.annotateMutation(webhook, annotationSuffix, { mutated: isMutated });
    }
    if (isMutated) this.requireReinvocation();
    this.hasChanged ||= isMutated;
    if (webhook.isReinvokedIfNeeded) this.calledSinceChange.add(webhook.id);
  }

  /** Returns whether the webhook changed the object. */
  private async callAndApply(review: PreparedReview, annotationSuffix: string): Promise<boolean> {
    const { webhook, object } = review;
    const { context, operation } = this.request;
    const call = callWebhook(this.deps, review, this.request);
    const outcome = await (context.excludeFromSli?.(call) ?? call);
    if (outcome.type === 'failed') {
      context.addAuditAnnotation?.(`failed-open.mutation.${ANNOTATION_DOMAIN}/${annotationSuffix}`, webhook.name);
      return false;
    }
    const { allowed, rejection, patch } = outcome.response;
    if (!allowed) throw deniedByWebhook(webhook.name, rejection);
    if (patch === undefined) return false;
    if (object === undefined || operation === 'CONNECT') throw patchNotAllowed(webhook);
    return this.applyPatch(review, object, patch, annotationSuffix);
  }

  /** Returns whether the patch has operations. Records the patch when the audit policy logs the object of the request. */
  private applyPatch(review: PreparedReview, object: JsonObject, patch: Buffer, annotationSuffix: string): boolean {
    const version = applyWebhookPatch(review, object, patch);
    const isMutated = version !== undefined;
    if (isMutated) this.objects?.setVersion(version);
    const { configuration, name } = review.webhook;
    const { context } = this.request;
    if (isMutated && context.auditsRequestObject === true) {
      // The patch is JSON already: `{"configuration":"c","webhook":"w","patch":[…],"patchType":"JSONPatch"}`.
      const members = `"configuration":${JSON.stringify(configuration)},"webhook":${JSON.stringify(name)},"patch":${patchText(patch)}`;
      context.addAuditAnnotation?.(`patch.${ANNOTATION_DOMAIN}/${annotationSuffix}`, `{${members},"patchType":"JSONPatch"}`);
    }
    return isMutated;
  }

  /** Annotates the audit event with whether the webhook has changed the object. */
  private annotateMutation({ configuration, name }: Webhook, annotationSuffix: string, { mutated }: { readonly mutated: boolean }): void {
    this.request.context.addAuditAnnotation?.(
      `mutation.${ANNOTATION_DOMAIN}/${annotationSuffix}`,
      JSON.stringify({ configuration, webhook: name, mutated }),
    );
  }

  /** Called after a change of the object. */
  private requireReinvocation(): void {
    for (const id of this.calledSinceChange) this.needsReinvocation.add(id);
    this.calledSinceChange = new Set();
  }
}

/** Mutating webhooks wrap the error of a conversion twice, validating ones once (upstream behaviour). */
const mutatingConversionError = (text: string): StatusError => internalError(internalError(text).message);
const validatingConversionError = (text: string): StatusError => internalError(text);

const patchNotAllowed = ({ name }: Webhook): Error =>
  internalError(`admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`);

/** Creates the plug-in. It prepares the reviews synchronously up to the first one that needs the authorizer or a conversion. */
export function validatingWebhooks(deps: WebhookPluginDependencies): ValidatingPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    ...pluginBase(deps, 'validating'),
    validate(request) {
      const webhooks = deps.webhooks.list('validating');
      if (!webhooks.some((webhook) => canMatch(webhook, request))) return undefined;
      const requestToReview = withStoredResourceVersion(request);
      const objects = isWebhookConverted(request) ? new VersionedObjects(requestToReview, validatingConversionError) : undefined;
      const context = { deps, requestToReview, decisions: new AuthorizerDecisions(deps.authorize, request.user), objects };
      const reviews: PreparedReview[] = [];
      for (const [index, webhook] of webhooks.entries()) {
        const review = prepareWhenMatched(context, webhook);
        if (review instanceof Promise) {
          const progress = { reviews, pending: review, remaining: webhooks.slice(index + 1) };
          return validateAsync(context, progress, request);
        }
        if (review !== undefined) reviews.push(review);
      }
      return reviews.length === 0 ? undefined : callValidatingWebhooks(deps, reviews, request);
    },
  };
}

/** The request, and what preparing its reviews depends on. */
interface ReviewContext {
  readonly deps: WebhookPluginDependencies;
  /** The request as webhooks see it: for validating ones with the resourceVersion of the stored object. */
  readonly requestToReview: AdmissionRequest;
  readonly decisions: AuthorizerDecisions;
  /** Absent when no conversion webhook is needed. */
  readonly objects: VersionedObjects | undefined;
}

/** The review of a webhook; `undefined` when the webhook does not match the request. */
function prepareWhenMatched(
  { deps, requestToReview, decisions, objects }: ReviewContext,
  webhook: Webhook,
): MaybePromise<PreparedReview | undefined> {
  const matchedAs = matchWebhook(deps, webhook, requestToReview);
  if (matchedAs === undefined) return undefined;
  const match = { webhook, request: requestToReview, matchedAs, decisions };
  if (objects === undefined) return prepareReview(deps, match);
  return objects.requestInVersion(matchedAs).then((converted) => prepareReview(deps, { ...match, request: converted }));
}

/** How far the reviews of one request have been prepared. */
interface PreparationProgress {
  readonly reviews: PreparedReview[];
  /** The review that is being prepared. */
  readonly pending: Promise<PreparedReview | undefined>;
  /** The webhooks after the one of `pending`. */
  readonly remaining: readonly Webhook[];
}

/** Prepares the remaining reviews asynchronously, and calls the webhooks. */
async function validateAsync(
  context: ReviewContext,
  { reviews, pending, remaining }: PreparationProgress,
  request: AdmissionRequest,
): Promise<void> {
  const firstReview = await pending;
  if (firstReview !== undefined) reviews.push(firstReview);
  for (const webhook of remaining) {
    const review = await prepareWhenMatched(context, webhook);
    if (review !== undefined) reviews.push(review);
  }
  if (reviews.length > 0) await callValidatingWebhooks(context.deps, reviews, request);
}

/** Gives the object of an update the resourceVersion of the stored object, because the client may have sent none. */
function withStoredResourceVersion(request: AdmissionRequest): AdmissionRequest {
  const { operation, object, oldObject } = request;
  const { resourceVersion: version } = readMetadata(oldObject ?? {});
  if (operation !== 'UPDATE' || object === undefined || version === undefined) return request;
  return { ...request, object: { ...object, metadata: { ...readMetadata(object), resourceVersion: version } } };
}

/** Rejects with the first rejection in the order of webhooks. */
async function callValidatingWebhooks(
  deps: WebhookPluginDependencies,
  reviews: readonly PreparedReview[],
  request: AdmissionRequest,
): Promise<void> {
  const calls = Promise.allSettled(reviews.map((review) => callValidatingWebhook(deps, review, request)));
  const results = await (request.context.excludeFromSli?.(calls) ?? calls);
  // The index counts the webhooks that are called, unlike that of mutating webhooks.
  for (const [index, result] of results.entries()) {
    if (result.status === 'rejected') throw result.reason;
    if (result.value === 'allowed') continue;
    const name = reviews[index]?.webhook.name ?? '';
    request.context.addAuditAnnotation?.(`failed-open.validating.${ANNOTATION_DOMAIN}/round_0_index_${index}`, name);
  }
}

/** `failed`: the call failed and the failure policy is Ignore. Rejects when the webhook denies the request. */
async function callValidatingWebhook(
  deps: WebhookPluginDependencies,
  review: PreparedReview,
  request: AdmissionRequest,
): Promise<'allowed' | 'failed'> {
  const outcome = await callWebhook(deps, review, request);
  if (outcome.type === 'failed') return 'failed';
  const { allowed, rejection } = outcome.response;
  if (!allowed) throw deniedByWebhook(review.webhook.name, rejection);
  return 'allowed';
}
