/** Rules of preemption that need PodDisruptionBudgets or earlier victims; decide.test.ts replays recorded decisions. */
import type { CoreV1PodStatus, MetaV1ObjectMeta } from '../../../shared/api/types/generated/members';
import { parseApiObject } from '../../../shared/client/rest/api-object';
import { resourceOf } from '../../../shared/client/rest/resource';
import { decideNode } from './decide';
import { podInfo } from './pod-info';
import type { Budget } from './preemption';
import { SchedulerCache } from './scheduler-cache';

interface PodOptions {
  readonly name: string;
  readonly cpu: string;
  readonly priority: number;
  readonly node?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly status?: CoreV1PodStatus;
}

const podOf = ({ name, cpu, priority, node, metadata = {}, status = {} }: PodOptions) =>
  parseApiObject(resourceOf('core.v1.Pod'), {
    metadata: { namespace: 'n', name, labels: { pod: name }, ...metadata },
    spec: { priority, containers: [{ name: 'c', resources: { requests: { cpu } } }], ...(node === undefined ? {} : { nodeName: node }) },
    status,
  });

const budgetOf = (pod: string, disruptionsAllowed: number): Budget =>
  parseApiObject(resourceOf('policy.v1.PodDisruptionBudget'), {
    metadata: { namespace: 'n', name: pod },
    spec: { selector: { matchLabels: { pod } } },
    status: { disruptionsAllowed },
  });

const NO_VOLUMES = { claim: () => undefined, volume: () => undefined, volumes: () => [], storageClass: () => undefined };

/** The nodes have 4 CPUs each. */
function cacheWith(nodes: Iterable<string>, pods: readonly PodOptions[]): SchedulerCache {
  const cache = new SchedulerCache(() => ({}));
  for (const name of nodes)
    cache.setNode(parseApiObject(resourceOf('core.v1.Node'), { metadata: { name }, status: { allocatable: { cpu: '4', pods: '10' } } }));
  for (const pod of pods) cache.setPod(podOf(pod));
  return cache;
}

function decideWith(running: readonly PodOptions[], incoming: PodOptions, budgets: readonly Budget[] = []) {
  const nodes = new Set(running.map(({ node = '' }) => node));
  return decideNode({ info: podInfo(podOf(incoming)), view: cacheWith(nodes, running), volumes: NO_VOLUMES, budgets, random: 0 });
}

const victimsOf = (decision: ReturnType<typeof decideWith>): readonly string[] =>
  decision.type === 'unschedulable' ? (decision.preemption?.victims ?? []).map(({ pod }) => pod.name) : [];

describe('preemption', () => {
  it('chooses the node where no budget is violated, although its victim is more important', () => {
    const running = [
      { name: 'protected', node: 'a', cpu: '3', priority: 1 },
      { name: 'free', node: 'b', cpu: '3', priority: 5 },
    ];
    const incoming = { name: 'incoming', cpu: '2', priority: 10 };
    expect(victimsOf(decideWith(running, incoming))).toEqual(['protected']);
    expect(victimsOf(decideWith(running, incoming, [budgetOf('protected', 0)]))).toEqual(['free']);
    expect(victimsOf(decideWith(running, incoming, [budgetOf('protected', 1)]))).toEqual(['protected']);
  });

  it('keeps the protected one of two pods on a node', () => {
    const running = [
      { name: 'first', node: 'a', cpu: '2', priority: 1 },
      { name: 'second', node: 'a', cpu: '2', priority: 1 },
    ];
    const incoming = { name: 'incoming', cpu: '2', priority: 10 };
    expect(victimsOf(decideWith(running, incoming, [budgetOf('first', 0)]))).toEqual(['second']);
    expect(victimsOf(decideWith(running, incoming, [budgetOf('second', 0)]))).toEqual(['first']);
  });

  it('violates a budget when nothing else makes room', () => {
    const running = [{ name: 'protected', node: 'a', cpu: '3', priority: 1 }];
    expect(victimsOf(decideWith(running, { name: 'incoming', cpu: '2', priority: 10 }, [budgetOf('protected', 0)]))).toEqual(['protected']);
  });

  it('waits for victims that are still stopping on the nominated node', () => {
    const deleted = { deletionTimestamp: '2026-01-01T00:00:30Z' };
    const decision = decideWith(
      [
        { name: 'stopping', node: 'a', cpu: '3', priority: 1, metadata: deleted },
        { name: 'other', node: 'b', cpu: '3', priority: 1 },
      ],
      { name: 'incoming', cpu: '2', priority: 10, status: { nominatedNodeName: 'a' } },
    );
    expect(decision).toMatchObject({ preemption: undefined, keepsNomination: true });
    expect(decision).toMatchObject({ message: expect.stringContaining('not eligible due to a terminating pod on the nominated node.') });
  });

  it('leaves the room of a nominated pod to pods of higher priority only', () => {
    const view = cacheWith(['a'], [{ name: 'nominated', cpu: '3', priority: 10, status: { nominatedNodeName: 'a' } }]);
    const typeFor = (priority: number): string =>
      decideNode({ info: podInfo(podOf({ name: 'other', cpu: '2', priority })), view, volumes: NO_VOLUMES, budgets: [], random: 0 }).type;
    expect(typeFor(1)).toBe('unschedulable');
    expect(typeFor(20)).toBe('bind');
    view.endNomination('n/nominated');
    expect(typeFor(1)).toBe('bind');
  });
});
