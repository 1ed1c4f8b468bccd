/** One line about one stage of a request, as JSON or as the older text. It is made twice for every request, so all of it that is known is bytes already. */
import { quote } from '../../shared/values/quote';
import { stringifyJsonString } from '../../shared/values/json';
import type { UserInfo } from '../../shared/api/identity/user';
import { AUDIT_NAMES, auditAnnotationInDialect, type Dialect } from '../../shared/names/dialect';
import { SUCCESS, TRUNCATED, type AuditEvent, type AuditObject, type AuditSubject, type WrittenLine } from './event';
import { pieceOf, type LineBuffer } from './line-buffer';
import type { AuditLevel, AuditStage } from './policy-format';

export const AUDIT_FORMATS = ['json', 'legacy'] as const;
export type AuditFormat = (typeof AUDIT_FORMATS)[number];

/** Without a line break. `shortened` = without the objects, and saying so. */
export function writeEvent(buffer: LineBuffer, event: AuditEvent, format: AuditFormat, dialect: Dialect, shortened: boolean): void {
  if (format === 'json') writeJson(buffer, event, dialect, shortened);
  else writeLegacy(buffer, event);
}

function writeJson(buffer: LineBuffer, event: AuditEvent, dialect: Dialect, shortened: boolean): void {
  const { subject, responseStatus, requestObject, responseObject } = event;
  const written = writtenIn(buffer, event);
  if (written === undefined) {
    subject.written = writeAsked(buffer, event, dialect);
  } else {
    buffer.again(written.start, written.idEnd);
    buffer.piece(STAGES[event.stage]);
    buffer.again(written.restStart, written.restEnd);
  }
  if (responseStatus !== undefined) writeStatus(buffer, responseStatus);
  if (!shortened && requestObject !== undefined) {
    buffer.piece(REQUEST);
    buffer.json(requestObject);
  }
  if (!shortened && responseObject !== undefined) {
    buffer.piece(RESPONSE);
    buffer.json(responseObject);
  }
  buffer.piece(RECEIVED);
  buffer.time(subject.receivedAt);
  buffer.piece(STAGED);
  buffer.time(event.at);
  writeNotes(buffer, event.annotations, dialect, shortened);
}

/** The stages of a request are often in one buffer: most of the second line is a copy then. */
function writtenIn(buffer: LineBuffer, { subject: { written }, user, impersonated, object }: AuditEvent): WrittenLine | undefined {
  const stands =
    written !== undefined &&
    written.buffer === buffer &&
    written.losses === buffer.losses &&
    written.user === user &&
    written.impersonated === impersonated &&
    written.object === object;
  return stands ? written : undefined;
}

function writeAsked(buffer: LineBuffer, { level, stage, subject, user, impersonated, object }: AuditEvent, dialect: Dialect): WrittenLine {
  const start = buffer.length;
  buffer.piece(HEADS[dialect][level]);
  buffer.text(subject.auditId);
  const idEnd = buffer.length;
  buffer.piece(STAGES[stage]);
  const restStart = buffer.length;
  buffer.text(subject.requestUri);
  buffer.piece(VERB);
  buffer.text(subject.verb);
  if (user === undefined || impersonated !== undefined) writeOthers(buffer, subject, user, impersonated);
  else writeCaller(buffer, subject, user);
  if (object !== undefined) writeObject(buffer, object);
  return { buffer, losses: buffer.losses, start, idEnd, restStart, restEnd: buffer.length, user, impersonated, object };
}

type Pieces<K extends string> = Readonly<Record<K, Uint8Array>>;

const headsOf = (dialect: Dialect): Pieces<AuditLevel> => {
  const head = (level: AuditLevel): Uint8Array =>
    pieceOf(`{"kind":"Event","apiVersion":"${AUDIT_NAMES[dialect].apiVersion}","level":"${level}","auditID":`);
  return { None: head('None'), Metadata: head('Metadata'), Request: head('Request'), RequestResponse: head('RequestResponse') };
};
const HEADS: Readonly<Record<Dialect, Pieces<AuditLevel>>> = { platform: headsOf('platform'), kubernetes: headsOf('kubernetes') };

