/**
 * What the server writes down about tokens that are kept in Secrets: in a ConfigMap since which day their use is recorded,
 * and in a label of each such Secret on which day that was last. When a use is worth a write, the authenticator says.
 */
import type { ObjectKey } from '../../shared/api/identity/identity';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { formatUtcDay } from '../../shared/api/metadata/object-meta';
import { StatusError } from '../../shared/api/errors/status';
import { otherQualifiedName, type GeneratedNames } from '../../shared/names/dialect';
import { LEGACY_TOKEN_LABELS, TOKEN_TRACKING_CONFIG_MAP } from '../../shared/names/legacy-token';
import type { Clock } from '../../shared/runtime/clock';
import type { Cache } from '../cache/cache';
import type { Resource, Writer } from '../registry/verbs';
import { parseEntry } from '../registry/object/stored-object';
import { keepUp, mergePatch, ownContext, ownWrite, type Upkeep } from './reconciler';

export interface TokenTrackingOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly configMaps: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

/** Keeps the ConfigMap in existence, with a day in it that can be read. Nobody depends on it at once: it is looked at every minute. */
export function keepTokenTracking(options: TokenTrackingOptions): Upkeep {
  const { names, failed } = options;
  const place = { namespace: names.systemNamespace, name: TOKEN_TRACKING_CONFIG_MAP[names.dialect] };
  const key = `${place.namespace}/${place.name}`;

  async function pass(): Promise<boolean> {
    try {
      await keep(options, place, key);
      return true;
    } catch (error) {
      failed(`the ConfigMap ${key} could not be kept in order`, error);
      return false;
    }
  }

  return keepUp(options, pass);
}

async function keep({ writer, cache, configMaps, names, clock }: TokenTrackingOptions, place: ObjectKey, key: string): Promise<void> {
  const entry = cache.get(configMaps.stored, key);
  const data: JsonObject = { since: formatUtcDay(clock.now()) };
  if (entry === undefined) {
    try {
      const body = { value: { metadata: { ...place }, data }, duplicates: [], format: 'json' } as const;
      await writer.create(ownContext(clock), configMaps, place.namespace, body, ownWrite(names));
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error;
    }
  } else if (!isDay(stringAt(objectAt(parseEntry(entry).object, 'data') ?? {}, 'since') ?? '')) {
    await writer.patch(ownContext(clock), configMaps, place, undefined, mergePatch({ data }), ownWrite(names));
  }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && formatUtcDay(Date.parse(`${text}T00:00:00Z`)) === text;
}

export interface SecretMarkerOptions {
  readonly writer: Pick<Writer, 'patch'>;
  readonly secrets: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
}

/** Writes the day of the last use onto a Secret. One that is gone needs no mark. */
export function secretMarker({ writer, secrets, names, clock }: SecretMarkerOptions): (secret: ObjectKey, day: string) => Promise<void> {
  return async (secret, day) => {
    const label = `${names.prefix}/${LEGACY_TOKEN_LABELS.lastUsed}`;
    const other = otherQualifiedName(label);
    const labels = { ...(other === undefined ? {} : { [other]: null }), [label]: day };
    try {
      await writer.patch(ownContext(clock), secrets, secret, undefined, mergePatch({ metadata: { labels } }), ownWrite(names));
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== 'NotFound') throw error;
    }
  };
}
