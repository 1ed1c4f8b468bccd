/** What whoever counts is told of the conditions of a webhook or a policy. Counts nothing itself. */
import type { AdmissionRequest } from '../registry/admission';

export interface ConditionsLook {
  readonly kind: 'webhook' | 'policy';
  readonly name: string;
  readonly type: 'mutating' | 'validating';
  readonly operation: AdmissionRequest['operation'];
  readonly ms: number;
  readonly hasFailed: boolean;
  /** It is not asked because of them. */
  readonly isLeftOut: boolean;
}
