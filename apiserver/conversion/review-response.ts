/** What a conversion webhook answers (ConversionReview). Asks nobody, and judges no object. */
import { isAscii } from 'node:buffer';
import { parseBody, tryParseObject } from '../../shared/client/rest/json-body';
import { apiVersionInDialect, canonicalApiVersion, type Dialect } from '../../shared/names/dialect';
import type { ConversionReviewVersion } from '../../shared/api/structural/version';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { answerFault, type ConversionFault } from './conversion-failure';
import { apiVersionOfReview, REVIEW_GROUP, REVIEW_KIND } from './review-request';
import { splitAnswer, type TextSpan } from './split-response';

/** Objects of an answer, each read when its turn comes, so that few are there at a time. */
export interface ConvertedObjects {
  readonly count: number;
  /** Whatever it is; undefined = it is no JSON. */
  at(index: number): JsonValue | undefined;
  /** An object with something else in the place of its metadata, where those can be found unread and `isKnown` says of them that nobody has to read them. */
  besides(index: number, isKnown: (answer: Buffer, metadata: TextSpan) => boolean): JsonObject | undefined;
}

/**
 * The converted objects, or what is wrong with the answer, in upstream's words. What is wrong with the text of one object is found out when it is read: then
 * {@link readWhole} tells how.
 */
export function readAnswer(
  version: ConversionReviewVersion,
  uid: string,
  bytes: Buffer,
  dialect: Dialect,
): ConvertedObjects | ConversionFault {
  // A character for a byte, so that places in the text are places in the answer.
  const text = bytes.toString('latin1');
  const split = splitAnswer(text, uid);
  const around = split === undefined ? undefined : tryParseObject(Buffer.from(split.around, 'latin1').toString());
  const isSplit = around !== undefined && isPlaceholder(uid, around) && responseFault(version, uid, around, dialect) === undefined;
  if (split === undefined || !isSplit) return readWhole(version, uid, bytes, dialect);
  const { places } = split;
  const isPlain = isAscii(bytes);
  const textAt = (start: number, end: number): string => (isPlain ? text.slice(start, end) : bytes.toString('utf8', start, end));
  return {
    count: places.length,
    at(index) {
      const place = places[index];
      return place === undefined ? undefined : tryParse(textAt(place.start, place.end));
    },
    besides(index, isKnown) {
      const place = places[index];
      if (place?.metadata === undefined || !isKnown(bytes, place.metadata)) return undefined;
      const { start, end, metadata } = place;
      const rest = tryParse(`${textAt(start, metadata.start)}"${uid}"${textAt(metadata.end, end)}`);
      // Another member of that name may follow.
      return isObject(rest) && rest['metadata'] === uid ? rest : undefined;
    },
  };
}

/** The same, all of it read at once. */
export function readWhole(
  version: ConversionReviewVersion,
  uid: string,
  bytes: Buffer,
  dialect: Dialect,
): ConvertedObjects | ConversionFault {
  const parsed = parse(bytes);
  if ('isCut' in parsed) return answerFault("couldn't get version/kind; json parse error: unexpected end of JSON input");
  const review = parsed.value ?? {};
  if (!isObject(review)) return answerFault(notTyped(review));
  const fault = responseFault(version, uid, review, dialect);
  if (fault !== undefined) return fault;
  const objects = arrayAt(objectAt(review, 'response') ?? {}, 'convertedObjects') ?? [];
  return { count: objects.length, at: (index) => objects[index], besides: () => undefined };
}

/** Whether what stands for the objects is what the answer says of them, and not a second member of their name. */
function isPlaceholder(uid: string, around: JsonObject): boolean {
  const objects = arrayAt(objectAt(around, 'response') ?? {}, 'convertedObjects');
  return objects?.length === 1 && objects[0] === uid;
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return parseBody(text);
  } catch {
    return undefined;
  }
}

