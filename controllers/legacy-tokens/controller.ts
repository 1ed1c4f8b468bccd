/**
 * Legacy ServiceAccount token cleaner: once a day, invalidates auto-generated tokens in Secrets that were unused for
 * the clean-up period, with a label, and deletes them after another period. Manually created tokens are kept. As in
 * upstream's cleaner there is no queue; a failed run is repeated after a minute. Writes have preconditions: a token
 * that is used meanwhile is kept.
 */
import { ignoreNotFoundOrConflict, undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { sleepUnlessAborted } from '../../shared/client/signals';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { LEGACY_TOKEN_LABELS, TOKEN_TRACKING_CONFIG_MAP } from '../../shared/names/legacy-token';
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import { accountNameOf } from '../account-tokens/reconcile';
import { waitForSync, type Controller, type ControllerContext, type ControllerSettings } from '../runtime/controller';
import { cleanUpPeriod, isTrackedLongEnough, podSecretNames, reconcileToken, referencedSecrets } from './reconcile';
import type { Pod, Secret, ServiceAccount } from '../../shared/client/rest/typed-objects';

const SECRETS = resourceOf('core.v1.Secret');
const SERVICE_ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const PODS = resourceOf('core.v1.Pod');
const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
const PREFIXES = Object.values(GENERATED_NAMES).map(({ prefix }) => prefix);
/** Upstream's period of the clean-up: the time of last use has a resolution of a day. */
const SYNC_PERIOD_MS = 24 * 3_600_000;
/** The time between a run that failed and the next one. */
const RETRY_MS = 60_000;
/** Secrets labelled or deleted at the same time. */
const CONCURRENCY = 4;

export const legacyTokenCleanerController: Controller = {
  name: 'legacy-serviceaccount-token-cleaner',
  aliases: ['legacy-serviceaccount-token-cleaner-controller'],
  description: 'invalidates and deletes unused auto-generated ServiceAccount tokens',
  isOnByDefault: true,
  account: 'legacy-service-account-token-cleaner',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { informers, clock, logger, signal } = context;
  const accounts = informers.of(SERVICE_ACCOUNTS);
  const pods = informers.of(PODS);
  const secrets = PREFIXES.map((prefix) => informers.of(SECRETS, { fieldSelector: `type=${prefix}/service-account-token` }));
  if (!(await waitForSync([accounts, pods, ...secrets], signal))) return;
  let waitMs = SYNC_PERIOD_MS;
  do {
    try {
      await cleanLegacyTokens(context, {
        secrets: secrets.flatMap((informer) => informer.list()),
        account: (namespace, name) => accounts.get(namespace, name),
        pods: () => pods.list(),
      });
      waitMs = SYNC_PERIOD_MS;
    } catch (error) {
      if (!signal.aborted) logger.warn('unused tokens cannot be cleaned up, trying again', { error });
      waitMs = RETRY_MS;
    }
  } while (await sleepUnlessAborted(clock, waitMs, signal));
}

/** What the informers show at the start of a run. */
export interface LegacyTokenState {
  /** The Secrets of type service-account-token. */
  readonly secrets: readonly Secret[];
  /** `undefined` when there is no such ServiceAccount. */
  readonly account: (namespace: string, name: string) => ServiceAccount | undefined;
  /** Called once the run needs the pods, after the start of tracking was read. */
  readonly pods: () => readonly Pod[];
}

/** One run. Rejects when a request fails; conflicts and missing Secrets are ignored. Exported for tests. */
export async function cleanLegacyTokens(
  context: Pick<ControllerContext, 'client' | 'clock' | 'logger' | 'names' | 'signal'> & {
    readonly settings: Pick<ControllerSettings, 'legacyTokenPeriodMs'>;
  },
  { secrets, account, pods }: LegacyTokenState,
): Promise<void> {
  const { client, clock, logger, names, settings, signal } = context;
  const period = cleanUpPeriod(clock.now(), settings.legacyTokenPeriodMs);
  if (secrets.length === 0 || !isTrackedLongEnough(await trackedSince(context), period)) return;
  const mounted = new Set(pods().flatMap((pod) => [...podSecretNames(pod)].map((name) => keyOf({ namespace: pod.namespace, name }))));
  await withConcurrencyLimit(CONCURRENCY, secrets, async (secret) => {
    const { namespace, name, uid, resourceVersion } = secret;
    const owner = account(namespace, accountNameOf(secret, PREFIXES));
    const isManual = owner === undefined || !referencedSecrets(owner).has(name);
    const action = reconcileToken(secret, { isManual, isMounted: mounted.has(keyOf(secret)) }, period, PREFIXES);
    switch (action.type) {
      case 'none':
        break;
      case 'invalidate': {
        logger.info('invalidating an unused token', { namespace, name, since: action.since });
        const labels = { [`${names.prefix}/${LEGACY_TOKEN_LABELS.invalidSince}`]: action.since };
        await client
          .of(SECRETS)
          .namespace(namespace)
          .patchMetadata(name, { uid, resourceVersion, labels }, { signal })
          .catch(ignoreNotFoundOrConflict);
        break;
      }
      case 'delete':
        logger.info('deleting an invalidated token', { namespace, name });
        await client
          .of(SECRETS)
          .namespace(namespace)
          .delete(name, { preconditions: { uid, resourceVersion }, signal })
          .catch(ignoreNotFoundOrConflict);
        break;
    }
  });
}

/** The day from which the API server tracks the usage of tokens; '' when it does not. */
async function trackedSince({ client, names, signal }: Pick<ControllerContext, 'client' | 'names' | 'signal'>): Promise<string> {
  const name = TOKEN_TRACKING_CONFIG_MAP[names.dialect];
  const configMap = await undefinedIfNotFound(client.of(CONFIG_MAPS).namespace(names.systemNamespace).get(name, { signal }));
  return configMap?.body.data?.['since'] ?? '';
}
