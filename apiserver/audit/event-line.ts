/**
 * Encodes an audit event as one line, in JSON or in the legacy text format. The text between values is encoded once, and
 * so are users. Most requests have two events, so the second line copies most of the first one ({@link WrittenLine}). Which
 * events are written, and whether an event is too long to contain its objects, is left to the callers.
 */
import { quote } from '../../shared/values/text/quote';
import { stringifyJsonString } from '../../shared/values/json';
import type { UserInfo } from '../../shared/api/identity/user';
import { AUDIT_NAMES, auditAnnotationInDialect } from '../../shared/names/audit';
import type { Dialect } from '../../shared/names/dialect';
import { SUCCESS_STATUS_JSON, TRUNCATED_ANNOTATION, type AuditEvent, type AuditObject, type AuditSubject, type WrittenLine } from './event';
import { encodePiece, type LineBuffer } from './line-buffer';
import type { AuditLevel, AuditStage } from './policy-format';

/** The formats of lines. */
export const AUDIT_FORMATS = ['json', 'legacy'] as const;
/** One of {@link AUDIT_FORMATS}. */
export type AuditFormat = (typeof AUDIT_FORMATS)[number];

/** `without-objects` omits the request and response objects and adds the truncation annotation. */
export type EventContent = 'with-objects' | 'without-objects';

/** An encoded piece of text for each value of `K`. */
type Pieces<K extends string> = Readonly<Record<K, Uint8Array>>;

/** The start of a line, up to the audit ID. */
const encodeHeads = (dialect: Dialect): Pieces<AuditLevel> => {
  const head = (level: AuditLevel): Uint8Array =>
    encodePiece(`{"kind":"Event","apiVersion":"${AUDIT_NAMES[dialect].apiVersion}","level":"${level}","auditID":`);
  return { None: head('None'), Metadata: head('Metadata'), Request: head('Request'), RequestResponse: head('RequestResponse') };
};

const HEADS: Readonly<Record<Dialect, Pieces<AuditLevel>>> = { platform: encodeHeads('platform'), kubernetes: encodeHeads('kubernetes') };

/** The text between the audit ID and the request URI. */
const encodeStage = (name: AuditStage): Uint8Array => encodePiece(`,"stage":"${name}","requestURI":`);

const STAGES: Pieces<AuditStage> = {
  RequestReceived: encodeStage('RequestReceived'),
  ResponseStarted: encodeStage('ResponseStarted'),
  ResponseComplete: encodeStage('ResponseComplete'),
  Panic: encodeStage('Panic'),
};

// Names of members with what stands before their values.
const VERB = encodePiece(',"verb":');
const USER = encodePiece(',"user":');
const IMPERSONATED = encodePiece(',"impersonatedUser":');
const SOURCE_IPS = encodePiece(',"sourceIPs":[');
const USER_AGENT = encodePiece(',"userAgent":');
const STATUS = encodePiece(',"responseStatus":');
const SUCCESS_STATUS = encodePiece(`,"responseStatus":${SUCCESS_STATUS_JSON}`);
const REQUEST_OBJECT = encodePiece(',"requestObject":');
const RESPONSE_OBJECT = encodePiece(',"responseObject":');
const RECEIVED_TIME = encodePiece(',"requestReceivedTimestamp":"');
const STAGE_TIME = encodePiece('","stageTimestamp":"');
const CLOSE_TIME_OPEN_ANNOTATIONS = encodePiece('","annotations":{');
const EMPTY_OBJECT = encodePiece('{}');
const COMMA = 0x2c;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;
const CLOSE_ANNOTATIONS_AND_EVENT = encodePiece('}}');
const CLOSE_TIME_AND_EVENT = encodePiece('"}');

/** The form of a line. */
export interface LineEncoding {
  readonly format: AuditFormat;
  /** The spelling of names in JSON lines. */
  readonly dialect: Dialect;
}

/** Writes the event without a line break. A line in the legacy format has no objects and ignores `dialect` and `content`. */
export function writeEvent(buffer: LineBuffer, event: AuditEvent, { format, dialect }: LineEncoding, content: EventContent): void {
  if (format === 'json') writeJson(buffer, event, dialect, content);
  else writeLegacy(buffer, event);
}

function writeJson(buffer: LineBuffer, event: AuditEvent, dialect: Dialect, content: EventContent): void {
  const { subject, responseStatus, requestObject, responseObject } = event;
  const previous = findReusableLine(buffer, event);
  if (previous === undefined) {
    subject.written = writeRequestMembers(buffer, event, dialect);
  } else {
    buffer.repeat(previous.start, previous.auditIdEnd);
    buffer.writePiece(STAGES[event.stage]);
    buffer.repeat(previous.requestUriStart, previous.objectEnd);
  }
  if (responseStatus !== undefined) writeStatus(buffer, responseStatus);
  if (content === 'with-objects' && requestObject !== undefined) {
    buffer.writePiece(REQUEST_OBJECT);
    buffer.writeJson(requestObject);
  }
  if (content === 'with-objects' && responseObject !== undefined) {
    buffer.writePiece(RESPONSE_OBJECT);
    buffer.writeJson(responseObject);
  }
  buffer.writePiece(RECEIVED_TIME);
  buffer.writeTime(subject.receivedAt);
  buffer.writePiece(STAGE_TIME);
  buffer.writeTime(event.at);
  writeAnnotations(buffer, event.annotations, dialect, content);
}

