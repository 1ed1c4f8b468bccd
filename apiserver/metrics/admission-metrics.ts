/** How long admission takes, by plug-in and by step. Counting only. */
import type { Clock } from '../../shared/runtime/clock';
import type { Meters, Observer } from './meters';

type Step = 'admit' | 'validate';

/** What `apiserver/admission` tells. */
export interface AdmissionTimes {
  readonly clock: Pick<Clock, 'monotonic'>;
  series(name: string | undefined, step: Step, operation: string, hasRefused: boolean): (ms: number) => void;
}

export function admissionTimes(meters: Meters, clock: Pick<Clock, 'monotonic'>): AdmissionTimes {
  return {
    clock,
    series(name, step, operation, hasRefused) {
      const observers = observersOf(meters, name, [operation, String(hasRefused), step]);
      return (ms) => {
        for (const observer of observers) observer.observe(ms / 1000);
      };
    },
  };
}

/** Plug-ins and operations are few, so nothing has to be bounded here. */
function observersOf(meters: Meters, name: string | undefined, labels: readonly [string, string, string]): readonly Observer[] {
  if (name !== undefined) return [meters.observer('apiserver_admission_controller_admission_duration_seconds', name, ...labels)];
  return [
    meters.observer('apiserver_admission_step_admission_duration_seconds', ...labels),
    meters.observer('apiserver_admission_step_admission_duration_seconds_summary', ...labels),
  ];
}

interface Subject {
  readonly operation: string;
  readonly concern: string;
  readonly subresource: string;
}

interface Judgement extends Subject {
  readonly decision: string;
  readonly mode: string;
  readonly level: { readonly level: string; readonly version: string };
}

export function podSecurityCounts(meters: Meters): (judgement: Judgement) => void {
  return ({ decision, mode, level, operation, concern, subresource }) =>
    meters.count('pod_security_evaluations_total', decision, mode, level.level, level.version, operation, concern, subresource).add();
}

/** Those that can be are shown from the beginning (upstream behaviour). */
export function podSecurityExemptions(meters: Meters): (subject: Subject) => void {
  const counted = ({ operation, concern, subresource }: Subject): { add(by?: number): void } =>
    meters.count('pod_security_exemptions_total', operation, concern, subresource);
  for (const operation of ['create', 'update'])
    for (const concern of ['controller', 'pod']) counted({ operation, concern, subresource: '' }).add(0);
  return (subject) => counted(subject).add();
}