const stageOf = (name: AuditStage): Uint8Array => pieceOf(`,"stage":"${name}","requestURI":`);
const STAGES: Pieces<AuditStage> = {
  RequestReceived: stageOf('RequestReceived'),
  ResponseStarted: stageOf('ResponseStarted'),
  ResponseComplete: stageOf('ResponseComplete'),
  Panic: stageOf('Panic'),
};

const VERB = pieceOf(',"verb":');
const USER = pieceOf(',"user":');
const IMPERSONATED = pieceOf(',"impersonatedUser":');
const SOURCES = pieceOf(',"sourceIPs":[');
const AGENT = pieceOf(',"userAgent":');
const STATUS = pieceOf(',"responseStatus":');
const SUCCESS_STATUS = pieceOf(`,"responseStatus":${SUCCESS}`);
const REQUEST = pieceOf(',"requestObject":');
const RESPONSE = pieceOf(',"responseObject":');
const RECEIVED = pieceOf(',"requestReceivedTimestamp":"');
const STAGED = pieceOf('","stageTimestamp":"');
const NOTES = pieceOf('","annotations":{');
const NOBODY = pieceOf('{}');
const COMMA = 0x2c;
const LIST_END = 0x5d;
const END = 0x7d;
const BOTH_END = pieceOf('}}');
const TIME_END = pieceOf('"}');

/** What was last written of a user, who stays the same from request to request, as seldom as his address and program change. */
interface Spelling {
  readonly user: Uint8Array;
  address: string;
  agent: string;
  /** With address and agent; undefined = it was asked for once. */
  together: Uint8Array | undefined;
}

const spellings = new WeakMap<UserInfo, Spelling>();
/** Bytes; what is longer is no small part of what is written anyway. */
const MOST_TOGETHER = 2048;

function spellingOf(user: UserInfo): Spelling {
  let spelling = spellings.get(user);
  if (spelling === undefined) {
    const { name, uid, groups, extra } = user;
    const json = JSON.stringify({
      username: name,
      uid: uid === '' ? undefined : uid,
      groups: groups.length === 0 ? undefined : groups,
      extra,
    });
    spelling = { user: pieceOf(json), address: '', agent: '', together: undefined };
    spellings.set(user, spelling);
  }
  return spelling;
}

function writeCaller(buffer: LineBuffer, subject: AuditSubject, user: UserInfo): void {
  const { sourceIps, userAgent } = subject;
  const spelling = spellingOf(user);
  const isSame = sourceIps.length === 1 && sourceIps[0] === spelling.address && userAgent === spelling.agent;
  if (isSame && spelling.together !== undefined) {
    buffer.piece(spelling.together);
    return;
  }
  const start = buffer.length;
  writeOthers(buffer, subject, user, undefined);
  spelling.together = isSame && buffer.length - start <= MOST_TOGETHER ? buffer.copyOf(start, buffer.length) : undefined;
  spelling.address = sourceIps[0] ?? '';
  spelling.agent = userAgent;
}

function writeOthers(buffer: LineBuffer, subject: AuditSubject, user: UserInfo | undefined, impersonated: UserInfo | undefined): void {
  buffer.piece(USER);
  buffer.piece(user === undefined ? NOBODY : spellingOf(user).user);
  if (impersonated !== undefined) {
    buffer.piece(IMPERSONATED);
    buffer.piece(spellingOf(impersonated).user);
  }
  writeSources(buffer, subject.sourceIps);
  writeMember(buffer, AGENT, subject.userAgent);
}

function writeSources(buffer: LineBuffer, sourceIps: readonly string[]): void {
  if (sourceIps.length === 0) return;
  buffer.piece(SOURCES);
  for (const [index, address] of sourceIps.entries()) {
    if (index > 0) buffer.byte(COMMA);
    buffer.text(address);
  }
  buffer.byte(LIST_END);
}

