/** HorizontalPodAutoscaler in both versions: what is asked of the reference server. */
import type { KindCases } from '../kind-cases';
import type { Body, Json } from '../reference';

const TARGET: Body = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
const spec = (members: Body): Body => ({ spec: { scaleTargetRef: TARGET, maxReplicas: 3, ...members } });
const metrics = (...list: Json[]): Body => spec({ metrics: list });
const CPU: Body = { type: 'Utilization', averageUtilization: 50 };
const resource = (of: Json): Body => metrics({ type: 'Resource', resource: of });
const resourceTarget = (target: Json): Body => resource({ name: 'cpu', target });
const container = (of: Json): Body => metrics({ type: 'ContainerResource', containerResource: of });
const pods = (of: Json): Body => metrics({ type: 'Pods', pods: of });
const object = (of: Json): Body => metrics({ type: 'Object', object: of });
const external = (of: Json): Body => metrics({ type: 'External', external: of });
const METRIC: Body = { name: 'm' };
const AVERAGE: Body = { type: 'AverageValue', averageValue: '5' };
const VALUE: Body = { type: 'Value', value: '5' };
const DESCRIBED: Body = { kind: 'Ingress', name: 'i', apiVersion: 'networking.k8s.io/v1' };
const behavior = (of: Json): Body => spec({ metrics: [{ type: 'Resource', resource: { name: 'cpu', target: CPU } }], behavior: of });
const up = (of: Json): Body => behavior({ scaleUp: of });
const policy = (of: Json): Body => up({ policies: [of] });
const target = (of: Json): Body => ({ spec: { scaleTargetRef: of, maxReplicas: 3 } });
const status = (of: Body): Body => ({ ...spec({}), status: { desiredReplicas: 0, ...of } });

const SOURCES = ['resource', 'containerResource', 'pods', 'object', 'external'];
/** Of two sources, each of which lacks everything. */
const PAIRS = Object.fromEntries(
  SOURCES.flatMap((first, index) =>
    SOURCES.slice(index + 1).map((second) => {
      const type = first.charAt(0).toUpperCase() + first.slice(1);
      return [`metrics: ${first} and ${second}`, metrics({ type, [first]: {}, [second]: {} })] as const;
    }),
  ),
);

