/**
 * What others have to know to tell clients as this server does: its authorities and the headers of its proxies, in a ConfigMap of the system namespace.
 * Replicas that are set up differently add to it, so they do not fight over it.
 */
import { X509Certificate } from 'node:crypto';
import { StatusError } from '../../shared/api/errors/status';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { GeneratedNames } from '../../shared/names/dialect';
import { splitCertificatePems } from '../../shared/pki/certificate-bundle';
import type { Clock } from '../../shared/runtime/clock';
import { equalJson, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { Cache } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';
import type { Resource, Writer } from '../registry/verbs';
import { keepUp, ownContext, ownWrite, type Upkeep } from './reconciler';

/** Bundles are PEM. What is not configured is left out. */
export interface AuthenticationFacts {
  readonly clientCa?: string;
  readonly proxyCa?: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

export interface AuthenticationFactsOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly configMaps: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** As they are now: files change. */
  readonly facts: () => AuthenticationFacts;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

const NAME = 'extension-apiserver-authentication';

/** Nobody depends on it at once: it is looked at every minute. */
export function keepAuthenticationFacts(options: AuthenticationFactsOptions): Upkeep {
  const { failed } = options;
  return keepUp(options, async () => {
    try {
      await keep(options);
      return true;
    } catch (error) {
      if (error instanceof StatusError && (error.reason === 'AlreadyExists' || error.reason === 'Conflict')) return false;
      failed(`the ConfigMap ${NAME} could not be kept in order`, error);
      return false;
    }
  });
}

async function keep({ writer, cache, configMaps, names, clock, facts }: AuthenticationFactsOptions): Promise<void> {
  const place = { namespace: names.systemNamespace, name: NAME };
  const entry = cache.get(configMaps.stored, `${place.namespace}/${place.name}`);
  const found = entry === undefined ? undefined : parseEntry(entry).object;
  const before = objectAt(found, 'data') ?? {};
  const data = { ...before, ...dataOf(facts(), before, clock.now()) };
  if (equalJson(before, data)) return;
  const body = { value: { ...found, metadata: { ...readMetadata(found ?? {}), ...place }, data }, duplicates: [], format: 'json' } as const;
  if (found === undefined) await writer.create(ownContext(clock), configMaps, place.namespace, body, ownWrite(names));
  else await writer.update(ownContext(clock), configMaps, place, undefined, body, ownWrite(names));
}

/** Exported for tests. */
export function dataOf(facts: AuthenticationFacts, before: JsonObject, now: number): JsonObject {
  const { clientCa, proxyCa } = facts;
  const bundle = (key: string, own: string): JsonObject => ({ [key]: joined(stringAt(before, key) ?? '', own, now) });
  const list = (key: string, own: readonly string[]): JsonObject => ({ [key]: JSON.stringify(union(stringAt(before, key), own)) });
  return {
    ...(clientCa === undefined ? {} : bundle('client-ca-file', clientCa)),
    ...(proxyCa === undefined
      ? {}
      : {
          ...bundle('requestheader-client-ca-file', proxyCa),
          ...list('requestheader-allowed-names', facts.allowedNames),
          ...list('requestheader-username-headers', facts.usernameHeaders),
          ...list('requestheader-group-headers', facts.groupHeaders),
          ...list('requestheader-extra-headers-prefix', facts.extraPrefixes),
        }),
  };
}

/** The certificates of both, each once, without those whose time is over. */
function joined(before: string, own: string, now: number): string {
  const all = [...new Set(splitCertificatePems(`${before}\n${own}`))];
  const lasting = all.filter((pem) => own.includes(pem) || isLasting(pem, now));
  return lasting.map((pem) => `${pem}\n`).join('');
}

function isLasting(pem: string, now: number): boolean {
  try {
    return Date.parse(new X509Certificate(pem).validTo) > now;
  } catch {
    return false;
  }
}

function union(before: string | undefined, own: readonly string[]): readonly string[] {
  let known: unknown;
  try {
    known = JSON.parse(before ?? '[]');
  } catch {
    known = [];
  }
  const texts = Array.isArray(known) ? known.filter((item) => typeof item === 'string') : [];
  return [...new Set([...texts, ...own])];
}
