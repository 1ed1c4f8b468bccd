/**
 * Bootstrap signer: watches the cluster-info ConfigMap and the Secrets of bootstrap tokens, and writes a signature for
 * each token with the usage `signing` to the ConfigMap: a machine with a token can verify the cluster's kubeconfig. All
 * events enqueue the same item. Unlike upstream's signer it is requeued for the time at which the next token expires,
 * and logs why a token cannot sign.
 */
import { ignoreNotFound } from '../../shared/client/rest/api-error';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { CLUSTER_INFO, BOOTSTRAP_SIGNING_KEY } from '../../shared/names/bootstrap-token';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { parseSigningToken, type TokenSecret } from './bootstrap-token';
import { reconcileSignatures } from './cluster-info-signatures';
import { TokenSecrets } from './token-secrets';

const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
/** The only item of the queue. */
const ITEM = CLUSTER_INFO.name;

export const bootstrapSignerController: Controller = {
  name: 'bootstrapsigner',
  aliases: ['bootstrap-signer-controller'],
  description: 'signs the cluster-info ConfigMap with bootstrap tokens',
  isOnByDefault: false,
  account: 'bootstrap-signer',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, informers, logger, names, signal } = context;
  const namespace = names.publicNamespace;
  const configMaps = informers.of(CONFIG_MAPS, { namespace, fieldSelector: `metadata.name=${CLUSTER_INFO.name}` });
  const secrets = new TokenSecrets(context);
  const queue = context.queue({ name: 'bootstrap_signer_queue' });
  const enqueue = (): void => queue.add(ITEM);
  const secretChanged = (secret: TokenSecret): void => {
    warnIfInvalid(secret, context);
    enqueue();
  };
  const removeHandlers = [
    configMaps.handle({ added: enqueue, updated: enqueue }),
    secrets.handle({ added: secretChanged, updated: (_, secret) => secretChanged(secret), deleted: enqueue }),
  ];
  const work = async (): Promise<WorkOutcome> => {
    const clusterInfo = configMaps.get(namespace, CLUSTER_INFO.name);
    const { action, requeueAfterMs } = reconcileSignatures(clusterInfo, secrets.list(), BOOTSTRAP_SIGNING_KEY[names.dialect], clock.now());
    if (action.type === 'immutable') {
      logger.warn('the signatures are out of date: the ConfigMap is immutable', { namespace, name: CLUSTER_INFO.name });
    }
    if (action.type === 'update') await client.of(CONFIG_MAPS).namespace(namespace).update(action.body, { signal }).catch(ignoreNotFound);
    return requeueAfterMs === undefined ? DONE : { type: 'again', afterMs: requeueAfterMs };
  };
  if (await waitForSync([configMaps, ...secrets.informers], signal)) await runWorkers({ queue, concurrency: 1, logger, signal, work });
  for (const removeHandler of removeHandlers) removeHandler();
}

/** Logs each version of a Secret that has the usage `signing` and cannot sign. */
function warnIfInvalid(secret: TokenSecret, { logger }: ControllerContext): void {
  const result = isBeingDeleted(secret) ? undefined : parseSigningToken(secret);
  if (result?.type !== 'invalid') return;
  logger.warn('a bootstrap token cannot sign', { namespace: secret.namespace, name: secret.name, reason: result.error });
}
