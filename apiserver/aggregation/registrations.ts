/**
 * The APIServices of aggregated API servers, parsed when they change, and the index from paths to them. Contacts no
 * server.
 */
import { compareBytes, isObject, arrayAt, objectAt, ownMember, stringAt, type JsonObject } from '../../shared/values/json';
import type { RemoteVersion } from '../discovery/remote-version';

/** An APIService with a Service, parsed. */
export interface Registration {
  /** Name of the APIService. */
  readonly name: string;
  /** In the registered spelling. */
  readonly group: string;
  readonly version: string;
  readonly priorities: RemoteVersion['priorities'];
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** PEM of the authorities that verify the server; '' for those of the system. */
  readonly caBundle: string;
  /** Verification of the server's certificate is disabled. */
  readonly insecureSkipTlsVerify: boolean;
  /** From the status of the APIService. */
  readonly isAvailable: boolean;
}

/** The port of a Service reference without `port` in the API. */
const DEFAULT_PORT = 443;

/** `undefined` when the APIService is local. */
export function readRegistration(name: string, object: JsonObject): Registration | undefined {
  const spec = objectAt(object, 'spec');
  const service = objectAt(spec, 'service');
  if (spec === undefined || service === undefined) return undefined;
  const numberAt = (parent: JsonObject, member: string): number | undefined => {
    const value = ownMember(parent, member);
    return typeof value === 'number' ? value : undefined;
  };
  return {
    name,
    group: stringAt(spec, 'group') ?? '',
    version: stringAt(spec, 'version') ?? '',
    priorities: { group: numberAt(spec, 'groupPriorityMinimum') ?? 0, version: numberAt(spec, 'versionPriority') ?? 0 },
    service: {
      namespace: stringAt(service, 'namespace') ?? '',
      name: stringAt(service, 'name') ?? '',
      port: numberAt(service, 'port') ?? DEFAULT_PORT,
    },
    caBundle: Buffer.from(stringAt(spec, 'caBundle') ?? '', 'base64').toString('latin1'),
    insecureSkipTlsVerify: ownMember(spec, 'insecureSkipTLSVerify') === true,
    isAvailable: stringAt(availableCondition(object), 'status') === 'True',
  };
}

/** The condition Available of an APIService; `undefined` when it has none. */
export function availableCondition(object: JsonObject): JsonObject | undefined {
  const conditions = (arrayAt(objectAt(object, 'status') ?? {}, 'conditions') ?? []).filter(isObject);
  return conditions.find((condition) => stringAt(condition, 'type') === 'Available');
}

/** What is discovered from a server beyond its registration. */
export interface DiscoveredServer {
  /** `undefined` while they are unknown. */
  readonly resources: readonly JsonObject[] | undefined;
  /** `undefined` when there is no OpenAPI v3 document. */
  readonly openApiV3Url: string | undefined;
  /** `undefined` when no OpenAPI v2 document has been received. */
  readonly openApiV2: OpenApiV2Document | undefined;
}

/** The OpenAPI v2 document of an aggregated API server, unparsed. */
export interface OpenApiV2Document {
  /** Changes with the content. */
  readonly id: string;
  /** Compressed with gzip. */
  readonly packed: Uint8Array;
  /** The ETag for conditional requests; `undefined` when the server sent none. */
  readonly etag: string | undefined;
}

/** Nothing is discovered, apart from an earlier document. */
export const undiscoveredServer = (openApiV2: OpenApiV2Document | undefined): DiscoveredServer => ({
  resources: undefined,
  openApiV3Url: undefined,
  openApiV2,
});

/** An OpenAPI v3 document of an aggregated API server, as the index of documents lists it. */
export interface RemoteOpenApiV3 {
  /** `apis/<group>/<version>` */
  readonly name: string;
  readonly url: string;
}

/** An OpenAPI v2 document of an aggregated API server, with the name of its version. */
export interface RemoteOpenApiV2 {
  /** `apis/<group>/<version>` */
  readonly name: string;
  readonly id: string;
  readonly packed: Uint8Array;
}

const isSameDiscovery = (a: DiscoveredServer, b: DiscoveredServer): boolean =>
  a.openApiV2?.id === b.openApiV2?.id &&
  a.openApiV2?.etag === b.openApiV2?.etag &&
  a.openApiV3Url === b.openApiV3Url &&
  JSON.stringify(a.resources) === JSON.stringify(b.resources);