function responseFault(version: ConversionReviewVersion, uid: string, review: JsonObject, dialect: Dialect): ConversionFault | undefined {
  const misfit = typeFault(version, review, dialect);
  if (misfit !== undefined) return answerFault(misfit);
  const response = own(review, 'response') ?? null;
  const odd = response === null ? undefined : oddMember(response);
  if (odd !== undefined) return answerFault(odd);
  if (!isObject(response)) return answerFault('no response provided');
  const found = stringAt(response, 'uid') ?? '';
  if (version === 'v1' && found !== uid) return answerFault(`expected response.uid="${uid}", got ${JSON.stringify(found)}`);
  return resultFault(response);
}

/** What is no JSON at all is taken for a text. */
function parse(bytes: Buffer): { readonly value: JsonValue } | { readonly isCut: true } {
  const text = bytes.toString();
  try {
    return { value: parseBody(text) };
  } catch {
    return /^\s*[[{]/.test(text) ? { isCut: true } : { value: text };
  }
}

function notTyped(value: JsonValue): string {
  const type = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(value)} into Go value of type ${type}`;
}

export function goType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}

const SCHEME = 'in scheme "pkg/runtime/scheme.go:100"';
const KNOWN: ReadonlySet<string> = new Set([`${REVIEW_GROUP}/v1`, `${REVIEW_GROUP}/v1beta1`]);

function typeFault(version: ConversionReviewVersion, review: JsonObject, dialect: Dialect): string | undefined {
  const [kind, apiVersion] = [stringAt(review, 'kind') ?? '', stringAt(review, 'apiVersion') ?? ''];
  const canonical = canonicalApiVersion(apiVersion);
  const wanted = apiVersionOfReview(version);
  if (kind === REVIEW_KIND && canonical === wanted) return undefined;
  if (kind === '' || apiVersion === '') {
    const group = apiVersion === '' ? '/' : apiVersion;
    return `expected webhook response of ${apiVersionInDialect(dialect, wanted)}, Kind=${REVIEW_KIND}, got ${group}, Kind=${kind}`;
  }
  const isKnown = kind === REVIEW_KIND ? KNOWN.has(canonical) : kind === 'Status' && apiVersion === 'v1';
  if (!isKnown) return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} ${SCHEME}`;
  const short = canonical.slice(canonical.indexOf('/') + 1);
  return `converting (${short}.${kind}) to (${version}.${REVIEW_KIND}): unknown conversion`;
}

const STRUCT = 'into Go struct field ConversionResponse.response';

/** Of the members in the order of upstream's type. */
function oddMember(response: JsonValue): string | undefined {
  if (!isObject(response)) {
    return `json: cannot unmarshal ${goType(response)} into Go struct field ${REVIEW_KIND}.response of type v1.ConversionResponse`;
  }
  const [uid, objects, result] = ['uid', 'convertedObjects', 'result'].map((member) => own(response, member) ?? null);
  if (uid !== undefined && uid !== null && typeof uid !== 'string')
    return `json: cannot unmarshal ${goType(uid)} ${STRUCT}.uid of type types.UID`;
  if (objects !== undefined && objects !== null && !Array.isArray(objects))
    return `json: cannot unmarshal ${goType(objects)} ${STRUCT}.convertedObjects of type []runtime.RawExtension`;
  if (result !== undefined && result !== null && !isObject(result))
    return `json: cannot unmarshal ${goType(result)} ${STRUCT}.result of type v1.Status`;
  return undefined;
}

const LONGEST_MESSAGE = 4_096;

function resultFault(response: JsonObject): ConversionFault | undefined {
  const result = own(response, 'result') ?? {};
  const status = isObject(result) ? (stringAt(result, 'status') ?? '') : '';
  if (status === 'Success') return undefined;
  const message = isObject(result) ? (stringAt(result, 'message') ?? '') : '';
  if (message !== '') return answerFault(message.slice(0, LONGEST_MESSAGE));
  return answerFault(`response.result.status was '${status}', not 'Success'`);
}
