/** One line about one stage of a request, as JSON or as the older text. Its parts are texts already, so that the stages of a request share what they have in common. */
import { LRUCache } from 'lru-cache';
import { quote } from '../../shared/values/quote';
import type { UserInfo } from '../../shared/api/identity/user';
import { AUDIT_NAMES, auditAnnotation, type Dialect } from '../../shared/names/dialect';
import type { AuditLevel, AuditStage } from './policy-format';

/** What does not change between the stages of a request; its pieces of text are made once. */
export class AuditSubject {
  private quote: Quote | undefined;
  private received: string | undefined;
  private who: UserInfo | undefined;
  private impersonated: UserInfo | undefined;
  private object: AuditObject | undefined;
  private middle: string | undefined;

  constructor(
    readonly auditId: string,
    readonly requestUri: string,
    readonly verb: string,
    /** The first is the nearest to the client. */
    readonly sourceIps: readonly string[],
    readonly userAgent: string,
    /** Milliseconds since 1970. */
    readonly receivedAt: number,
  ) {}

  /** Of what clients choose. */
  private get asJson(): Quote {
    return (this.quote ??= quoteFor(this.auditId + this.requestUri + this.userAgent));
  }

  get idJson(): string {
    return this.asJson(this.auditId);
  }

  /** Members of JSON: what is asked for, by whom, and of which object. All of it may grow, but seldom does. */
  middleJson({ user, impersonated, object }: Pick<AuditEvent, 'user' | 'impersonated' | 'object'>): string {
    if (this.middle === undefined || user !== this.who || impersonated !== this.impersonated || object !== this.object) {
      this.who = user;
      this.impersonated = impersonated;
      this.object = object;
      const { requestUri, userAgent, asJson } = this;
      let text = `"requestURI":${asJson(requestUri)},"verb":"${this.verb}","user":${userJson(user)}`;
      if (impersonated !== undefined) text += `,"impersonatedUser":${userJson(impersonated)}`;
      text += sourcesJson(this.sourceIps);
      if (userAgent !== '') text += `,"userAgent":${asJson(userAgent)}`;
      this.middle = inOnePiece(object === undefined ? text : `${text},"objectRef":${objectJson(object)}`);
    }
    return this.middle;
  }

