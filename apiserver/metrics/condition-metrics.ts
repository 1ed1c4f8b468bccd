/**
 * Metrics of match conditions (of admission webhooks, admission policies and authorization webhooks) and of calls of
 * authorization webhooks, under upstream's names. Calls of admission webhooks are in webhook-metrics.ts, evaluations of
 * policies in policy-metrics.ts.
 */
import type { Meters } from './registry/meters';

/** One evaluation of all match conditions of a webhook or policy. */
interface MatchConditionEvaluation {
  readonly kind: 'webhook' | 'policy';
  readonly name: string;
  readonly type: 'mutating' | 'validating';
  readonly operation: string;
  readonly ms: number;
  /** Whether a condition could not be evaluated. */
  readonly hasFailed: boolean;
  /** Whether the conditions exclude the request from the webhook or policy. */
  readonly isExcluded: boolean;
}

/**
 * The label `type` of each metric: evaluations by kind, and exclusions. Upstream has two names for the validating step.
 */
const TYPE_LABELS = {
  mutating: { webhook: 'admit', policy: 'admit', exclusion: 'admit' },
  validating: { webhook: 'validating', policy: 'validate', exclusion: 'validate' },
} as const;

/** Called once for each evaluation of the match conditions of a webhook or policy. */
export function createMatchConditionRecorder(meters: Meters): (evaluation: MatchConditionEvaluation) => void {
  return ({ kind, name, type, operation, ms, hasFailed, isExcluded }) => {
    const typeLabels = TYPE_LABELS[type];
    const labels = [kind, name, operation, typeLabels[kind]] as const;
    meters.observer('apiserver_admission_match_condition_evaluation_seconds', ...labels).observe(ms / 1000);
    if (hasFailed) meters.counter('apiserver_admission_match_condition_evaluation_errors_total', ...labels).add();
    // Upstream has no exclusion counter for policies.
    if (isExcluded && kind === 'webhook') {
      meters.counter('apiserver_admission_match_condition_exclusions_total', kind, name, operation, typeLabels.exclusion).add();
    }
  };
}

/** The label `type` of authorizers that are webhooks. */
const AUTHORIZER_TYPE = 'Webhook';

/** Records the calls and match conditions of one authorization webhook. */
interface AuthorizerWebhookRecorder {
  /** One POST request; `ms` excludes the delay before a retry. */
  observeCall(result: 'success' | 'error' | 'timeout', ms: number): void;
  /** The webhook could not be called and its failure policy lets other authorizers decide. */
  countFailOpen(result: 'error' | 'timeout'): void;
  /** `outcome`: whether the conditions match (`yes`), or could not be evaluated (`error`). */
  observeMatchConditions(outcome: 'yes' | 'no' | 'error', ms: number): void;
}

/** `name` identifies the webhook in the authorization configuration. */
export function createAuthorizerWebhookRecorder(meters: Meters, name: string): AuthorizerWebhookRecorder {
  const labels = [AUTHORIZER_TYPE, name] as const;
  return {
    observeCall(result, ms) {
      meters.counter('apiserver_authorization_webhook_evaluations_total', name, result).add();
      meters.observer('apiserver_authorization_webhook_duration_seconds', name, result).observe(ms / 1000);
    },
    countFailOpen: (result) => meters.counter('apiserver_authorization_webhook_evaluations_fail_open_total', name, result).add(),
    observeMatchConditions(outcome, ms) {
      meters.observer('apiserver_authorization_match_condition_evaluation_seconds', ...labels).observe(ms / 1000);
      if (outcome === 'no') meters.counter('apiserver_authorization_match_condition_exclusions_total', ...labels).add();
      if (outcome === 'error') meters.counter('apiserver_authorization_match_condition_evaluation_errors_total', ...labels).add();
    },
  };
}
