/**
 * Token cleaner: watches the Secrets of bootstrap tokens and deletes those that have expired or have an invalid
 * expiration. As in upstream's cleaner, a token that has not expired is requeued for the time at which it does.
 */
import { ignoreNotFoundOrConflict } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { reconcileExpiration } from './token-expiration';
import { SECRETS, TokenSecrets } from './token-secrets';

/** Token Secrets synced at the same time. */
const CONCURRENCY = 4;

export const tokenCleanerController: Controller = {
  name: 'tokencleaner',
  aliases: ['token-cleaner-controller'],
  description: 'deletes expired bootstrap tokens',
  isOnByDefault: false,
  account: 'token-cleaner',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { logger, signal } = context;
  const secrets = new TokenSecrets(context);
  const queue = context.queue({ name: 'token_cleaner' });
  const removeHandlers = secrets.handle({ added: (secret) => queue.add(keyOf(secret)), updated: (_, secret) => queue.add(keyOf(secret)) });
  const work = (key: string): Promise<WorkOutcome> => syncSecret(context, secrets, key);
  if (await waitForSync(secrets.informers, signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  removeHandlers();
}

async function syncSecret({ client, clock, logger, signal }: ControllerContext, secrets: TokenSecrets, key: string): Promise<WorkOutcome> {
  const secret = secrets.byKey(key);
  const action = reconcileExpiration(secret, clock.now());
  if (secret === undefined || action.type === 'none') return DONE;
  if (action.type === 'requeue') return { type: 'again', afterMs: action.afterMs };
  const { namespace, name } = secret;
  try {
    await client
      .of(SECRETS)
      .namespace(namespace)
      .delete(name, { preconditions: { uid: action.uid }, signal });
    logger.info('deleting a bootstrap token', { namespace, name, reason: action.reason });
  } catch (error) {
    // A Secret that was created again with the same name is enqueued by its event.
    ignoreNotFoundOrConflict(error);
  }
  return DONE;
}
