/**
 * What a Deployment asks of its sets, and what it says of itself: one plan from what is seen, without a server. The plan is made as if each of its changes had been
 * made at once; a change that the server refuses ends what is done of it, and the next plan starts from what is there.
 */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import { isPodTerminated } from '../runtime/pods';
import { numberAt } from '../workload/spec';
import { isRolling } from './bounds';
import { annotated, annotationsOf } from './names';
import { findCurrent, forgettable, markCurrent, newSet, nextRevision } from './revisions';
import { Scaling, type Scaled } from './scaling';
import { isActiveSet, isChanged, plannedSet, type PlannedSet } from './set';
import {
  countsIn,
  countsOf,
  deadlineIn,
  DeploymentConditions,
  deploymentStatus,
  isComplete,
  isObserved,
  progressDeadline,
  sayAvailable,
  sayProgress,
} from './status';

export interface DeploymentPlan {
  /** To be made or changed, in this order. */
  readonly sets: readonly PlannedSet[];
  readonly forgotten: readonly ApiObject[];
  readonly scaled: readonly Scaled[];
  /** The number of the present template, where it is to be written down. */
  readonly revision: string | undefined;
  readonly status: JsonObject | undefined;
  /** After so many milliseconds it is to be looked at again. */
  readonly againMs: number | undefined;
}

export interface DeploymentView {
  readonly deployment: ApiObject;
  /** Those that it controls. */
  readonly sets: readonly ApiObject[];
  /** The pods of a set. */
  readonly podsOf: (set: ApiObject) => readonly ApiObject[];
  readonly now: number;
}

export function planDeployment(view: DeploymentView): DeploymentPlan {
  return new Planning(view).plan();
}

class Planning {
  private readonly all: PlannedSet[];
  private readonly scaling: Scaling;
  private readonly conditions: DeploymentConditions;
  private current: PlannedSet | undefined;
  private forgotten: readonly PlannedSet[] = [];

  constructor(private readonly view: DeploymentView) {
    const { deployment, sets, now } = view;
    this.all = sets.map(plannedSet);
    this.scaling = new Scaling(deployment);
    this.conditions = new DeploymentConditions(deployment, now);
    this.current = findCurrent(deployment, this.all);
  }

  plan(): DeploymentPlan {
    const { deployment } = this.view;
    if (isBeingDeleted(deployment)) return this.told(false);
    this.sayPaused();
    const isPaused = own(objectAt(deployment.body, 'spec') ?? {}, 'paused') === true;
    if (isPaused || this.isScaled()) {
      this.useCurrent();
      this.scaling.inProportion(this.old, this.current);
      if (isPaused) this.forgotten = forgettable(deployment, this.old);
      return this.told(false);
    }
    if (isRolling(deployment)) this.roll();
    else this.recreate();
    return this.told(true);
  }

  private get old(): readonly PlannedSet[] {
    return this.all.filter((set) => set !== this.current);
  }

  private sayPaused(): void {
    const { deployment } = this.view;
    const reason = stringAt(this.conditions.of('Progressing'), 'reason');
    if (progressDeadline(deployment) === undefined || reason === 'ProgressDeadlineExceeded') return;
    const isPaused = own(objectAt(deployment.body, 'spec') ?? {}, 'paused') === true;
    if (isPaused && reason !== 'DeploymentPaused')
      this.conditions.set('Progressing', 'Unknown', 'DeploymentPaused', 'Deployment is paused');
    if (!isPaused && reason === 'DeploymentPaused') {
      this.conditions.set('Progressing', 'Unknown', 'DeploymentResumed', 'Deployment is resumed');
    }
  }

  private isScaled(): boolean {
    return this.all.some((set) => isActiveSet(set) && this.scaling.isOutdated(set));
  }

  /** The set of the present template, where it is there. */
  private useCurrent(): PlannedSet | undefined {
    const { deployment } = this.view;
    if (this.current === undefined) return undefined;
    markCurrent(deployment, this.current, nextRevision(this.old));
    if (progressDeadline(deployment) !== undefined && this.conditions.of('Progressing') === undefined) {
      this.conditions.set('Progressing', 'True', 'FoundNewReplicaSet', `Found new replica set "${this.current.name}"`);
    }
    return this.current;
  }

  private currentOrNew(): PlannedSet {
    const found = this.useCurrent();
    if (found !== undefined) return found;
    const { deployment } = this.view;
    const made = newSet(deployment);
    const revision = nextRevision(this.all);
    this.scaling.begin(made, this.all);
    markCurrent(deployment, made, revision);
    if (progressDeadline(deployment) !== undefined) {
      this.conditions.set('Progressing', 'True', 'NewReplicaSetCreated', `Created new replica set "${made.name}"`);
    }
    this.all.push(made);
    this.current = made;
    return made;
  }

  private roll(): void {
    const current = this.currentOrNew();
    if (this.scaling.growNew(this.all, current)) return;
    if (this.scaling.shrinkOld(this.old, current)) return;
    this.forget();
  }

  private recreate(): void {
    const current = this.useCurrent();
    if (this.scaling.toNothing(this.old)) return;
    if (this.haveOldPods(current)) return;
    this.scaling.toWanted(this.currentOrNew());
    this.forget();
  }

  private haveOldPods(current: PlannedSet | undefined): boolean {
    return this.old.some(
      ({ seen, status }) =>
        status.replicas > 0 ||
        (seen !== undefined && seen !== current?.seen && this.view.podsOf(seen).some((pod) => !isPodTerminated(pod))),
    );
  }

  private forget(): void {
    const { deployment } = this.view;
    if (isObserved(deployment) && isComplete(deployment, countsIn(deployment))) this.forgotten = forgettable(deployment, this.old);
  }

  private told(isRollOut: boolean): DeploymentPlan {
    const { deployment, now } = this.view;
    const seen = { all: this.all, created: this.current };
    sayAvailable(this.conditions, deployment, countsOf(this.all, this.current));
    if (isRollOut) sayProgress(this.conditions, deployment, seen, now);
    const collisions = numberAt(objectAt(deployment.body, 'status'), 'collisionCount');
    const forgotten = new Set(this.forgotten);
    return {
      sets: isBeingDeleted(deployment) ? [] : this.all.filter((set) => isChanged(set) && !forgotten.has(set)),
      forgotten: this.forgotten.flatMap(({ seen: object }) => object ?? []),
      scaled: this.scaling.scaled,
      revision: this.revision(),
      status: deploymentStatus(deployment, seen, this.conditions, collisions),
      againMs: isRollOut ? deadlineIn(deployment, seen, this.conditions, now) : undefined,
    };
  }

  private revision(): string | undefined {
    const { deployment } = this.view;
    if (this.current === undefined || isBeingDeleted(deployment)) return undefined;
    const revision = annotated(this.current.annotations, 'revision');
    return revision === annotated(annotationsOf(deployment), 'revision') ? undefined : revision;
  }
}
