/** What the status of a definition says of its group's approval, as upstream's controller says it. Pure. */
import { approvalOf } from '../kinds/apiextensions/approval';
import type { JsonObject } from '../../shared/values/json';
import { quote } from '../../shared/values/quote';
import type { Condition } from './conditions';

const TYPE = 'KubernetesAPIApprovalPolicyConformant';

/** Undefined where nobody has to be asked. */
export function approvalCondition(group: string, annotations: JsonObject | undefined): Condition | undefined {
  const approval = approvalOf(group, annotations);
  switch (approval?.type) {
    case undefined:
      return undefined;
    case 'approved':
      return { type: TYPE, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${approval.said}` };
    case 'unapproved':
      return { type: TYPE, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${quote(approval.said)}` };
    case 'missing':
      return { type: TYPE, status: 'False', reason: 'MissingAnnotation', message: approval.detail };
    case 'wrong':
      return { type: TYPE, status: 'False', reason: 'InvalidAnnotation', message: approval.detail };
  }
}
