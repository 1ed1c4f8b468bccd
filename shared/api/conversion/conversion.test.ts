/** Converts generated objects to another version and back, and expects the stored object to be unchanged. */
import * as fc from 'fast-check';
import type { JsonObject } from '../../values/json';
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

const source = (type: string, member: string, body: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record(body).map((generated) => ({ type, [member]: generated }));
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
const wanted = metricOf('target', {
  resource: fc.oneof(utilization, averageValue),
  pods: averageValue,
  object: fc.oneof(averageValue, plainValue),
});
const measured = metricOf('current', {
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
      metrics: fc.array(wanted, { minLength: 1, maxLength: 4 }),
      behavior: fc.option(fc.record({ scaleUp: rules, scaleDown: rules }), { nil: undefined }),
    }),
    status: fc.record({
      currentReplicas: share,
      desiredReplicas: share,
      lastScaleTime: time,
      currentMetrics: fc.array(measured, { maxLength: 3 }),
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

const rowOf = (type: string): KindRow | undefined => KNOWN_KINDS.find((row) => row.type === type);

/** As text with sorted metrics: their order has no meaning, and the conversion moves a CPU metric to the end. */
function textOf(type: string, object: JsonObject): string {
  const text = encodeBody(type, object);
  const { spec, ...rest }: { spec?: { metrics?: object[] } } = JSON.parse(text);
  const metrics = spec?.metrics?.map((metric) => JSON.stringify(metric)).sort();
  return JSON.stringify(metrics === undefined ? { spec, ...rest } : { ...rest, spec: { ...spec, metrics } });
}

describe.each(Object.entries(STORED))('the converter of %s', (type, arbitrary) => {
  const row = rowOf(type);
  if (row === undefined) throw new Error(`no row of ${type}`);
  const hub = storedRowOf(row).type;

  it.each(['platform', 'kubernetes'] as const)(
    'loses nothing when a stored object is shown in that version and sent back, in the %s dialect',
    (naming) => {
      const converter = hubConverterOf(row, naming);
      fc.assert(
        fc.property(arbitrary, (generated) => {
          const stored = decodeObject(hub, JSON.parse(JSON.stringify(generated))).object;
          applyDefaults(hub, stored);
          const before = textOf(hub, stored);
          // A client reads JSON and sends it back; the server then applies the defaults of that version.
          const shown: JsonObject = JSON.parse(encodeBody(type, converter?.fromHub(stored) ?? {}));
          const sent = decodeObject(type, shown).object;
          applyDefaults(type, sent);
          const back = converter?.toHub(sent) ?? {};
          applyDefaults(hub, back);
          expect(textOf(hub, back)).toBe(before);
          expect(textOf(hub, stored)).toBe(before);
        }),
        { numRuns: 150 },
      );
    },
  );
});

test('CONVERSIONS has a conversion for every kind that is stored as another version', () => {
  const types = KNOWN_KINDS.filter(({ storedAs }) => storedAs !== undefined).map(({ type }) => type);
  expect(types.sort()).toEqual(Object.keys(CONVERSIONS).sort());
  // A version with other field names only needs no generator of its own.
  const renamedOnly = types.filter((type) => STORED[type] === undefined).map((type) => type.split('.')[0]);
  expect(new Set(renamedOnly)).toEqual(new Set(['admissionregistration', 'storage']));
});

test('converting an autoscaling/v1 HorizontalPodAutoscaler moves its metrics annotation, in either spelling, into spec.metrics', () => {
  const row = rowOf('autoscaling.v1.HorizontalPodAutoscaler');
  if (row === undefined) throw new Error('no autoscaler');
  const metrics = '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1"}}]';
  const converter = hubConverterOf(row, 'platform');
  for (const key of ['autoscaling.alpha.platform.io/metrics', 'autoscaling.alpha.kubernetes.io/metrics']) {
    const hub = converter?.toHub({ metadata: { name: 'x', annotations: { [key]: metrics, k: 'v' } }, spec: {} });
    expect(hub).toMatchObject({ metadata: { annotations: { k: 'v' } }, spec: { metrics: [{ type: 'Resource' }] } });
    expect(Object.keys(Object(Object(hub?.['metadata']).annotations))).toEqual(['k']);
    expect(converter?.fromHub(hub ?? {})).toMatchObject({
      metadata: { annotations: { 'autoscaling.alpha.platform.io/metrics': metrics } },
    });
  }
});

test('a v1 HorizontalPodAutoscaler omits conversion annotations that were stored in v2', () => {
  const row = rowOf('autoscaling.v1.HorizontalPodAutoscaler');
  if (row === undefined) throw new Error('no autoscaler');
  const annotations = { 'autoscaling.alpha.kubernetes.io/metrics': 'x', 'autoscaling.alpha.platform.io/behavior': 'x', k: 'v' };
  for (const naming of ['platform', 'kubernetes'] as const) {
    const shown = hubConverterOf(row, naming)?.fromHub({ metadata: { name: 'x', annotations }, spec: {} });
    expect(Object(Object(shown?.['metadata']).annotations)).toEqual({ k: 'v' });
  }
});
