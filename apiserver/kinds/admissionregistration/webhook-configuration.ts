/** Configurations of webhooks that change or judge requests: each webhook has a name of its own, an address, and rules that say when it is asked. */
import { duplicateValue, invalidValue, unsupportedValue, requiredValue } from '../../../shared/api/errors/field-error';
import { checkDnsSubdomain } from '../../../shared/values/name-formats';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import { checkChoice, checkRequired, type Errors } from '../rules/checks';
import { checkSelector } from '../rules/selectors';
import { checkReviewVersions, checkWebhookClient } from '../rules/webhook-client';
import { checkMatchConditions } from './match-conditions';
import { checkRule } from './webhook-rules';
import type {
  AdmissionregistrationV1MutatingWebhook,
  AdmissionregistrationV1MutatingWebhookConfiguration,
  AdmissionregistrationV1ValidatingWebhook,
  AdmissionregistrationV1ValidatingWebhookConfiguration,
} from '../../../shared/api/types/generated/members';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const REINVOCATIONS = ['IfNeeded', 'Never'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const LONGEST_SECONDS = 30;

export const mutatingWebhooks: Strategy<AdmissionregistrationV1MutatingWebhookConfiguration> = {
  validate: ({ webhooks = [] }) => judged(webhooks),
  update: { stages: UPDATE.metadataThenObjectThenChange },
};

export const validatingWebhooks: Strategy<AdmissionregistrationV1ValidatingWebhookConfiguration> = {
  validate: ({ webhooks = [] }) => judged(webhooks),
  update: { stages: UPDATE.metadataThenObjectThenChange },
};

function judged(webhooks: readonly (AdmissionregistrationV1MutatingWebhook | AdmissionregistrationV1ValidatingWebhook)[]): Errors {
  const errors: Errors = [];
  const names = new Set<string>();
  webhooks.forEach((webhook, index) => {
    const place = `webhooks[${index}]`;
    checkWebhook(webhook, place, errors);
    checkReviewVersions(
      webhook.admissionReviewVersions ?? [],
      `${place}.admissionReviewVersions`,
      errors,
      'must specify one of v1, v1beta1',
    );
    const { name = '' } = webhook;
    if (name === '') return;
    if (names.has(name)) errors.push(duplicateValue(`${place}.name`, name));
    names.add(name);
  });
  return errors;
}

function checkWebhook(webhook: AdmissionregistrationV1MutatingWebhook, place: string, errors: Errors): void {
  checkName(webhook, place, errors);
  (webhook.rules ?? []).forEach((rule, index) => checkRule(rule, `${place}.rules[${index}]`, errors));
  checkChoice(webhook, 'failurePolicy', place, FAILURE_POLICIES, errors);
  checkChoice(webhook, 'matchPolicy', place, MATCH_POLICIES, errors);
  checkSideEffects(webhook, place, errors);
  const { timeoutSeconds = 1 } = webhook;
  if (timeoutSeconds < 1 || timeoutSeconds > LONGEST_SECONDS) {
    errors.push(
      invalidValue(`${place}.timeoutSeconds`, timeoutSeconds, `the timeout value must be between 1 and ${LONGEST_SECONDS} seconds`),
    );
  }
  checkSelector(webhook.namespaceSelector, `${place}.namespaceSelector`, errors);
  checkSelector(webhook.objectSelector, `${place}.objectSelector`, errors);
  checkChoice(webhook, 'reinvocationPolicy', place, REINVOCATIONS, errors);
  checkWebhookClient(webhook.clientConfig ?? {}, `${place}.clientConfig`, errors);
  checkMatchConditions(webhook.matchConditions ?? [], `${place}.matchConditions`, errors);
}

function checkName(webhook: AdmissionregistrationV1MutatingWebhook, place: string, errors: Errors): void {
  const { name = '' } = webhook;
  const found = errors.length;
  checkRequired(webhook, 'name', place, errors, checkDnsSubdomain);
  if (errors.length > found || name.split('.').length >= 3) return;
  errors.push(invalidValue(`${place}.name`, name, 'should be a domain with at least three segments separated by dots'));
}

function checkSideEffects({ sideEffects }: AdmissionregistrationV1MutatingWebhook, place: string, errors: Errors): void {
  const field = `${place}.sideEffects`;
  const value = sideEffects ?? undefined;
  if (value === undefined) errors.push(requiredValue(field, `must specify one of ${SIDE_EFFECTS.join(', ')}`));
  else if (!SIDE_EFFECTS.includes(value)) errors.push(unsupportedValue(field, value, SIDE_EFFECTS));
}
