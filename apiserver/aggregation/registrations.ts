/** APIServices of other servers, read once when they change, and which of them a path belongs to. Asks nobody. */
import { compareBytes, isObject, arrayAt, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import type { RemoteVersion } from '../discovery/remote-version';

export interface Registration {
  /** Of the APIService. */
  readonly name: string;
  /** As it is registered. */
  readonly group: string;
  readonly version: string;
  readonly priorities: RemoteVersion['priorities'];
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** PEM of those who vouch for the server; '' = those whom the machine trusts. */
  readonly authority: string;
  /** Whoever answers is believed. */
  readonly believesAll: boolean;
  /** As its status says. */
  readonly isAvailable: boolean;
}

const HTTPS = 443;

/** Undefined = the server itself answers. */
export function registrationOf(name: string, object: JsonObject): Registration | undefined {
  const spec = objectAt(object, 'spec');
  const service = objectAt(spec, 'service');
  if (spec === undefined || service === undefined) return undefined;
  const numberAt = (value: JsonObject, member: string): number | undefined => {
    const found = own(value, member);
    return typeof found === 'number' ? found : undefined;
  };
  return {
    name,
    group: stringAt(spec, 'group') ?? '',
    version: stringAt(spec, 'version') ?? '',
    priorities: { group: numberAt(spec, 'groupPriorityMinimum') ?? 0, version: numberAt(spec, 'versionPriority') ?? 0 },
    service: {
      namespace: stringAt(service, 'namespace') ?? '',
      name: stringAt(service, 'name') ?? '',
      port: numberAt(service, 'port') ?? HTTPS,
    },
    authority: Buffer.from(stringAt(spec, 'caBundle') ?? '', 'base64').toString('latin1'),
    believesAll: own(spec, 'insecureSkipTLSVerify') === true,
    isAvailable: stringAt(availableCondition(object), 'status') === 'True',
  };
}

export function availableCondition(object: JsonObject): JsonObject | undefined {
  const conditions = (arrayAt(objectAt(object, 'status') ?? {}, 'conditions') ?? []).filter(isObject);
  return conditions.find((condition) => stringAt(condition, 'type') === 'Available');
}

/** What is known of a server beyond its registration. */
export interface Learnt {
  /** Undefined = nobody knows at present. */
  readonly resources: readonly JsonObject[] | undefined;
  /** Where its OpenAPI document is, of version 3; undefined = it has none. */
  readonly openApi: string | undefined;
  /** What it says of itself in version 2; undefined = nothing, so far. */
  readonly description: DescriptionText | undefined;
}

/** A document of another server, as it came. */
export interface DescriptionText {
  /** Another one when it says something else. */
  readonly id: string;
  /** Compressed with gzip. */
  readonly packed: Uint8Array;
  /** With which it is asked for again; undefined = it gave none. */
  readonly etag: string | undefined;
}

/** Nothing is known, but what has been said before. */
export const unknown = (description: DescriptionText | undefined): Learnt => ({ resources: undefined, openApi: undefined, description });

/** A document of another server in the index of OpenAPI. */
export interface RemoteDocument {
  /** `apis/<group>/<version>` */
  readonly name: string;
  readonly url: string;
}

/** What one says in version 2. */
export interface RemoteDescribed {
  /** `apis/<group>/<version>` */
  readonly name: string;
  readonly id: string;
  readonly packed: Uint8Array;
}

const isSame = (a: Learnt, b: Learnt): boolean =>
  a.description?.id === b.description?.id &&
  a.description?.etag === b.description?.etag &&
  a.openApi === b.openApi &&
  JSON.stringify(a.resources) === JSON.stringify(b.resources);

/** Segments of `/openapi/v3/apis/<group>/<version>`, including the empty first one. */
const DOCUMENT_SEGMENTS = 6;

/** Their number is that of the objects. */
export class Registrations {
  private readonly all = new Map<string, { readonly registration: Registration; readonly learnt: Learnt }>();
  private byVersion = new Map<string, Registration>();
  private versions: readonly RemoteVersion[] = [];
  private documents: readonly RemoteDocument[] = [];
  private descriptions: readonly RemoteDescribed[] = [];

  /** Undefined = it has gone, or has become the server's own. */
  set(name: string, registration: Registration | undefined): void {
    if (registration === undefined && !this.all.has(name)) return;
    const learnt = this.all.get(name)?.learnt ?? unknown(undefined);
    if (registration === undefined) this.all.delete(name);
    else this.all.set(name, { registration, learnt });
    this.settle();
  }

  learn(name: string, learnt: Learnt): void {
    const known = this.all.get(name);
    if (known === undefined || isSame(known.learnt, learnt)) return;
    this.all.set(name, { registration: known.registration, learnt });
    this.settle();
  }

  get(name: string): Registration | undefined {
    return this.all.get(name)?.registration;
  }

  /** What it has said of itself. */
  described(name: string): DescriptionText | undefined {
    return this.all.get(name)?.learnt.description;
  }

  states(): readonly (readonly [name: string, isAvailable: boolean])[] {
    return Array.from(this.all.values(), ({ registration: { name, isAvailable } }) => [name, isAvailable] as const);
  }

  names(): readonly string[] {
    return [...this.all.keys()];
  }

  /** Those behind a Service, or behind any of a namespace. */
  behind(namespace: string, name?: string): readonly string[] {
    if (this.all.size === 0) return [];
    const found = [...this.all.values()].filter(
      ({ registration: { service } }) => service.namespace === namespace && (name === undefined || service.name === name),
    );
    return found.map(({ registration }) => registration.name);
  }

  /** The registration that serves a request target: `/apis/<group>/<version>` with all paths below it, and the OpenAPI document of that version without paths below it. */
  find(url: string): Registration | undefined {
    if (this.byVersion.size === 0) return undefined;
    const segments = (url.split('?', 1)[0] ?? '').split('/', DOCUMENT_SEGMENTS + 1);
    if (segments[1] === 'apis') return this.byVersion.get(`${segments[2] ?? ''}/${segments[3] ?? ''}`);
    const [, first, second, third, group = '', version = ''] = segments;
    const isDocument = segments.length === DOCUMENT_SEGMENTS && first === 'openapi' && second === 'v3' && third === 'apis';
    return isDocument ? this.byVersion.get(`${group}/${version}`) : undefined;
  }

  /** The same list until something changes. */
  remoteVersions(): readonly RemoteVersion[] {
    return this.versions;
  }

  /** The same list until something changes. */
  remoteDocuments(): readonly RemoteDocument[] {
    return this.documents;
  }

  /** The same list until something changes. */
  remoteDescriptions(): readonly RemoteDescribed[] {
    return this.descriptions;
  }

  private settle(): void {
    const all = [...this.all.values()].sort((a, b) => compareBytes(a.registration.name, b.registration.name));
    this.byVersion = new Map(all.map(({ registration }) => [`${registration.group}/${registration.version}`, registration]));
    this.versions = all.map(({ registration: { group, version, priorities }, learnt: { resources } }) => ({
      group,
      version,
      priorities,
      resources,
    }));
    this.documents = all.flatMap(({ registration: { group, version }, learnt: { openApi } }) =>
      openApi === undefined ? [] : [{ name: `apis/${group}/${version}`, url: openApi }],
    );
    const described = all.flatMap(({ registration: { group, version }, learnt: { description } }) =>
      description === undefined ? [] : [{ name: `apis/${group}/${version}`, id: description.id, packed: description.packed }],
    );
    if (!sameDescriptions(described, this.descriptions)) this.descriptions = described;
  }
}

function sameDescriptions(a: readonly RemoteDescribed[], b: readonly RemoteDescribed[]): boolean {
  return a.length === b.length && a.every(({ name, id }, at) => b[at]?.name === name && b[at].id === id);
}
