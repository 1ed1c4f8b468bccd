/**
 * Conversions of built-in kinds. For the versions in STORED, generated objects of the storage version (the hub) are
 * converted to the served version and back, and must be unchanged.
 */
import * as fc from 'fast-check';
import { objectAt, type JsonObject } from '../../values/json';
import { KNOWN_KINDS, storedRowOf, type KindRow } from '../kinds';
import { applyDefaults, decodeObject, encodeBody } from '../types';
import { CONVERSIONS, hubConverterOf } from './index';

const name = fc.string({ minLength: 1, maxLength: 5 });
const share = fc.integer({ min: 1, max: 100 });
const amount = fc.integer({ min: 1, max: 2000 }).map((value) => `${value}m`);
const selector = fc.option(
  fc.dictionary(name, name, { maxKeys: 2 }).map((matchLabels) => ({ matchLabels })),
  { nil: undefined },
);
const reference = fc.record({ kind: name, name, apiVersion: fc.constantFrom('v1', 'apps/v1') });
const annotations = fc.dictionary(name, name, { maxKeys: 2 });
const metadata = fc.record({ name, annotations, labels: annotations });
const utilization = share.map((averageUtilization) => ({ type: 'Utilization', averageUtilization }));
const averageValue = amount.map((value) => ({ type: 'AverageValue', averageValue: value }));
const plainValue = amount.map((value) => ({ type: 'Value', value }));

