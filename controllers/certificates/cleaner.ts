/** Deletes requests for certificates that have served their purpose: each at its time, which a timer tells. Whoever asked has his certificate by then. */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { endOfRequest } from './cleaning';
import { readSigningRequest, REQUESTS } from './request';

export const certificateCleaner: Controller = {
  name: 'csrcleaner',
  aliases: ['certificatesigningrequest-cleaner-controller', 'certificatesigningrequest-cleaner'],
  description: 'deletes requests for certificates an hour after they were decided on, or a day after nobody did',
  isOnByDefault: true,
  account: 'certificate-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, informers, logger, signal } = context;
  const requests = informers.of(REQUESTS);
  const queue = context.queue({ name: 'certificate_cleaner' });
  const look = (object: ApiObject): void => queue.add(object.name);
  const unhandle = requests.handle({ added: look, updated: (_, object) => look(object) });
  const work = async (name: string): Promise<WorkOutcome> => {
    const object = requests.byKey(name);
    const end = object === undefined || isBeingDeleted(object) ? undefined : endOfRequest(readSigningRequest(object));
    if (object === undefined || end === undefined) return DONE;
    if (end > clock.now()) return { type: 'again', afterMs: end - clock.now() };
    const { uid, resourceVersion } = object;
    await client.delete(REQUESTS, { name }, { preconditions: { uid, resourceVersion }, signal }).catch(unlessOvertaken);
    return DONE;
  };
  if (await waitForSync([requests], signal)) await runWorkers({ queue, concurrency: 1, logger, signal, work });
  unhandle();
}

/** What is gone or has changed is told by its own event. */
function unlessOvertaken(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
