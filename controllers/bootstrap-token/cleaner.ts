/** Deletes bootstrap tokens in the moment in which they end. */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { fateOf } from './token-expiration';
import { SECRETS, TokenSecrets } from './token-secrets';

const CONCURRENCY = 4;

export const tokenCleanerController: Controller = {
  name: 'tokencleaner',
  aliases: ['token-cleaner-controller'],
  description: 'deletes bootstrap tokens when they end',
  isOnByDefault: false,
  account: 'token-cleaner',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { logger, signal } = context;
  const secrets = new TokenSecrets(context);
  const queue = context.queue({ name: 'token_cleaner' });
  const unhandle = secrets.handle({ added: (secret) => queue.add(keyOf(secret)), updated: (_, secret) => queue.add(keyOf(secret)) });
  const work = (key: string): Promise<WorkOutcome> => clean(context, secrets, key);
  if (await waitForSync(secrets.informers, signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  unhandle();
}

async function clean({ client, clock, logger, signal }: ControllerContext, secrets: TokenSecrets, key: string): Promise<WorkOutcome> {
  const secret = secrets.byKey(key);
  const fate = fateOf(secret, clock.now());
  if (secret === undefined || fate.type === 'none') return DONE;
  if (fate.type === 'later') return { type: 'again', afterMs: fate.afterMs };
  const { namespace, name } = secret;
  try {
    await client.delete(SECRETS, { namespace, name }, { preconditions: { uid: fate.uid }, signal });
    logger.info('a bootstrap token is deleted', { namespace, name, reason: fate.why });
  } catch (error) {
    // Another one of the same name is told by its own event.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  return DONE;
}