/** The last line of the request, if it is still in the buffer and contains the same members as the event will. */
function findReusableLine(buffer: LineBuffer, { subject: { written }, user, impersonated, object }: AuditEvent): WrittenLine | undefined {
  const isReusable =
    written !== undefined &&
    written.buffer === buffer &&
    written.generation === buffer.generation &&
    written.user === user &&
    written.impersonated === impersonated &&
    written.object === object;
  return isReusable ? written : undefined;
}

/** Writes the members up to the object reference. Returns where they are, for the next stage of the request. */
function writeRequestMembers(
  buffer: LineBuffer,
  { level, stage, subject, user, impersonated, object }: AuditEvent,
  dialect: Dialect,
): WrittenLine {
  const start = buffer.length;
  buffer.writePiece(HEADS[dialect][level]);
  buffer.writeString(subject.auditId);
  const auditIdEnd = buffer.length;
  buffer.writePiece(STAGES[stage]);
  const requestUriStart = buffer.length;
  buffer.writeString(subject.requestUri);
  buffer.writePiece(VERB);
  buffer.writeString(subject.verb);
  if (user === undefined || impersonated !== undefined) writeUserMembers(buffer, subject, user, impersonated);
  else writeCachedUserMembers(buffer, subject, user);
  if (object !== undefined) writeObjectReference(buffer, object);
  const { generation, length: objectEnd } = buffer;
  return { buffer, generation, start, auditIdEnd, requestUriStart, objectEnd, user, impersonated, object };
}

/**
 * The encoded members of a user and of the source of its last request. They are cached, because a user usually sends many
 * requests from one address with one user agent.
 */
interface UserEncoding {
  /** The value of the member `user`. */
  readonly user: Uint8Array;
  /** Source address and user agent of the last request. */
  address: string;
  agent: string;
  /**
   * The members `user`, `sourceIPs` and `userAgent` with this address and agent; `undefined` until two requests in a row
   * have the same.
   */
  withSource: Uint8Array | undefined;
}

const userEncodings = new WeakMap<UserInfo, UserEncoding>();
/** Longer members are not cached in {@link UserEncoding.withSource}. */
const MAX_CACHED_BYTES = 2048;

function encodeUser(user: UserInfo): UserEncoding {
  let encoding = userEncodings.get(user);
  if (encoding === undefined) {
    const { name, uid, groups, extra } = user;
    const json = JSON.stringify({
      username: name,
      uid: uid === '' ? undefined : uid,
      groups: groups.length === 0 ? undefined : groups,
      extra,
    });
    encoding = { user: encodePiece(json), address: '', agent: '', withSource: undefined };
    userEncodings.set(user, encoding);
  }
  return encoding;
}

/** Writes what {@link writeUserMembers} writes for a request without impersonation. */
function writeCachedUserMembers(buffer: LineBuffer, subject: AuditSubject, user: UserInfo): void {
  const { sourceIps, userAgent } = subject;
  const encoding = encodeUser(user);
  const isSameSource = sourceIps.length === 1 && sourceIps[0] === encoding.address && userAgent === encoding.agent;
  if (isSameSource && encoding.withSource !== undefined) {
    buffer.writePiece(encoding.withSource);
    return;
  }
  const start = buffer.length;
  writeUserMembers(buffer, subject, user, undefined);
  const isCacheable = isSameSource && buffer.length - start <= MAX_CACHED_BYTES;
  encoding.withSource = isCacheable ? buffer.copyOf(start, buffer.length) : undefined;
  encoding.address = sourceIps[0] ?? '';
  encoding.agent = userAgent;
}

/** Writes the members `user`, `impersonatedUser`, `sourceIPs` and `userAgent`. */
function writeUserMembers(buffer: LineBuffer, subject: AuditSubject, user: UserInfo | undefined, impersonated: UserInfo | undefined): void {
  buffer.writePiece(USER);
  buffer.writePiece(user === undefined ? EMPTY_OBJECT : encodeUser(user).user);
  if (impersonated !== undefined) {
    buffer.writePiece(IMPERSONATED);
    buffer.writePiece(encodeUser(impersonated).user);
  }
  writeSourceIps(buffer, subject.sourceIps);
  writeMember(buffer, USER_AGENT, subject.userAgent);
}

