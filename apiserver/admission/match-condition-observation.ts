/** The type of the reports that metrics receive about match conditions. */
import type { AdmissionRequest } from '../registry/admission';

/** One evaluation of the match conditions of a webhook or policy. */
export interface MatchConditionObservation {
  readonly kind: 'webhook' | 'policy';
  readonly name: string;
  readonly type: 'mutating' | 'validating';
  readonly operation: AdmissionRequest['operation'];
  /** Duration of the evaluation. */
  readonly ms: number;
  /** A condition failed to evaluate, and none was false. */
  readonly hasFailed: boolean;
  /** The conditions exclude the request: the webhook or policy is skipped. */
  readonly isExcluded: boolean;
}
