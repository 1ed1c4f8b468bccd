/**
 * Reads the AdmissionReview v1 with which a webhook responds. No schema describes the response, so every member is
 * checked before it is used. Errors have upstream's texts. Applying the patch is left to webhook-patch.ts.
 */
import { apiVersionInDialect, canonicalApiVersion, type Dialect } from '../../../shared/names/dialect';
import { arrayAt, isObject, objectAt, ownMember, stringAt, stringsAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { StatusDetails } from '../../../shared/api/errors/status';
import { parseBody } from '../../../shared/client/rest/json-body';
import { ADMISSION_REVIEW_KIND, ADMISSION_REVIEW_VERSION } from './admission-review';
import type { WebhookType } from './webhooks';

/** The response of a webhook, after validation. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** The status of a response that is not allowed. */
  readonly rejection: WebhookRejection;
  /** JSON of a JSON patch; `undefined` when there is none. */
  readonly patch: Buffer | undefined;
  readonly warnings: readonly string[];
  readonly annotations: readonly (readonly [name: string, value: string])[];
}

/** The members of a status that a denial shows; absent ones are empty or 0. */
export interface WebhookRejection {
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  readonly details: StatusDetails | undefined;
}

/** Further warnings and annotations of a response are dropped. */
const MAX_WARNINGS = 100;
const MAX_ANNOTATIONS = 100;
const INVALID_RESPONSE = 'received invalid webhook response: ';

/** Returns the response, or an error text. `uid`: that of the request, which the response must repeat. */
export function readAdmissionResponse(
  bytes: Buffer,
  type: WebhookType,
  uid: string,
  dialect: Dialect,
): AdmissionResponse | { readonly error: string } {
  const review = parse(bytes);
  if (!isObject(review)) return { error: `failed to call webhook: ${missingTypeMetaError(review)}` };
  const response = ownMember(review, 'response') ?? null;
  if (response === null) return { error: `${INVALID_RESPONSE}webhook response was absent` };
  const typeMismatch = typeError(review, response) ?? memberError(response);
  if (typeMismatch !== undefined) return { error: `failed to call webhook: ${typeMismatch}` };
  const fields = isObject(response) ? response : {};
  const error = kindError(review, dialect) ?? uidError(fields, uid) ?? patchError(fields, type);
  if (error !== undefined) return { error: INVALID_RESPONSE + error };
  const patch = stringAt(fields, 'patch') ?? '';
  return {
    allowed: ownMember(fields, 'allowed') === true,
    rejection: rejectionOf(objectAt(fields, 'status') ?? {}),
    patch: patch === '' ? undefined : Buffer.from(patch, 'base64'),
    warnings: stringsAt(fields, 'warnings').slice(0, MAX_WARNINGS),
    annotations: annotationsIn(fields),
  };
}

/** The audit annotations within the limit. Values that are not strings are dropped. */
function annotationsIn(response: JsonObject): AdmissionResponse['annotations'] {
  const entries = Object.entries(objectAt(response, 'auditAnnotations') ?? {}).slice(0, MAX_ANNOTATIONS);
  return entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
}

/** `undefined` when the body is not JSON. */
function parse(bytes: Buffer): JsonValue | undefined {
  try {
    return parseBody(bytes.toString());
  } catch {
    return undefined;
  }
}

/** The error about a body that is not an object, or not JSON, and so has no kind. */
function missingTypeMetaError(value: JsonValue | undefined): string {
  const isNamedType = Array.isArray(value) || typeof value === 'number' || typeof value === 'boolean';
  const goKind = isNamedType ? goTypeOf(value) : 'string';
  const type = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind} into Go value of type ${type}`;
}

/**
 * The error about a kind and version that are not registered, or a `response` that is not an object. Accepts either
 * spelling of the group, and a review without kind and version, which `kindError` rejects later.
 */
function typeError(review: JsonObject, response: JsonValue): string | undefined {
  const kind = stringAt(review, 'kind') ?? '';
  const version = stringAt(review, 'apiVersion') ?? '';
  if (kind === '' && version === '') return undefined;
  const canonical = canonicalApiVersion(version);
  if (canonical === `${ADMISSION_REVIEW_VERSION}beta1` && kind === ADMISSION_REVIEW_KIND)
    return `converting (v1beta1.${ADMISSION_REVIEW_KIND}) to (v1.${ADMISSION_REVIEW_KIND}): unknown conversion`;
  if (kind !== ADMISSION_REVIEW_KIND || canonical !== ADMISSION_REVIEW_VERSION)
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:100"`;
  return isObject(response)
    ? undefined
    : `json: cannot unmarshal ${goTypeOf(response)} into Go struct field ${ADMISSION_REVIEW_KIND}.response of type v1.AdmissionResponse`;
}

