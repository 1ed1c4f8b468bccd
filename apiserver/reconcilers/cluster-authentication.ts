/**
 * Publishes what extension API servers need to authenticate clients in the ConfigMap
 * `extension-apiserver-authentication`, like upstream's cluster authentication trust controller: client authorities
 * and request header settings. Each replica adds its settings to those in the ConfigMap, so replicas with different
 * settings do not overwrite each other.
 */
import { X509Certificate } from 'node:crypto';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { GeneratedNames } from '../../shared/names/dialect';
import { splitCertificatePems } from '../../shared/pki/certificate-bundle';
import type { Clock } from '../../shared/runtime/clock';
import type { CoreV1ConfigMap } from '../../shared/api/types/generated/members';
import { equalJson } from '../../shared/values/json';
import type { Cache } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';
import type { Resource, Writer } from '../registry/verbs';
import { startReconciler, type Reconciler } from './reconciler';
import { hasReason, objectBody, serverContext, serverWriteOptions } from './server-writes';

/** The published settings. Authorities are bundles of PEM certificates, absent when they are not configured. */
export interface ClusterAuthenticationInfo {
  /** Authorities of client certificates. */
  readonly clientCa?: string;
  /** Authorities of the client certificates of front proxies. The settings below are published only with it. */
  readonly proxyCa?: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** Dependencies of the reconciler, and the settings of this replica. */
export interface ClusterAuthenticationOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly configMaps: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** The current settings; the files may change. */
  readonly authenticationInfo: () => ClusterAuthenticationInfo;
  /** Called for each failure except a concurrent write of another replica; the operation is retried. */
  readonly onFailure: (message: string, error: unknown) => void;
}

const NAME = 'extension-apiserver-authentication';

/** Checks the ConfigMap every minute and watches nothing, because no component depends on it immediately. */
export function startClusterAuthenticationReconciler(options: ClusterAuthenticationOptions): Reconciler {
  const { onFailure } = options;
  return startReconciler(options, async () => {
    try {
      await reconcile(options);
      return true;
    } catch (error) {
      if (hasReason(error, 'AlreadyExists', 'Conflict')) return false;
      onFailure(`the ConfigMap ${NAME} could not be reconciled`, error);
      return false;
    }
  });
}

async function reconcile({ writer, cache, configMaps, names, clock, authenticationInfo }: ClusterAuthenticationOptions): Promise<void> {
  const key = { namespace: names.systemNamespace, name: NAME };
  const entry = cache.get(configMaps.stored, `${key.namespace}/${key.name}`);
  const existing: CoreV1ConfigMap | undefined = entry === undefined ? undefined : parseEntry(entry).object;
  const before = existing?.data ?? {};
  const data = { ...before, ...configMapData(authenticationInfo(), before, clock.now()) };
  if (equalJson(before, data)) return;
  const body = objectBody({ ...existing, metadata: { ...readMetadata(existing ?? {}), ...key }, data });
  if (existing === undefined) await writer.create(serverContext(clock), configMaps, key.namespace, body, serverWriteOptions(names));
  else await writer.update(serverContext(clock), configMaps, key, undefined, body, serverWriteOptions(names));
}

type ConfigMapData = Readonly<Record<string, string>>;

/**
 * The members of the ConfigMap that this replica sets, merged with their values in `before`. Authorities are compared with
 * `now`, in ms since 1970.
 */
export function configMapData(info: ClusterAuthenticationInfo, before: ConfigMapData, now: number): ConfigMapData {
  const data: Record<string, string> = {};
  const mergeBundle = (key: string, added: string): void => {
    data[key] = mergeBundles(before[key] ?? '', added, now);
  };
  const mergeList = (key: string, added: readonly string[]): void => {
    data[key] = JSON.stringify(mergeLists(before[key], added));
  };
  if (info.clientCa !== undefined) mergeBundle('client-ca-file', info.clientCa);
  if (info.proxyCa !== undefined) {
    mergeBundle('requestheader-client-ca-file', info.proxyCa);
    mergeList('requestheader-allowed-names', info.allowedNames);
    mergeList('requestheader-username-headers', info.usernameHeaders);
    mergeList('requestheader-group-headers', info.groupHeaders);
    mergeList('requestheader-extra-headers-prefix', info.extraPrefixes);
  }
  return data;
}

/** The certificates of both bundles, without duplicates and without expired or unreadable ones of other replicas. */
function mergeBundles(before: string, added: string, now: number): string {
  const certificates = [...new Set(splitCertificatePems(`${before}\n${added}`))];
  const current = certificates.filter((pem) => added.includes(pem) || isUnexpired(pem, now));
  return current.map((pem) => `${pem}\n`).join('');
}

function isUnexpired(pem: string, now: number): boolean {
  try {
    return Date.parse(new X509Certificate(pem).validTo) > now;
  } catch {
    return false;
  }
}

/** Adds items to a list. `before`: the list as JSON; any other text counts as an empty list. */
function mergeLists(before: string | undefined, added: readonly string[]): readonly string[] {
  let listed: unknown;
  try {
    listed = JSON.parse(before ?? '[]');
  } catch {
    listed = [];
  }
  const texts = Array.isArray(listed) ? listed.filter((item) => typeof item === 'string') : [];
  return [...new Set([...texts, ...added])];
}
