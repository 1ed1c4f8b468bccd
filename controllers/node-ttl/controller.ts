/** Keeps in an annotation of every node how long it may go on with what it knows of Secrets and ConfigMaps. */
import { isNotFound } from '../../shared/client/rest/api-error';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { otherQualifiedName } from '../../shared/names/dialect';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { secondsOf, stepFor } from './reconcile';

const NODES = resourceOf('core.v1.Node');
const CONCURRENCY = 4;

export const ttlController: Controller = {
  name: 'ttl',
  aliases: ['ttl-controller'],
  description: 'tells nodes how long they may go on with what they know of Secrets and ConfigMaps',
  isOnByDefault: true,
  account: 'ttl-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, informers, logger, names, signal } = context;
  const nodes = informers.of(NODES);
  const annotation = `node.alpha.${names.prefix}/ttl`;
  const other = otherQualifiedName(annotation);
  const otherRemoved: Record<string, null> = other === undefined ? {} : { [other]: null };
  const queue = context.queue({ name: 'ttlcontroller' });
  const known = new Set<string>();
  let step = 0;
  const count = (): void => {
    const next = stepFor(known.size, step);
    if (next === step) return;
    step = next;
    for (const name of known) queue.add(name);
  };
  const unhandle = nodes.handle({
    added: ({ name }) => {
      known.add(name);
      queue.add(name);
      count();
    },
    updated: (_, { name }) => queue.add(name),
    deleted: ({ name }) => {
      known.delete(name);
      count();
    },
  });
  const work = async (name: string): Promise<WorkOutcome> => {
    const node = nodes.get('', name);
    if (node === undefined || node.metadata.annotations?.[annotation] === secondsOf(step)) return DONE;
    const changes = { ...otherRemoved, [annotation]: secondsOf(step) };
    const patch = { metadata: { uid: node.uid, annotations: changes } };
    await client.patch(NODES, { name }, 'merge', patch, { signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    return DONE;
  };
  if (await waitForSync([nodes], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  unhandle();
}
