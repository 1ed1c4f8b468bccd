/** The metrics of an autoscaler: each has one source, and each source its targets. */
import { forbiddenField, invalidShownValue, invalidValue, unsupportedValue, requiredValue } from '../../../shared/api/errors/field-error';
import { formatGoQuantity } from '../../../shared/values/go-values';
import { objectAt } from '../../../shared/values/json';
import { checkDnsLabel, checkPathSegment } from '../../../shared/values/name-formats';
import { quote } from '../../../shared/values/quote';
import { checkRequired, isSet, type Errors } from '../rules/checks';
import type { Part, PartOf } from '../rules/parts';
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

/** Its selector is the adapter's concern. */
function checkMetric(metric: AutoscalingV2MetricIdentifier | undefined, place: string, errors: Errors): void {
  checkRequired(metric ?? {}, 'name', `${place}.metric`, errors, checkPathSegment, 'must specify a metric name');
}

type Amount = 'value' | 'averageValue' | 'averageUtilization';

function checkNotBoth(
  target: AutoscalingV2MetricTarget,
  members: readonly [Amount, Amount],
  refused: Amount,
  place: string,
  text: string,
  errors: Errors,
): void {
  if (members.every((member) => isSet(target, member))) errors.push(forbiddenField(`${place}.${refused}`, text));
}

/** One of `members` has to be there; the message asks for `asked`. */
function checkSome(
  target: AutoscalingV2MetricTarget,
  members: readonly Amount[],
  asked: Amount,
  place: string,
  text: string,
  errors: Errors,
): void {
  if (!members.some((member) => isSet(target, member))) errors.push(requiredValue(`${place}.${asked}`, text));
}

const UTILIZATION = ['averageUtilization', 'averageValue'] as const;
const VALUES = ['value', 'averageValue'] as const;

function checkResourceTarget(target: AutoscalingV2MetricTarget, place: string, errors: Errors): void {
  checkTarget(target, place, errors);
  checkSome(target, UTILIZATION, 'averageUtilization', place, 'must set either a target raw value or a target utilization', errors);
  checkNotBoth(target, UTILIZATION, 'averageValue', place, 'may not set both a target raw value and a target utilization', errors);
}

function checkContained(source: AutoscalingV2ContainerResourceMetricSource, place: string, errors: Errors): void {
  const { name = '' } = source;
  checkRequired(source, 'name', place, errors, undefined, 'must specify a resource name');
  if (name !== '') checkContainerResource(name, `${place}.name`, errors, quote(name));
  checkRequired(source, 'container', place, errors, checkDnsLabel, 'must specify a container');
  checkResourceTarget(source.target ?? {}, `${place}.target`, errors);
}

function checkExternal(source: AutoscalingV2ExternalMetricSource, place: string, errors: Errors): void {
  const target = source.target ?? {};
  const field = `${place}.target`;
  checkMetric(source.metric, place, errors);
  checkTarget(target, field, errors);
  checkSome(target, VALUES, 'averageValue', field, 'must set either a target value for metric or a per-pod target', errors);
  checkNotBoth(target, VALUES, 'value', field, 'may not set both a target value for metric and a per-pod target', errors);
}

function checkObject(source: AutoscalingV2ObjectMetricSource, place: string, errors: Errors): void {
  const target = source.target ?? {};
  checkReference(source.describedObject ?? {}, `${place}.describedObject`, errors);
  checkMetric(source.metric, place, errors);
  checkTarget(target, `${place}.target`, errors);
  checkSome(target, VALUES, 'averageValue', `${place}.target`, 'must set either a target value or averageValue', errors);
}

function checkPods(source: AutoscalingV2PodsMetricSource, place: string, errors: Errors): void {
  const target = source.target ?? {};
  checkMetric(source.metric, place, errors);
  checkTarget(target, `${place}.target`, errors);
  checkSome(target, ['averageValue'], 'averageValue', `${place}.target`, 'must specify a positive target averageValue', errors);
}

function checkResource(source: AutoscalingV2ResourceMetricSource, place: string, errors: Errors): void {
  checkRequired(source, 'name', place, errors, undefined, 'must specify a resource name');
  checkResourceTarget(source.target ?? {}, `${place}.target`, errors);
}

/** In the order in which they are looked at: of several sources only the first is judged (upstream behaviour). */
const SOURCES: readonly PartOf<AutoscalingV2MetricSpec>[] = [
  { member: 'object', rule: checkObject },
  { member: 'external', rule: checkExternal },
  { member: 'pods', rule: checkPods },
  { member: 'resource', rule: checkResource },
  { member: 'containerResource', rule: checkContained },
];

/** The member that a type asks for, in the order in which messages list the types. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ['ContainerResource', 'containerResource'],
  ['External', 'external'],
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
]);

const TYPES = [...MEMBERS.keys()];

/** What is measured while nothing runs. */
const LASTING = ['Object', 'External'];

export const scalesToZero = (spec: AutoscalingV2HorizontalPodAutoscalerSpec): boolean =>
  (spec.metrics ?? []).some((item) => LASTING.includes(item.type ?? ''));

export function checkMetrics(metrics: readonly AutoscalingV2MetricSpec[], place: string, errors: Errors): void {
  metrics.forEach((item, index) => checkMetricSpec(item, `${place}[${index}]`, errors));
}

function checkMetricSpec(item: AutoscalingV2MetricSpec, place: string, errors: Errors): void {
  const type = item.type ?? '';
  if (type === '') errors.push(requiredValue(`${place}.type`, 'must specify a metric source type'));
  const asked = MEMBERS.get(type);
  if (asked === undefined) {
    // Said before and after what its source lacks (upstream behaviour).
    errors.push(unsupportedValue(`${place}.type`, type, TYPES));
    checkFirstSource(item, place, errors);
    errors.push(unsupportedValue(`${place}.type`, type, TYPES));
    return;
  }
  const sources = checkFirstSource(item, place, errors);
  if (!sources.includes(asked)) {
    errors.push(requiredValue(`${place}.${asked}`, 'must populate information for the given metric source'));
    return;
  }
  for (const member of sources) {
    if (member !== asked) errors.push(forbiddenField(`${place}.${member}`, 'must populate the given metric source only'));
  }
}

/** Judges the first source that is there, and returns the members of all. */
function checkFirstSource(item: AutoscalingV2MetricSpec, place: string, errors: Errors): readonly string[] {
  const parts: readonly Part[] = SOURCES;
  const found: string[] = [];
  for (const part of parts) {
    const { member } = part;
    const source = objectAt(item, member);
    if (source === undefined) continue;
    if (found.length === 0) part.rule(source, `${place}.${member}`, errors);
    found.push(member);
  }
  return found;
}

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];

function checkTarget(target: AutoscalingV2MetricTarget, place: string, errors: Errors): void {
  const type = target.type ?? '';
  if (type === '') errors.push(requiredValue(`${place}.type`, 'must specify a metric target type'));
  if (!TARGET_TYPES.includes(type)) {
    errors.push(invalidValue(`${place}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const member of VALUES) {
    const amount = target[member];
    if (amount !== undefined && !isPositive(amount)) {
      errors.push(invalidShownValue(`${place}.${member}`, formatGoQuantity(amount), 'must be positive'));
    }
  }
  const share = target.averageUtilization;
  if (share !== undefined && share < 1)
    errors.push(invalidShownValue(`${place}.averageUtilization`, String(share), 'must be greater than 0'));
}

/** Of a canonical quantity. */
const isPositive = (quantity: string): boolean => !quantity.startsWith('-') && /[1-9]/.test(quantity);