function writeSourceIps(buffer: LineBuffer, sourceIps: readonly string[]): void {
  if (sourceIps.length === 0) return;
  buffer.writePiece(SOURCE_IPS);
  for (const [index, address] of sourceIps.entries()) {
    if (index > 0) buffer.writeByte(COMMA);
    buffer.writeString(address);
  }
  buffer.writeByte(CLOSE_LIST);
}

// Names of the members of `objectRef`.
const RESOURCE = encodePiece(',"objectRef":{"resource":');
const NAMESPACE = encodePiece(',"namespace":');
const NAME = encodePiece(',"name":');
const UID = encodePiece(',"uid":');
const GROUP = encodePiece(',"apiGroup":');
const VERSION = encodePiece(',"apiVersion":');
const REVISION = encodePiece(',"resourceVersion":');
const SUBRESOURCE = encodePiece(',"subresource":');

/** Writes the member `objectRef`. One statement per member, because a loop over names would dominate the cost of an event. */
function writeObjectReference(buffer: LineBuffer, object: AuditObject): void {
  buffer.writePiece(RESOURCE);
  buffer.writeString(object.resource);
  writeMember(buffer, NAMESPACE, object.namespace);
  writeMember(buffer, NAME, object.name);
  writeMember(buffer, UID, object.uid);
  writeMember(buffer, GROUP, object.apiGroup);
  writeMember(buffer, VERSION, object.apiVersion);
  writeMember(buffer, REVISION, object.resourceVersion);
  writeMember(buffer, SUBRESOURCE, object.subresource);
  buffer.writeByte(CLOSE_OBJECT);
}

/** Writes nothing for an empty value. */
function writeMember(buffer: LineBuffer, member: Uint8Array, value: string): void {
  if (value === '') return;
  buffer.writePiece(member);
  buffer.writeString(value);
}

function writeStatus(buffer: LineBuffer, status: string): void {
  if (status === SUCCESS_STATUS_JSON) {
    buffer.writePiece(SUCCESS_STATUS);
  } else {
    buffer.writePiece(STATUS);
    buffer.writeJson(status);
  }
}

/** Writes the end of the line, from the end of the stage's time on. */
function writeAnnotations(buffer: LineBuffer, annotations: AuditEvent['annotations'], dialect: Dialect, content: EventContent): void {
  const needsTruncatedAnnotation = content === 'without-objects' && annotations?.has(TRUNCATED_ANNOTATION) !== true;
  let isFirst = true;
  const write = (name: string, value: string): void => {
    if (isFirst) buffer.writePiece(CLOSE_TIME_OPEN_ANNOTATIONS);
    else buffer.writeByte(COMMA);
    isFirst = false;
    buffer.writePiece(encodeAnnotationName(dialect, name));
    buffer.writeString(value);
  };
  if (needsTruncatedAnnotation) write(TRUNCATED_ANNOTATION, 'true');
  if (annotations !== undefined) for (const [name, value] of annotations) write(name, value);
  buffer.writePiece(isFirst ? CLOSE_TIME_AND_EVENT : CLOSE_ANNOTATIONS_AND_EVENT);
}

/** Encoded annotation names with their colons. */
const annotationNames: Readonly<Record<Dialect, Map<string, Uint8Array>>> = { platform: new Map(), kubernetes: new Map() };
/** Limit of that cache: webhooks and policies can add any number of names. */
const MAX_ANNOTATION_NAMES = 256;

function encodeAnnotationName(dialect: Dialect, name: string): Uint8Array {
  const encodedNames = annotationNames[dialect];
  let encodedName = encodedNames.get(name);
  if (encodedName === undefined) {
    encodedName = encodePiece(`${stringifyJsonString(auditAnnotationInDialect(dialect, name))}:`);
    if (encodedNames.size < MAX_ANNOTATION_NAMES) encodedNames.set(name, encodedName);
  }
  return encodedName;
}

function writeLegacy(buffer: LineBuffer, { subject, stage, user, impersonated, object, code }: AuditEvent): void {
  const formatGroups = (identity: UserInfo | undefined, none: string): string =>
    identity === undefined || identity.groups.length === 0 ? none : identity.groups.map((group) => quote(group)).join(',');
  const members = {
    id: subject.auditId,
    stage,
    ip: subject.sourceIps[0] ?? '<unknown>',
    method: subject.verb,
    user: user?.name ?? '<none>',
    groups: formatGroups(user, '<none>'),
    as: impersonated?.name ?? '<self>',
    asgroups: formatGroups(impersonated, '<lookup>'),
    'user-agent': subject.userAgent,
    namespace: object === undefined || object.namespace === '' ? '<none>' : object.namespace,
    uri: subject.requestUri,
    response: code === undefined ? '<deferred>' : String(code),
  };
  const text = Object.entries(members).map(([name, value]) => `${name}=${quote(value)}`);
  buffer.writeTime(subject.receivedAt);
  buffer.writeRaw(` AUDIT: ${text.join(' ')}`);
}
