/** One line about one stage of a request, as JSON or as the older text. Its parts are texts already, so that the stages of a request share what they have in common. */
import { quote } from '../../shared/values/quote';
import type { UserInfo } from '../../shared/api/identity/user';
import { AUDIT_NAMES, auditAnnotation, type Dialect } from '../../shared/names/dialect';
import type { AuditLevel, AuditStage } from './policy-format';

/** What does not change between the stages of a request. */
export interface AuditSubject {
  readonly auditId: string;
  readonly requestUri: string;
  readonly verb: string;
  /** The first is the nearest to the client. */
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

export interface AuditObject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** As the log spells it. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
}

export interface AuditEvent {
  readonly level: AuditLevel;
  readonly stage: AuditStage;
  readonly subject: AuditSubject;
  /** Undefined = nobody was let in. */
  readonly user: UserInfo | undefined;
  readonly impersonated: UserInfo | undefined;
  readonly object: AuditObject | undefined;
  /** JSON. */
  readonly responseStatus: string | undefined;
  /** The HTTP status; undefined = there is no answer yet. */
  readonly code: number | undefined;
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly annotations: ReadonlyMap<string, string> | undefined;
}

export const AUDIT_FORMATS = ['json', 'legacy'] as const;
export type AuditFormat = (typeof AUDIT_FORMATS)[number];

/** Without a line break. `shortened` = without the objects, and saying so. */
export function eventText(event: AuditEvent, format: AuditFormat, dialect: Dialect, shortened = false): string {
  return format === 'json' ? jsonText(event, dialect, shortened) : legacyText(event);
}

function jsonText(event: AuditEvent, dialect: Dialect, shortened: boolean): string {
  const { subject, impersonated, object, responseStatus } = event;
  const { apiVersion, truncated } = AUDIT_NAMES[dialect];
  let text =
    `{"kind":"Event","apiVersion":"${apiVersion}","level":"${event.level}","auditID":${JSON.stringify(subject.auditId)},"stage":"${event.stage}",` +
    `"requestURI":${JSON.stringify(subject.requestUri)},"verb":${JSON.stringify(subject.verb)},"user":${userJson(event.user)}`;
  if (impersonated !== undefined) text += `,"impersonatedUser":${userJson(impersonated)}`;
  if (subject.sourceIps.length > 0) text += `,"sourceIPs":${JSON.stringify(subject.sourceIps)}`;
  if (subject.userAgent !== '') text += `,"userAgent":${JSON.stringify(subject.userAgent)}`;
  if (object !== undefined) text += `,"objectRef":${referenceJson(object)}`;
  if (responseStatus !== undefined) text += `,"responseStatus":${responseStatus}`;
  if (!shortened && event.requestObject !== undefined) text += `,"requestObject":${event.requestObject}`;
  if (!shortened && event.responseObject !== undefined) text += `,"responseObject":${event.responseObject}`;
  text += `,"requestReceivedTimestamp":"${microTime(subject.receivedAt)}","stageTimestamp":"${microTime(event.at)}"`;
  const annotations = [...(event.annotations ?? [])].map(([name, value]) => [auditAnnotation(dialect, name), value] as const);
  if (shortened) annotations.push([truncated, 'true']);
  if (annotations.length > 0) text += `,"annotations":${JSON.stringify(Object.fromEntries(annotations.sort(byName)))}`;
  return escaped(`${text}}`);
}

const byName = ([one]: readonly [string, string], [other]: readonly [string, string]): number => (one < other ? -1 : 1);

/** Users stay the same from request to request. */
const users = new WeakMap<UserInfo, string>();

function userJson(user: UserInfo | undefined): string {
  if (user === undefined) return '{}';
  let text = users.get(user);
  if (text === undefined) {
    const { name, uid, groups, extra } = user;
    text = JSON.stringify({ username: name, uid: uid === '' ? undefined : uid, groups: groups.length === 0 ? undefined : groups, extra });
    users.set(user, text);
  }
  return text;
}

const REFERENCE = ['resource', 'namespace', 'name', 'uid', 'apiGroup', 'apiVersion', 'resourceVersion', 'subresource'] as const;

function referenceJson(object: AuditObject): string {
  let text = '';
  for (const member of REFERENCE) {
    const value = object[member];
    if (value !== '') text += `${text === '' ? '{' : ','}"${member}":${JSON.stringify(value)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** To the microsecond, as upstream prints it. */
function microTime(at: number): string {
  const whole = Math.floor(at);
  const micros = Math.floor((at - whole) * 1000);
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

const MARKUP = /[<>&\u2028\u2029]/g;

/** In JSON these stand in texts only. */
function escaped(text: string): string {
  return text.replace(MARKUP, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function legacyText({ subject, stage, user, impersonated, object, code }: AuditEvent): string {
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
  return `${microTime(subject.receivedAt)} AUDIT: ${said.join(' ')}`;
}
