/**
 * The approval condition of a definition in a protected group, as upstream's controller sets it. Whether the definition is
 * rejected without approval is left to its validation.
 */
import { parseApiApproval } from '../kinds/apiextensions/api-approval';
import type { JsonObject } from '../../shared/values/json';
import { quote } from '../../shared/values/text/quote';
import type { DefinitionCondition } from './conditions';

const CONDITION_TYPE = 'KubernetesAPIApprovalPolicyConformant';

/** The condition that follows from the annotation; `undefined` when the group requires no approval. */
export function approvalCondition(group: string, annotations: JsonObject | undefined): DefinitionCondition | undefined {
  const approval = parseApiApproval(group, annotations);
  switch (approval?.type) {
    case undefined:
      return undefined;
    case 'approved':
      return { type: CONDITION_TYPE, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${approval.value}` };
    case 'unapproved':
      return { type: CONDITION_TYPE, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${quote(approval.value)}` };
    case 'missing':
      return { type: CONDITION_TYPE, status: 'False', reason: 'MissingAnnotation', message: approval.detail };
    case 'wrong':
      return { type: CONDITION_TYPE, status: 'False', reason: 'InvalidAnnotation', message: approval.detail };
  }
}