/** The Go type of a JSON value, as messages name it. */
function goTypeOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The types of the members that are checked before the others. */
const MEMBER_TYPES: Readonly<Record<string, 'boolean' | 'string'>> = {
  uid: 'string',
  allowed: 'boolean',
  patch: 'string',
  patchType: 'string',
};
/** Whole groups of four characters, the last one padded: `QUI=`. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The error about a member of the wrong type, or a patch that is not base64. */
function memberError(response: JsonValue): string | undefined {
  if (!isObject(response)) return undefined;
  for (const [member, type] of Object.entries(MEMBER_TYPES)) {
    const value = ownMember(response, member) ?? null;
    if (value === null || typeof value === type) continue;
    const name = type === 'boolean' ? 'bool' : type;
    return `json: cannot unmarshal ${goTypeOf(value)} into Go struct field AdmissionResponse.response.${member} of type ${name}`;
  }
  const patch = stringAt(response, 'patch') ?? '';
  if (BASE64.test(patch)) return undefined;
  // Offset 0 when every character is one of base64, and only the length is wrong.
  const errorOffset = Math.max(patch.search(/[^A-Za-z0-9+/]/), 0);
  return `illegal base64 data at input byte ${errorOffset}`;
}

/** The error about a review without kind and version. */
function kindError(review: JsonObject, dialect: Dialect): string | undefined {
  if (stringAt(review, 'kind') === ADMISSION_REVIEW_KIND) return undefined;
  return `expected webhook response of ${apiVersionInDialect(dialect, ADMISSION_REVIEW_VERSION)}, Kind=${ADMISSION_REVIEW_KIND}, got /, Kind=`;
}

function uidError(response: JsonObject, uid: string): string | undefined {
  const actual = stringAt(response, 'uid') ?? '';
  return actual === uid ? undefined : `expected response.uid="${uid}", got ${JSON.stringify(actual)}`;
}

/** Also checks the patch of a response that denies the request, although such a patch is not applied. */
function patchError(response: JsonObject, type: WebhookType): string | undefined {
  const patch = stringAt(response, 'patch') ?? '';
  const patchType = stringAt(response, 'patchType');
  if (type === 'validating') {
    if (patch !== '') return 'validating webhook may not return response.patch';
    return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
  }
  if (patch !== '' && patchType === undefined) return 'webhook returned response.patch but not response.patchType';
  if (patch === '' && patchType !== undefined) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function rejectionOf(status: JsonObject): WebhookRejection {
  const code = ownMember(status, 'code');
  return {
    message: stringAt(status, 'message') ?? '',
    reason: stringAt(status, 'reason') ?? '',
    code: typeof code === 'number' ? code : 0,
    details: detailsOf(objectAt(status, 'details')),
  };
}

function detailsOf(details: JsonObject | undefined): StatusDetails | undefined {
  if (details === undefined) return undefined;
  const seconds = ownMember(details, 'retryAfterSeconds');
  const causeObjects = (arrayAt(details, 'causes') ?? []).filter(isObject);
  const causes = causeObjects.map((cause) => nonEmptyTexts(cause, ['reason', 'message', 'field']));
  return {
    ...nonEmptyTexts(details, ['name', 'group', 'kind', 'uid']),
    ...(causes.length === 0 ? {} : { causes }),
    ...(typeof seconds === 'number' ? { retryAfterSeconds: seconds } : {}),
  };
}

/** Those of the members that are texts and not empty. */
function nonEmptyTexts(object: JsonObject, members: readonly string[]): Readonly<Record<string, string>> {
  const entries = members.map((member) => [member, stringAt(object, member) ?? ''] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}
