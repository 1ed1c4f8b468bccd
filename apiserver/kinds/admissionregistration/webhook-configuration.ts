/**
 * MutatingWebhookConfiguration and ValidatingWebhookConfiguration strategies, which share all rules but reinvocation.
 * Each webhook is validated on its own and has a unique name. Calling the webhooks is left to admission/webhook.
 */
import { duplicateValue, invalidValue, unsupportedValue, requiredValue } from '../../../shared/api/errors/field-error';
import { checkDnsSubdomain } from '../../../shared/values/name-formats';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import { checkEnum, checkRequired, type Errors } from '../rules/checks';
import { checkSelector } from '../rules/selectors';
import { checkReviewVersions, checkWebhookClientConfig } from '../rules/webhook-client';
import { checkMatchConditions } from './match-conditions';
import { checkRuleWithOperations } from './webhook-rules';
import type {
  AdmissionregistrationV1MutatingWebhook,
  AdmissionregistrationV1MutatingWebhookConfiguration,
  AdmissionregistrationV1ValidatingWebhook,
  AdmissionregistrationV1ValidatingWebhookConfiguration,
} from '../../../shared/api/types/generated/members';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const MAX_TIMEOUT_SECONDS = 30;

export const mutatingWebhookConfiguration: Strategy<AdmissionregistrationV1MutatingWebhookConfiguration> = {
  validate: ({ webhooks = [] }) => validateWebhooks(webhooks),
  update: { stages: UPDATE.metadataThenObjectThenChange },
};

export const validatingWebhookConfiguration: Strategy<AdmissionregistrationV1ValidatingWebhookConfiguration> = {
  validate: ({ webhooks = [] }) => validateWebhooks(webhooks),
  update: { stages: UPDATE.metadataThenObjectThenChange },
};

function validateWebhooks(
  webhooks: readonly (AdmissionregistrationV1MutatingWebhook | AdmissionregistrationV1ValidatingWebhook)[],
): Errors {
  const errors: Errors = [];
  const names = new Set<string>();
  webhooks.forEach((webhook, index) => {
    const fieldPath = `webhooks[${index}]`;
    checkWebhook(webhook, fieldPath, errors);
    checkReviewVersions(
      webhook.admissionReviewVersions ?? [],
      `${fieldPath}.admissionReviewVersions`,
      errors,
      'must specify one of v1, v1beta1',
    );
    const { name = '' } = webhook;
    if (name === '') return;
    if (names.has(name)) errors.push(duplicateValue(`${fieldPath}.name`, name));
    names.add(name);
  });
  return errors;
}

/** Webhooks of both kinds: a validating one has no `reinvocationPolicy`. */
function checkWebhook(webhook: AdmissionregistrationV1MutatingWebhook, fieldPath: string, errors: Errors): void {
  checkName(webhook, fieldPath, errors);
  (webhook.rules ?? []).forEach((rule, index) => checkRuleWithOperations(rule, `${fieldPath}.rules[${index}]`, errors));
  checkEnum(webhook, 'failurePolicy', fieldPath, FAILURE_POLICIES, errors);
  checkEnum(webhook, 'matchPolicy', fieldPath, MATCH_POLICIES, errors);
  checkSideEffects(webhook, fieldPath, errors);
  const { timeoutSeconds = 1 } = webhook;
  if (timeoutSeconds < 1 || timeoutSeconds > MAX_TIMEOUT_SECONDS) {
    errors.push(
      invalidValue(`${fieldPath}.timeoutSeconds`, timeoutSeconds, `the timeout value must be between 1 and ${MAX_TIMEOUT_SECONDS} seconds`),
    );
  }
  checkSelector(webhook.namespaceSelector, `${fieldPath}.namespaceSelector`, errors);
  checkSelector(webhook.objectSelector, `${fieldPath}.objectSelector`, errors);
  checkEnum(webhook, 'reinvocationPolicy', fieldPath, REINVOCATION_POLICIES, errors);
  checkWebhookClientConfig(webhook.clientConfig ?? {}, `${fieldPath}.clientConfig`, errors);
  checkMatchConditions(webhook.matchConditions ?? [], `${fieldPath}.matchConditions`, errors);
}

function checkName(webhook: AdmissionregistrationV1MutatingWebhook, fieldPath: string, errors: Errors): void {
  const { name = '' } = webhook;
  const errorCountBefore = errors.length;
  checkRequired(webhook, 'name', fieldPath, errors, checkDnsSubdomain);
  if (errors.length > errorCountBefore || name.split('.').length >= 3) return;
  errors.push(invalidValue(`${fieldPath}.name`, name, 'should be a domain with at least three segments separated by dots'));
}

function checkSideEffects({ sideEffects }: AdmissionregistrationV1MutatingWebhook, fieldPath: string, errors: Errors): void {
  const field = `${fieldPath}.sideEffects`;
  const value = sideEffects ?? undefined;
  if (value === undefined) errors.push(requiredValue(field, `must specify one of ${SIDE_EFFECTS.join(', ')}`));
  else if (!SIDE_EFFECTS.includes(value)) errors.push(unsupportedValue(field, value, SIDE_EFFECTS));
}
