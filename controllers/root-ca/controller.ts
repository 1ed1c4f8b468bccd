/** Keeps the cluster's root certificate in a ConfigMap of every namespace, and restores what is deleted or changed. */
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { ApiError, isNotFound } from '../../shared/client/rest/api-error';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { createInNamespace } from '../runtime/create-in-namespace';
import { aborted } from '../../shared/client/signals';
import { actionFor, type Action, type Publication } from './reconcile';

const NAMESPACES = resourceOf('core.v1.Namespace');
const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
const CONCURRENCY = 4;
/** Doubled fifteen times, from a millisecond. */
const SECONDS = Array.from({ length: 15 }, (_, n) => 2 ** n / 1000);

const DESCRIPTION =
  'The root certificate with which workloads verify the API server at its address inside the cluster; good for nothing else.';

export const rootCaController: Controller = {
  name: 'root-ca-cert-publisher',
  aliases: ['root-ca-certificate-publisher-controller', 'root-ca-certificate-publisher'],
  description: "keeps the cluster's root certificate in a ConfigMap of every namespace",
  isOnByDefault: true,
  account: 'root-ca-cert-publisher',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { informers, logger, signal, names, workload, settings } = context;
  const { rootCertificate } = settings;
  const first = rootCertificate.current();
  if (first === undefined) {
    logger.warn('there is no root certificate to publish: neither --root-ca-file nor the kubeconfig names one');
    await aborted(signal);
    return;
  }
  const name = workload.rootCertificateConfigMap;
  const publication = (): Publication => ({
    name,
    certificate: rootCertificate.current() ?? first,
    annotation: [`${names.prefix}/description`, DESCRIPTION],
  });
  const namespaces = informers.of(NAMESPACES);
  const maps = informers.of(CONFIG_MAPS, { fieldSelector: `metadata.name=${name}` });
  const queue = context.queue({ name: 'root_ca_cert_publisher' });
  const unhandle = [
    namespaces.handle({ added: (namespace) => queue.add(namespace.name), updated: (_, namespace) => queue.add(namespace.name) }),
    maps.handle({ updated: (_, { namespace }) => queue.add(namespace), deleted: ({ namespace }) => queue.add(namespace) }),
    rootCertificate.onChange(() => {
      for (const namespace of namespaces.list()) queue.add(namespace.name);
    }),
  ];
  const told = meter(context);
  const work = async (namespace: string): Promise<WorkOutcome> => {
    await told(() => act(context, namespace, actionFor(namespaces.get('', namespace), maps.get(namespace, name), publication()), name));
    return DONE;
  };
  if (await waitForSync([namespaces, maps], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  for (const remove of unhandle) remove();
}

/** Runs the work on a namespace and counts what it came to. */
function meter({ metrics, clock }: ControllerContext): (work: () => Promise<void>) => Promise<void> {
  const count = metrics.counter('root_ca_cert_publisher_sync_total', 'Namespaces looked at, by the answer.', ['code']);
  const took = metrics.histogram('root_ca_cert_publisher_sync_duration_seconds', 'Time for a namespace, by the answer.', SECONDS, ['code']);
  return async (work) => {
    const started = clock.monotonic();
    let code = '200';
    try {
      await work();
    } catch (error) {
      code = error instanceof ApiError ? String(error.code) : '500';
      throw error;
    } finally {
      count({ code });
      took((clock.monotonic() - started) / 1000, { code });
    }
  };
}

async function act({ client, signal }: ControllerContext, namespace: string, action: Action, name: string): Promise<void> {
  switch (action.type) {
    case 'none':
      return;
    case 'create':
      return createInNamespace(client, CONFIG_MAPS, action.object, signal);
    case 'update':
      await client.update(CONFIG_MAPS, action.object, { signal }).catch(unlessGone);
      return;
    case 'delete':
      await client.delete(CONFIG_MAPS, { namespace, name }, { preconditions: { uid: action.uid }, signal }).catch(unlessGone);
      return;
  }
}

/** What is gone is told by its own event. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