export const AUTOSCALERS: KindCases = {
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  apiVersion: 'autoscaling/v2',
  namespaced: true,
  base: spec({}),
  bodies: {
    plain: spec({}),
    'no spec': {},
    'an empty spec': { spec: {} },
    'a status': { ...spec({}), status: { currentReplicas: -1, desiredReplicas: 3 } },
    'name: a subdomain': { metadata: { name: 'a.b' }, ...spec({}) },
    'name: in capitals': { metadata: { name: 'A' }, ...spec({}) },
    'target: no kind': target({ name: 'd' }),
    'target: no name': target({ kind: 'Deployment' }),
    'target: empty': target({}),
    'target: malformed kind': target({ kind: 'a/b', name: 'd' }),
    'target: malformed name': target({ kind: 'D', name: '..' }),
    'target: percent': target({ kind: 'a%', name: 'a%/b' }),
    'target: name in capitals': target({ kind: 'd', name: 'D_' }),
    'target: malformed version': target({ kind: 'D', name: 'd', apiVersion: 'a/b/c' }),
    'target: no version': target({ kind: 'D', name: 'd', apiVersion: '' }),
    'target: version alone': target({ kind: 'D', name: 'd', apiVersion: 'a/' }),
    'target: strange version': target({ kind: 'D', name: 'd', apiVersion: '%%' }),
    'most: zero': spec({ maxReplicas: 0 }),
    'most: negative': spec({ maxReplicas: -1 }),
    'most: absent': { spec: { scaleTargetRef: TARGET } },
    'fewest: zero': spec({ minReplicas: 0 }),
    'fewest: zero with an object metric': spec({
      minReplicas: 0,
      metrics: [{ type: 'Object', object: { describedObject: DESCRIBED, metric: METRIC, target: VALUE } }],
    }),
    'fewest: negative': spec({ minReplicas: -1 }),
    'fewest: as many as most': spec({ minReplicas: 3 }),
    'fewest: more than most': spec({ minReplicas: 4 }),
    'fewest: null': spec({ minReplicas: null }),
    'fewest and most zero': spec({ minReplicas: 0, maxReplicas: 0 }),
    'metrics: none': metrics(),
    'metrics: null': spec({ metrics: null }),
    'metrics: empty': metrics({}),
    'metrics: no type': metrics({ type: '', resource: { name: 'cpu', target: CPU } }),
    'metrics: unknown type': metrics({ type: 'x' }),
    'metrics: unknown type with a source': metrics({ type: 'x', resource: { name: 'cpu', target: CPU } }),
    'metrics: type in small letters': metrics({ type: 'resource', resource: { name: 'cpu', target: CPU } }),
    'metrics: Resource without source': metrics({ type: 'Resource' }),
    'metrics: Pods without source': metrics({ type: 'Pods' }),
    'metrics: Object without source': metrics({ type: 'Object' }),
    'metrics: External without source': metrics({ type: 'External' }),
    'metrics: ContainerResource without source': metrics({ type: 'ContainerResource' }),
    ...Object.fromEntries(
      SOURCES.map((member) => [
        `metrics: an unknown type with ${member}`,
        metrics({ type: 'What', [member]: { target: { type: 'What' } } }),
      ]),
    ),
    'metrics: no type with a source': metrics({ resource: {} }),
    ...Object.fromEntries(
      ['dogs', 'requests.cpu', 'hugepages-2Mi', 'example.com/a', 'requests.example.com/a', 'kubernetes.io/a', 'a/b/c', '-'].map((name) => [
        `container resource: ${name}`,
        container({ name, container: 'c', target: CPU }),
      ]),
    ),
    'metrics: the source of another type': metrics({ type: 'Pods', resource: { name: 'cpu', target: CPU } }),
    'metrics: two sources': metrics({
      type: 'Resource',
      resource: { name: 'cpu', target: CPU },
      pods: { metric: METRIC, target: AVERAGE },
    }),
    'metrics: two sources, the own one wrong': metrics({
      type: 'Resource',
      resource: { name: '', target: CPU },
      pods: { metric: { name: '' }, target: AVERAGE },
    }),
    ...PAIRS,
    'metrics: the same twice': metrics(
      { type: 'Resource', resource: { name: 'cpu', target: CPU } },
      { type: 'Resource', resource: { name: 'cpu', target: CPU } },
    ),
    'metrics: two wrong': metrics({ type: 'x' }, { type: 'Pods' }),
    'resource: good': resourceTarget(CPU),
    'resource: empty': resource({}),
    'resource: no name': resource({ target: CPU }),
    'resource: a strange name': resource({ name: 'a b/c', target: CPU }),
    'resource: value': resourceTarget(VALUE),
    'resource: average value': resourceTarget(AVERAGE),
    'resource: no target': resource({ name: 'cpu' }),
    'resource: no target type': resourceTarget({ averageUtilization: 50 }),
    'resource: unknown target type': resourceTarget({ type: 'x', averageUtilization: 50 }),
    'resource: type alone': resourceTarget({ type: 'Utilization' }),
    'resource: average value alone': resourceTarget({ type: 'AverageValue' }),
    'resource: value type alone': resourceTarget({ type: 'Value' }),
    'resource: utilization of zero': resourceTarget({ type: 'Utilization', averageUtilization: 0 }),
    'resource: utilization below zero': resourceTarget({ type: 'Utilization', averageUtilization: -1 }),
    'resource: utilization of 200': resourceTarget({ type: 'Utilization', averageUtilization: 200 }),
    'resource: type does not fit': resourceTarget({ type: 'Utilization', averageValue: '5' }),
    'resource: type does not fit either': resourceTarget({ type: 'AverageValue', averageUtilization: 50 }),
    'resource: both': resourceTarget({ type: 'Utilization', averageUtilization: 50, averageValue: '5' }),
    'resource: all three': resourceTarget({ type: 'Utilization', averageUtilization: 50, averageValue: '5', value: '1' }),
    'resource: average value of zero': resourceTarget({ type: 'AverageValue', averageValue: '0' }),
    'resource: average value below zero': resourceTarget({ type: 'AverageValue', averageValue: '-5' }),
    'resource: value of zero': resourceTarget({ type: 'Value', value: '0' }),
    'resource: value below zero': resourceTarget({ type: 'Value', value: '-1m', averageUtilization: 1 }),
    'resource: zero utilization and a value': resourceTarget({ type: 'Utilization', averageUtilization: 0, averageValue: '5' }),
    'container: good': container({ name: 'cpu', container: 'c', target: CPU }),
    'container: empty': container({}),
    'container: no name': container({ container: 'c', target: CPU }),
    'container: no container': container({ name: 'cpu', target: CPU }),
    'container: malformed container': container({ name: 'cpu', container: 'A.b', target: CPU }),
    'container: value': container({ name: 'cpu', container: 'c', target: VALUE }),
    'container: both': container({
      name: 'cpu',
      container: 'c',
      target: { type: 'Utilization', averageUtilization: 50, averageValue: '5' },
    }),
    'container: average value': container({ name: 'cpu', container: 'c', target: AVERAGE }),
    'container: nothing wanted': container({ name: 'cpu', container: 'c', target: { type: 'Utilization' } }),
    'container: utilization of zero': container({ name: 'cpu', container: 'c', target: { type: 'Utilization', averageUtilization: 0 } }),
    'pods: good': pods({ metric: METRIC, target: AVERAGE }),
    'pods: empty': pods({}),
    'pods: no name': pods({ metric: {}, target: AVERAGE }),
    'pods: malformed name': pods({ metric: { name: 'a/b' }, target: AVERAGE }),
    'pods: value': pods({ metric: METRIC, target: VALUE }),
    'pods: utilization': pods({ metric: METRIC, target: CPU }),
    'pods: average value of zero': pods({ metric: METRIC, target: { type: 'AverageValue', averageValue: '0' } }),
    'pods: average value below zero': pods({ metric: METRIC, target: { type: 'AverageValue', averageValue: '-1' } }),
    'pods: no target type': pods({ metric: METRIC, target: { averageValue: '1' } }),
    'pods: type alone': pods({ metric: METRIC, target: { type: 'AverageValue' } }),
    'pods: selector': pods({ metric: { name: 'm', selector: { matchLabels: { a: 'b' } } }, target: AVERAGE }),
    'pods: malformed selector': pods({ metric: { name: 'm', selector: { matchLabels: { 'a b': '-' } } }, target: AVERAGE }),
    'pods: malformed expression': pods({
      metric: { name: 'm', selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] } },
      target: AVERAGE,
    }),
    'pods: both values': pods({ metric: METRIC, target: { type: 'Value', value: '1', averageValue: '1' } }),
    'object: value': object({ describedObject: DESCRIBED, metric: METRIC, target: VALUE }),
    'object: average value': object({ describedObject: DESCRIBED, metric: METRIC, target: AVERAGE }),
    'object: utilization': object({ describedObject: DESCRIBED, metric: METRIC, target: CPU }),
    'object: empty': object({}),
    'object: no object': object({ metric: METRIC, target: VALUE }),
    'object: object without kind': object({ describedObject: { name: 'i' }, metric: METRIC, target: VALUE }),
    'object: object with strange members': object({
      describedObject: { name: 'a/b', kind: 'a/b', apiVersion: 'x/y/z' },
      metric: METRIC,
      target: VALUE,
    }),
    'object: no metric': object({ describedObject: DESCRIBED, target: VALUE }),
    'object: malformed metric': object({ describedObject: DESCRIBED, metric: { name: '%' }, target: VALUE }),
    'object: malformed selector': object({
      describedObject: DESCRIBED,
      metric: { name: 'm', selector: { matchExpressions: [{ key: 'a', operator: 'x' }] } },
      target: VALUE,
    }),
    'object: nothing wanted': object({ describedObject: DESCRIBED, metric: METRIC, target: { type: 'Value' } }),
    'object: both': object({ describedObject: DESCRIBED, metric: METRIC, target: { type: 'Value', value: '1', averageValue: '1' } }),
    'object: value of zero': object({ describedObject: DESCRIBED, metric: METRIC, target: { type: 'Value', value: '0' } }),
    'object: no target': object({ describedObject: DESCRIBED, metric: METRIC }),
    'external: value': external({ metric: METRIC, target: VALUE }),
    'external: average value': external({ metric: METRIC, target: AVERAGE }),
    'external: utilization': external({ metric: METRIC, target: CPU }),
    'external: empty': external({}),
    'external: no name': external({ metric: { name: '' }, target: VALUE }),
    'external: name with a slash': external({ metric: { name: 'a/b' }, target: VALUE }),
    'external: malformed selector': external({ metric: { name: 'm', selector: { matchLabels: { a: '-' } } }, target: VALUE }),
    'external: both': external({ metric: METRIC, target: { type: 'Value', value: '1', averageValue: '1' } }),
    'external: neither': external({ metric: METRIC, target: { type: 'Value' } }),
    'external: value of zero': external({ metric: METRIC, target: { type: 'Value', value: '0' } }),
    'external: average value below zero': external({ metric: METRIC, target: { type: 'AverageValue', averageValue: '-1' } }),
    'behavior: empty': behavior({}),
    'behavior: null': behavior(null),
    'behavior: up': up({}),
    'behavior: down': behavior({ scaleDown: { stabilizationWindowSeconds: 0 } }),
    'behavior: window below zero': up({ stabilizationWindowSeconds: -1 }),
    'behavior: longest window': up({ stabilizationWindowSeconds: 3600 }),
    'behavior: window too long': up({ stabilizationWindowSeconds: 3601 }),
    'behavior: down: window too long': behavior({ scaleDown: { stabilizationWindowSeconds: 3601 } }),
    'behavior: disabled': up({ selectPolicy: 'Disabled' }),
    'behavior: Min': up({ selectPolicy: 'Min' }),
    'behavior: unknown choice': up({ selectPolicy: 'x' }),
    'behavior: empty choice': up({ selectPolicy: '' }),
    'behavior: null policies': up({ policies: null }),
    'behavior: no policies': up({ policies: [] }),
    'behavior: down: no policies': behavior({ scaleDown: { policies: [] } }),
    'policy: empty': policy({}),
    'policy: pods': policy({ type: 'Pods', value: 1, periodSeconds: 1 }),
    'policy: percent': policy({ type: 'Percent', value: 1, periodSeconds: 1800 }),
    'policy: unknown type': policy({ type: 'x', value: 1, periodSeconds: 1 }),
    'policy: value of zero': policy({ type: 'Pods', value: 0, periodSeconds: 1 }),
    'policy: value below zero': policy({ type: 'Pods', value: -1, periodSeconds: 1 }),
    'policy: period of zero': policy({ type: 'Pods', value: 1, periodSeconds: 0 }),
    'policy: period below zero': policy({ type: 'Pods', value: 1, periodSeconds: -1 }),
    'policy: period too long': policy({ type: 'Pods', value: 1, periodSeconds: 1801 }),
    'policy: everything wrong': policy({ type: '', value: 0, periodSeconds: -5 }),
    'behavior: everything wrong': behavior({
      scaleUp: { stabilizationWindowSeconds: -1, selectPolicy: 'x', policies: [{ type: 'x', value: 0, periodSeconds: 0 }] },
      scaleDown: { stabilizationWindowSeconds: 9999, selectPolicy: 'y' },
    }),
    'everything wrong at once': {
      metadata: { labels: { a: '-' } },
      spec: {
        scaleTargetRef: {},
        minReplicas: -1,
        maxReplicas: -2,
        metrics: [{}, { type: 'Pods', pods: {} }],
        behavior: { scaleUp: { selectPolicy: 'z' } },
      },
    },
    'fewest wrong, scale to zero': spec({ minReplicas: -1, metrics: [{ type: 'External', external: { metric: METRIC, target: VALUE } }] }),
  },
  changes: {
    'nothing changes': [spec({}), spec({})],
    'everything changes': [spec({}), { spec: { scaleTargetRef: { kind: 'X', name: 'y' }, minReplicas: 2, maxReplicas: 9 } }],
    'becomes wrong': [spec({}), spec({ maxReplicas: 0 })],
    'with a status': [spec({}), { ...spec({}), status: { currentReplicas: 9, desiredReplicas: 0 } }],
  },
  statuses: {
    good: status({ currentReplicas: 1, desiredReplicas: 2, observedGeneration: 3, lastScaleTime: '2026-01-01T00:00:00Z' }),
    'negative current': status({ currentReplicas: -1 }),
    'negative wanted': status({ currentReplicas: 0, desiredReplicas: -2 }),
    'both negative': status({ currentReplicas: -3, desiredReplicas: -2 }),
    'negative generation': status({ observedGeneration: -1 }),
    conditions: status({
      conditions: [
        { type: 'x', status: 'y' },
        { type: 'x', status: 'True' },
      ],
    }),
    metrics: status({ currentMetrics: [{ type: 'x' }] }),
    'spec as well': { ...spec({ maxReplicas: 0 }), status: { desiredReplicas: 1 } },
    'malformed labels': { ...status({}), metadata: { labels: { a: '-' } } },
  },
};

const older = (members: Body): Body => spec(members);

export const OLDER_AUTOSCALERS: KindCases = {
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  apiVersion: 'autoscaling/v1',
  namespaced: true,
  base: older({}),
  bodies: {
    plain: older({}),
    'target: empty': target({}),
    'share: good': older({ targetCPUUtilizationPercentage: 70 }),
    'share: zero': older({ targetCPUUtilizationPercentage: 0 }),
    'share: negative': older({ targetCPUUtilizationPercentage: -1 }),
    'fewest: zero': older({ minReplicas: 0 }),
    'most: zero': older({ maxReplicas: 0 }),
    'metrics: wrong': {
      metadata: {
        annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '[{"type":"Pods","pods":{"metricName":"","targetAverageValue":"0"}}]' },
      },
      ...older({}),
    },
    'behavior: wrong': {
      metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/behavior': '{"ScaleUp":{"SelectPolicy":"x","Policies":[]}}' } },
      ...older({}),
    },
  },
  changes: {
    'becomes wrong': [older({}), older({ maxReplicas: -1, targetCPUUtilizationPercentage: 0 })],
  },
  statuses: { negative: { ...older({}), status: { currentReplicas: -1, desiredReplicas: -1 } } },
};
