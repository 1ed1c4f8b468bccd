/**
 * Finds the number of replicas that the controllers of pods should have: from informers for the built-in workload
 * kinds, from the `scale` subresource for any other kind. Only reads.
 */
import type { MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { parseApiVersion } from '../../shared/api/identity/identity';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { undefinedIfNotFound } from '../../shared/client/rest/api-error';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { canonicalGroup, groupInDialect } from '../../shared/names/dialect';
import type { ControllerContext } from '../runtime/controller';
import { controllerOf, type ControllerReference } from '../runtime/pods';
import { ServedKinds } from '../runtime/served-kinds';
import type { SelectedPod } from './budget-pod-index';

/** The expected number of pods cannot be computed. The message is upstream's. */
export class UnknownScaleError extends Error {
  override readonly name = 'UnknownScaleError';
}

/** The kind of a controller is unknown, and discovery was repeated too recently to repeat it now. */
export class KindNotDiscoveredError extends Error {
  override readonly name = 'KindNotDiscoveredError';
}

/** What the controllers of some pods should have. */
export interface ExpectedScale {
  /** The sum of the replicas of all controllers. */
  readonly pods: number;
  /** Pods without a controller. */
  readonly unmanaged: number;
}

/** The replicas of one controller, which may be the owner of a pod's controller. */
interface ControllerScale {
  readonly uid: string;
  readonly replicas: number;
}

/** The part of a workload that is read. Its informer is shared with the workload's own controller, which holds it anyway. */
type ScaledObject = {
  metadata?: MetaV1ObjectMeta;
  spec?: { replicas?: number };
};

const WORKLOADS = {
  replicationControllers: resourceOf('core.v1.ReplicationController'),
  replicaSets: resourceOf('apps.v1.ReplicaSet'),
  deployments: resourceOf('apps.v1.Deployment'),
  statefulSets: resourceOf('apps.v1.StatefulSet'),
} as const;

type WorkloadName = keyof typeof WORKLOADS;

/** The shortest time between two requests of discovery for an unknown kind. */
const DISCOVERY_PERIOD_MS = 1_000;

/** Its informers must have synced before {@link expectedScale} is called. */
export class ScaleFinder {
  private readonly workloads: Readonly<Record<WorkloadName, Informer<ScaledObject>>>;
  private readonly servedKinds: ServedKinds;

  constructor(private readonly context: Pick<ControllerContext, 'client' | 'clock' | 'informers' | 'signal'>) {
    const informerOf = (name: WorkloadName): Informer<ScaledObject> => context.informers.of<ScaledObject>(WORKLOADS[name]);
    this.servedKinds = new ServedKinds(context, DISCOVERY_PERIOD_MS);
    this.workloads = {
      replicationControllers: informerOf('replicationControllers'),
      replicaSets: informerOf('replicaSets'),
      deployments: informerOf('deployments'),
      statefulSets: informerOf('statefulSets'),
    };
  }

  /** The informers of the built-in workloads. */
  get informers(): readonly Informer<ScaledObject>[] {
    return Object.values(this.workloads);
  }

  /**
   * Calls back with the namespace of each workload that is created, scaled or deleted. Returns a function that ends the
   * calls.
   */
  onScaleChange(callback: (namespace: string) => void): () => void {
    const removeHandlers = this.informers.map((informer) =>
      informer.handle({
        added: ({ namespace }) => callback(namespace),
        updated: (previous, current) => {
          if (replicasOf(previous) !== replicasOf(current)) callback(current.namespace);
        },
        deleted: ({ namespace }) => callback(namespace),
      }),
    );
    return () => {
      for (const removeHandler of removeHandlers) removeHandler();
    };
  }

  /**
   * The replicas of the controllers of the pods; each controller counts once. `namespace`: that of the pods. Throws
   * {@link UnknownScaleError} or {@link KindNotDiscoveredError}, and what a failed request throws.
   */
  async expectedScale(namespace: string, pods: readonly SelectedPod[]): Promise<ExpectedScale> {
    const seenUids = new Set<string>();
    const replicasByUid = new Map<string, number>();
    let unmanaged = 0;
    for (const { name, controller } of pods) {
      if (controller === undefined) {
        unmanaged += 1;
      } else if (!seenUids.has(controller.uid)) {
        seenUids.add(controller.uid);
        const scale = await this.scaleOf(namespace, controller);
        if (scale === undefined) throw new UnknownScaleError(`found no controllers for pod "${name}"`);
        replicasByUid.set(scale.uid, scale.replicas);
      }
    }
    return { pods: [...replicasByUid.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
  }

  /** Undefined when the controller does not exist, or an object with another uid has its name. */
  private async scaleOf(namespace: string, controller: ControllerReference): Promise<ControllerScale | undefined> {
    const parsed = parseApiVersion(controller.apiVersion);
    const group = canonicalGroup(parsed?.group ?? '');
    switch (`${group}/${controller.kind}`) {
      case '/ReplicationController':
        return this.workloadScale('replicationControllers', namespace, controller);
      case 'apps/StatefulSet':
        return this.workloadScale('statefulSets', namespace, controller);
      case 'apps/ReplicaSet': {
        const replicaSet = this.workloads.replicaSets.get(namespace, controller.name);
        const parent = replicaSet?.uid === controller.uid ? controllerOf(replicaSet) : undefined;
        return parent?.kind === 'Deployment'
          ? this.workloadScale('deployments', namespace, parent)
          : this.workloadScale('replicaSets', namespace, controller);
      }
      default:
        return this.subresourceScale(namespace, controller, group, parsed?.version ?? '');
    }
  }

  /** `undefined` when the workload does not exist, or another one has its name. */
  private workloadScale(workload: WorkloadName, namespace: string, { name, uid }: ControllerReference): ControllerScale | undefined {
    const object = this.workloads[workload].get(namespace, name);
    return object?.uid === uid ? { uid, replicas: replicasOf(object) } : undefined;
  }

  private async subresourceScale(
    namespace: string,
    { apiVersion, kind, name, uid }: ControllerReference,
    group: string,
    version: string,
  ): Promise<ControllerScale | undefined> {
    const { client, signal } = this.context;
    const served = await this.servedKinds.find(group, kind);
    if (served.type === 'maybe-added') throw new KindNotDiscoveredError(kind);
    if (served.type === 'unknown') throw new UnknownScaleError(`no matches for kind "${kind}" in version "${apiVersion}"`);
    const { resource, subresources } = served.resource;
    if (!subresources.has('scale')) {
      const resourceName = group === '' ? resource : `${resource}.${groupInDialect(client.dialect, group)}`;
      throw new UnknownScaleError(`${resourceName} does not implement the scale subresource`);
    }
    const scale = await undefinedIfNotFound(
      client
        .of({ ...served.resource, version })
        .namespace(namespace)
        .getScale(name, { signal }),
    );
    return scale?.uid === uid ? { uid, replicas: replicasOf(scale) } : undefined;
  }
}

const replicasOf = ({ body }: ApiObject<ScaledObject>): number => body.spec?.replicas ?? 0;