  get receivedTime(): string {
    return (this.received ??= microTime(this.receivedAt));
  }
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

/** Put together from pieces that are known already wherever that can be: it is made twice for every request. */
function jsonText(event: AuditEvent, dialect: Dialect, shortened: boolean): string {
  const { subject, responseStatus, annotations } = event;
  let text = headJson(dialect, event.level) + subject.idJson + STAGES[event.stage] + subject.middleJson(event);
  if (responseStatus !== undefined) text += responseStatus === SUCCESS ? SUCCESS_MEMBER : `,"responseStatus":${escaped(responseStatus)}`;
  if (!shortened && event.requestObject !== undefined) text += `,"requestObject":${escaped(event.requestObject)}`;
  if (!shortened && event.responseObject !== undefined) text += `,"responseObject":${escaped(event.responseObject)}`;
  text += `,"requestReceivedTimestamp":"${subject.receivedTime}","stageTimestamp":"${event.at === subject.receivedAt ? subject.receivedTime : microTime(event.at)}"`;
  let told = shortened && annotations?.has(TRUNCATED) !== true ? `"${AUDIT_NAMES[dialect].truncated}":"true"` : '';
  if (annotations !== undefined)
    for (const [name, value] of annotations) told += told === '' ? noteJson(dialect, name, value) : `,${noteJson(dialect, name, value)}`;
  return told === '' ? `${text}}` : `${text},"annotations":{${told}}}`;
}

const heads: Readonly<Record<Dialect, Map<AuditLevel, string>>> = { platform: new Map(), kubernetes: new Map() };

/** What the texts of a level begin with: the longer the pieces are, the less they cost. */
function headJson(dialect: Dialect, level: AuditLevel): string {
  let head = heads[dialect].get(level);
  if (head === undefined) {
    head = `{"kind":"Event","apiVersion":"${AUDIT_NAMES[dialect].apiVersion}","level":"${level}","auditID":`;
    heads[dialect].set(level, inOnePiece(head));
  }
  return head;
}

const STAGES: Readonly<Record<AuditStage, string>> = {
  RequestReceived: ',"stage":"RequestReceived",',
  ResponseStarted: ',"stage":"ResponseStarted",',
  ResponseComplete: ',"stage":"ResponseComplete",',
  Panic: ',"stage":"Panic",',
};

/** A text that is put together lies in as many pieces until somebody looks into it, and each longer one that it becomes part of visits them all. */
const inOnePiece = (text: string): string => (text.charCodeAt(text.length - 1) === 0 ? '' : text);

/** By far the most frequent status of an answer. */
const SUCCESS = '{"metadata":{},"code":200}';
const SUCCESS_MEMBER = `,"responseStatus":${SUCCESS}`;

/** What is said of a request where something is left out; in canonical spelling. */
export const TRUNCATED = AUDIT_NAMES.platform.truncated;

const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/;

/** As JSON. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : escaped(JSON.stringify(text));
}

type Quote = (text: string) => string;

const bare: Quote = (text) => `"${text}"`;

/** For texts that are made of these characters: to look once at all of them is cheaper than at each. */
const quoteFor = (characters: string): Quote => (PLAIN.test(characters) ? bare : quoted);

/** Users stay the same from request to request. */
const users = new WeakMap<UserInfo, string>();

function userJson(user: UserInfo | undefined): string {
  if (user === undefined) return '{}';
  let text = users.get(user);
  if (text === undefined) {
    const { name, uid, groups, extra } = user;
    text = escaped(
      JSON.stringify({ username: name, uid: uid === '' ? undefined : uid, groups: groups.length === 0 ? undefined : groups, extra }),
    );
    users.set(user, text);
  }
  return text;
}

function sourcesJson(sourceIps: readonly string[]): string {
  const [first] = sourceIps;
  return first === undefined ? '' : `,"sourceIPs":${sourceIps.length === 1 ? `["${first}"]` : JSON.stringify(sourceIps)}`;
}

/** Spelled out: to look members up by names that vary costs more than all else here. */
function objectJson({ resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource }: AuditObject): string {
  const asJson = quoteFor(resource + namespace + name + uid + apiGroup + apiVersion + resourceVersion + subresource);
  let text = `{"resource":${asJson(resource)}`;
  if (namespace !== '') text += `,"namespace":${asJson(namespace)}`;
  if (name !== '') text += `,"name":${asJson(name)}`;
  if (uid !== '') text += `,"uid":${asJson(uid)}`;
  if (apiGroup !== '') text += `,"apiGroup":${asJson(apiGroup)}`;
  if (apiVersion !== '') text += `,"apiVersion":${asJson(apiVersion)}`;
  if (resourceVersion !== '') text += `,"resourceVersion":${asJson(resourceVersion)}`;
  if (subresource !== '') text += `,"subresource":${asJson(subresource)}`;
  return `${text}}`;
}

/** Names of annotations with their colons: all but those that webhooks and policies make up are few. */
const notes: Readonly<Record<Dialect, LRUCache<string, string>>> = {
  platform: new LRUCache({ max: 256 }),
  kubernetes: new LRUCache({ max: 256 }),
};

function noteJson(dialect: Dialect, name: string, value: string): string {
  let head = notes[dialect].get(name);
  if (head === undefined) notes[dialect].set(name, (head = inOnePiece(`${quoted(auditAnnotation(dialect, name))}:`)));
  return value === '' ? `${head}""` : head + quoted(value);
}

/** The second of the last time that was printed: most are in the same one. */
const last = { second: Number.NaN, text: '' };

/** To the microsecond, as upstream prints it. */
function microTime(at: number): string {
  const second = Math.floor(at / 1000);
  if (second !== last.second) {
    last.second = second;
    last.text = new Date(second * 1000).toISOString().slice(0, -4);
  }
  const micros = Math.floor((at - second * 1000) * 1000);
  return `${last.text}${DIGITS[Math.floor(micros / 1000)] ?? ''}${DIGITS[micros % 1000] ?? ''}Z`;
}

/** Three digits each. */
const DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

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
  return `${subject.receivedTime} AUDIT: ${said.join(' ')}`;
}
