/** Match conditions of admission webhooks and policies, and calls of authorization webhooks, under upstream's names. */
import type { Meters } from './registry/meters';

interface MatchConditionEvaluation {
  readonly kind: 'webhook' | 'policy';
  readonly name: string;
  readonly type: 'mutating' | 'validating';
  readonly operation: string;
  readonly ms: number;
  readonly hasFailed: boolean;
  /** The webhook or policy is not evaluated because of its conditions. */
  readonly isExcluded: boolean;
}

/** Upstream uses two names for each step. */
const TYPES = {
  mutating: { webhook: 'admit', policy: 'admit', leftOut: 'admit' },
  validating: { webhook: 'validating', policy: 'validate', leftOut: 'validate' },
} as const;

export function createMatchConditionRecorder(meters: Meters): (evaluation: MatchConditionEvaluation) => void {
  return ({ kind, name, type, operation, ms, hasFailed, isExcluded }) => {
    const types = TYPES[type];
    const labels = [kind, name, operation, types[kind]] as const;
    meters.observer('apiserver_admission_match_condition_evaluation_seconds', ...labels).observe(ms / 1000);
    if (hasFailed) meters.counter('apiserver_admission_match_condition_evaluation_errors_total', ...labels).add();
    // Upstream has no exclusion counter for policies.
    if (isExcluded && kind === 'webhook')
      meters.counter('apiserver_admission_match_condition_exclusions_total', kind, name, operation, types.leftOut).add();
  };
}

const AUTHORIZER = 'Webhook';

interface AuthorizerWebhookRecorder {
  /** One POST request; `ms` excludes the delay before a retry. */
  observeCall(result: 'success' | 'error' | 'timeout', ms: number): void;
  /** The webhook could not be called and its failure policy lets other authorizers decide. */
  countFailOpen(result: 'error' | 'timeout'): void;
  observeMatchConditions(response: 'yes' | 'no' | 'error', ms: number): void;
}

export function createAuthorizerWebhookRecorder(meters: Meters, name: string): AuthorizerWebhookRecorder {
  const labels = [AUTHORIZER, name] as const;
  return {
    observeCall(result, ms) {
      meters.counter('apiserver_authorization_webhook_evaluations_total', name, result).add();
      meters.observer('apiserver_authorization_webhook_duration_seconds', name, result).observe(ms / 1000);
    },
    countFailOpen: (result) => meters.counter('apiserver_authorization_webhook_evaluations_fail_open_total', name, result).add(),
    observeMatchConditions(response, ms) {
      meters.observer('apiserver_authorization_match_condition_evaluation_seconds', ...labels).observe(ms / 1000);
      if (response === 'no') meters.counter('apiserver_authorization_match_condition_exclusions_total', ...labels).add();
      if (response === 'error') meters.counter('apiserver_authorization_match_condition_evaluation_errors_total', ...labels).add();
    },
  };
}
