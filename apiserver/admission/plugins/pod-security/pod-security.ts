/**
 * PodSecurity: rejects pods that violate the level which the labels of their namespace enforce, and warns about or
 * audits pods and pod templates that violate its other levels. Changes nothing. Which pods violate a level is left to
 * standards.ts.
 */
import { invalid } from '../../../../shared/api/errors/status';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { CoreV1Namespace, CoreV1Pod, CoreV1PodSpec, CoreV1PodTemplateSpec } from '../../../../shared/api/types/generated/members';
import { equalJson } from '../../../../shared/values/json';
import type { Entry } from '../../../cache/cache';
import type { AdmissionTarget, AdmissionRequest } from '../../../registry/admission';
import type { ValidatingPlugin } from '../../chain';
import { newForbidden } from '../../new-forbidden';
import { profileAnnotationNames } from './baseline';
import { warnAboutExistingPods, type ExistingPods } from './existing-pods';
import { securedPod } from './secured-pod';
import {
  isFullyPrivileged,
  isSamePolicy,
  isStricter,
  PRIVILEGED_POLICY,
  readPolicyLabels,
  levelVersionText,
  type LabelledPolicy,
  type LevelVersion,
  type SecurityMode,
  type SecurityPolicy,
} from './policy';
import type { PodSecuritySettings } from './settings';
import { findViolations } from './standards';
import { hasPodTemplate, podTemplateOf } from './pod-template';

/** The configuration, this replica's objects, and the observers of metrics. */
export interface PodSecurityDependencies {
  /** Absent = the privileged level is the default, and nothing is exempt. */
  readonly settings?: PodSecuritySettings | undefined;
  /** From this replica's cache. */
  readonly getNamespace: (name: string) => Entry | undefined;
  /** The pods of a namespace, from this replica's cache. */
  readonly listPods: (namespace: string) => ExistingPods;
  /** Absent = evaluations are not counted. */
  readonly onEvaluation?: OnPodSecurityEvaluation | undefined;
  /** Called when an exemption skips the evaluation; absent = exemptions are not counted. */
  readonly onExemption?: OnPodSecurityExemption | undefined;
}

/** The labels of a request in metrics. */
export interface PodSecurityRequest {
  readonly operation: 'create' | 'update';
  readonly resource: 'pod' | 'controller';
  readonly subresource: string;
}

/** One evaluation as reported to metrics; `deny` also in the modes that only audit or warn. */
export interface PodSecurityEvaluation extends PodSecurityRequest {
  readonly decision: 'allow' | 'deny';
  readonly mode: SecurityMode;
  readonly level: LevelVersion;
}

/** Called for every `enforce` evaluation, and for those of other modes that find a violation. */
export type OnPodSecurityEvaluation = (evaluation: PodSecurityEvaluation) => void;
/** Called once for a request that is exempt. */
export type OnPodSecurityExemption = (request: PodSecurityRequest) => void;

const NAME = 'PodSecurity';
const ENFORCE_POLICY_ANNOTATION = 'pod-security.platform.io/enforce-policy';
const AUDIT_VIOLATIONS_ANNOTATION = 'pod-security.platform.io/audit-violations';
const EXEMPT_ANNOTATION = 'pod-security.platform.io/exempt';

/** The kinds of objects that the plug-in checks. */
type Target = 'namespace' | 'pod' | 'template';

