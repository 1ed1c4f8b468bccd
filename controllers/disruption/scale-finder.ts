/**
 * How many pods the owners of pods want: from the copies of the kinds that usually own pods, else by asking for the owner's scale, whatever
 * its kind. Changes nothing.
 */
import { parseApiVersion } from '../../shared/api/identity/identity';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { isNotFound } from '../../shared/client/rest/api-error';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { canonicalGroup, groupIn } from '../../shared/names/dialect';
import { objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import type { ControllerContext } from '../runtime/controller';
import { controllerOf, type ControllerReference } from '../runtime/pods';
import { ServedKinds } from '../runtime/served-kinds';
import type { CoveredPod } from './budget-pod-index';

/** Nobody can say how many pods there should be. */
export class UnknownScale extends Error {
  override readonly name = 'UnknownScale';
}

/** The owner's kind is not known, but may have come since the server was last asked what it serves: it is too early to say. */
export class KindUnsettled extends Error {
  override readonly name = 'KindUnsettled';
}

export interface ExpectedPods {
  readonly pods: number;
  /** Pods that nobody keeps going. */
  readonly unmanaged: number;
}

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

const OWNERS = {
  controllers: resourceOf('core.v1.ReplicationController'),
  sets: resourceOf('apps.v1.ReplicaSet'),
  deployments: resourceOf('apps.v1.Deployment'),
  statefulSets: resourceOf('apps.v1.StatefulSet'),
} as const;

type OwnerName = keyof typeof OWNERS;

/** What the server serves is asked for when an owner's kind is not known, but not more often than this. Milliseconds. */
const DISCOVERY_MS = 1_000;

export class Owners {
  private readonly informers: Readonly<Record<OwnerName, Informer>>;
  private readonly kinds: ServedKinds;

  constructor(private readonly context: Pick<ControllerContext, 'client' | 'clock' | 'informers' | 'signal'>) {
    const of = (name: OwnerName): Informer => context.informers.of(OWNERS[name], { trim: scaleOnly });
    this.kinds = new ServedKinds(context, DISCOVERY_MS);
    this.informers = { controllers: of('controllers'), sets: of('sets'), deployments: of('deployments'), statefulSets: of('statefulSets') };
  }

  get all(): readonly Informer[] {
    return Object.values(this.informers);
  }

  /** Tells of every namespace in which an owner wants another number of pods. */
  onChange(tell: (namespace: string) => void): () => void {
    const unhandle = this.all.map((informer) =>
      informer.handle({
        added: ({ namespace }) => tell(namespace),
        updated: (then, now) => {
          if (replicasOf(then) !== replicasOf(now)) tell(now.namespace);
        },
        deleted: ({ namespace }) => tell(namespace),
      }),
    );
    return () => {
      for (const remove of unhandle) remove();
    };
  }

  /** Throws {@link UnknownScale}. */
  async expected(namespace: string, pods: readonly CoveredPod[]): Promise<ExpectedPods> {
    const asked = new Set<string>();
    const wanted = new Map<string, number>();
    let unmanaged = 0;
    for (const { name, owner } of pods) {
      if (owner === undefined) unmanaged += 1;
      else if (!asked.has(owner.uid)) {
        asked.add(owner.uid);
        const scale = await this.scaleOf(namespace, owner);
        if (scale === undefined) throw new UnknownScale(`found no controllers for pod "${name}"`);
        wanted.set(scale.uid, scale.replicas);
      }
    }
    return { pods: [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
  }

  /** Undefined = the owner is gone, or another one has its name. */
  private async scaleOf(namespace: string, owner: ControllerReference): Promise<Scale | undefined> {
    const parsed = parseApiVersion(owner.apiVersion);
    const group = canonicalGroup(parsed?.group ?? '');
    switch (`${group}/${owner.kind}`) {
      case '/ReplicationController':
        return this.known('controllers', namespace, owner);
      case 'apps/StatefulSet':
        return this.known('statefulSets', namespace, owner);
      case 'apps/ReplicaSet': {
        const set = this.informers.sets.get(namespace, owner.name);
        const above = set === undefined || set.uid !== owner.uid ? undefined : controllerOf(set);
        return above?.kind === 'Deployment' ? this.known('deployments', namespace, above) : this.known('sets', namespace, owner);
      }
      default:
        return this.asked(namespace, owner, group, parsed?.version ?? '');
    }
  }

  private known(name: OwnerName, namespace: string, owner: ControllerReference): Scale | undefined {
    const found = this.informers[name].get(namespace, owner.name);
    return found === undefined || found.uid !== owner.uid ? undefined : { uid: found.uid, replicas: replicasOf(found) };
  }

  private async asked(namespace: string, owner: ControllerReference, group: string, version: string): Promise<Scale | undefined> {
    const { client, signal } = this.context;
    const found = await this.kinds.find(group, owner.kind);
    if (found.type === 'unsettled') throw new KindUnsettled(owner.kind);
    if (found.type === 'unknown') throw new UnknownScale(`no matches for kind "${owner.kind}" in version "${owner.apiVersion}"`);
    const { resource } = found;
    if (!resource.subresources.has('scale')) {
      const name = group === '' ? resource.resource : `${resource.resource}.${groupIn(client.dialect, group)}`;
      throw new UnknownScale(`${name} does not implement the scale subresource`);
    }
    try {
      const scale = await client.get({ ...resource, version }, { namespace, name: owner.name, subresource: 'scale' }, { signal });
      return scale.uid === owner.uid ? { uid: scale.uid, replicas: replicasOf(scale) } : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

const replicasOf = ({ body }: ApiObject): number => Number(own(objectAt(body, 'spec') ?? {}, 'replicas') ?? 0);

/** All that is needed of an owner. */
function scaleOnly({ body }: ApiObject): ApiObject {
  const [metadata, spec] = [objectAt(body, 'metadata') ?? {}, objectAt(body, 'spec') ?? {}];
  const kept: JsonObject = {};
  for (const member of ['namespace', 'name', 'uid', 'resourceVersion']) kept[member] = stringAt(metadata, member) ?? '';
  const owners = own(metadata, 'ownerReferences');
  if (owners !== undefined) kept['ownerReferences'] = owners;
  return apiObject({ metadata: kept, spec: { replicas: own(spec, 'replicas') ?? 0 } });
}
