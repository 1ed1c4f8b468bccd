/**
 * Records decisions of kube-scheduler (format `scheduling`), which must run beside the server, without other controllers.
 * Creates the objects of each case, waits until the pod is bound or unschedulable, and deletes them.
 */
import { systemClock } from '../../../../shared/runtime/clock';
import { waitUntil } from '../../../support/programs';
import { membersOf, objectNameOf, objectsIn, textOf, type Body } from '../../json-response';
import { readRecording } from '../../recording';
import { isSchedulingCase, isSchedulingHead, podManifest, POD_NAME, type SchedulingCase } from '../../formats/scheduling-case';
import type { ReferenceServer } from '../reference-server';
import { toCanonical, toUpstream } from '../spelling';

/** The collections of volumes and claims, by kind. */
const VOLUME_PATHS: Readonly<Record<string, (namespace: string) => string>> = {
  PersistentVolumeClaim: (namespace) => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`,
  PersistentVolume: () => '/api/v1/persistentvolumes',
  StorageClass: () => '/apis/storage.k8s.io/v1/storageclasses',
};
/** The scheduler backs off from a pod before it decides again. */
const DECISION_MS = 60_000;
/** Longer than the informers of the scheduler take to observe a change. */
const INFORMER_MS = 300;

/** What the scheduler decides about the pod. */
type Decision = Pick<SchedulingCase, 'node' | 'message' | 'nominated'>;
/** The recorded parts that are not outcomes. */
type CaseInputs = Omit<SchedulingCase, keyof Decision | 'victims'>;

/** Returns the lines of the recording with the scheduler's current decisions. */
export async function recordScheduling(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isSchedulingHead, isSchedulingCase);
  const { namespace } = head;
  await server.createNamespace(namespace);
  const lines: unknown[] = [head];
  for (const recorded of cases) lines.push(await recordCase(server, namespace, recorded));
  return lines;
}

async function recordCase(server: ReferenceServer, namespace: string, recorded: SchedulingCase): Promise<SchedulingCase> {
  const { node: _node, message: _message, nominated: _nominated, victims: _victims, ...inputs } = recorded;
  const { pods = [], pod } = inputs;
  const podsPath = `/api/v1/namespaces/${namespace}/pods`;
  const cluster = new CaseObjects(server);
  await createPriorityClasses(server, inputs);
  try {
    await createCluster(server, cluster, namespace, inputs);
    await systemClock.sleep(INFORMER_MS);
    await cluster.add(podsPath, podManifest(namespace, { ...pod, name: POD_NAME }));
    const decision = await awaitDecision(server, `${podsPath}/${POD_NAME}`);
    // The scheduler deletes the victims of preemption around the time of its decision.
    await systemClock.sleep(INFORMER_MS);
    const remaining = await listNames(server, podsPath);
    const victims = pods.map(({ name }) => name).filter((name) => !remaining.includes(name));
    return { ...inputs, ...decision, ...(victims.length === 0 ? {} : { victims: victims.sort() }) };
  } finally {
    await cluster.deleteAll();
    await systemClock.sleep(INFORMER_MS);
  }
}

/** Creates the classes of the priorities in the case. They are kept, because several cases use the same ones. */
async function createPriorityClasses(server: ReferenceServer, { pods = [], pod }: CaseInputs): Promise<void> {
  const priorities = new Set([...pods, pod].flatMap(({ priority }) => priority ?? []));
  for (const priority of priorities)
    await create(server, '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: `recorded-${priority}` }, value: priority });
}

/** Creates the volumes, nodes and running pods of the case. */
async function createCluster(
  server: ReferenceServer,
  cluster: CaseObjects,
  namespace: string,
  { nodes, pods = [], volumes = [] }: CaseInputs,
): Promise<void> {
  for (const volume of volumes) await cluster.add(VOLUME_PATHS[textOf(volume['kind'])]?.(namespace) ?? '', volume);
  for (const node of nodes) {
    const path = await cluster.add('/api/v1/nodes', node);
    // New nodes are tainted until they are ready.
    const taints = membersOf(node['spec'])['taints'] ?? null;
    await server.mergePatch(path, { spec: { taints } });
  }
  for (const running of pods) await cluster.add(`/api/v1/namespaces/${namespace}/pods`, podManifest(namespace, running));
}

/** The objects that exist for one case only. */
class CaseObjects {
  private readonly paths: string[] = [];

  constructor(private readonly server: ReferenceServer) {}

  /** Creates the object and returns its path. */
  async add(collection: string, object: Body): Promise<string> {
    await create(this.server, collection, object);
    const path = `${collection}/${objectNameOf(object)}`;
    this.paths.push(path);
    return path;
  }

  /** Deletes the objects, the last one first. */
  async deleteAll(): Promise<void> {
    for (const path of this.paths.reverse()) {
      await this.server.sendJson('DELETE', `${path}?gracePeriodSeconds=0`);
      // No controller removes the finalizers that protect volumes.
      await this.server.mergePatch(path, { metadata: { finalizers: null } });
    }
  }
}

/**
 * Waits until the pod is bound or has the condition PodScheduled. Returns the name of its node, or the message of the
 * condition and the nominated node.
 */
const awaitDecision = (server: ReferenceServer, path: string): Promise<Decision> =>
  waitUntil('the pod to be bound or unschedulable', async () => decisionOf((await server.sendJson('GET', path)).body), DECISION_MS);

/** `undefined` while the scheduler has not decided about the pod. */
function decisionOf({ spec, status }: Body): Decision | undefined {
  const node = textOf(membersOf(spec)['nodeName']);
  if (node !== '') return { node };
  const { conditions, nominatedNodeName } = membersOf(status);
  const message = objectsIn(conditions).find(({ type }) => type === 'PodScheduled')?.['message'];
  if (typeof message !== 'string') return undefined;
  return { message: toCanonical(message), ...(typeof nominatedNodeName === 'string' ? { nominated: nominatedNodeName } : {}) };
}

async function listNames(server: ReferenceServer, path: string): Promise<readonly string[]> {
  const { items } = (await server.sendJson('GET', path)).body;
  return objectsIn(items).map(objectNameOf);
}

/** Creates the object in upstream's spelling. An object that exists already is kept. */
async function create(server: ReferenceServer, path: string, object: Body): Promise<void> {
  await server.createIfAbsent(path, JSON.parse(toUpstream(JSON.stringify(object))));
}
