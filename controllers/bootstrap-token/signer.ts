/** Signs the cluster's description with every bootstrap token that may, so that whoever has a token can tell that it is true. */
import { isNotFound } from '../../shared/client/rest/api-error';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { CLUSTER_INFO, SIGNING_KEY } from '../../shared/names/bootstrap-token';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { TokenSecrets } from './token-secrets';
import { signingOf } from './cluster-info-signatures';
import { signerOf } from './bootstrap-token';

const MAPS = resourceOf('core.v1.ConfigMap');
/** There is one description, so all that happens adds the same item. */
const ITEM = CLUSTER_INFO.name;

export const bootstrapSignerController: Controller = {
  name: 'bootstrapsigner',
  aliases: ['bootstrap-signer-controller'],
  description: "signs the cluster's description with bootstrap tokens",
  isOnByDefault: false,
  account: 'bootstrap-signer',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, informers, logger, names, signal } = context;
  const namespace = names.publicNamespace;
  const infos = informers.of(MAPS, { namespace, fieldSelector: `metadata.name=${CLUSTER_INFO.name}` });
  const secrets = new TokenSecrets(context);
  const queue = context.queue({ name: 'bootstrap_signer_queue' });
  const add = (): void => queue.add(ITEM);
  const look = (secret: ApiObject): void => {
    reportBroken(secret, context);
    add();
  };
  const unhandle = [
    infos.handle({ added: add, updated: add }),
    secrets.handle({ added: look, updated: (_, secret) => look(secret), deleted: add }),
  ];
  const work = async (): Promise<WorkOutcome> => {
    const { action, endsAfterMs } = signingOf(
      infos.get(namespace, CLUSTER_INFO.name),
      secrets.list(),
      SIGNING_KEY[names.dialect],
      clock.now(),
    );
    if (action.type === 'stuck') logger.warn('signatures are not up to date: it cannot be changed', { namespace, name: CLUSTER_INFO.name });
    if (action.type === 'update') await client.update(MAPS, action.object, { signal }).catch(unlessGone);
    return endsAfterMs === undefined ? DONE : { type: 'again', afterMs: endsAfterMs };
  };
  if (await waitForSync([infos, ...secrets.informers], signal)) await runWorkers({ queue, concurrency: 1, logger, signal, work });
  for (const remove of unhandle) remove();
}

/** One that is asked to sign and cannot is named, each time that it changes. */
function reportBroken(secret: ApiObject, { logger }: ControllerContext): void {
  const signer = isBeingDeleted(secret) ? undefined : signerOf(secret);
  if (signer?.type !== 'broken') return;
  logger.warn('a bootstrap token cannot sign', { namespace: secret.namespace, name: secret.name, reason: signer.problem });
}

/** What is gone is told by its own event. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