/** A metric of v2 with one source, such as `{ type: 'Pods', pods: {…} }`. */
const source = (type: string, member: string, body: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record(body).map((generated) => ({ type, [member]: generated }));
/** Metrics of v2 from any source: of the spec, with targets, or of the status, with current values. */
const metricOf = (
  part: 'target' | 'current',
  values: Record<'resource' | 'pods' | 'object', fc.Arbitrary<unknown>>,
): fc.Arbitrary<object> => {
  const metric = fc.record({ name, selector });
  return fc.oneof(
    source('Resource', 'resource', { name: fc.constantFrom('cpu', 'memory'), [part]: values.resource }),
    source('ContainerResource', 'containerResource', { name, container: name, [part]: values.resource }),
    source('Pods', 'pods', { metric, [part]: values.pods }),
    source('Object', 'object', { metric, describedObject: reference, [part]: values.object }),
    source('External', 'external', { metric, [part]: values.object }),
  );
};
const specMetric = metricOf('target', {
  resource: fc.oneof(utilization, averageValue),
  pods: averageValue,
  object: fc.oneof(averageValue, plainValue),
});
const statusMetric = metricOf('current', {
  resource: fc.record({ averageUtilization: share, averageValue: amount }),
  pods: fc.record({ averageValue: amount }),
  object: fc.record({ value: amount, averageValue: amount }),
});
const rules = fc.record({
  stabilizationWindowSeconds: fc.option(share, { nil: undefined }),
  selectPolicy: fc.constantFrom('Max', 'Disabled'),
  policies: fc.array(fc.record({ type: fc.constantFrom('Pods', 'Percent'), value: share, periodSeconds: share }), {
    minLength: 1,
    maxLength: 2,
  }),
});
const condition = fc.record({ type: name, status: fc.constantFrom('True', 'False'), reason: name, message: name });
const time = fc.constantFrom('2026-01-01T00:00:00Z', undefined);

/** Generators of stored objects, by the served type. */
const STORED: Readonly<Record<string, fc.Arbitrary<object>>> = {
  'events.v1.Event': fc.record({
    metadata,
    involvedObject: reference,
    related: fc.option(reference, { nil: undefined }),
    reason: name,
    message: name,
    source: fc.record({ component: name, host: name }),
    firstTimestamp: time,
    lastTimestamp: time,
    count: share,
    type: name,
    eventTime: fc.constantFrom('2026-01-01T00:00:00.123456Z', undefined),
    series: fc.option(fc.record({ count: share }), { nil: undefined }),
    action: name,
    reportingComponent: name,
    reportingInstance: name,
  }),
  'autoscaling.v1.HorizontalPodAutoscaler': fc.record({
    metadata,
    spec: fc.record({
      scaleTargetRef: reference,
      minReplicas: share,
      maxReplicas: share,
      metrics: fc.array(specMetric, { minLength: 1, maxLength: 4 }),
      behavior: fc.option(fc.record({ scaleUp: rules, scaleDown: rules }), { nil: undefined }),
    }),
    status: fc.record({
      currentReplicas: share,
      desiredReplicas: share,
      lastScaleTime: time,
      currentMetrics: fc.array(statusMetric, { maxLength: 3 }),
      conditions: fc.uniqueArray(condition, { maxLength: 2, selector: ({ type }) => type }),
    }),
  }),
  'flowcontrol.v1beta3.PriorityLevelConfiguration': fc.record({
    metadata,
    spec: fc.record({
      type: fc.constant('Limited'),
      limited: fc.record({
        nominalConcurrencyShares: fc.integer({ min: 0, max: 3 }),
        lendablePercent: share,
        limitResponse: fc.constant({ type: 'Reject' }),
      }),
    }),
  }),
  'flowcontrol.v1beta3.FlowSchema': fc.record({
    metadata,
    spec: fc.record({ priorityLevelConfiguration: fc.record({ name }), matchingPrecedence: share }),
  }),
};

function rowOf(type: string): KindRow {
  const row = KNOWN_KINDS.find((known) => known.type === type);
  if (row === undefined) throw new Error(`no row of ${type}`);
  return row;
}

/** As text with sorted metrics: their order has no meaning, and the conversion moves a CPU metric to the end. */
function encodeWithSortedMetrics(type: string, object: JsonObject): string {
  const text = encodeBody(type, object);
  const { spec, ...rest }: { spec?: { metrics?: object[] } } = JSON.parse(text);
  const metrics = spec?.metrics?.map((metric) => JSON.stringify(metric)).sort();
  return JSON.stringify(metrics === undefined ? { spec, ...rest } : { ...rest, spec: { ...spec, metrics } });
}

describe.each(Object.entries(STORED))('the converter of %s', (type, arbitrary) => {
  const row = rowOf(type);
  const hub = storedRowOf(row).type;

  it.each(['platform', 'kubernetes'] as const)(
    'loses nothing when a stored object is shown in that version and sent back, in the %s dialect',
    (naming) => {
      const converter = hubConverterOf(row, naming);
      fc.assert(
        fc.property(arbitrary, (generated) => {
          const stored = decodeObject(hub, JSON.parse(JSON.stringify(generated))).object;
          applyDefaults(hub, stored);
          const before = encodeWithSortedMetrics(hub, stored);
          // A client reads JSON and sends it back; the server then applies the defaults of that version.
          const shown: JsonObject = JSON.parse(encodeBody(type, converter?.fromHub(stored) ?? {}));
          const sent = decodeObject(type, shown).object;
          applyDefaults(type, sent);
          const converted = converter?.toHub(sent) ?? {};
          applyDefaults(hub, converted);
          expect(encodeWithSortedMetrics(hub, converted)).toBe(before);
          // The conversions have not changed their arguments.
          expect(encodeWithSortedMetrics(hub, stored)).toBe(before);
        }),
        { numRuns: 150 },
      );
    },
  );
});

test('CONVERSIONS has a conversion for every kind that is stored as another version', () => {
  const types = KNOWN_KINDS.filter(({ storedAs }) => storedAs !== undefined).map(({ type }) => type);
  expect(types.sort()).toEqual(Object.keys(CONVERSIONS).sort());
});

test('every conversion has a generator of objects, except those between versions with the same fields', () => {
  const groups = Object.keys(CONVERSIONS)
    .filter((type) => STORED[type] === undefined)
    .map((type) => type.split('.')[0]);
  expect(new Set(groups)).toEqual(new Set(['admissionregistration', 'storage']));
});

const annotationsOf = (object: JsonObject | undefined): JsonObject | undefined => objectAt(objectAt(object, 'metadata'), 'annotations');

test('converting an autoscaling/v1 HorizontalPodAutoscaler moves its metrics annotation, in either spelling, into spec.metrics', () => {
  const metrics = '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1"}}]';
  const converter = hubConverterOf(rowOf('autoscaling.v1.HorizontalPodAutoscaler'), 'platform');
  for (const key of ['autoscaling.alpha.platform.io/metrics', 'autoscaling.alpha.kubernetes.io/metrics']) {
    const hub = converter?.toHub({ metadata: { name: 'x', annotations: { [key]: metrics, k: 'v' } }, spec: {} });
    expect(annotationsOf(hub)).toEqual({ k: 'v' });
    expect(hub).toMatchObject({ spec: { metrics: [{ type: 'Resource' }] } });
    expect(annotationsOf(converter?.fromHub(hub ?? {}))).toEqual({ k: 'v', 'autoscaling.alpha.platform.io/metrics': metrics });
  }
});

test('a v1 HorizontalPodAutoscaler omits conversion annotations that were stored in v2', () => {
  const row = rowOf('autoscaling.v1.HorizontalPodAutoscaler');
  const annotations = { 'autoscaling.alpha.kubernetes.io/metrics': 'x', 'autoscaling.alpha.platform.io/behavior': 'x', k: 'v' };
  for (const naming of ['platform', 'kubernetes'] as const) {
    const shown = hubConverterOf(row, naming)?.fromHub({ metadata: { name: 'x', annotations }, spec: {} });
    expect(annotationsOf(shown)).toEqual({ k: 'v' });
  }
});
