/**
 * What is to be done for a StatefulSet: one pod after the other where it wants that, the lowest first when there are too few, the highest first when there are too many
 * or they are of an old revision. Decided from what is seen, without a server.
 */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { objectAt, stringAt } from '../../shared/values/json';
import { isPodAvailable } from '../workload/pod-activity';
import { minReadySecondsOf, numberAt, replicasOf } from '../workload/spec';
import { isPodTerminated, isPodReady } from '../runtime/pods';
import { ordinalOf, revisionOf, startOf } from './identity';

export interface SetView {
  readonly set: ApiObject;
  /** The set's own. */
  readonly pods: readonly ApiObject[];
  /** Names of revisions. */
  readonly current: string;
  readonly update: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export type SetAction =
  /** The pod, and its claims before it. */
  | { readonly type: 'create'; readonly ordinal: number; readonly revision: 'current' | 'update' }
  /** One that is there: its labels, its claims and whose these are. */
  | { readonly type: 'settle'; readonly pod: ApiObject; readonly ordinal: number }
  /** `claims` = they are the pod's from now on, if the set wants that of those that it has no use for. */
  | { readonly type: 'delete'; readonly pod: ApiObject; readonly claims: boolean };

export function planSet(view: SetView): readonly SetAction[] {
  return new Plan(view).actions();
}

const phaseOf = ({ body }: ApiObject): string => stringAt(objectAt(body, 'status'), 'phase') ?? '';

export const isRunningAndReady = (pod: ApiObject): boolean => phaseOf(pod) === 'Running' && isPodReady(pod);

interface Placed {
  readonly ordinal: number;
  readonly pod: ApiObject;
}

class Plan {
  private readonly made: SetAction[] = [];
  private readonly first: number;
  private readonly count: number;
  private readonly isOrdered: boolean;
  private readonly byOrdinal: ReadonlyMap<number, ApiObject>;
  /** The highest first. */
  private readonly condemned: readonly Placed[];

  constructor(private readonly view: SetView) {
    const { set, pods } = view;
    this.first = startOf(set);
    this.count = replicasOf(set);
    this.isOrdered = stringAt(objectAt(set.body, 'spec'), 'podManagementPolicy') !== 'Parallel';
    const placed = pods.flatMap((pod) => {
      const ordinal = ordinalOf(set.name, pod.name);
      return ordinal === undefined ? [] : [{ ordinal, pod }];
    });
    this.byOrdinal = new Map(placed.map(({ ordinal, pod }) => [ordinal, pod]));
    const isWanted = ({ ordinal }: Placed): boolean => ordinal >= this.first && ordinal < this.first + this.count;
    this.condemned = placed.filter((one) => !isWanted(one)).sort((a, b) => b.ordinal - a.ordinal);
  }

  actions(): readonly SetAction[] {
    if (this.wanted() && this.unwanted()) this.rollOut();
    return this.made;
  }

  /** False = nothing else is done before something has come of it. */
  private wanted(): boolean {
    for (let ordinal = this.first; ordinal < this.first + this.count; ordinal++) {
      const pod = this.byOrdinal.get(ordinal);
      const goesOn = pod === undefined ? this.create(ordinal) : this.keep(pod, ordinal);
      if (!goesOn && this.isOrdered) return false;
    }
    return true;
  }

  private create(ordinal: number): false {
    this.made.push({ type: 'create', ordinal, revision: ordinal - this.first < this.partition ? 'current' : 'update' });
    return false;
  }

  /** Whether the next one may follow. */
  private keep(pod: ApiObject, ordinal: number): boolean {
    if (isBeingDeleted(pod)) return false;
    if (isPodTerminated(pod)) {
      this.made.push({ type: 'delete', pod, claims: false });
      return false;
    }
    this.made.push({ type: 'settle', pod, ordinal });
    return this.serves(pod);
  }

  private serves(pod: ApiObject): boolean {
    return isRunningAndReady(pod) && isPodAvailable(pod, minReadySecondsOf(this.view.set), this.view.now);
  }

  private unwanted(): boolean {
    const unhealthy = [...this.byOrdinal].filter(([, pod]) => isBeingDeleted(pod) || !isRunningAndReady(pod)).map(([ordinal]) => ordinal);
    const firstUnhealthy = unhealthy.length === 0 ? undefined : Math.min(...unhealthy);
    for (const { pod, ordinal } of this.condemned) {
      if (isBeingDeleted(pod)) {
        if (this.isOrdered) return false;
        continue;
      }
      if (this.isOrdered && ordinal !== firstUnhealthy && !this.serves(pod)) return false;
      this.made.push({ type: 'delete', pod, claims: true });
      if (this.isOrdered) return false;
    }
    return true;
  }

  /** One at a time, whatever the policy says of creation. */
  private rollOut(): void {
    const { set, update } = this.view;
    if (strategyOf(set) === 'OnDelete') return;
    for (let index = this.count - 1; index >= this.partition; index--) {
      const pod = this.byOrdinal.get(this.first + index);
      // It is being made.
      if (pod === undefined) return;
      if (revisionOf(pod) !== update && !isBeingDeleted(pod)) {
        const isGoing = this.made.some((action) => action.type === 'delete' && action.pod === pod);
        if (!isGoing) this.made.push({ type: 'delete', pod, claims: false });
        return;
      }
      if (isBeingDeleted(pod) || !this.serves(pod)) return;
    }
  }

  /** So many of the lowest ones keep the current revision. */
  private get partition(): number {
    const strategy = objectAt(objectAt(this.view.set.body, 'spec'), 'updateStrategy');
    if (strategyOf(this.view.set) === 'OnDelete') return 0;
    return numberAt(objectAt(strategy, 'rollingUpdate'), 'partition') ?? 0;
  }
}

export const strategyOf = ({ body }: ApiObject): string =>
  stringAt(objectAt(objectAt(body, 'spec'), 'updateStrategy'), 'type') ?? 'RollingUpdate';
