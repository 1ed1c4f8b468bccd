/** One evaluation of the match conditions of a webhook or policy, as reported to metrics. */
import type { AdmissionRequest } from '../registry/admission';

export interface MatchConditionObservation {
  readonly kind: 'webhook' | 'policy';
  readonly name: string;
  readonly type: 'mutating' | 'validating';
  readonly operation: AdmissionRequest['operation'];
  readonly ms: number;
  readonly hasFailed: boolean;
  /** The conditions exclude the request: the webhook or policy is skipped. */
  readonly isExcluded: boolean;
}
