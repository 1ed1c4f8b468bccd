/** One line about one stage of a request, as JSON or as the older text. It is made twice for every request, so all of it that is known is bytes already. */
import { quote } from '../../shared/values/quote';
import type { UserInfo } from '../../shared/api/identity/user';
import { AUDIT_NAMES, auditAnnotation, type Dialect } from '../../shared/names/dialect';
import { SUCCESS, TRUNCATED, type AuditEvent, type AuditObject, type AuditSubject, type Written } from './event';
import { pieceOf, type Page } from './page';
import type { AuditLevel, AuditStage } from './policy-format';

export const AUDIT_FORMATS = ['json', 'legacy'] as const;
export type AuditFormat = (typeof AUDIT_FORMATS)[number];

/** Without a line break. `shortened` = without the objects, and saying so. */
export function writeEvent(page: Page, event: AuditEvent, format: AuditFormat, dialect: Dialect, shortened: boolean): void {
  if (format === 'json') writeJson(page, event, dialect, shortened);
  else writeLegacy(page, event);
}

function writeJson(page: Page, event: AuditEvent, dialect: Dialect, shortened: boolean): void {
  const { subject, responseStatus, requestObject, responseObject } = event;
  const written = writtenIn(page, event);
  if (written === undefined) {
    subject.written = writeAsked(page, event, dialect);
  } else {
    page.again(written.start, written.idEnd);
    page.piece(STAGES[event.stage]);
    page.again(written.restStart, written.restEnd);
  }
  if (responseStatus !== undefined) writeStatus(page, responseStatus);
  if (!shortened && requestObject !== undefined) {
    page.piece(REQUEST);
    page.json(requestObject);
  }
  if (!shortened && responseObject !== undefined) {
    page.piece(RESPONSE);
    page.json(responseObject);
  }
  page.piece(RECEIVED);
  page.time(subject.receivedAt);
  page.piece(STAGED);
  page.time(event.at);
  writeNotes(page, event.annotations, dialect, shortened);
}

/** The stages of a request are often in one page: most of the second line is a copy then. */
function writtenIn(page: Page, { subject: { written }, user, impersonated, object }: AuditEvent): Written | undefined {
  const stands =
    written !== undefined &&
    written.page === page &&
    written.losses === page.losses &&
    written.user === user &&
    written.impersonated === impersonated &&
    written.object === object;
  return stands ? written : undefined;
}

function writeAsked(page: Page, { level, stage, subject, user, impersonated, object }: AuditEvent, dialect: Dialect): Written {
  const start = page.length;
  page.piece(HEADS[dialect][level]);
  page.text(subject.auditId);
  const idEnd = page.length;
  page.piece(STAGES[stage]);
  const restStart = page.length;
  page.text(subject.requestUri);
  page.piece(VERB);
  page.text(subject.verb);
  if (user === undefined || impersonated !== undefined) writeOthers(page, subject, user, impersonated);
  else writeCaller(page, subject, user);
  if (object !== undefined) writeObject(page, object);
  return { page, losses: page.losses, start, idEnd, restStart, restEnd: page.length, user, impersonated, object };
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

function writeCaller(page: Page, subject: AuditSubject, user: UserInfo): void {
  const { sourceIps, userAgent } = subject;
  const spelling = spellingOf(user);
  const isSame = sourceIps.length === 1 && sourceIps[0] === spelling.address && userAgent === spelling.agent;
  if (isSame && spelling.together !== undefined) {
    page.piece(spelling.together);
    return;
  }
  const start = page.length;
  writeOthers(page, subject, user, undefined);
  spelling.together = isSame && page.length - start <= MOST_TOGETHER ? page.copyOf(start, page.length) : undefined;
  spelling.address = sourceIps[0] ?? '';
  spelling.agent = userAgent;
}

function writeOthers(page: Page, subject: AuditSubject, user: UserInfo | undefined, impersonated: UserInfo | undefined): void {
  page.piece(USER);
  page.piece(user === undefined ? NOBODY : spellingOf(user).user);
  if (impersonated !== undefined) {
    page.piece(IMPERSONATED);
    page.piece(spellingOf(impersonated).user);
  }
  writeSources(page, subject.sourceIps);
  writeMember(page, AGENT, subject.userAgent);
}

function writeSources(page: Page, sourceIps: readonly string[]): void {
  if (sourceIps.length === 0) return;
  page.piece(SOURCES);
  for (const [index, address] of sourceIps.entries()) {
    if (index > 0) page.byte(COMMA);
    page.text(address);
  }
  page.byte(LIST_END);
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
function writeObject(page: Page, object: AuditObject): void {
  page.piece(RESOURCE);
  page.text(object.resource);
  writeMember(page, NAMESPACE, object.namespace);
  writeMember(page, NAME, object.name);
  writeMember(page, UID, object.uid);
  writeMember(page, GROUP, object.apiGroup);
  writeMember(page, VERSION, object.apiVersion);
  writeMember(page, REVISION, object.resourceVersion);
  writeMember(page, SUBRESOURCE, object.subresource);
  page.byte(END);
}

function writeMember(page: Page, member: Uint8Array, value: string): void {
  if (value === '') return;
  page.piece(member);
  page.text(value);
}

function writeStatus(page: Page, status: string): void {
  if (status === SUCCESS) {
    page.piece(SUCCESS_STATUS);
  } else {
    page.piece(STATUS);
    page.json(status);
  }
}

function writeNotes(page: Page, annotations: AuditEvent['annotations'], dialect: Dialect, shortened: boolean): void {
  const truncated = shortened && annotations?.has(TRUNCATED) !== true;
  let isFirst = true;
  const write = (name: string, value: string): void => {
    if (isFirst) page.piece(NOTES);
    else page.byte(COMMA);
    isFirst = false;
    page.piece(notePiece(dialect, name));
    page.text(value);
  };
  if (truncated) write(TRUNCATED, 'true');
  if (annotations !== undefined) for (const [name, value] of annotations) write(name, value);
  page.piece(isFirst ? TIME_END : BOTH_END);
}

/** Names of annotations with their colons: all but those that webhooks and policies make up are few, and the first that come. */
const notes: Readonly<Record<Dialect, Map<string, Uint8Array>>> = { platform: new Map(), kubernetes: new Map() };
const MOST_NOTES = 256;

function notePiece(dialect: Dialect, name: string): Uint8Array {
  const known = notes[dialect];
  let piece = known.get(name);
  if (piece === undefined) {
    piece = pieceOf(`${JSON.stringify(auditAnnotation(dialect, name))}:`);
    if (known.size < MOST_NOTES) known.set(name, piece);
  }
  return piece;
}

function writeLegacy(page: Page, { subject, stage, user, impersonated, object, code }: AuditEvent): void {
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
  page.time(subject.receivedAt);
  page.raw(` AUDIT: ${said.join(' ')}`);
}
