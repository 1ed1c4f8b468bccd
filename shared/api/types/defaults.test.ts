/** Defaults of built-in kinds. */
import { isObject, type JsonObject, type JsonValue } from '../../values/json';
import { decodeObject } from './decode';
import { applyDefaults } from './defaults';
import { encodeBody } from './encode';

/** The object with its defaults. Also checks that a second defaulting does not change it. */
function defaulted(type: string, value: JsonObject): JsonValue {
  const { object } = decodeObject(type, value);
  applyDefaults(type, object);
  const once = encodeBody(type, object);
  applyDefaults(type, object);
  expect(encodeBody(type, object)).toBe(once);
  return JSON.parse(once);
}

function memberOf(value: JsonValue, member: string): JsonValue {
  return isObject(value) ? (value[member] ?? null) : null;
}

/** Recorded from release 1.31.1. */
test('applyDefaults fills in the defaults of a Pod', () => {
  const pod = defaulted('core.v1.Pod', {
    spec: {
      containers: [
        {
          name: 'a',
          image: 'b',
          ports: [{ containerPort: 80 }],
          livenessProbe: { httpGet: { port: 80 } },
          resources: { limits: { cpu: '0.1001' } },
        },
      ],
      volumes: [{ name: 'v' }, { name: 's', secret: {} }],
    },
  });
  expect(memberOf(pod, 'spec')).toEqual({
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 's', secret: { defaultMode: 420 } },
    ],
    containers: [
      {
        name: 'a',
        image: 'b',
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        resources: { limits: { cpu: '101m' }, requests: { cpu: '101m' } },
        livenessProbe: {
          httpGet: { path: '/', port: 80, scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'Always',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    enableServiceLinks: true,
  });
});

test.each([
  ['b', 'Always'],
  ['b:latest', 'Always'],
  ['b:1', 'IfNotPresent'],
  ['r.io:5000/b', 'Always'],
  [`b@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
  ['UPPER', 'IfNotPresent'],
  ['a'.repeat(64), 'IfNotPresent'],
  [`${'a'.repeat(64)}:latest`, 'Always'],
  // A name has at most 255 characters, including the default registry and repository: `docker.io/library/` has 18.
  ['y'.repeat(237), 'Always'],
  ['y'.repeat(238), 'IfNotPresent'],
  [`${'y'.repeat(238)}:latest`, 'IfNotPresent'],
  [`a/${'y'.repeat(243)}`, 'Always'],
  [`a/${'y'.repeat(244)}`, 'IfNotPresent'],
  [`docker.io/${'y'.repeat(238)}`, 'IfNotPresent'],
  [`index.docker.io/${'y'.repeat(237)}`, 'Always'],
  [`index.docker.io/${'y'.repeat(238)}`, 'IfNotPresent'],
  [`localhost/${'y'.repeat(245)}`, 'Always'],
  [`localhost/${'y'.repeat(246)}`, 'IfNotPresent'],
  [`A/${'y'.repeat(254)}`, 'IfNotPresent'],
  [`r:5/${'y'.repeat(251)}`, 'Always'],
])('applyDefaults gives a container with the image %s the imagePullPolicy %s', (image, policy) => {
  const spec = memberOf(defaulted('core.v1.Pod', { spec: { containers: [{ name: 'a', image }] } }), 'spec');
  expect(JSON.stringify(spec)).toContain(`"imagePullPolicy":"${policy}"`);
});

test.each<[JsonObject, JsonObject]>([
  [
    { ports: [{ port: 80 }] },
    {
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
    },
  ],
  [
    { type: 'LoadBalancer', sessionAffinity: 'ClientIP' },
    {
      type: 'LoadBalancer',
      sessionAffinity: 'ClientIP',
      externalTrafficPolicy: 'Cluster',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
      allocateLoadBalancerNodePorts: true,
      internalTrafficPolicy: 'Cluster',
    },
  ],
  [
    { type: 'ExternalName', sessionAffinityConfig: { clientIP: {} } },
    { type: 'ExternalName', sessionAffinity: 'None' },
  ],
])('applyDefaults fills in the defaults of the Service spec %j', (spec, expected) => {
  expect(memberOf(defaulted('core.v1.Service', { spec }), 'spec')).toEqual(expected);
});

test('applyDefaults merges the stringData of a Secret into its data', () => {
  const secret = defaulted('core.v1.Secret', { data: { a: 'YQ==', b: 'Yg==' }, stringData: { b: 'new' } });
  expect(secret).toEqual({ metadata: { creationTimestamp: null }, data: { a: 'YQ==', b: 'bmV3' }, type: 'Opaque' });
});

test('applyDefaults sets the allocatable resources of a Node to its capacity', () => {
  const status = memberOf(defaulted('core.v1.Node', { status: { capacity: { cpu: '1.5' } } }), 'status');
  expect(memberOf(status, 'allocatable')).toEqual({ cpu: '1500m' });
});