/** What a request writes; `undefined` when the plug-in ignores it. The only subresource that matters is `ephemeralcontainers`, which adds containers to a pod. */
function targetOf({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): Target | undefined {
  const isPod = row.group === '' && row.resource === 'pods';
  if (subresource !== undefined) return isPod && subresource === 'ephemeralcontainers' ? 'pod' : undefined;
  if (isPod) return 'pod';
  if (row.group === '' && row.resource === 'namespaces') return 'namespace';
  return hasPodTemplate(row) ? 'template' : undefined;
}

/** Creates the plug-in. It also rejects namespaces with invalid labels, and warns about their existing pods. */
export function podSecurity(deps: PodSecurityDependencies): ValidatingPlugin {
  return {
    name: NAME,
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject(request) {
      const target = targetOf(request);
      if (target === undefined) return false;
      if (target === 'namespace') return true;
      const { defaults = PRIVILEGED_POLICY, exemptions } = deps.settings ?? {};
      if (exemptions?.namespaces.has(request.namespace) === true) return false;
      return !isFullyPrivileged(readPolicyLabels(deps.getNamespace(request.namespace)?.labels ?? {}, defaults).policy);
    },
    validate(request) {
      const target = targetOf(request);
      if (target === undefined || request.object === undefined) return undefined;
      if (target === 'namespace') return validateNamespace(deps, request, request.object);
      const { defaults = PRIVILEGED_POLICY, exemptions } = deps.settings ?? {};
      const { policy } = readPolicyLabels(request.namespaceEntry?.labels ?? {}, defaults);
      const pod = target === 'pod' ? request.object : podTemplateOf(request.resource.row, request.object);
      const record = evaluationRecorder(deps.onEvaluation, request, target);
      const exemption = exemptionOf(request, pod, exemptions);
      if (exemption !== undefined) {
        deps.onExemption?.(requestLabels(request, target));
        request.context.addAuditAnnotation?.(EXEMPT_ANNOTATION, exemption);
      } else if (target === 'pod') evaluatePod(request, request.object, policy, record);
      else evaluateTemplate(request, pod, policy, record);
      return undefined;
    },
  };
}

type PodOrTemplate = CoreV1Pod | CoreV1PodTemplateSpec;

/** The reason for an exemption; `undefined` when the request is not exempt. */
function exemptionOf(
  { namespace, user }: AdmissionRequest,
  pod: PodOrTemplate | undefined,
  exemptions: PodSecuritySettings['exemptions'] | undefined,
): string | undefined {
  if (exemptions === undefined) return undefined;
  if (exemptions.namespaces.has(namespace)) return 'namespace';
  if (exemptions.usernames.has(user.name)) return 'user';
  return hasExemptRuntimeClass(pod, exemptions) ? 'runtimeClass' : undefined;
}

function hasExemptRuntimeClass(pod: PodOrTemplate | undefined, exemptions: PodSecuritySettings['exemptions'] | undefined): boolean {
  const runtimeClass = pod?.spec?.runtimeClassName;
  return runtimeClass !== undefined && exemptions?.runtimeClasses.has(runtimeClass) === true;
}

/** The labels of the request in metrics. */
const requestLabels = (request: AdmissionRequest, target: 'pod' | 'template'): PodSecurityRequest => ({
  operation: request.operation === 'CREATE' ? 'create' : 'update',
  resource: target === 'pod' ? 'pod' : 'controller',
  subresource: request.subresource ?? '',
});

/** Reports an evaluation to metrics. */
type RecordEvaluation = (mode: SecurityMode, level: LevelVersion, violation: string | undefined) => void;

function evaluationRecorder(
  onEvaluation: OnPodSecurityEvaluation | undefined,
  request: AdmissionRequest,
  target: 'pod' | 'template',
): RecordEvaluation {
  if (onEvaluation === undefined) return () => undefined;
  const labels = requestLabels(request, target);
  return (mode, level, violation) => {
    if (mode !== 'enforce' && violation === undefined) return;
    onEvaluation({ ...labels, mode, level, decision: violation === undefined ? 'allow' : 'deny' });
  };
}

/** Throws when the pod violates the enforced level. */
function evaluatePod(request: AdmissionRequest<CoreV1Pod>, object: CoreV1Pod, policy: SecurityPolicy, record: RecordEvaluation): void {
  const { context, oldObject, subresource } = request;
  if (isFullyPrivileged(policy)) {
    record('enforce', policy.enforce, undefined);
    // Without auditing nothing is left to do: comparing the pods below would be in vain.
    if (context.addAuditAnnotation === undefined) return;
  }
  if (oldObject !== undefined && subresource === undefined && !hasRelevantChange(object, oldObject)) return;
  context.addAuditAnnotation?.(ENFORCE_POLICY_ANNOTATION, levelVersionText(policy.enforce));
  if (isFullyPrivileged(policy)) return;
  const evaluate = cachedEvaluator(object);
  annotateAudit(request, policy, evaluate, record);
  const violation = evaluate(policy.enforce);
  record('enforce', policy.enforce, violation);
  if (violation !== undefined) throw newForbidden(request, `violates ${violation}`);
  warnAboutViolation(request, policy, evaluate, record);
}

/** Never rejects: the enforced level applies to the pods that a controller creates from the template. */
function evaluateTemplate(
  request: AdmissionRequest,
  template: CoreV1PodTemplateSpec | undefined,
  policy: SecurityPolicy,
  record: RecordEvaluation,
): void {
  if (template === undefined || (policy.audit.level === 'privileged' && policy.warn.level === 'privileged')) return;
  const evaluate = cachedEvaluator(template);
  annotateAudit(request, policy, evaluate, record);
  warnAboutViolation(request, policy, evaluate, record);
}

/** The violation of a level by the pod or template of a request, as text; `undefined` when there is none. */
type Evaluate = (levelVersion: LevelVersion) => string | undefined;

function annotateAudit({ context }: AdmissionRequest, { audit }: SecurityPolicy, evaluate: Evaluate, record: RecordEvaluation): void {
  if (context.addAuditAnnotation === undefined) return;
  const violation = evaluate(audit);
  record('audit', audit, violation);
  if (violation !== undefined) context.addAuditAnnotation(AUDIT_VIOLATIONS_ANNOTATION, `would violate ${violation}`);
}

function warnAboutViolation({ context }: AdmissionRequest, { warn }: SecurityPolicy, evaluate: Evaluate, record: RecordEvaluation): void {
  const violation = evaluate(warn);
  record('warn', warn, violation);
  if (violation !== undefined) context.warn(`would violate ${violation}`);
}

/**
 * Returns the violation of a level by a pod or template, or `undefined`. Each level and version is evaluated at most
 * once.
 */
function cachedEvaluator(object: PodOrTemplate): Evaluate {
  const pod = securedPod(object);
  const results = new Map<string, string | undefined>();
  return (levelVersion) => {
    const text = levelVersionText(levelVersion);
    if (!results.has(text)) {
      const violations = findViolations(pod, levelVersion.level, levelVersion.minor);
      const details = violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
      results.set(text, violations.length === 0 ? undefined : `${NAME} "${text}": ${details}`);
    }
    return results.get(text);
  };
}

/** The mutable fields `activeDeadlineSeconds` and `tolerations` do not affect security. */
function hasRelevantChange(object: CoreV1Pod, oldObject: CoreV1Pod): boolean {
  const relevantSpec = ({ spec = {} }: CoreV1Pod): CoreV1PodSpec => {
    const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, ...relevant } = spec;
    return relevant;
  };
  return !equalJson(relevantSpec(object), relevantSpec(oldObject)) || !equalJson(profileAnnotations(object), profileAnnotations(oldObject));
}

