/**
 * Annotations that encode fields in an older version of a kind have no meaning in the storage version, so writes in
 * the storage version drop them.
 */
import { openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { isObject, objectAt, type JsonObject } from '../../../shared/values/json';

const V1 = 'autoscaling/v1/horizontalpodautoscalers';
const V2 = 'autoscaling/v2/horizontalpodautoscalers';

const PREFIXES = ['autoscaling.alpha.kubernetes.io/', 'autoscaling.alpha.platform.io/'];
const METRICS = '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1"}}]';

const conversionAnnotations = (prefix: string): Record<string, string> => ({
  [`${prefix}metrics`]: METRICS,
  [`${prefix}behavior`]: '{"ScaleUp":{"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":5}]}}',
  [`${prefix}current-metrics`]: '[]',
  [`${prefix}conditions`]: '[]',
});

const KEPT = { k: 'v', 'autoscaling.alpha.kubernetes.io/other': 'x' };

const autoscaler = (version: string, annotations: JsonObject): JsonObject => ({
  apiVersion: `autoscaling/${version}`,
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a', annotations },
  spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
});

const annotationsOf = (object: JsonObject | undefined): unknown => objectAt(objectAt(object, 'metadata'), 'annotations');

type Write = (fixture: WriteFixture, annotations: JsonObject) => Promise<unknown>;

const WRITES: readonly (readonly [verb: string, write: Write])[] = [
  ['update', (fixture, annotations) => fixture.update(V2, 'a', autoscaler('v2', annotations))],
  ['merge patch', (fixture, annotations) => fixture.patch(V2, 'a', 'merge', { metadata: { annotations } })],
  ['strategic merge patch', (fixture, annotations) => fixture.patch(V2, 'a', 'strategic', { metadata: { annotations } })],
  [
    'JSON patch',
    (fixture, annotations) => fixture.patch(V2, 'a', 'json', [{ op: 'add', path: '/metadata/annotations', value: annotations }]),
  ],
  ['apply', (fixture, annotations) => fixture.patch(V2, 'a', 'apply', autoscaler('v2', annotations), { force: true })],
];

describe.each(PREFIXES)('conversion annotations with the prefix %s', (prefix) => {
  const sent = { ...conversionAnnotations(prefix), ...KEPT };

  it('are dropped by a create in the storage version', async () => {
    const fixture = await openWriteFixture();
    const { object } = await fixture.create(V2, autoscaler('v2', sent));
    expect(annotationsOf(object)).toEqual(KEPT);
    expect(annotationsOf(await fixture.stored(V2, 'a'))).toEqual(KEPT);
  });

  it('are not in managedFields after a create in the storage version', async () => {
    const fixture = await openWriteFixture();
    const { object } = await fixture.create(V2, autoscaler('v2', sent));
    expect(JSON.stringify(objectAt(object, 'metadata')?.['managedFields'])).not.toContain(`${prefix}metrics`);
  });

  it('are dropped when an apply creates the object', async () => {
    const fixture = await openWriteFixture();
    await fixture.patch(V2, 'a', 'apply', autoscaler('v2', sent));
    expect(annotationsOf(await fixture.stored(V2, 'a'))).toEqual(KEPT);
  });

  it.each(WRITES)(
    'are dropped by %s in the storage version, and do not affect a later write in the older version',
    async (_verb, write) => {
      const fixture = await openWriteFixture();
      await fixture.create(V2, autoscaler('v2', {}));
      await write(fixture, sent);
      expect(annotationsOf(await fixture.stored(V2, 'a'))).toEqual(KEPT);
      await fixture.patch(V1, 'a', 'merge', { metadata: { labels: { l: '1' } } });
      const spec = objectAt(await fixture.stored(V2, 'a'), 'spec');
      expect(spec?.['behavior']).toBeUndefined();
      expect(spec?.['metrics']).toEqual([
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ]);
    },
  );

  it('set fields when the object is created in the older version', async () => {
    const fixture = await openWriteFixture();
    await fixture.create(V1, autoscaler('v1', sent));
    const stored = await fixture.stored(V2, 'a');
    expect(annotationsOf(stored)).toEqual(KEPT);
    const metrics = objectAt(stored, 'spec')?.['metrics'];
    expect(
      Array.isArray(metrics) && metrics.some((metric) => isObject(metric) && objectAt(metric, 'resource')?.['name'] === 'memory'),
    ).toBe(true);
  });
});