/** Segments of `/openapi/v3/apis/<group>/<version>`, including the empty first one. */
const DOCUMENT_SEGMENTS = 6;

/** Indexed registrations; one per APIService. */
export class Registrations {
  private readonly byName = new Map<string, { readonly registration: Registration; readonly discovered: DiscoveredServer }>();
  private byVersion = new Map<string, Registration>();
  private versions: readonly RemoteVersion[] = [];
  private openApiV3: readonly RemoteOpenApiV3[] = [];
  private openApiV2: readonly RemoteOpenApiV2[] = [];

  /** `undefined` removes the registration: the APIService was deleted or has become local. */
  set(name: string, registration: Registration | undefined): void {
    if (registration === undefined && !this.byName.has(name)) return;
    const discovered = this.byName.get(name)?.discovered ?? undiscoveredServer(undefined);
    if (registration === undefined) this.byName.delete(name);
    else this.byName.set(name, { registration, discovered });
    this.rebuildLists();
  }

  /** Records what a check has discovered; ignored when the server is no longer registered. */
  setDiscovered(name: string, discovered: DiscoveredServer): void {
    const current = this.byName.get(name);
    if (current === undefined || isSameDiscovery(current.discovered, discovered)) return;
    this.byName.set(name, { registration: current.registration, discovered });
    this.rebuildLists();
  }

  /** `undefined` when there is no APIService of this name, or it is local. */
  get(name: string): Registration | undefined {
    return this.byName.get(name)?.registration;
  }

  /** `undefined` when no document has been received. */
  openApiV2Of(name: string): OpenApiV2Document | undefined {
    return this.byName.get(name)?.discovered.openApiV2;
  }

  /** Every registration and whether it is available. */
  states(): readonly (readonly [name: string, isAvailable: boolean])[] {
    return Array.from(this.byName.values(), ({ registration: { name, isAvailable } }) => [name, isAvailable] as const);
  }

  /** Names of all registered APIServices. */
  names(): readonly string[] {
    return [...this.byName.keys()];
  }

  /** The APIServices of a Service, or of all Services in a namespace. */
  namesOfService(namespace: string, name?: string): readonly string[] {
    if (this.byName.size === 0) return [];
    const matching = [...this.byName.values()].filter(
      ({ registration: { service } }) => service.namespace === namespace && (name === undefined || service.name === name),
    );
    return matching.map(({ registration }) => registration.name);
  }

  /**
   * The registration that serves a request target: `/apis/<group>/<version>` with all paths below it, and the OpenAPI
   * document of that version without paths below it.
   */
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
  openApiV3Documents(): readonly RemoteOpenApiV3[] {
    return this.openApiV3;
  }

  /** The same list until something changes. */
  openApiV2Documents(): readonly RemoteOpenApiV2[] {
    return this.openApiV2;
  }

  private rebuildLists(): void {
    const sorted = [...this.byName.values()].sort((a, b) => compareBytes(a.registration.name, b.registration.name));
    this.byVersion = new Map(sorted.map(({ registration }) => [`${registration.group}/${registration.version}`, registration]));
    this.versions = sorted.map(({ registration: { group, version, priorities }, discovered: { resources } }) => ({
      group,
      version,
      priorities,
      resources,
    }));
    this.openApiV3 = sorted.flatMap(({ registration: { group, version }, discovered: { openApiV3Url } }) =>
      openApiV3Url === undefined ? [] : [{ name: `apis/${group}/${version}`, url: openApiV3Url }],
    );
    const openApiV2 = sorted.flatMap(({ registration: { group, version }, discovered }) =>
      discovered.openApiV2 === undefined
        ? []
        : [{ name: `apis/${group}/${version}`, id: discovered.openApiV2.id, packed: discovered.openApiV2.packed }],
    );
    if (!hasSameContent(openApiV2, this.openApiV2)) this.openApiV2 = openApiV2;
  }
}

function hasSameContent(a: readonly RemoteOpenApiV2[], b: readonly RemoteOpenApiV2[]): boolean {
  return a.length === b.length && a.every(({ name, id }, index) => b[index]?.name === name && b[index].id === id);
}
