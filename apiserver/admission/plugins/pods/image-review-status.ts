/**
 * Reads the ImageReview with which a webhook responds. No schema describes the response, so every member is checked
 * before it is used. image-policy.ts decides what a denial or an error leads to.
 */
import { jsonKindOf } from '../../../../shared/api/types';
import { canonicalApiVersion } from '../../../../shared/names/dialect';
import { isObject, objectAt, ownMember, stringAt, type JsonObject, type JsonValue } from '../../../../shared/values/json';
import { IMAGE_REVIEW_KIND, IMAGE_REVIEW_VERSION } from './image-review';

/** The decision of the webhook. */
export interface ImageReviewStatus {
  readonly allowed: boolean;
  /** For the message of a denial; may be empty. */
  readonly reason: string;
  /** Names as the webhook sent them: they have no prefix yet, and may be invalid. */
  readonly auditAnnotations: readonly (readonly [name: string, value: string])[];
}

/** Limits of what a response adds to an audit event. */
const MAX_AUDIT_ANNOTATIONS = 100;
const MAX_AUDIT_ANNOTATION_LENGTH = 256 * 1024;

/**
 * Returns the status of the response, or an error text. Errors about the kind or a member have upstream's text. A
 * response without `allowed` denies.
 */
export function readImageReviewStatus(bytes: Buffer): ImageReviewStatus | { readonly error: string } {
  const review = parseJsonOrUndefined(bytes);
  if (!isObject(review)) return { error: 'the response of the image policy webhook is not an object' };
  const kind = stringAt(review, 'kind') ?? '';
  const version = stringAt(review, 'apiVersion') ?? '';
  const hasTypeMeta = kind !== '' || version !== '';
  const isImageReview = kind === IMAGE_REVIEW_KIND && canonicalApiVersion(version) === IMAGE_REVIEW_VERSION;
  if (hasTypeMeta && !isImageReview)
    return {
      error: `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:100"`,
    };
  const status = objectAt(review, 'status') ?? {};
  const allowed = ownMember(status, 'allowed') ?? false;
  const reason = ownMember(status, 'reason') ?? '';
  if (typeof allowed !== 'boolean') return { error: typeMismatch('allowed', 'bool', allowed) };
  if (typeof reason !== 'string') return { error: typeMismatch('reason', 'string', reason) };
  return { allowed, reason, auditAnnotations: auditAnnotationsIn(status) };
}

/** The annotations within the limits. Values that are not strings are dropped. */
function auditAnnotationsIn(status: JsonObject): ImageReviewStatus['auditAnnotations'] {
  const entries = Object.entries(objectAt(status, 'auditAnnotations') ?? {}).slice(0, MAX_AUDIT_ANNOTATIONS);
  return entries.flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value.slice(0, MAX_AUDIT_ANNOTATION_LENGTH)] as const] : [],
  );
}

function parseJsonOrUndefined(bytes: Buffer): JsonValue | undefined {
  try {
    return JSON.parse(bytes.toString()) as JsonValue;
  } catch {
    return undefined;
  }
}

function typeMismatch(member: string, type: string, value: JsonValue): string {
  return `json: cannot unmarshal ${jsonKindOf(value)} into Go struct field ImageReviewStatus.status.${member} of type ${type}`;
}
