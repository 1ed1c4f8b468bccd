/**
 * Root CA publisher: keeps the cluster's root certificate in a ConfigMap of every namespace, and restores deleted and
 * changed ConfigMaps. A new or changed namespace and a changed or deleted ConfigMap enqueue the namespace; a changed
 * certificate enqueues all namespaces. Unlike upstream's publisher it follows the certificate: that of `--root-ca-file`,
 * or else the authority in the kubeconfig. Without a certificate at the start, none is published later either. An immutable
 * ConfigMap with other data is deleted, so that the event of the deletion creates it again.
 */
import { ignoreNotFound } from '../../shared/client/rest/api-error';
import { resourceOf } from '../../shared/client/rest/resource';
import { waitForAbort } from '../../shared/client/signals';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { createInNamespace } from '../runtime/create-in-namespace';
import { syncObserver } from './metrics';
import { reconcileRootCa, type RootCaAction, type RootCaPublication } from './reconcile';

const NAMESPACES = resourceOf('core.v1.Namespace');
const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
/** Namespaces synced at the same time. */
const CONCURRENCY = 4;

/** The value of the annotation `description` of the ConfigMaps. */
const DESCRIPTION =
  'The root certificate with which workloads verify the API server at its address inside the cluster. It must not be used to verify other servers.';

export const rootCaController: Controller = {
  name: 'root-ca-cert-publisher',
  aliases: ['root-ca-certificate-publisher-controller', 'root-ca-certificate-publisher'],
  description: 'publishes the root certificate in a ConfigMap of every namespace',
  isOnByDefault: true,
  account: 'root-ca-cert-publisher',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { informers, logger, signal, names, workload, settings } = context;
  const { rootCertificate } = settings;
  const initialCertificate = rootCertificate.current();
  if (initialCertificate === undefined) {
    logger.warn('there is no root certificate to publish: neither --root-ca-file nor the kubeconfig has one');
    await waitForAbort(signal);
    return;
  }
  const name = workload.rootCertificateConfigMap;
  const publication = (): RootCaPublication => ({
    name,
    // A kubeconfig that changes may no longer have an authority.
    certificate: rootCertificate.current() ?? initialCertificate,
    annotation: [`${names.prefix}/description`, DESCRIPTION],
  });
  const namespaces = informers.of(NAMESPACES);
  const configMaps = informers.of(CONFIG_MAPS, { fieldSelector: `metadata.name=${name}` });
  const queue = context.queue({ name: 'root_ca_cert_publisher' });
  const removeHandlers = [
    namespaces.handle({ added: (namespace) => queue.add(namespace.name), updated: (_, namespace) => queue.add(namespace.name) }),
    configMaps.handle({ updated: (_, { namespace }) => queue.add(namespace), deleted: ({ namespace }) => queue.add(namespace) }),
    rootCertificate.onChange(() => {
      for (const namespace of namespaces.list()) queue.add(namespace.name);
    }),
  ];
  const observeSync = syncObserver(context);
  const syncNamespace = async (namespace: string): Promise<WorkOutcome> => {
    await observeSync(() => {
      const action = reconcileRootCa(namespaces.get('', namespace), configMaps.get(namespace, name), publication());
      return apply(context, { namespace, name }, action);
    });
    return DONE;
  };
  if (await waitForSync([namespaces, configMaps], signal))
    await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work: syncNamespace });
  for (const removeHandler of removeHandlers) removeHandler();
}

async function apply(
  { client, signal }: ControllerContext,
  configMap: { readonly namespace: string; readonly name: string },
  action: RootCaAction,
): Promise<void> {
  switch (action.type) {
    case 'none':
      return;
    case 'create':
      return createInNamespace(client, CONFIG_MAPS, action.body, signal);
    case 'update':
      await client.of(CONFIG_MAPS).namespace(configMap.namespace).update(action.body, { signal }).catch(ignoreNotFound);
      return;
    case 'delete':
      await client
        .of(CONFIG_MAPS)
        .namespace(configMap.namespace)
        .delete(configMap.name, { preconditions: { uid: action.uid }, signal })
        .catch(ignoreNotFound);
      return;
  }
}
