/** Builds the ImageReview of a pod and reads the response of the webhook. Does not call it. */
import { apiVersionInDialect, canonicalApiVersion, IMAGE_POLICY_ANNOTATION_INFIX, type Dialect } from '../../../../shared/names/dialect';
import type { CoreV1Pod } from '../../../../shared/api/types/generated/members';
import { isObject, objectAt, own, stringAt, type JsonObject, type JsonValue } from '../../../../shared/values/json';

const KIND = 'ImageReview';
const VERSION = 'imagepolicy.platform.io/v1alpha1';

export interface ReviewedRequest {
  readonly namespace: string;
  readonly subresource: string | undefined;
}

/** Of a new pod, or of ephemeral containers that are added to a pod. */
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
    if (presentInfix === undefined || (presentInfix !== infix && own(annotations, name.replace(presentInfix, infix)) !== undefined))
      continue;
    selected.set(name.replace(presentInfix, infix), value);
  }
  return Object.fromEntries([...selected].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function imageReviewBody(spec: JsonObject, dialect: Dialect): Buffer {
  const apiVersion = apiVersionInDialect(dialect, VERSION);
  return Buffer.from(JSON.stringify({ kind: KIND, apiVersion, metadata: { creationTimestamp: null }, spec, status: { allowed: false } }));
}

export interface ImageReviewStatus {
  readonly allowed: boolean;
  readonly reason: string;
  /** Audit annotations. */
  readonly auditAnnotations: readonly (readonly [name: string, value: string])[];
}

const MAX_AUDIT_ANNOTATIONS = 100;
const MAX_AUDIT_ANNOTATION_LENGTH = 256 * 1024;

/** Returns the status of the response, or a fault in upstream's words. A response without `allowed` denies. */
export function readImageReviewStatus(bytes: Buffer): ImageReviewStatus | { readonly fault: string } {
  const review = parseJsonOrUndefined(bytes);
  if (!isObject(review)) return { fault: 'the response of the image policy webhook is not an object' };
  const [kind, version] = [stringAt(review, 'kind') ?? '', stringAt(review, 'apiVersion') ?? ''];
  if ((kind !== '' || version !== '') && (kind !== KIND || canonicalApiVersion(version) !== VERSION))
    return {
      fault: `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:100"`,
    };
  const status = objectAt(review, 'status') ?? {};
  const [allowed, reason] = [own(status, 'allowed') ?? false, own(status, 'reason') ?? ''];
  if (typeof allowed !== 'boolean') return { fault: typeMismatch('allowed', 'bool', allowed) };
  if (typeof reason !== 'string') return { fault: typeMismatch('reason', 'string', reason) };
  const auditAnnotations = Object.entries(objectAt(status, 'auditAnnotations') ?? {})
    .slice(0, MAX_AUDIT_ANNOTATIONS)
    .flatMap(([name, value]) => (typeof value === 'string' ? [[name, value.slice(0, MAX_AUDIT_ANNOTATION_LENGTH)] as const] : []));
  return { allowed, reason, auditAnnotations };
}

function parseJsonOrUndefined(bytes: Buffer): JsonValue | undefined {
  try {
    return JSON.parse(bytes.toString()) as JsonValue;
  } catch {
    return undefined;
  }
}

function typeMismatch(member: string, type: string, value: JsonValue): string {
  const goType = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${goType} into Go struct field ImageReviewStatus.status.${member} of type ${type}`;
}
