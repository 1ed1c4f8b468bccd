/** The metrics of an autoscaler: each has one source, and each source its targets. */
import { append } from '../../../shared/values/append';
import { forbiddenField, invalidAs, invalidValue, notSupported, required, type FieldError } from '../../../shared/api/errors/field-error';
import { goQuantity } from '../../../shared/values/go-values';
import { isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { dnsLabel, pathSegment, type NameCheck } from '../../../shared/values/name-formats';
import { listed, referenceErrors, wanting } from '../rules/field-rules';

type Rule = (source: JsonObject, place: string) => readonly FieldError[];

interface SourceRules {
  readonly member: string;
  readonly rules: readonly Rule[];
}

/** A name that has to be there, said with what it is a name of. */
const named =
  (member: string, what: string, check?: NameCheck): Rule =>
  (source, place) =>
    wanting(source, member, place, `must specify ${what}`, check);

/** Its selector is the adapter's concern. */
const metric: Rule = (source, place) => named('name', 'a metric name', pathSegment)(objectAt(source, 'metric') ?? {}, `${place}.metric`);

/** What the targets of every source have to be. */
const target: Rule = (source, place) => targetErrors(targetOf(source), `${place}.target`);

const oneOfTwo =
  (first: string, second: string, refused: string, both: string): Rule =>
  (source, place) => {
    const wants = targetOf(source);
    const isSet = (member: string): boolean => has(wants, member);
    return isSet(first) && isSet(second) ? [forbiddenField(`${place}.target.${refused}`, both)] : [];
  };

const someOf =
  (members: readonly string[], asked: string, text: string): Rule =>
  (source, place) =>
    members.some((member) => has(targetOf(source), member)) ? [] : [required(`${place}.target.${asked}`, text)];

const RESOURCE_TARGET: readonly Rule[] = [
  target,
  someOf(['averageUtilization', 'averageValue'], 'averageUtilization', 'must set either a target raw value or a target utilization'),
  oneOfTwo('averageUtilization', 'averageValue', 'averageValue', 'may not set both a target raw value and a target utilization'),
];

const RULES: ReadonlyMap<string, SourceRules> = new Map<string, SourceRules>([
  [
    'ContainerResource',
    {
      member: 'containerResource',
      rules: [named('name', 'a resource name'), named('container', 'a container', dnsLabel), ...RESOURCE_TARGET],
    },
  ],
  [
    'External',
    {
      member: 'external',
      rules: [
        metric,
        target,
        someOf(['value', 'averageValue'], 'averageValue', 'must set either a target value for metric or a per-pod target'),
        oneOfTwo('value', 'averageValue', 'value', 'may not set both a target value for metric and a per-pod target'),
      ],
    },
  ],
  [
    'Object',
    {
      member: 'object',
      rules: [
        (source, place) => referenceErrors(objectAt(source, 'describedObject') ?? {}, `${place}.describedObject`),
        metric,
        target,
        someOf(['value', 'averageValue'], 'averageValue', 'must set either a target value or averageValue'),
      ],
    },
  ],
  [
    'Pods',
    { member: 'pods', rules: [metric, target, someOf(['averageValue'], 'averageValue', 'must specify a positive target averageValue')] },
  ],
  ['Resource', { member: 'resource', rules: [named('name', 'a resource name'), ...RESOURCE_TARGET] }],
]);

const TYPES = [...RULES.keys()];
/** Of several sources only the first is judged (upstream behaviour). */
const LOOKED_AT = ['Object', 'External', 'Pods', 'Resource', 'ContainerResource'];

/** What is measured while nothing runs. */
const LASTING = ['Object', 'External'];

export const scalesToZero = (spec: JsonObject): boolean =>
  listed(spec, 'metrics').some((item) => LASTING.includes(stringAt(item, 'type') ?? ''));

export const metricsErrors = (spec: JsonObject, place: string): readonly FieldError[] =>
  listed(spec, 'metrics').flatMap((item, index) => metricErrors(item, `${place}[${index}]`));

function metricErrors(item: JsonObject, place: string): readonly FieldError[] {
  const type = stringAt(item, 'type') ?? '';
  const errors: FieldError[] = type === '' ? [required(`${place}.type`, 'must specify a metric source type')] : [];
  const own = RULES.get(type);
  // Said twice (upstream behaviour).
  if (own === undefined) return [...errors, ...[1, 2].map(() => notSupported(`${place}.type`, type, TYPES))];
  const sources = LOOKED_AT.flatMap((known) => RULES.get(known) ?? []).filter(({ member }) => isObject(item[member]));
  const [first] = sources;
  if (first !== undefined) {
    const source = objectAt(item, first.member) ?? {};
    append(
      errors,
      first.rules.flatMap((rule) => rule(source, `${place}.${first.member}`)),
    );
  }
  if (!sources.includes(own)) {
    errors.push(required(`${place}.${own.member}`, 'must populate information for the given metric source'));
    return errors;
  }
  for (const { member } of sources) {
    if (member !== own.member) errors.push(forbiddenField(`${place}.${member}`, 'must populate the given metric source only'));
  }
  return errors;
}

const targetOf = (source: JsonObject): JsonObject => objectAt(source, 'target') ?? {};

const has = (object: JsonObject, member: string): boolean => (own(object, member) ?? null) !== null;

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];

function targetErrors(wants: JsonObject, place: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const type = stringAt(wants, 'type') ?? '';
  if (type === '') errors.push(required(`${place}.type`, 'must specify a metric target type'));
  if (!TARGET_TYPES.includes(type)) {
    errors.push(invalidValue(`${place}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const member of ['value', 'averageValue']) {
    const amount = stringAt(wants, member);
    if (amount !== undefined && !isPositive(amount)) {
      errors.push(invalidAs(`${place}.${member}`, goQuantity(amount), 'must be positive'));
    }
  }
  const share = own(wants, 'averageUtilization');
  if (typeof share === 'number' && share < 1)
    errors.push(invalidAs(`${place}.averageUtilization`, String(share), 'must be greater than 0'));
  return errors;
}

/** Of a canonical quantity. */
const isPositive = (quantity: string): boolean => !quantity.startsWith('-') && /[1-9]/.test(quantity);
