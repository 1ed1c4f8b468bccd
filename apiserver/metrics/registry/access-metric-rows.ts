/**
 * Rows of the catalogue: metrics of authentication, authorization and admission, in upstream's names, labels and
 * buckets. `catalogue.ts` joins them with the other rows.
 */
import { exponentialBuckets, type MetricRow } from './metric-row';

/** Upper bounds in seconds. */
const ADMISSION_BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const DECISION_BUCKETS = exponentialBuckets(2, 0.001, 15);
/** From an expired certificate over half an hour to a year. */
const CERTIFICATE_LIFETIME_BUCKETS = [
  0, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 345600, 604800, 2592000, 7776000, 15552000, 31104000,
];
const CONDITION_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
const STEP_LABELS = ['operation', 'rejected', 'type'] as const;
const POD_SECURITY_LABELS = ['decision', 'mode', 'policy_level', 'policy_version', 'request_operation', 'resource', 'subresource'] as const;

/** By name. */
export const ACCESS_METRIC_ROWS = {
  apiserver_admission_controller_admission_duration_seconds: {
    type: 'histogram',
    stability: 'STABLE',
    help: 'Latency of an admission plug-in, by its name.',
    labels: ['name', ...STEP_LABELS],
    buckets: ADMISSION_BUCKETS,
  },
  apiserver_admission_step_admission_duration_seconds: {
    type: 'histogram',
    stability: 'STABLE',
    help: 'Latency of all plug-ins of an admission step.',
    labels: STEP_LABELS,
    buckets: ADMISSION_BUCKETS,
  },
  apiserver_admission_step_admission_duration_seconds_summary: {
    type: 'summary',
    stability: 'ALPHA',
    help: 'Latency of all plug-ins of an admission step, as count and sum.',
    labels: STEP_LABELS,
  },
  apiserver_admission_match_condition_evaluation_errors_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests for which a match condition of a webhook or policy could not be evaluated.',
    labels: ['kind', 'name', 'operation', 'type'],
  },
  apiserver_admission_match_condition_evaluation_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time to evaluate the match conditions of a webhook or policy for a request.',
    labels: ['kind', 'name', 'operation', 'type'],
    buckets: CONDITION_BUCKETS,
  },
  apiserver_admission_match_condition_exclusions_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests that were not sent to a webhook because a match condition excluded them.',
    labels: ['kind', 'name', 'operation', 'type'],
  },
  apiserver_authorization_decisions_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Final decisions of the authorizer chain, by authorizer and decision.',
    labels: ['type', 'name', 'decision'],
  },
  apiserver_authorization_match_condition_evaluation_errors_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests for which a match condition of an authorizer could not be evaluated.',
    labels: ['type', 'name'],
  },
  apiserver_authorization_match_condition_evaluation_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Time to evaluate the match conditions of an authorizer for a request.',
    labels: ['type', 'name'],
    buckets: CONDITION_BUCKETS,
  },
  apiserver_authorization_match_condition_exclusions_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests that were not sent to an authorizer because a match condition excluded them.',
    labels: ['type', 'name'],
  },
  apiserver_authorization_webhook_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Latency of authorization webhooks.',
    labels: ['name', 'result'],
    buckets: CALL_BUCKETS,
  },
  apiserver_authorization_webhook_evaluations_fail_open_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Failed calls of authorization webhooks after which the next authorizer decided.',
    labels: ['name', 'result'],
  },
  apiserver_authorization_webhook_evaluations_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Calls of authorization webhooks.',
    labels: ['name', 'result'],
  },
  apiserver_cel_compilation_duration_seconds: {
    type: 'histogram',
    stability: 'BETA',
    help: 'Time to compile a CEL expression.',
    labels: [],
    buckets: CALL_BUCKETS,
  },
  apiserver_cel_evaluation_duration_seconds: {
    type: 'histogram',
    stability: 'BETA',
    help: 'Time to evaluate the CEL expressions of an admission policy for a request.',
    labels: [],
    buckets: CALL_BUCKETS,
  },
  apiserver_client_certificate_expiration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Remaining lifetime of the client certificates that authenticated requests.',
    labels: [],
    buckets: CERTIFICATE_LIFETIME_BUCKETS,
  },
  authentication_token_cache_request_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Lookups in the cache of verified service account tokens, by hit or miss.',
    labels: ['status'],
  },
  authentication_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Duration of authentication, by result.',
    labels: ['result'],
    buckets: DECISION_BUCKETS,
  },
  authorization_duration_seconds: {
    type: 'histogram',
    stability: 'ALPHA',
    help: 'Duration of authorization, by result.',
    labels: ['result'],
    buckets: DECISION_BUCKETS,
  },
  pod_security_evaluations_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'PodSecurity evaluations.',
    labels: POD_SECURITY_LABELS,
  },
  pod_security_exemptions_total: {
    type: 'counter',
    stability: 'ALPHA',
    help: 'Requests that PodSecurity did not evaluate because the user, namespace or runtime class is exempt.',
    labels: ['request_operation', 'resource', 'subresource'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
