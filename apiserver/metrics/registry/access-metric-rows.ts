/**
 * Rows of the catalogue: metrics of authentication, authorization and admission, in upstream's names, labels and
 * buckets. `catalogue.ts` joins them with the other rows.
 */
import { exponentialBuckets, type MetricRow } from './metric-row';

const ADMISSION = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const PLAIN = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const DECISION = exponentialBuckets(2, 0.001, 15);
const YEARS = [0, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 345600, 604800, 2592000, 7776000, 15552000, 31104000];
const CONDITIONS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
const STEP = ['operation', 'rejected', 'type'] as const;
const POD_SECURITY = ['decision', 'mode', 'policy_level', 'policy_version', 'request_operation', 'resource', 'subresource'] as const;

export const ACCESS_METRIC_ROWS = {
  apiserver_admission_controller_admission_duration_seconds: {
    type: 'histogram',
    stability: 'STABLE',
    help: 'Time that admission plug-ins take, by name.',
    labels: ['name', ...STEP],
    buckets: ADMISSION,
  },
  apiserver_admission_step_admission_duration_seconds: {
    type: 'histogram',
    stability: 'STABLE',
    help: 'Time that all plug-ins of a step of admission take together.',
    labels: STEP,
    buckets: ADMISSION,
  },
  apiserver_admission_step_admission_duration_seconds_summary: {
    type: 'summary',
    stability: 'ALPHA',
    help: 'Time that all plug-ins of a step of admission take together, summed up.',
    labels: STEP,
  },
  apiserver_admission_match_condition_evaluation_errors_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests for which a condition of a webhook or policy could not be told.',
    labels: ['kind', 'name', 'operation', 'type'],
  },
  apiserver_admission_match_condition_evaluation_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time that the conditions of a webhook or policy take for a request.',
    labels: ['kind', 'name', 'operation', 'type'],
    buckets: CONDITIONS,
  },
  apiserver_admission_match_condition_exclusions_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests about which a webhook was not asked because of its conditions.',
    labels: ['kind', 'name', 'operation', 'type'],
  },
  apiserver_authorization_decisions_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Decisions that ended the chain of authorizers, by who made them.',
    labels: ['type', 'name', 'decision'],
  },
  apiserver_authorization_match_condition_evaluation_errors_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests for which a condition of an authorizer could not be told.',
    labels: ['type', 'name'],
  },
  apiserver_authorization_match_condition_evaluation_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time that the conditions of an authorizer take for a request.',
    labels: ['type', 'name'],
    buckets: CONDITIONS,
  },
  apiserver_authorization_match_condition_exclusions_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests about which an authorizer was not asked because of its conditions.',
    labels: ['type', 'name'],
  },
  apiserver_authorization_webhook_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time that authorization webhooks take.',
    labels: ['name', 'result'],
    buckets: PLAIN,
  },
  apiserver_authorization_webhook_evaluations_fail_open_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Questions that an authorization webhook did not answer, and that others then decided.',
    labels: ['name', 'result'],
  },
  apiserver_authorization_webhook_evaluations_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Questions that authorization webhooks were sent.',
    labels: ['name', 'result'],
  },
  apiserver_cel_compilation_duration_seconds: {
    type: 'histogram',
    stability: 'BETA',
    help: 'Time to make an expression ready.',
    labels: [],
    buckets: PLAIN,
  },
  apiserver_cel_evaluation_duration_seconds: {
    type: 'histogram',
    stability: 'BETA',
    help: 'Time to work out the expressions of an admission policy for a request.',
    labels: [],
    buckets: PLAIN,
  },
  apiserver_client_certificate_expiration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'How long the certificates that clients show are still good.',
    labels: [],
    buckets: YEARS,
  },
  authentication_token_cache_request_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Service account tokens that were looked for among those that are known to be good.',
    labels: ['status'],
  },
  authentication_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time of authentication, by its outcome.',
    labels: ['result'],
    buckets: DECISION,
  },
  authorization_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time of authorization, by its outcome.',
    labels: ['result'],
    buckets: DECISION,
  },
  pod_security_evaluations_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Judgements of PodSecurity.',
    labels: POD_SECURITY,
  },
  pod_security_exemptions_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests that PodSecurity has let be, since who asks or what is asked for is exempt.',
    labels: ['request_operation', 'resource', 'subresource'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
