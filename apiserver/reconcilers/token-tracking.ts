/**
 * Tracks the use of legacy service account tokens, which are stored in Secrets: a ConfigMap contains the day since
 * which uses are tracked, and a label of each Secret the day of its last use. The authenticator decides when a use is
 * recorded.
 */
import type { ObjectKey } from '../../shared/api/identity/identity';
import type { CoreV1ConfigMap } from '../../shared/api/types/generated/members';
import { formatUtcDay } from '../../shared/api/metadata/object-meta';
import { otherQualifiedName, type GeneratedNames } from '../../shared/names/dialect';
import { LEGACY_TOKEN_LABELS, TOKEN_TRACKING_CONFIG_MAP } from '../../shared/names/legacy-token';
import type { Clock } from '../../shared/runtime/clock';
import type { Cache } from '../cache/cache';
import type { Resource, Writer } from '../registry/verbs';
import { parseEntry } from '../registry/object/stored-object';
import { startReconciler, type Reconciler } from './reconciler';
import { ignoreReasons, mergePatch, objectBody, serverContext, serverWriteOptions } from './server-writes';

/** Dependencies of the reconciler of the ConfigMap. */
export interface TokenTrackingOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly configMaps: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Called for each failure; the operation is retried. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/**
 * Ensures that the ConfigMap exists and contains a valid day. Checked every minute, because nothing depends on it
 * immediately.
 */
export function startTokenTrackingReconciler(options: TokenTrackingOptions): Reconciler {
  const { names, onFailure } = options;
  const configMap = { namespace: names.systemNamespace, name: TOKEN_TRACKING_CONFIG_MAP[names.dialect] };
  const key = `${configMap.namespace}/${configMap.name}`;

  async function runPass(): Promise<boolean> {
    try {
      await reconcile(options, configMap, key);
      return true;
    } catch (error) {
      onFailure(`the ConfigMap ${key} could not be reconciled`, error);
      return false;
    }
  }

  return startReconciler(options, runPass);
}

async function reconcile(
  { writer, cache, configMaps, names, clock }: TokenTrackingOptions,
  configMap: ObjectKey,
  key: string,
): Promise<void> {
  const entry = cache.get(configMaps.stored, key);
  const data = { since: formatUtcDay(clock.now()) };
  if (entry === undefined) {
    const body = objectBody({ metadata: { ...configMap }, data });
    await ignoreReasons(['AlreadyExists'], () =>
      writer.create(serverContext(clock), configMaps, configMap.namespace, body, serverWriteOptions(names)),
    );
    return;
  }
  const existing: CoreV1ConfigMap = parseEntry(entry).object;
  if (!isDay(existing.data?.['since'] ?? '')) {
    await writer.patch(serverContext(clock), configMaps, configMap, undefined, mergePatch({ data }), serverWriteOptions(names));
  }
}

/** The form of `2024-08-13`. */
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Whether the text is a day that exists: `Date.parse` accepts 30 February and returns 1 March. */
function isDay(text: string): boolean {
  return DAY.test(text) && formatUtcDay(Date.parse(`${text}T00:00:00Z`)) === text;
}

/** Dependencies of the recorder. */
export interface LastUsedRecorderOptions {
  readonly writer: Pick<Writer, 'patch'>;
  readonly secrets: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
}

/** Returns a function that records the day of the last use on a Secret, and does nothing when the Secret is deleted. */
export function createLastUsedRecorder({
  writer,
  secrets,
  names,
  clock,
}: LastUsedRecorderOptions): (secret: ObjectKey, day: string) => Promise<void> {
  return async (secret, day) => {
    const label = `${names.prefix}/${LEGACY_TOKEN_LABELS.lastUsed}`;
    // The label in the other spelling is removed, because an object has a label in one spelling only.
    const otherSpelling = otherQualifiedName(label);
    const labels = { ...(otherSpelling === undefined ? {} : { [otherSpelling]: null }), [label]: day };
    const patch = mergePatch({ metadata: { labels } });
    await ignoreReasons(['NotFound'], () =>
      writer.patch(serverContext(clock), secrets, secret, undefined, patch, serverWriteOptions(names)),
    );
  };
}
