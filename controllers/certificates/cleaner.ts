/**
 * CSR cleaner: watches CertificateSigningRequests and deletes them when they expire (expiration.ts):
 *
 * - a denied or failed request an hour after the denial or failure
 * - a pending request a day after its creation
 * - an issued request an hour after its approval, or when its certificate expires if that is earlier
 *
 * An approved request stays until its certificate is issued. A request is requeued for the time at which it expires;
 * upstream's cleaner polls all requests once an hour.
 */
import { ignoreNotFoundOrConflict } from '../../shared/client/rest/api-error';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { expirationOf } from './expiration';
import { parseSigningRequest, SIGNING_REQUESTS, type SigningRequestObject } from './signing-request';

export const certificateCleaner: Controller = {
  name: 'csrcleaner',
  aliases: ['certificatesigningrequest-cleaner-controller', 'certificatesigningrequest-cleaner'],
  description: 'deletes CertificateSigningRequests one hour after the decision, or one day after the creation',
  isOnByDefault: true,
  account: 'certificate-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, informers, logger, signal } = context;
  const requests = informers.of(SIGNING_REQUESTS);
  const queue = context.queue({ name: 'certificate_cleaner' });
  const enqueue = (object: SigningRequestObject): void => queue.add(object.name);
  const removeHandlers = requests.handle({ added: enqueue, updated: (_, object) => enqueue(object) });
  const work = async (name: string): Promise<WorkOutcome> => {
    const object = requests.byKey(name);
    const expiration = object === undefined || isBeingDeleted(object) ? undefined : expirationOf(parseSigningRequest(object));
    if (object === undefined || expiration === undefined) return DONE;
    if (expiration > clock.now()) return { type: 'again', afterMs: expiration - clock.now() };
    const { uid, resourceVersion } = object;
    await client.of(SIGNING_REQUESTS).delete(name, { preconditions: { uid, resourceVersion }, signal }).catch(ignoreNotFoundOrConflict);
    return DONE;
  };
  if (await waitForSync([requests], signal)) await runWorkers({ queue, concurrency: 1, logger, signal, work });
  removeHandlers();
}
