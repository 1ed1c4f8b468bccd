/**
 * The requests of the recording `audit/requests`, in their order, and the audit policy under which their events are
 * recorded. Names are upstream's.
 */
import { requestSteps } from './request-step';

const { head, steps } = requestSteps('audit/requests');
export const AUDIT_POLICY = head.policy;
export const AUDIT_STEPS = steps;
