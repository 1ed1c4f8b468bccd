import { auditAnnotationInDialect } from './audit';

test.each([
  ['authorization.platform.io/decision', 'authorization.k8s.io/decision'],
  ['platform.io/deprecated', 'k8s.io/deprecated'],
  ['mutation.webhook.admission.platform.io/round_0_index_1', 'mutation.webhook.admission.k8s.io/round_0_index_1'],
  ['validation.policy.admission.platform.io/validation_failure', 'validation.policy.admission.k8s.io/validation_failure'],
  ['pod-security.platform.io/enforce-policy', 'pod-security.kubernetes.io/enforce-policy'],
  ['mine.example.com/key', 'mine.example.com/key'],
])('auditAnnotationInDialect spells %s as %s in the kubernetes dialect, and unchanged in the platform dialect', (name, spelled) => {
  expect(auditAnnotationInDialect('kubernetes', name)).toBe(spelled);
  expect(auditAnnotationInDialect('platform', name)).toBe(name);
});
