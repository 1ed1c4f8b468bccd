/**
 * Validates the metrics of HorizontalPodAutoscalers: each metric has the one source that its type names, and each
 * source the targets that it supports. Selectors are validated by the metrics adapter, and metrics are read by the
 * controller.
 */
import { forbiddenField, invalidShownValue, invalidValue, unsupportedValue, requiredValue } from '../../../shared/api/errors/field-error';
import { formatGoQuantity } from '../../../shared/values/go-values';
import { objectAt } from '../../../shared/values/json';
import { checkDnsLabel, checkPathSegment } from '../../../shared/values/name-formats';
import { quote } from '../../../shared/values/text/quote';
import { checkRequired, isSet, type Errors } from '../rules/checks';
import type { UnionMember, UnionMemberOf } from '../rules/union-members';
import { checkContainerResource } from '../rules/resource-names';
import { checkReference } from '../rules/references';
import type {
  AutoscalingV2ContainerResourceMetricSource,
  AutoscalingV2ExternalMetricSource,
  AutoscalingV2HorizontalPodAutoscalerSpec,
  AutoscalingV2MetricIdentifier,
  AutoscalingV2MetricSpec,
  AutoscalingV2MetricTarget,
  AutoscalingV2ObjectMetricSource,
  AutoscalingV2PodsMetricSource,
  AutoscalingV2ResourceMetricSource,
} from '../../../shared/api/types/generated/members';

/** Metrics that exist without running Pods. */
const TYPES_AVAILABLE_AT_ZERO = ['Object', 'External'];

/** Whether some metric has a value while no Pod runs, so that it can show that Pods are needed. */
export const canScaleToZero = (spec: AutoscalingV2HorizontalPodAutoscalerSpec): boolean =>
  (spec.metrics ?? []).some((item) => TYPES_AVAILABLE_AT_ZERO.includes(item.type ?? ''));

/** Member by metric type, in the order in which messages list the types. */
const MEMBER_BY_TYPE: ReadonlyMap<string, string> = new Map([
  ['ContainerResource', 'containerResource'],
  ['External', 'external'],
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
]);

const TYPES = [...MEMBER_BY_TYPE.keys()];

export function checkMetrics(metrics: readonly AutoscalingV2MetricSpec[], fieldPath: string, errors: Errors): void {
  metrics.forEach((item, index) => checkMetricSpec(item, `${fieldPath}[${index}]`, errors));
}

function checkMetricSpec(item: AutoscalingV2MetricSpec, fieldPath: string, errors: Errors): void {
  const type = item.type ?? '';
  if (type === '') errors.push(requiredValue(`${fieldPath}.type`, 'must specify a metric source type'));
  const requiredMember = MEMBER_BY_TYPE.get(type);
  if (requiredMember === undefined) {
    // Reported both before and after the errors of the source (upstream behaviour).
    errors.push(unsupportedValue(`${fieldPath}.type`, type, TYPES));
    checkFirstSource(item, fieldPath, errors);
    errors.push(unsupportedValue(`${fieldPath}.type`, type, TYPES));
    return;
  }
  const sources = checkFirstSource(item, fieldPath, errors);
  if (!sources.includes(requiredMember)) {
    errors.push(requiredValue(`${fieldPath}.${requiredMember}`, 'must populate information for the given metric source'));
    return;
  }
  for (const member of sources) {
    if (member !== requiredMember) errors.push(forbiddenField(`${fieldPath}.${member}`, 'must populate the given metric source only'));
  }
}

/** The sources in upstream's order, which matters: only the first one that is set is validated. */
const METRIC_SOURCES: readonly UnionMemberOf<AutoscalingV2MetricSpec>[] = [
  { member: 'object', rule: checkObjectSource },
  { member: 'external', rule: checkExternalSource },
  { member: 'pods', rule: checkPodsSource },
  { member: 'resource', rule: checkResourceSource },
  { member: 'containerResource', rule: checkContainerResourceSource },
];

/** Validates the first source that is set. Returns the members of all that are set. */
function checkFirstSource(item: AutoscalingV2MetricSpec, fieldPath: string, errors: Errors): readonly string[] {
  const sources: readonly UnionMember[] = METRIC_SOURCES;
  const present: string[] = [];
  for (const source of sources) {
    const { member } = source;
    const value = objectAt(item, member);
    if (value === undefined) continue;
    if (present.length === 0) source.rule(value, `${fieldPath}.${member}`, errors);
    present.push(member);
  }
  return present;
}

const UTILIZATION = ['averageUtilization', 'averageValue'] as const;
const VALUES = ['value', 'averageValue'] as const;

function checkContainerResourceSource(source: AutoscalingV2ContainerResourceMetricSource, fieldPath: string, errors: Errors): void {
  const { name = '' } = source;
  checkRequired(source, 'name', fieldPath, errors, undefined, 'must specify a resource name');
  if (name !== '') checkContainerResource(name, `${fieldPath}.name`, errors, quote(name));
  checkRequired(source, 'container', fieldPath, errors, checkDnsLabel, 'must specify a container');
  checkResourceTarget(source.target ?? {}, `${fieldPath}.target`, errors);
}

