/**
 * Pods keep to the standard that the labels of their namespace ask for, or are refused; of pods, and of what will become pods, those are told and
 * noted that break what is only warned of or audited. Never changes anything.
 */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { invalid } from '../../shared/api/errors/status';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { equalJson, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import type { AdmissionTarget, AdmissionRequest } from '../registry/admission';
import type { ValidatingPlugin } from './chain';
import { refused } from './pod-creation';
import { profileNames } from './pod-security/baseline';
import { warnOfExisting, type ExistingPods } from './pod-security/existing-pods';
import { securedPod } from './pod-security/pod';
import {
  isLoose,
  isSamePolicy,
  isStricter,
  LOOSE,
  policyOf,
  policyText,
  type LabelledPolicy,
  type LevelVersion,
  type SecurityMode,
  type SecurityPolicy,
} from './pod-security/policy';
import type { SecuritySettings } from './pod-security/settings';
import { findingsIn } from './pod-security/standards';
import { hasTemplate, templateIn } from './pod-security/templates';

export interface PodSecurityParts {
  readonly settings?: SecuritySettings | undefined;
  /** As this replica knows it. */
  readonly namespace: (name: string) => Entry | undefined;
  readonly pods: (namespace: string) => ExistingPods;
  /** Hears of every judgement; absent = nobody wants to know. */
  readonly judged?: PodSecurityJudged | undefined;
  /** Hears of all that is not judged since somebody is exempt; absent = nobody wants to know. */
  readonly exempted?: PodSecurityExempted | undefined;
}

/** What of a request is counted, whatever becomes of it. */
export interface PodSecuritySubject {
  readonly operation: 'create' | 'update';
  readonly concern: 'pod' | 'controller';
  readonly subresource: string;
}

export interface PodSecurityJudgement extends PodSecuritySubject {
  readonly decision: 'allow' | 'deny';
  readonly mode: SecurityMode;
  readonly level: LevelVersion;
}

export type PodSecurityJudged = (judgement: PodSecurityJudgement) => void;
export type PodSecurityExempted = (subject: PodSecuritySubject) => void;

const NAME = 'PodSecurity';
const ENFORCED = 'pod-security.platform.io/enforce-policy';
const VIOLATED = 'pod-security.platform.io/audit-violations';
const EXEMPTED = 'pod-security.platform.io/exempt';

type Concern = 'namespace' | 'pod' | 'template';

/** Subresources say nothing of these, but for the one that adds containers. */
function concernOf({ resource: { row }, subresource }: Pick<AdmissionTarget, 'resource' | 'subresource'>): Concern | undefined {
  const isPod = row.group === '' && row.resource === 'pods';
  if (subresource !== undefined) return isPod && subresource === 'ephemeralcontainers' ? 'pod' : undefined;
  if (isPod) return 'pod';
  if (row.group === '' && row.resource === 'namespaces') return 'namespace';
  return hasTemplate(row) ? 'template' : undefined;
}

export function podSecurity(parts: PodSecurityParts): ValidatingPlugin {
  return {
    name: NAME,
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject(question) {
      const concern = concernOf(question);
      if (concern === undefined || concern === 'namespace') return concern === 'namespace';
      const { defaults = LOOSE, exemptions } = parts.settings ?? {};
      if (exemptions?.namespaces.has(question.namespace) === true) return false;
      return !isLoose(policyOf(parts.namespace(question.namespace)?.labels ?? {}, defaults).policy);
    },
    validate(request) {
      const concern = concernOf(request);
      if (concern === undefined || request.object === undefined) return undefined;
      if (concern === 'namespace') return judgeNamespace(parts, request, request.object);
      const { defaults = LOOSE, exemptions } = parts.settings ?? {};
      const { policy } = policyOf(request.namespaceEntry?.labels ?? {}, defaults);
      const pod = concern === 'pod' ? request.object : templateIn(request.resource.row, request.object);
      const tell = teller(parts.judged, request, concern);
      const exemption = exemptionOf(request, pod, exemptions);
      if (exemption !== undefined) {
        parts.exempted?.(subjectOf(request, concern));
        request.context.addAuditAnnotation?.(EXEMPTED, exemption);
      } else if (concern === 'pod') judgePod(request, request.object, policy, tell);
      else judgeTemplate(request, pod, policy, tell);
      return undefined;
    },
  };
}

/** What lets it be as it likes; undefined = nothing does. */
function exemptionOf(
  { namespace, user }: AdmissionRequest,
  pod: JsonObject | undefined,
  exemptions: SecuritySettings['exemptions'] | undefined,
): string | undefined {
  if (exemptions === undefined) return undefined;
  if (exemptions.namespaces.has(namespace)) return 'namespace';
  if (exemptions.usernames.has(user.name)) return 'user';
  return isOfRuntime(pod, exemptions) ? 'runtimeClass' : undefined;
}

function isOfRuntime(pod: JsonObject | undefined, exemptions: SecuritySettings['exemptions'] | undefined): boolean {
  const runtime = stringAt(objectAt(pod, 'spec') ?? {}, 'runtimeClassName');
  return runtime !== undefined && exemptions?.runtimeClasses.has(runtime) === true;
}

const subjectOf = (request: AdmissionRequest, concern: 'pod' | 'template'): PodSecuritySubject => ({
  operation: request.operation === 'CREATE' ? 'create' : 'update',
  concern: concern === 'pod' ? 'pod' : 'controller',
  subresource: request.subresource ?? '',
});

type Tell = (mode: SecurityMode, level: LevelVersion, fault: string | undefined) => void;

function teller(judged: PodSecurityJudged | undefined, request: AdmissionRequest, concern: 'pod' | 'template'): Tell {
  if (judged === undefined) return () => undefined;
  const common = subjectOf(request, concern);
  return (mode, level, fault) => {
    if (mode !== 'enforce' && fault === undefined) return;
    judged({ ...common, mode, level, decision: fault === undefined ? 'allow' : 'deny' });
  };
}

function judgePod(request: AdmissionRequest, object: JsonObject, policy: SecurityPolicy, tell: Tell): void {
  const { context, oldObject, subresource } = request;
  if (isLoose(policy)) tell('enforce', policy.enforce, undefined);
  if (isLoose(policy) && context.addAuditAnnotation === undefined) return;
  if (oldObject !== undefined && subresource === undefined && !saysMore(object, oldObject)) return;
  context.addAuditAnnotation?.(ENFORCED, policyText(policy.enforce));
  if (isLoose(policy)) return;
  const judge = judgeOf(object);
  noteAudit(request, policy, judge, tell);
  const fault = judge(policy.enforce);
  tell('enforce', policy.enforce, fault);
  if (fault !== undefined) throw refused(request, `violates ${fault}`);
  warn(request, policy, judge, tell);
}

function judgeTemplate(request: AdmissionRequest, template: JsonObject | undefined, policy: SecurityPolicy, tell: Tell): void {
  if (template === undefined || isLoose({ ...policy, enforce: policy.warn })) return;
  const judge = judgeOf(template);
  noteAudit(request, policy, judge, tell);
  warn(request, policy, judge, tell);
}

type Judge = (asked: LevelVersion) => string | undefined;

function noteAudit({ context }: AdmissionRequest, { audit }: SecurityPolicy, judge: Judge, tell: Tell): void {
  if (context.addAuditAnnotation === undefined) return;
  const fault = judge(audit);
  tell('audit', audit, fault);
  if (fault !== undefined) context.addAuditAnnotation(VIOLATED, `would violate ${fault}`);
}

function warn({ context }: AdmissionRequest, policy: SecurityPolicy, judge: Judge, tell: Tell): void {
  const fault = judge(policy.warn);
  tell('warn', policy.warn, fault);
  if (fault !== undefined) context.warn(`would violate ${fault}`);
}

/** What is wrong with a pod or template; undefined = nothing. Of each level and version it is worked out once. */
function judgeOf(object: JsonObject): Judge {
  const pod = securedPod(object);
  const known = new Map<string, string | undefined>();
  return (asked) => {
    const text = policyText(asked);
    if (!known.has(text)) {
      const found = findingsIn(pod, asked.level, asked.minor);
      const told = found.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
      known.set(text, found.length === 0 ? undefined : `${NAME} "${text}": ${told}`);
    }
    return known.get(text);
  };
}

/** Of what may change in a pod, some has no bearing on what it may do. */
const WITHOUT_BEARING = { activeDeadlineSeconds: null, tolerations: null };

function saysMore(object: JsonObject, oldObject: JsonObject): boolean {
  const spec = (pod: JsonObject): JsonObject => ({ ...objectAt(pod, 'spec'), ...WITHOUT_BEARING });
  return !equalJson(spec(object), spec(oldObject)) || !equalJson(profileNotes(object), profileNotes(oldObject));
}

/** The annotations that confine the pod and the containers that it has. */
function profileNotes(object: JsonObject): JsonObject {
  const annotations = objectAt(readMetadata(object), 'annotations') ?? {};
  const names = new Set(profileNames(securedPod(object)));
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => names.has(canonicalQualifiedName(key))));
}

