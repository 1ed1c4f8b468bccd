/**
 * Takes tokens of service accounts out of use that an earlier release made by itself and that nobody has used for long, and later deletes them. Looks once a day:
 * what it looks at is counted in days. Tokens whose Secrets somebody made by hand are left alone.
 */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { pause } from '../../shared/client/signals';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { LEGACY_TOKEN_LABELS, TOKEN_TRACKING } from '../../shared/names/legacy-token';
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import { objectAt, stringAt } from '../../shared/values/json';
import { accountNameOf } from '../account-tokens/reconcile';
import { waitForSync, type Controller, type ControllerContext, type ControllerSettings } from '../runtime/controller';
import { cleaningOf, isKnownLongEnough, secretsIn, secretsOf, termAt } from './reconcile';

const [SECRETS, ACCOUNTS, PODS, MAPS] = [
  resourceOf('core.v1.Secret'),
  resourceOf('core.v1.ServiceAccount'),
  resourceOf('core.v1.Pod'),
  resourceOf('core.v1.ConfigMap'),
];
const PREFIXES = Object.values(GENERATED_NAMES).map(({ prefix }) => prefix);
const LOOK_MS = 24 * 3_600_000;
/** After a look that failed. */
const RETRY_MS = 60_000;
const AT_A_TIME = 4;

export const legacyTokenCleanerController: Controller = {
  name: 'legacy-serviceaccount-token-cleaner',
  aliases: ['legacy-serviceaccount-token-cleaner-controller'],
  description: 'takes tokens in Secrets out of use that were made without being asked for and that nobody uses',
  isOnByDefault: true,
  account: 'legacy-service-account-token-cleaner',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { informers, clock, logger, signal } = context;
  const accounts = informers.of(ACCOUNTS);
  const pods = informers.of(PODS);
  const secrets = PREFIXES.map((prefix) => informers.of(SECRETS, { fieldSelector: `type=${prefix}/service-account-token` }));
  if (!(await waitForSync([accounts, pods, ...secrets], signal))) return;
  let waitMs = LOOK_MS;
  do {
    try {
      const found = secrets.flatMap((informer) => informer.list());
      await look(
        context,
        found,
        ({ namespace }, name) => accounts.get(namespace, name),
        () => pods.list(),
      );
      waitMs = LOOK_MS;
    } catch (error) {
      if (!signal.aborted) logger.warn('tokens that nobody uses cannot be cleaned, trying again', { error });
      waitMs = RETRY_MS;
    }
  } while (await pause(clock, waitMs, signal));
}

/** Exported for tests. */
export async function look(
  context: Pick<ControllerContext, 'client' | 'clock' | 'logger' | 'names' | 'signal'> & {
    readonly settings: Pick<ControllerSettings, 'legacyTokenPeriodMs'>;
  },
  secrets: readonly ApiObject[],
  account: (secret: ApiObject, name: string) => ApiObject | undefined,
  pods: () => readonly ApiObject[],
): Promise<void> {
  const { client, clock, logger, names, settings, signal } = context;
  const term = termAt(clock.now(), settings.legacyTokenPeriodMs);
  if (secrets.length === 0 || !isKnownLongEnough(await trackedSince(context), term)) return;
  const mounted = new Set(pods().flatMap((pod) => [...secretsIn(pod)].map((name) => keyOf({ namespace: pod.namespace, name }))));
  await withConcurrencyLimit(AT_A_TIME, secrets, async (secret) => {
    const { namespace, name, uid, resourceVersion } = secret;
    const owner = account(secret, accountNameOf(secret, PREFIXES));
    const isMadeByHand = owner === undefined || !secretsOf(owner).has(name);
    const cleaning = cleaningOf(secret, { isMadeByHand, isMounted: mounted.has(keyOf(secret)) }, term, PREFIXES);
    switch (cleaning.type) {
      case 'keep':
        break;
      case 'mark': {
        logger.info('a token that nobody uses is taken out of use', { namespace, name, since: cleaning.day });
        const labels = { [`${names.prefix}/${LEGACY_TOKEN_LABELS.invalidSince}`]: cleaning.day };
        const patch = { metadata: { uid, resourceVersion, labels } };
        await client.patch(SECRETS, { namespace, name }, 'merge', patch, { signal }).catch(unlessOvertaken);
        break;
      }
      case 'delete':
        logger.info('a token that has long been out of use is deleted', { namespace, name });
        await client.delete(SECRETS, { namespace, name }, { preconditions: { uid, resourceVersion }, signal }).catch(unlessOvertaken);
        break;
    }
  });
}

/** The day from which uses are recorded; '' = nobody says. */
async function trackedSince({ client, names, signal }: Pick<ControllerContext, 'client' | 'names' | 'signal'>): Promise<string> {
  try {
    const place = { namespace: names.systemNamespace, name: TOKEN_TRACKING[names.dialect] };
    return stringAt(objectAt((await client.get(MAPS, place, { signal })).body, 'data'), 'since') ?? '';
  } catch (error) {
    if (isNotFound(error)) return '';
    throw error;
  }
}

/** Somebody uses it, or has changed it: the next day's look sees that. */
function unlessOvertaken(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