const RESOURCE = pieceOf(',"objectRef":{"resource":');
const NAMESPACE = pieceOf(',"namespace":');
const NAME = pieceOf(',"name":');
const UID = pieceOf(',"uid":');
const GROUP = pieceOf(',"apiGroup":');
const VERSION = pieceOf(',"apiVersion":');
const REVISION = pieceOf(',"resourceVersion":');
const SUBRESOURCE = pieceOf(',"subresource":');

/** Spelled out: to look members up by names that vary costs more than all else here. */
function writeObject(buffer: LineBuffer, object: AuditObject): void {
  buffer.piece(RESOURCE);
  buffer.text(object.resource);
  writeMember(buffer, NAMESPACE, object.namespace);
  writeMember(buffer, NAME, object.name);
  writeMember(buffer, UID, object.uid);
  writeMember(buffer, GROUP, object.apiGroup);
  writeMember(buffer, VERSION, object.apiVersion);
  writeMember(buffer, REVISION, object.resourceVersion);
  writeMember(buffer, SUBRESOURCE, object.subresource);
  buffer.byte(END);
}

function writeMember(buffer: LineBuffer, member: Uint8Array, value: string): void {
  if (value === '') return;
  buffer.piece(member);
  buffer.text(value);
}

function writeStatus(buffer: LineBuffer, status: string): void {
  if (status === SUCCESS) {
    buffer.piece(SUCCESS_STATUS);
  } else {
    buffer.piece(STATUS);
    buffer.json(status);
  }
}

function writeNotes(buffer: LineBuffer, annotations: AuditEvent['annotations'], dialect: Dialect, shortened: boolean): void {
  const truncated = shortened && annotations?.has(TRUNCATED) !== true;
  let isFirst = true;
  const write = (name: string, value: string): void => {
    if (isFirst) buffer.piece(NOTES);
    else buffer.byte(COMMA);
    isFirst = false;
    buffer.piece(notePiece(dialect, name));
    buffer.text(value);
  };
  if (truncated) write(TRUNCATED, 'true');
  if (annotations !== undefined) for (const [name, value] of annotations) write(name, value);
  buffer.piece(isFirst ? TIME_END : BOTH_END);
}

/** Names of annotations with their colons: all but those that webhooks and policies make up are few, and the first that come. */
const notes: Readonly<Record<Dialect, Map<string, Uint8Array>>> = { platform: new Map(), kubernetes: new Map() };
const MOST_NOTES = 256;

function notePiece(dialect: Dialect, name: string): Uint8Array {
  const known = notes[dialect];
  let piece = known.get(name);
  if (piece === undefined) {
    piece = pieceOf(`${stringifyJsonString(auditAnnotationInDialect(dialect, name))}:`);
    if (known.size < MOST_NOTES) known.set(name, piece);
  }
  return piece;
}

function writeLegacy(buffer: LineBuffer, { subject, stage, user, impersonated, object, code }: AuditEvent): void {
  const groups = (of: UserInfo | undefined, none: string): string =>
    of === undefined || of.groups.length === 0 ? none : of.groups.map((group) => quote(group)).join(',');
  const members = {
    id: subject.auditId,
    stage,
    ip: subject.sourceIps[0] ?? '<unknown>',
    method: subject.verb,
    user: user?.name ?? '<none>',
    groups: groups(user, '<none>'),
    as: impersonated?.name ?? '<self>',
    asgroups: groups(impersonated, '<lookup>'),
    'user-agent': subject.userAgent,
    namespace: object === undefined || object.namespace === '' ? '<none>' : object.namespace,
    uri: subject.requestUri,
    response: code === undefined ? '<deferred>' : String(code),
  };
  const said = Object.entries(members).map(([name, value]) => `${name}=${quote(value)}`);
  buffer.time(subject.receivedAt);
  buffer.raw(` AUDIT: ${said.join(' ')}`);
}