function checkExternalSource(source: AutoscalingV2ExternalMetricSource, fieldPath: string, errors: Errors): void {
  const target = source.target ?? {};
  const field = `${fieldPath}.target`;
  checkMetric(source.metric, fieldPath, errors);
  checkTarget(target, field, errors);
  const required = 'must set either a target value for metric or a per-pod target';
  checkAnySet(target, { members: VALUES, reportedAt: 'averageValue', text: required }, field, errors);
  const exclusive = 'may not set both a target value for metric and a per-pod target';
  checkNotAllSet(target, { members: VALUES, reportedAt: 'value', text: exclusive }, field, errors);
}

function checkObjectSource(source: AutoscalingV2ObjectMetricSource, fieldPath: string, errors: Errors): void {
  const target = source.target ?? {};
  checkReference(source.describedObject ?? {}, `${fieldPath}.describedObject`, errors);
  checkMetric(source.metric, fieldPath, errors);
  checkTarget(target, `${fieldPath}.target`, errors);
  const required = 'must set either a target value or averageValue';
  checkAnySet(target, { members: VALUES, reportedAt: 'averageValue', text: required }, `${fieldPath}.target`, errors);
}

function checkPodsSource(source: AutoscalingV2PodsMetricSource, fieldPath: string, errors: Errors): void {
  const target = source.target ?? {};
  checkMetric(source.metric, fieldPath, errors);
  checkTarget(target, `${fieldPath}.target`, errors);
  const required = 'must specify a positive target averageValue';
  checkAnySet(target, { members: ['averageValue'], reportedAt: 'averageValue', text: required }, `${fieldPath}.target`, errors);
}

function checkResourceSource(source: AutoscalingV2ResourceMetricSource, fieldPath: string, errors: Errors): void {
  checkRequired(source, 'name', fieldPath, errors, undefined, 'must specify a resource name');
  checkResourceTarget(source.target ?? {}, `${fieldPath}.target`, errors);
}

function checkResourceTarget(target: AutoscalingV2MetricTarget, fieldPath: string, errors: Errors): void {
  checkTarget(target, fieldPath, errors);
  const required = 'must set either a target raw value or a target utilization';
  checkAnySet(target, { members: UTILIZATION, reportedAt: 'averageUtilization', text: required }, fieldPath, errors);
  const exclusive = 'may not set both a target raw value and a target utilization';
  checkNotAllSet(target, { members: UTILIZATION, reportedAt: 'averageValue', text: exclusive }, fieldPath, errors);
}

type TargetMember = 'value' | 'averageValue' | 'averageUtilization';

/** A rule about some members of a target; its error is reported at one of them. */
interface TargetRule {
  readonly members: readonly TargetMember[];
  readonly reportedAt: TargetMember;
  readonly text: string;
}

/** Forbids to set all of the members. */
function checkNotAllSet(target: AutoscalingV2MetricTarget, rule: TargetRule, fieldPath: string, errors: Errors): void {
  const { members, reportedAt, text } = rule;
  if (members.every((member) => isSet(target, member))) errors.push(forbiddenField(`${fieldPath}.${reportedAt}`, text));
}

/** Requires one of the members. */
function checkAnySet(target: AutoscalingV2MetricTarget, rule: TargetRule, fieldPath: string, errors: Errors): void {
  const { members, reportedAt, text } = rule;
  if (!members.some((member) => isSet(target, member))) errors.push(requiredValue(`${fieldPath}.${reportedAt}`, text));
}

/** The selector is validated by the metrics adapter. */
function checkMetric(metric: AutoscalingV2MetricIdentifier | undefined, fieldPath: string, errors: Errors): void {
  checkRequired(metric ?? {}, 'name', `${fieldPath}.metric`, errors, checkPathSegment, 'must specify a metric name');
}

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];

function checkTarget(target: AutoscalingV2MetricTarget, fieldPath: string, errors: Errors): void {
  const type = target.type ?? '';
  if (type === '') errors.push(requiredValue(`${fieldPath}.type`, 'must specify a metric target type'));
  if (!TARGET_TYPES.includes(type)) {
    errors.push(invalidValue(`${fieldPath}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const member of VALUES) {
    const amount = target[member];
    if (amount !== undefined && !isPositive(amount)) {
      errors.push(invalidShownValue(`${fieldPath}.${member}`, formatGoQuantity(amount), 'must be positive'));
    }
  }
  const utilization = target.averageUtilization;
  if (utilization !== undefined && utilization < 1) {
    errors.push(invalidShownValue(`${fieldPath}.averageUtilization`, String(utilization), 'must be greater than 0'));
  }
}

/** `quantity` is canonical: without a sign it is positive, unless all digits are 0. */
const isPositive = (quantity: string): boolean => !quantity.startsWith('-') && /[1-9]/.test(quantity);
