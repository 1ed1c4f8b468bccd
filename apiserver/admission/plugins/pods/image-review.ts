/** Builds the ImageReview that is sent about a pod. image-review-status.ts reads the response. */
import { apiVersionInDialect, IMAGE_POLICY_ANNOTATION_INFIX, type Dialect } from '../../../../shared/names/dialect';
import type { CoreV1Container, CoreV1Pod } from '../../../../shared/api/types/generated/members';
import { ownMember, type JsonObject, type JsonValue } from '../../../../shared/values/json';

/** The kind of requests to the webhook and of its responses. */
export const IMAGE_REVIEW_KIND = 'ImageReview';
/** The apiVersion of requests and responses, in canonical spelling. */
export const IMAGE_REVIEW_VERSION = 'imagepolicy.platform.io/v1alpha1';

/** The part of the admission request that a review depends on besides the pod. */
export interface ReviewedRequest {
  readonly namespace: string;
  readonly subresource: string | undefined;
}

/** The spec of the ImageReview for a new pod, or for ephemeral containers that are added to a pod. */
export function imageReviewSpec(
  { metadata, spec = {} }: CoreV1Pod,
  { namespace, subresource }: ReviewedRequest,
  dialect: Dialect,
): JsonObject {
  const newContainers: readonly Pick<CoreV1Container, 'image'>[] =
    subresource === undefined ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])] : (spec.ephemeralContainers ?? []);
  const containers = newContainers.map(({ image = '' }): JsonObject => ({ image }));
  const annotations = webhookAnnotations(metadata?.annotations ?? {}, dialect);
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    namespace,
  };
}

/**
 * The annotations for the webhook, sorted, with names in the spelling of `dialect`. When the pod has an annotation in
 * both spellings, the one that is already in this spelling is used.
 */
function webhookAnnotations(annotations: JsonObject, dialect: Dialect): JsonObject {
  const infix = IMAGE_POLICY_ANNOTATION_INFIX[dialect];
  const selected = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(annotations)) {
    const presentInfix = Object.values(IMAGE_POLICY_ANNOTATION_INFIX).find((candidate) => name.includes(candidate));
    if (presentInfix === undefined) continue;
    const nameInDialect = name.replace(presentInfix, infix);
    const isOverridden = nameInDialect !== name && ownMember(annotations, nameInDialect) !== undefined;
    if (!isOverridden) selected.set(nameInDialect, value);
  }
  return Object.fromEntries([...selected].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The JSON that is sent. `spec` is from {@link imageReviewSpec} for the same dialect. */
export function imageReviewBody(spec: JsonObject, dialect: Dialect): Buffer {
  const apiVersion = apiVersionInDialect(dialect, IMAGE_REVIEW_VERSION);
  return Buffer.from(
    JSON.stringify({ kind: IMAGE_REVIEW_KIND, apiVersion, metadata: { creationTimestamp: null }, spec, status: { allowed: false } }),
  );
}
