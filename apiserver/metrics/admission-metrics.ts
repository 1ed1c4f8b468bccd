/**
 * Metrics of admission under upstream's names: durations per plug-in and per step, and the evaluations and exemptions
 * of PodSecurity. The admission chain measures; these functions record. Webhooks, policies and match conditions have
 * recorders of their own (webhook-metrics.ts, policy-metrics.ts, condition-metrics.ts).
 */
import type { Clock } from '../../shared/runtime/clock';
import type { Meters, NumberSeries, Observer } from './registry/meters';

/** Mutating plug-ins run in the first step, validating ones in the second. */
type Step = 'admit' | 'validate';

/** Measures admission; `clock` is the one to measure with. */
export interface AdmissionDurations {
  readonly clock: Pick<Clock, 'monotonic'>;
  /**
   * Returns the observer of a plug-in, or of the whole step without `name`, in milliseconds. The admission chain calls
   * it once per series and keeps the observer.
   */
  durationObserver(name: string | undefined, step: Step, operation: string, outcome: 'admitted' | 'rejected'): (ms: number) => void;
}

/** Records under the metric of plug-ins, or without a name under those of steps. */
export function createAdmissionDurations(meters: Meters, clock: Pick<Clock, 'monotonic'>): AdmissionDurations {
  return {
    clock,
    durationObserver(name, step, operation, outcome) {
      const observers = observersOf(meters, name, { operation, rejected: String(outcome === 'rejected'), step });
      return (ms) => {
        for (const observer of observers) observer.observe(ms / 1000);
      };
    },
  };
}

interface StepLabels {
  readonly operation: string;
  /** `true` or `false`. */
  readonly rejected: string;
  readonly step: Step;
}

/**
 * The time series of a plug-in, or of the whole step without a name. Not bounded: there are few plug-ins and
 * operations.
 */
function observersOf(meters: Meters, name: string | undefined, { operation, rejected, step }: StepLabels): readonly Observer[] {
  if (name !== undefined) {
    return [meters.observer('apiserver_admission_controller_admission_duration_seconds', name, operation, rejected, step)];
  }
  return [
    meters.observer('apiserver_admission_step_admission_duration_seconds', operation, rejected, step),
    meters.observer('apiserver_admission_step_admission_duration_seconds_summary', operation, rejected, step),
  ];
}

/** The request that PodSecurity evaluates or exempts. */
interface PodSecuritySubject {
  /** `create` or `update`. */
  readonly operation: string;
  /** `pod`, or `controller` for a kind with a pod template. */
  readonly resource: string;
  readonly subresource: string;
}

/** One evaluation: its decision, and the mode (`enforce`, `warn`, `audit`) and level that it applied. */
interface PodSecurityEvaluation extends PodSecuritySubject {
  readonly decision: string;
  readonly mode: string;
  readonly level: { readonly level: string; readonly version: string };
}

/** Counts one evaluation of a pod or pod template. */
export function createPodSecurityCounter(meters: Meters): (evaluation: PodSecurityEvaluation) => void {
  return ({ decision, mode, level, operation, resource, subresource }) =>
    meters.counter('pod_security_evaluations_total', decision, mode, level.level, level.version, operation, resource, subresource).add();
}

/** Counts one exempt request. The series without a subresource are exposed from the start, as upstream does. */
export function createPodSecurityExemptionCounter(meters: Meters): (subject: PodSecuritySubject) => void {
  const counterOf = ({ operation, resource, subresource }: PodSecuritySubject): NumberSeries =>
    meters.counter('pod_security_exemptions_total', operation, resource, subresource);
  for (const operation of ['create', 'update']) {
    for (const resource of ['controller', 'pod']) counterOf({ operation, resource, subresource: '' }).add(0);
  }
  return (subject) => counterOf(subject).add();
}
