/** Conditions of admission webhooks, policies and authorization webhooks under upstream's names: what they take, and what they keep away. Counting only. */
import type { Meters } from './meters';

interface JudgedConditions {
  readonly kind: 'webhook' | 'policy';
  readonly name: string;
  readonly type: 'mutating' | 'validating';
  readonly operation: string;
  readonly ms: number;
  readonly hasFailed: boolean;
  /** It is not asked because of them. */
  readonly isLeftOut: boolean;
}

/** Upstream names the step in two ways. */
const TYPES = {
  mutating: { webhook: 'admit', policy: 'admit', leftOut: 'admit' },
  validating: { webhook: 'validating', policy: 'validate', leftOut: 'validate' },
} as const;

export function conditionCosts(meters: Meters): (judged: JudgedConditions) => void {
  return ({ kind, name, type, operation, ms, hasFailed, isLeftOut }) => {
    const types = TYPES[type];
    const which = [kind, name, operation, types[kind]] as const;
    meters.observer('apiserver_admission_match_condition_evaluation_seconds', ...which).observe(ms / 1000);
    if (hasFailed) meters.count('apiserver_admission_match_condition_evaluation_errors_total', ...which).add();
    // Of policies upstream does not say so.
    if (isLeftOut && kind === 'webhook')
      meters.count('apiserver_admission_match_condition_exclusions_total', kind, name, operation, types.leftOut).add();
  };
}

const AUTHORIZER = 'Webhook';

/** What `apiserver/authorization/webhook` tells. */
interface AskedAuthorizer {
  /** One POST, whatever comes of it; `ms` without the pause before the next. */
  asked(result: 'success' | 'error' | 'timeout', ms: number): void;
  /** It could not be asked, and others decide. */
  failedOpen(result: 'error' | 'timeout'): void;
  conditions(answer: 'yes' | 'no' | 'error', ms: number): void;
}

export function authorizerCosts(meters: Meters, name: string): AskedAuthorizer {
  const who = [AUTHORIZER, name] as const;
  return {
    asked(result, ms) {
      meters.count('apiserver_authorization_webhook_evaluations_total', name, result).add();
      meters.observer('apiserver_authorization_webhook_duration_seconds', name, result).observe(ms / 1000);
    },
    failedOpen: (result) => meters.count('apiserver_authorization_webhook_evaluations_fail_open_total', name, result).add(),
    conditions(answer, ms) {
      meters.observer('apiserver_authorization_match_condition_evaluation_seconds', ...who).observe(ms / 1000);
      if (answer === 'no') meters.count('apiserver_authorization_match_condition_exclusions_total', ...who).add();
      if (answer === 'error') meters.count('apiserver_authorization_match_condition_evaluation_errors_total', ...who).add();
    },
  };
}
