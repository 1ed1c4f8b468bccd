/**
 * The APIServices that register aggregated API servers, with what is discovered from each server. Finds the one that serves
 * a path. They are parsed when they change, not per request. Contacts no server: availability.ts does.
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

/** Parses an APIService; `undefined` when it is local, which means that this server serves its version. */
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

/** The documents that a check has received from a server. */
export interface DiscoveredServer {
  /** The APIResources of its version; `undefined` while they are unknown. */
  readonly resources: readonly JsonObject[] | undefined;
  /** The path of its OpenAPI v3 document; `undefined` when there is none. */
  readonly openApiV3Url: string | undefined;
  /** `undefined` when no OpenAPI v2 document has been received. */
  readonly openApiV2: OpenApiV2Document | undefined;
}

/** The OpenAPI v2 document of an aggregated API server, unparsed. */
export interface OpenApiV2Document {
  /** Changes with the content. */
  readonly id: string;
  /** Compressed with gzip. */
  readonly gzipped: Uint8Array;
  /** The ETag for conditional requests; `undefined` when the server sent none. */
  readonly etag: string | undefined;
}

/** A server of which nothing is known but the OpenAPI v2 document of an earlier check. */
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
  readonly gzipped: Uint8Array;
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

  /** All registrations, in no particular order. */
  list(): readonly Registration[] {
    return Array.from(this.byName.values(), ({ registration }) => registration);
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
  findByTarget(target: string): Registration | undefined {
    if (this.byVersion.size === 0) return undefined;
    const [path = ''] = target.split('?', 1);
    const segments = path.split('/', DOCUMENT_SEGMENTS + 1);
    if (segments[1] === 'apis') return this.byVersion.get(`${segments[2] ?? ''}/${segments[3] ?? ''}`);
    const [, first, second, third, group = '', version = ''] = segments;
    const isDocument = segments.length === DOCUMENT_SEGMENTS && first === 'openapi' && second === 'v3' && third === 'apis';
    return isDocument ? this.byVersion.get(`${group}/${version}`) : undefined;
  }

  /** For discovery, sorted by the names of the APIServices. The same list until something changes. */
  remoteVersions(): readonly RemoteVersion[] {
    return this.versions;
  }

  /** Servers without a document are absent. The same list until something changes. */
  openApiV3Documents(): readonly RemoteOpenApiV3[] {
    return this.openApiV3;
  }

  /** Servers without a document are absent. The same list until a document changes. */
  openApiV2Documents(): readonly RemoteOpenApiV2[] {
    return this.openApiV2;
  }

  private rebuildLists(): void {
    const sorted = [...this.byName.values()].sort((a, b) => compareBytes(a.registration.name, b.registration.name));
    const byVersion = new Map<string, Registration>();
    const versions: RemoteVersion[] = [];
    const openApiV3: RemoteOpenApiV3[] = [];
    const openApiV2: RemoteOpenApiV2[] = [];
    for (const { registration, discovered } of sorted) {
      const { group, version, priorities } = registration;
      const { resources, openApiV3Url, openApiV2: document } = discovered;
      const name = `apis/${group}/${version}`;
      byVersion.set(`${group}/${version}`, registration);
      versions.push({ group, version, priorities, resources });
      if (openApiV3Url !== undefined) openApiV3.push({ name, url: openApiV3Url });
      if (document !== undefined) openApiV2.push({ name, id: document.id, gzipped: document.gzipped });
    }
    this.byVersion = byVersion;
    this.versions = versions;
    this.openApiV3 = openApiV3;
    if (!hasSameContent(openApiV2, this.openApiV2)) this.openApiV2 = openApiV2;
  }
}

/** Whether both lists have the same documents. */
function hasSameContent(a: readonly RemoteOpenApiV2[], b: readonly RemoteOpenApiV2[]): boolean {
  return a.length === b.length && a.every(({ name, id }, index) => b[index]?.name === name && b[index].id === id);
}
