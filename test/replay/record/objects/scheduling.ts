/**
 * Records decisions of kube-scheduler (format `scheduling`), which must run beside the server, without other controllers.
 * Creates the objects of each case, waits until the pod is bound or unschedulable, and deletes them.
 */
import { systemClock } from '../../../../shared/runtime/clock';
import { isBody, type Body } from '../../json-response';
import { readRecording } from '../../recording';
import { isSchedulingCase, isSchedulingHead, podManifest, POD_NAME, type SchedulingCase } from '../../formats/scheduling-case';
import { pollUntil } from '../poll';
import type { ReferenceServer } from '../reference-server';
import { toCanonical, toUpstream } from '../spelling';

const MERGE = 'application/merge-patch+json';
const VOLUME_PATHS: Readonly<Record<string, (namespace: string) => string>> = {
  PersistentVolumeClaim: (namespace) => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`,
  PersistentVolume: () => '/api/v1/persistentvolumes',
  StorageClass: () => '/apis/storage.k8s.io/v1/storageclasses',
};
/** The scheduler learns of deletions by its informers. */
const INFORMER_MS = 300;

export async function recordScheduling(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isSchedulingHead, isSchedulingCase);
  const { namespace } = head;
  await create(server, '/api/v1/namespaces', { metadata: { name: namespace } });
  await create(server, `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
  const lines: unknown[] = [head];
  for (const given of cases) lines.push(await recordCase(server, namespace, given));
  return lines;
}

async function recordCase(server: ReferenceServer, namespace: string, given: SchedulingCase): Promise<SchedulingCase> {
  const { node: _node, message: _message, nominated: _nominated, victims: _victims, ...inputs } = given;
  const { nodes, pods = [], volumes = [], pod } = inputs;
  const podPath = `/api/v1/namespaces/${namespace}/pods`;
  const created: string[] = [];
  const add = async (collection: string, object: Body): Promise<void> => {
    await create(server, collection, object);
    const { metadata } = object;
    if (isBody(metadata) && typeof metadata['name'] === 'string') created.push(`${collection}/${metadata['name']}`);
  };
  for (const priority of new Set([...pods, pod].flatMap((each) => each.priority ?? [])))
    await create(server, '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: `recorded-${priority}` }, value: priority });
  try {
    for (const volume of volumes) await add(VOLUME_PATHS[textOf(volume['kind'])]?.(namespace) ?? '', volume);
    for (const node of nodes) {
      await add('/api/v1/nodes', node);
      // New nodes are tainted until they are ready.
      const taints = isBody(node['spec']) ? (node['spec']['taints'] ?? null) : null;
      await server.sendJson('PATCH', created.at(-1) ?? '', { spec: { taints } }, MERGE);
    }
    for (const running of pods) await add(podPath, podManifest(namespace, running));
    await systemClock.sleep(INFORMER_MS);
    await add(podPath, podManifest(namespace, { ...pod, name: POD_NAME }));
    const decision = await awaitDecision(server, `${podPath}/${POD_NAME}`);
    await systemClock.sleep(INFORMER_MS);
    const names = (await server.sendJson('GET', podPath)).body['items'];
    const remaining = (Array.isArray(names) ? names : []).flatMap((item) =>
      isBody(item) && isBody(item['metadata']) ? [item['metadata']['name']] : [],
    );
    const victims = pods.map(({ name }) => name).filter((name) => !remaining.includes(name));
    return { ...inputs, ...decision, ...(victims.length === 0 ? {} : { victims: victims.sort() }) };
  } finally {
    for (const path of created.reverse()) {
      await server.sendJson('DELETE', `${path}?gracePeriodSeconds=0`);
      // No controller removes the finalizers that protect volumes.
      await server.sendJson('PATCH', path, { metadata: { finalizers: null } }, MERGE);
    }
    await systemClock.sleep(INFORMER_MS);
  }
}

/** The node of the first decision about the pod, or its condition. */
async function awaitDecision(server: ReferenceServer, path: string): Promise<Pick<SchedulingCase, 'node' | 'message' | 'nominated'>> {
  let decision: Pick<SchedulingCase, 'node' | 'message' | 'nominated'> = {};
  await pollUntil('the pod is bound or unschedulable', async () => {
    const { spec, status } = (await server.sendJson('GET', path)).body;
    if (isBody(spec) && typeof spec['nodeName'] === 'string') {
      decision = { node: spec['nodeName'], ...decision };
      return true;
    }
    const conditions = isBody(status) && Array.isArray(status['conditions']) ? status['conditions'].filter(isBody) : [];
    const message = conditions.find(({ type }) => type === 'PodScheduled')?.['message'];
    if (typeof message !== 'string') return false;
    const nominated = isBody(status) ? status['nominatedNodeName'] : undefined;
    decision = { message: toCanonical(message), ...(typeof nominated === 'string' ? { nominated } : {}) };
    return true;
  });
  return decision;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

async function create(server: ReferenceServer, path: string, object: Body): Promise<void> {
  const spelled: Body = JSON.parse(toUpstream(JSON.stringify(object)));
  const { code, body } = await server.sendJson('POST', path, spelled);
  if (code >= 300 && code !== 409) throw new Error(`${path}: ${JSON.stringify(body)}`);
}