/** The seccomp and AppArmor annotations of the pod and its containers. */
function profileAnnotations(object: CoreV1Pod): Record<string, string> {
  const pod = securedPod(object);
  const names = new Set(profileAnnotationNames(pod));
  return Object.fromEntries(Object.entries(pod.annotations).filter(([key]) => names.has(canonicalQualifiedName(key))));
}

/** Throws for labels with invalid values. Warns when a stricter level is enforced, or when an exemption overrides the labels. */
function validateNamespace(
  { settings, listPods }: PodSecurityDependencies,
  request: AdmissionRequest<CoreV1Namespace>,
  object: CoreV1Namespace,
): Promise<void> | undefined {
  const { resource, name, oldObject, context } = request;
  const { defaults = PRIVILEGED_POLICY, exemptions } = settings ?? {};
  const labelled = readPolicyLabels(labelsOf(object), defaults);
  const { policy, errors } = labelled;
  const oldLabelled = oldObject === undefined ? undefined : readPolicyLabels(labelsOf(oldObject), defaults);
  // An update may keep labels that were invalid before it.
  const keepsErrors = oldLabelled !== undefined && hasSameTexts(errors, oldLabelled.errors);
  if (errors.length > 0 && !keepsErrors) throw invalid({ group: '', kind: resource.row.kind }, name, errors);
  const namespaceName = object.metadata?.name ?? name;
  const isExempt = exemptions?.namespaces.has(namespaceName) === true;
  // A new namespace has no pods; its creation only warns of labels that an exemption overrides.
  const mayWarn = oldLabelled === undefined ? isExempt : isStricter(policy.enforce, oldLabelled.policy.enforce);
  if (!mayWarn) return undefined;
  if (!isExempt) return warnAboutExistingPods(request, policy.enforce, listPods(name), (pod) => hasExemptRuntimeClass(pod, exemptions));
  if (!isSamePolicy(policy, defaults))
    context.warn(
      `namespace ${JSON.stringify(namespaceName)} is exempt from Pod Security, and the policy (${ignoredPolicyText(labelled)}) will be ignored`,
    );
  return undefined;
}

/** `enforce=baseline:latest, warn=restricted:v1.31`: the modes that labels set to a level other than privileged. */
const ignoredPolicyText = ({ policy, labelledModes }: LabelledPolicy): string =>
  labelledModes
    .filter((mode) => policy[mode].level !== 'privileged')
    .map((mode) => `${mode}=${levelVersionText(policy[mode])}`)
    .join(', ');

const hasSameTexts = (errors: readonly { readonly text: string }[], oldErrors: readonly { readonly text: string }[]): boolean =>
  errors.length === oldErrors.length && errors.every(({ text }, index) => text === oldErrors[index]?.text);

const labelsOf = ({ metadata }: CoreV1Namespace): Readonly<Record<string, string>> => metadata?.labels ?? {};
