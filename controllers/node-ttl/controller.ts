/**
 * Writes the annotation `ttl` of every node: how long its kubelet may cache Secrets and ConfigMaps. Adding or removing
 * a node enqueues all nodes when the number of nodes crosses a boundary. Like upstream's controller; in addition a write
 * removes the annotation in the other dialect.
 */
import { ignoreNotFound } from '../../shared/client/rest/api-error';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { otherQualifiedName } from '../../shared/names/dialect';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { boundaryStepFor, ttlSecondsOf } from './reconcile';

const NODES = resourceOf('core.v1.Node');
/** Nodes annotated at the same time. */
const CONCURRENCY = 4;

export const ttlController: Controller = {
  name: 'ttl',
  aliases: ['ttl-controller'],
  description: 'annotates nodes with the time that kubelets may cache Secrets and ConfigMaps',
  isOnByDefault: true,
  account: 'ttl-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, informers, logger, names, signal } = context;
  const nodes = informers.of(NODES);
  const ttlAnnotation = `node.alpha.${names.prefix}/ttl`;
  const otherSpelling = otherQualifiedName(ttlAnnotation);
  const removals: Record<string, null> = otherSpelling === undefined ? {} : { [otherSpelling]: null };
  const queue = context.queue({ name: 'ttlcontroller' });
  const nodeNames = new Set<string>();
  /** The index of the range of cluster sizes, see {@link boundaryStepFor}. */
  let boundaryStep = 0;
  const enqueueAllIfBoundaryCrossed = (): void => {
    const nextStep = boundaryStepFor(nodeNames.size, boundaryStep);
    if (nextStep === boundaryStep) return;
    boundaryStep = nextStep;
    for (const name of nodeNames) queue.add(name);
  };
  const removeHandler = nodes.handle({
    added: ({ name }) => {
      nodeNames.add(name);
      queue.add(name);
      enqueueAllIfBoundaryCrossed();
    },
    updated: (_, { name }) => queue.add(name),
    deleted: ({ name }) => {
      nodeNames.delete(name);
      enqueueAllIfBoundaryCrossed();
    },
  });
  const updateNodeIfNeeded = async (name: string): Promise<WorkOutcome> => {
    const node = nodes.get('', name);
    const ttlSeconds = ttlSecondsOf(boundaryStep);
    if (node === undefined || node.metadata.annotations?.[ttlAnnotation] === ttlSeconds) return DONE;
    const annotations = { ...removals, [ttlAnnotation]: ttlSeconds };
    // With the uid, the server refuses the patch for a later node of the same name.
    await client.of(NODES).patchMetadata(name, { uid: node.uid, annotations }, { signal }).catch(ignoreNotFound);
    return DONE;
  };
  if (await waitForSync([nodes], signal)) {
    await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work: updateNodeIfNeeded });
  }
  removeHandler();
}
