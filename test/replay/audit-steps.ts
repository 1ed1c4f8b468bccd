/** Requests whose audit events are recorded (`audit/requests`), in their order, and the policy by which they are. Names are upstream's. */
import { requestSteps } from './request-step';

const { head, steps } = requestSteps('audit/requests');
export const AUDIT_POLICY = head.policy;
export const AUDIT_STEPS = steps;
