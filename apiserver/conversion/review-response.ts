/**
 * Reads the ConversionReview with which a conversion webhook responds. Checks everything around the converted objects;
 * the objects are parsed on access and checked in accept-object.ts.
 */
import { isAscii } from 'node:buffer';
import { jsonKindOf } from '../../shared/api/types';
import { parseBody, tryParseObject } from '../../shared/client/rest/json-body';
import { apiVersionInDialect, canonicalApiVersion, type Dialect } from '../../shared/names/dialect';
import type { ConversionReviewVersion } from '../../shared/api/structural/version';
import { arrayAt, isObject, objectAt, ownMember, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { responseFailure, type ConversionFailure } from './conversion-failure';
import { reviewApiVersion, REVIEW_GROUP, REVIEW_KIND } from './review-request';
import { splitResponse, type TextSpan } from './split-response';

/** The objects of a response, each parsed on access, so that few are in memory at a time. */
export interface ConvertedObjects {
  readonly count: number;
  /** The parsed value; `undefined` when it is not valid JSON. */
  at(index: number): JsonValue | undefined;
  /**
   * Parses an object with a placeholder for its metadata, when the metadata can be located and `isKnown` reports that
   * it need not be parsed.
   */
  withoutMetadata(index: number, isKnown: (response: Buffer, metadata: TextSpan) => boolean): JsonObject | undefined;
}

/**
 * Returns the converted objects, or a failure with upstream's message. An invalid object is detected when it is
 * accessed; {@link parseReviewResponse} then returns the failure.
 */
export function readReviewResponse(
  version: ConversionReviewVersion,
  uid: string,
  bytes: Buffer,
  dialect: Dialect,
): ConvertedObjects | ConversionFailure {
  // One character per byte, so that offsets in the text are offsets in the response.
  const text = bytes.toString('latin1');
  const split = splitResponse(text, uid);
  const envelope = split === undefined ? undefined : tryParseObject(Buffer.from(split.envelope, 'latin1').toString());
  const isValid = envelope !== undefined && hasPlaceholder(uid, envelope) && checkResponse(version, uid, envelope, dialect) === undefined;
  if (split === undefined || !isValid) return parseReviewResponse(version, uid, bytes, dialect);
  const { spans } = split;
  const hasOnlyAscii = isAscii(bytes);
  const textAt = (start: number, end: number): string => (hasOnlyAscii ? text.slice(start, end) : bytes.toString('utf8', start, end));
  return {
    count: spans.length,
    at(index) {
      const span = spans[index];
      return span === undefined ? undefined : tryParse(textAt(span.start, span.end));
    },
    withoutMetadata(index, isKnown) {
      const span = spans[index];
      if (span?.metadata === undefined || !isKnown(bytes, span.metadata)) return undefined;
      const { start, end, metadata } = span;
      const object = tryParse(`${textAt(start, metadata.start)}"${uid}"${textAt(metadata.end, end)}`);
      // A second member named metadata may follow, which replaces the placeholder.
      return isObject(object) && object['metadata'] === uid ? object : undefined;
    },
  };
}

/** Like {@link readReviewResponse}, but parses the whole response at once. */
export function parseReviewResponse(
  version: ConversionReviewVersion,
  uid: string,
  bytes: Buffer,
  dialect: Dialect,
): ConvertedObjects | ConversionFailure {
  const parsed = parse(bytes);
  if ('isTruncated' in parsed) return responseFailure("couldn't get version/kind; json parse error: unexpected end of JSON input");
  const review = parsed.value ?? {};
  if (!isObject(review)) return responseFailure(typeMetaError(review));
  const failure = checkResponse(version, uid, review, dialect);
  if (failure !== undefined) return failure;
  const objects = arrayAt(objectAt(review, 'response') ?? {}, 'convertedObjects') ?? [];
  return { count: objects.length, at: (index) => objects[index], withoutMetadata: () => undefined };
}

/**
 * Whether the placeholder is the value of `convertedObjects`. It is not when a second member of that name follows, because
 * a parser takes the last one.
 */
function hasPlaceholder(uid: string, envelope: JsonObject): boolean {
  const objects = arrayAt(objectAt(envelope, 'response') ?? {}, 'convertedObjects');
  return objects?.length === 1 && objects[0] === uid;
}

/** `undefined` when the text is not JSON. */
function tryParse(text: string): JsonValue | undefined {
  try {
    return parseBody(text);
  } catch {
    return undefined;
  }
}

/** The first failure of the response, apart from its objects. */
function checkResponse(version: ConversionReviewVersion, uid: string, review: JsonObject, dialect: Dialect): ConversionFailure | undefined {
  const typeError = checkType(version, review, dialect);
  if (typeError !== undefined) return responseFailure(typeError);
  const response = ownMember(review, 'response') ?? null;
  const memberError = response === null ? undefined : checkMemberTypes(response);
  if (memberError !== undefined) return responseFailure(memberError);
  if (!isObject(response)) return responseFailure('no response provided');
  const responseUid = stringAt(response, 'uid') ?? '';
  if (version === 'v1' && responseUid !== uid) return responseFailure(`expected response.uid="${uid}", got ${JSON.stringify(responseUid)}`);
  return checkResult(response);
}

/** The beginning of an object or a list, after white space. */
const START_OF_CONTAINER = /^\s*[[{]/;

/** Text that is not JSON at all is treated as a string, as upstream's YAML parser does. */
function parse(bytes: Buffer): { readonly value: JsonValue } | { readonly isTruncated: true } {
  const text = bytes.toString();
  try {
    return { value: parseBody(text) };
  } catch {
    return START_OF_CONTAINER.test(text) ? { isTruncated: true } : { value: text };
  }
}

function typeMetaError(value: JsonValue): string {
  const type = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKindOf(value)} into Go value of type ${type}`;
}

/** The end of the message about an unknown kind. */
const SCHEME = 'in scheme "pkg/runtime/scheme.go:100"';
const REVIEW_API_VERSIONS: ReadonlySet<string> = new Set([`${REVIEW_GROUP}/v1`, `${REVIEW_GROUP}/v1beta1`]);

/** The error when the response is not a ConversionReview of the version. */
function checkType(version: ConversionReviewVersion, review: JsonObject, dialect: Dialect): string | undefined {
  const kind = stringAt(review, 'kind') ?? '';
  const apiVersion = stringAt(review, 'apiVersion') ?? '';
  const canonical = canonicalApiVersion(apiVersion);
  const expected = reviewApiVersion(version);
  if (kind === REVIEW_KIND && canonical === expected) return undefined;
  if (kind === '' || apiVersion === '') {
    const group = apiVersion === '' ? '/' : apiVersion;
    return `expected webhook response of ${apiVersionInDialect(dialect, expected)}, Kind=${REVIEW_KIND}, got ${group}, Kind=${kind}`;
  }
  // Whether the kind is in the scheme with which upstream decodes the response.
  const isRegistered = kind === REVIEW_KIND ? REVIEW_API_VERSIONS.has(canonical) : kind === 'Status' && apiVersion === 'v1';
  if (!isRegistered) return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} ${SCHEME}`;
  const receivedVersion = canonical.slice(canonical.indexOf('/') + 1);
  return `converting (${receivedVersion}.${kind}) to (${version}.${REVIEW_KIND}): unknown conversion`;
}

/** Names the type of a member in Go's message. */
const STRUCT = 'into Go struct field ConversionResponse.response';

/** Checks the members in the order of upstream's type. */
function checkMemberTypes(response: JsonValue): string | undefined {
  if (!isObject(response)) {
    return `json: cannot unmarshal ${jsonKindOf(response)} into Go struct field ${REVIEW_KIND}.response of type v1.ConversionResponse`;
  }
  const uid = ownMember(response, 'uid') ?? null;
  if (uid !== null && typeof uid !== 'string') return `json: cannot unmarshal ${jsonKindOf(uid)} ${STRUCT}.uid of type types.UID`;
  const objects = ownMember(response, 'convertedObjects') ?? null;
  if (objects !== null && !Array.isArray(objects))
    return `json: cannot unmarshal ${jsonKindOf(objects)} ${STRUCT}.convertedObjects of type []runtime.RawExtension`;
  const result = ownMember(response, 'result') ?? null;
  if (result !== null && !isObject(result)) return `json: cannot unmarshal ${jsonKindOf(result)} ${STRUCT}.result of type v1.Status`;
  return undefined;
}

/** Characters of the webhook's message that an error shows. */
const MAX_MESSAGE_LENGTH = 4_096;

/** The failure unless the webhook reports success. */
function checkResult(response: JsonObject): ConversionFailure | undefined {
  const result = ownMember(response, 'result') ?? {};
  const status = isObject(result) ? (stringAt(result, 'status') ?? '') : '';
  if (status === 'Success') return undefined;
  const message = isObject(result) ? (stringAt(result, 'message') ?? '') : '';
  if (message !== '') return responseFailure(message.slice(0, MAX_MESSAGE_LENGTH));
  return responseFailure(`response.result.status was '${status}', not 'Success'`);
}