function judgeNamespace({ settings, pods }: PodSecurityParts, request: AdmissionRequest, object: JsonObject): Promise<void> | undefined {
  const { resource, name, oldObject, context } = request;
  const { defaults = LOOSE, exemptions } = settings ?? {};
  const labelled = policyOf(labelsOf(object), defaults);
  const { policy, errors } = labelled;
  const before = oldObject === undefined ? undefined : policyOf(labelsOf(oldObject), defaults);
  // What was wrong before may stay.
  if (errors.length > 0 && (before === undefined || before.errors.length === 0 || !isSame(errors, before.errors)))
    throw invalid({ group: '', kind: resource.row.kind }, name, errors);
  const called = stringAt(readMetadata(object), 'name') ?? name;
  const isExempt = exemptions?.namespaces.has(called) === true;
  if (before === undefined ? !isExempt : !isStricter(policy.enforce, before.policy.enforce)) return undefined;
  if (!isExempt) return warnOfExisting(request, policy.enforce, pods(name), (pod) => isOfRuntime(pod, exemptions));
  if (!isSamePolicy(policy, defaults))
    context.warn(
      `namespace ${JSON.stringify(called)} is exempt from Pod Security, and the policy (${ignoredText(labelled)}) will be ignored`,
    );
  return undefined;
}

const ignoredText = ({ policy, said }: LabelledPolicy): string =>
  said
    .filter((mode) => policy[mode].level !== 'privileged')
    .map((mode) => `${mode}=${policyText(policy[mode])}`)
    .join(', ');

const isSame = (errors: readonly { readonly text: string }[], before: readonly { readonly text: string }[]): boolean =>
  errors.length === before.length && errors.every(({ text }, index) => text === before[index]?.text);

const labelsOf = (object: JsonObject): JsonObject => objectAt(readMetadata(object), 'labels') ?? {};
