/** Builds the ImageReview of a pod. The response is read in image-review-status.ts. */
import { apiVersionInDialect, IMAGE_POLICY_ANNOTATION_INFIX, type Dialect } from '../../../../shared/names/dialect';
import type { CoreV1Pod } from '../../../../shared/api/types/generated/members';
import { ownMember, type JsonObject, type JsonValue } from '../../../../shared/values/json';

/** The kind of requests and responses. */
export const IMAGE_REVIEW_KIND = 'ImageReview';
/** Their apiVersion, in canonical spelling. */
export const IMAGE_REVIEW_VERSION = 'imagepolicy.platform.io/v1alpha1';

/** The part of the request that a review depends on besides the pod. */
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
  const reviewed = subresource === undefined ? [spec.containers, spec.initContainers] : [spec.ephemeralContainers];
  const containers = reviewed.flatMap((list) => list ?? []).map(({ image = '' }): JsonObject => ({ image }));
  const annotations = webhookAnnotations(metadata?.annotations ?? {}, dialect);
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    namespace,
  };
}

/**
 * The annotations for the webhook, in its spelling of their names. An annotation already in that spelling takes
 * precedence over one that is converted to it.
 */
function webhookAnnotations(annotations: JsonObject, dialect: Dialect): JsonObject {
  const infix = IMAGE_POLICY_ANNOTATION_INFIX[dialect];
  const selected = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(annotations)) {
    const presentInfix = Object.values(IMAGE_POLICY_ANNOTATION_INFIX).find((candidate) => name.includes(candidate));
    if (presentInfix === undefined || (presentInfix !== infix && ownMember(annotations, name.replace(presentInfix, infix)) !== undefined))
      continue;
    selected.set(name.replace(presentInfix, infix), value);
  }
  return Object.fromEntries([...selected].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The JSON that is sent, in the spelling of `dialect`. */
export function imageReviewBody(spec: JsonObject, dialect: Dialect): Buffer {
  const apiVersion = apiVersionInDialect(dialect, IMAGE_REVIEW_VERSION);
  return Buffer.from(
    JSON.stringify({ kind: IMAGE_REVIEW_KIND, apiVersion, metadata: { creationTimestamp: null }, spec, status: { allowed: false } }),
  );
}
