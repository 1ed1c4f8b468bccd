/** What grows for the controllers: Deployments with pods, and Services with endpoints. The costs are the controllers' CPU. */
import { startControllers } from '../../support/control-plane';
import { MERGE, type BenchClient } from '../harness/client';
import { raisePriority } from '../harness/comparison';
import { liveBytes, withInspection } from '../harness/inspected-process';
import { cpuSince, startCpu } from '../../support/process-usage';
import { waitUntil } from '../../support/programs';
import { Kubelets } from '../controllers/kubelets';
import { SERVICE_RANGE } from '../requests/services';
import { forEachNumber, openGrownServer } from './grown-server';
import type { OpenedSubject, Operation, Subject } from './subject';

const NAMESPACE = 'grown';
const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const SLICES = `/apis/discovery.platform.io/v1/namespaces/${NAMESPACE}/endpointslices`;
/** Pods of each Deployment: the fewest with which a rollout has steps. */
const REPLICAS = 2;
/** Changes in one measurement. */
const CHANGES = 30;
const POLLS = { pollMs: 100, timeoutMs: 600_000 };

/** A server with controllers, in which a subject creates its items. */
interface GrownControllers extends Omit<OpenedSubject, 'add' | 'operations'> {
  readonly client: BenchClient;
  create(path: string, body: object): Promise<void>;
  /** Microseconds of the controllers' CPU for each of `CHANGES` changes, until they have reacted to all. */
  reaction(name: string, change: (index: number) => Promise<unknown>, hasReacted: () => Promise<boolean>): Operation;
}

async function openGrownControllers(): Promise<GrownControllers> {
  const { server, client, create, close } = await openGrownServer([SERVICE_RANGE]);
  const controllers = await withInspection(async () => startControllers(server, '--log-level=error'));
  const { pid, child } = controllers;
  raisePriority(pid);
  await create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await waitForReaction('the default service account', () => contains(client, `${CORE}/serviceaccounts`, '"name":"default"', 1));
  let changes = 0;
  return {
    pid,
    client,
    create,
    async close() {
      await controllers.stop();
      await close();
    },
    reaction: (name, change, hasReacted) => ({
      name,
      growth: 'constant',
      async measure() {
        const before = startCpu(pid);
        await forEachNumber(changes, (changes += CHANGES), change);
        await waitForReaction(name, hasReacted);
        return (cpuSince(pid, before) * 1e6) / CHANGES;
      },
    }),
    liveBytes: () => liveBytes(child),
  };
}

const waitForReaction = (description: string, isComplete: () => Promise<boolean>): Promise<boolean> =>
  waitUntil(description, isComplete, POLLS);

/** Whether `text` occurs at least `count` times in the response to a GET of `path`. */
async function contains(client: BenchClient, path: string, text: string, count: number): Promise<boolean> {
  return (await client.text('GET', path)).split(text).length - 1 >= count;
}

/** Grows by Deployments; the reaction to a deleted pod is measured. */
export const deployments: Subject = {
  name: 'Deployments',
  size: CHANGES,
  item: `a Deployment with ${REPLICAS} pods, until its status counts them`,
  async open() {
    const { client, create, ...grown } = await openGrownControllers();
    let present = 0;
    const listPods = async (query: string): Promise<readonly PodSummary[]> =>
      (JSON.parse(await client.text('GET', `${CORE}/pods${query}`)) as PodList).items;
    const areComplete = async (): Promise<boolean> => {
      const { items } = JSON.parse(await client.text('GET', DEPLOYMENTS)) as DeploymentList;
      return items.length === present && items.every(({ status }) => status.updatedReplicas === REPLICAS);
    };
    return {
      ...grown,
      async add(from, to) {
        await forEachNumber(from, to, (index) => create(DEPLOYMENTS, deploymentBody(`d-${index}`)));
        present = to;
        await waitForReaction('the pods of the Deployments', areComplete);
      },
      operations: [
        grown.reaction(
          'deleted pod, until it is replaced',
          async (index) => {
            const [pod] = await listPods(`?labelSelector=app%3Dd-${index % CHANGES}`);
            if (pod !== undefined) await client.send('DELETE', `${CORE}/pods/${pod.metadata.name}?gracePeriodSeconds=0`);
          },
          async () => (await listPods('')).length === present * REPLICAS,
        ),
      ],
    };
  },
};

interface PodSummary {
  readonly metadata: { readonly name: string };
}

interface PodList {
  readonly items: readonly PodSummary[];
}

interface DeploymentList {
  readonly items: readonly { readonly status: { readonly updatedReplicas?: number } }[];
}

function deploymentBody(name: string): object {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'registry.example.com/web:1' }] } };
  return { metadata: { name }, spec: { replicas: REPLICAS, selector: { matchLabels: labels }, template } };
}

/** Grows by Services with one pod each; the reaction to a changed address is measured. */
export const services: Subject = {
  name: 'Services',
  size: CHANGES,
  item: 'a Service with a ready pod, until its slice has the endpoint',
  async open() {
    const { client, create, ...grown } = await openGrownControllers();
    // Endpoints need a node that exists, and its Lease must be renewed.
    const kubelets = new Kubelets(client, 1);
    await kubelets.start();
    const [nodeName] = kubelets.names;
    /** Each generation of addresses differs from the last in its second byte. */
    const setAddress = (index: number, generation: number): Promise<number> => {
      const podIP = `10.${generation % 250}.${index >> 8}.${index & 255}`;
      const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions: [{ type: 'Ready', status: 'True' }] };
      return client.send('PATCH', `${CORE}/pods/p-${index}/status`, { status }, MERGE);
    };
    /** The number of the measurement, which changes the address of {@link CHANGES} pods once. */
    let measurement = 0;
    return {
      ...grown,
      async close() {
        await kubelets.stop();
        await grown.close();
      },
      async add(from, to) {
        await forEachNumber(from, to, async (index) => {
          const labels = { app: `p-${index}` };
          await create(`${CORE}/services`, { metadata: { name: `s-${index}` }, spec: { selector: labels, ports: [{ port: 80 }] } });
          await create(`${CORE}/pods`, {
            metadata: { name: `p-${index}`, labels },
            spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
          });
          await setAddress(index, 0);
        });
        await waitForReaction('the endpoints of the Services', () => contains(client, SLICES, '"addresses"', to));
      },
      operations: [
        grown.reaction(
          'changed address of a pod, until its slice has it',
          (index) => setAddress(index % CHANGES, (measurement = 1 + Math.floor(index / CHANGES))),
          () => contains(client, SLICES, `"10.${measurement % 250}.`, CHANGES),
        ),
      ],
    };
  },
};
