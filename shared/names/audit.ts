/** Names in audit events, in both dialects (see dialect.ts): the apiVersion of the events, and their annotations. */
import { apiVersionInDialect, IMAGE_POLICY_ANNOTATION_INFIX, type Dialect } from './dialect';

/** The apiVersion of audit events, and the annotation of an event that was truncated. */
export const AUDIT_NAMES: Readonly<Record<Dialect, { readonly apiVersion: string; readonly truncated: string }>> = {
  platform: { apiVersion: 'audit.platform.io/v1', truncated: 'audit.platform.io/truncated' },
  kubernetes: { apiVersion: 'audit.k8s.io/v1', truncated: 'audit.k8s.io/truncated' },
};

/** By canonical name, upstream's name of audit annotations that are not spelled as API groups are. */
const AUDIT_ANNOTATIONS: ReadonlyMap<string, string> = new Map([
  ['platform.io/deprecated', 'k8s.io/deprecated'],
  ['platform.io/removed-release', 'k8s.io/removed-release'],
  ['authentication.platform.io/issued-credential-id', 'authentication.kubernetes.io/issued-credential-id'],
]);

/**
 * Audit annotations about webhooks and policies: `mutation.webhook.admission.platform.io/round_0_index_1` or
 * `validation.policy.admission.platform.io/validation_failure`.
 */
const ADMISSION_ANNOTATION = /^((?:[a-z-]+\.)+(?:webhook|policy)\.admission)\.platform\.io\//;

/** For example `pod-security.platform.io/enforce-policy`. */
const POD_SECURITY_ANNOTATION = /^pod-security\.platform\.io\//;

/** The name of an audit annotation, which is canonical, in the given dialect. */
export function auditAnnotationInDialect(dialect: Dialect, name: string): string {
  if (dialect === 'platform') return name;
  const known = AUDIT_ANNOTATIONS.get(name);
  if (known !== undefined) return known;
  const upstreamName = name
    .replace(ADMISSION_ANNOTATION, '$1.k8s.io/')
    .replace(POD_SECURITY_ANNOTATION, 'pod-security.kubernetes.io/')
    .replace(IMAGE_POLICY_ANNOTATION_INFIX.platform, IMAGE_POLICY_ANNOTATION_INFIX.kubernetes);
  // The prefix of any other name may be an API group: `authorization.platform.io/decision`.
  return apiVersionInDialect(dialect, upstreamName);
}
