/** Definitions as they are met in clusters, in outline: certificates, gateways, monitors, workloads, templates of other objects. */
import type { Body, Json } from '../reference';

const S: Body = { type: 'string' };
const INT: Body = { type: 'integer', format: 'int32' };
const TIME: Body = { type: 'string', format: 'date-time' };
const FREE: Body = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const PORT: Body = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
const QUANTITY: Body = { ...PORT, pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$' };
const MAP: Body = { type: 'object', additionalProperties: S };
const list = (items: Body, more: Body = {}): Body => ({ type: 'array', items, ...more });
const object = (properties: Body, required: Json[] = [], more: Body = {}): Body => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
  ...more,
});
const keyed = (items: Body, ...keys: Json[]): Body => list(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });

const CONDITIONS = keyed(
  object(
    {
      type: {
        ...S,
        maxLength: 316,
        pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
      },
      status: { ...S, enum: ['True', 'False', 'Unknown'] },
      reason: { ...S, minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
      message: { ...S, maxLength: 32_768 },
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
      lastTransitionTime: TIME,
    },
    ['type', 'status'],
  ),
  'type',
);
const SELECTOR = object(
  {
    matchExpressions: list(object({ key: S, operator: S, values: list(S, { 'x-kubernetes-list-type': 'atomic' }) }, ['key', 'operator']), {
      'x-kubernetes-list-type': 'atomic',
    }),
    matchLabels: MAP,
  },
  [],
  { 'x-kubernetes-map-type': 'atomic' },
);
const root = (spec: Body, status: Body = { conditions: CONDITIONS }, required: Json[] = ['spec']): Body =>
  object({ apiVersion: S, kind: S, metadata: { type: 'object' }, spec, status: object(status) }, required);
const AGE: Body = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const ready: Body = { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' };

interface Outline {
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
  readonly versions: readonly Body[];
  readonly names?: Body;
  readonly spec?: Body;
  readonly annotations?: Body;
}

function defined({ kind, plural, group, versions, names = {}, spec = {}, annotations }: Outline): Body {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(annotations === undefined ? {} : { annotations }) },
    spec: { group, names: { plural, kind, ...names }, scope: 'Namespaced', versions: [...versions], ...spec },
  };
}
const served = (name: string, schema: Body, more: Body = {}): Body => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});
const WITH_STATUS: Body = { subresources: { status: {} } };

const CERTIFICATE = defined({
  kind: 'Certificate',
  plural: 'certificates',
  group: 'certs.example.com',
  names: { shortNames: ['cert', 'certs'], categories: ['certs'], singular: 'certificate', listKind: 'CertificateList' },
  versions: [
    served(
      'v1',
      root(
        object(
          {
            secretName: S,
            dnsNames: list(S),
            duration: S,
            isCA: { type: 'boolean' },
            issuerRef: object({ name: S, kind: S, group: S }, ['name']),
            privateKey: object({
              algorithm: { ...S, enum: ['RSA', 'ECDSA', 'Ed25519'] },
              size: { type: 'integer' },
              rotationPolicy: { ...S, enum: ['Never', 'Always'] },
            }),
            usages: list({ ...S, enum: ['signing', 'digital signature', 'server auth'] }),
            additionalOutputFormats: list(object({ type: { ...S, enum: ['DER', 'CombinedPEM'] } }, ['type'])),
            keystores: object({
              jks: object({ create: { type: 'boolean' }, passwordSecretRef: object({ key: S, name: S }, ['name']) }, ['create']),
            }),
          },
          ['issuerRef', 'secretName'],
        ),
        { conditions: CONDITIONS, notAfter: TIME, revision: { type: 'integer' } },
        [],
      ),
      {
        ...WITH_STATUS,
        additionalPrinterColumns: [ready, { name: 'Secret', type: 'string', jsonPath: '.spec.secretName' }, { ...AGE, description: 'd' }],
      },
    ),
  ],
});

const ROUTE_SPEC = (more: Body): Body =>
  object({
    hostnames: list(
      { ...S, minLength: 1, maxLength: 253, pattern: '^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$' },
      { maxItems: 16 },
    ),
    parentRefs: list(
      object(
        {
          name: { ...S, minLength: 1, maxLength: 253 },
          sectionName: { ...S, maxLength: 253 },
          port: { ...INT, minimum: 1, maximum: 65_535 },
        },
        ['name'],
      ),
      {
        maxItems: 32,
        'x-kubernetes-validations': [
          {
            rule: 'self.all(a, self.exists_one(b, a.name == b.name && has(a.sectionName) == has(b.sectionName)))',
            message: 'must be unique',
          },
        ],
      },
    ),
    rules: list(
      object({
        matches: list(
          object({
            path: object(
              { type: { ...S, enum: ['Exact', 'PathPrefix'], default: 'PathPrefix' }, value: { ...S, default: '/', maxLength: 1024 } },
              [],
              {
                default: { type: 'PathPrefix', value: '/' },
                'x-kubernetes-validations': [
                  { rule: "self.type == 'Exact' ? self.value.startsWith('/') : true", message: 'must be absolute' },
                ],
              },
            ),
            headers: keyed(
              object({ name: { ...S, maxLength: 256 }, value: { ...S, maxLength: 4096 }, type: { ...S, default: 'Exact' } }, [
                'name',
                'value',
              ]),
              'name',
            ),
          }),
          { maxItems: 8, default: [{ path: { type: 'PathPrefix', value: '/' } }] },
        ),
        backendRefs: list(object({ name: S, port: INT, weight: { ...INT, minimum: 0, maximum: 1_000_000, default: 1 } }, ['name']), {
          maxItems: 16,
        }),
        timeouts: object({ request: { ...S, pattern: '^([0-9]{1,5}(h|m|s|ms)){1,4}$' } }),
      }),
      { maxItems: 16, default: [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }] }] },
    ),
    ...more,
  });
const ROUTE = defined({
  kind: 'WebRoute',
  plural: 'webroutes',
  group: 'gateway.crd-recorded.k8s.io',
  annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/gateway-api/pull/3328' },
  names: { categories: ['gateways'] },
  versions: [
    served('v1', root(ROUTE_SPEC({})), {
      ...WITH_STATUS,
      additionalPrinterColumns: [{ name: 'Hostnames', type: 'string', jsonPath: '.spec.hostnames' }, AGE],
    }),
    served('v1beta1', root(ROUTE_SPEC({})), {
      ...WITH_STATUS,
      storage: false,
      deprecated: true,
      deprecationWarning: 'v1beta1 is deprecated; use v1',
    }),
    served('v1alpha2', root(ROUTE_SPEC({ old: S })), { storage: false, served: false }),
  ],
});

const MONITOR = defined({
  kind: 'Monitor',
  plural: 'monitors',
  group: 'monitoring.example.com',
  names: { shortNames: ['mon'], categories: ['prometheus-operator'] },
  annotations: { 'controller-gen.example.com/version': 'v0.16.1' },
  versions: [
    served(
      'v1',
      root(
        object(
          {
            endpoints: list(
              object({
                port: S,
                targetPort: PORT,
                path: S,
                scheme: { ...S, enum: ['http', 'https'] },
                params: { type: 'object', additionalProperties: list(S) },
                interval: { ...S, pattern: '^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$' },
                basicAuth: object({
                  username: object({ key: S, name: { ...S, default: '' }, optional: { type: 'boolean' } }, ['key'], {
                    'x-kubernetes-map-type': 'atomic',
                  }),
                }),
                relabelings: list(
                  object({
                    action: { ...S, default: 'replace', enum: ['replace', 'Replace', 'keep'] },
                    modulus: { type: 'integer', format: 'int64' },
                    sourceLabels: list({ ...S, pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$' }),
                  }),
                ),
              }),
            ),
            selector: SELECTOR,
            namespaceSelector: object({ any: { type: 'boolean' }, matchNames: list(S) }),
            sampleLimit: { type: 'integer', format: 'int64' },
          },
          ['endpoints', 'selector'],
        ),
        {},
      ),
    ),
  ],
});

const WORKLOAD = defined({
  kind: 'Workload',
  plural: 'workloads',
  group: 'apps.example.com',
  versions: [
    served(
      'v1alpha1',
      root(
        object({
          replicas: { ...INT, minimum: 0, default: 1 },
          selector: S,
          resources: object({
            limits: { type: 'object', additionalProperties: QUANTITY },
            requests: { type: 'object', additionalProperties: QUANTITY },
          }),
          template: object({ metadata: FREE, spec: FREE }),
          strategy: object(
            { type: { ...S, enum: ['Recreate', 'RollingUpdate'], default: 'RollingUpdate' }, maxSurge: { ...PORT, default: '25%' } },
            [],
            { default: {} },
          ),
        }),
        { replicas: INT, selector: S, conditions: CONDITIONS },
      ),
      {
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
        },
        additionalPrinterColumns: [
          { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
          { name: 'Current', type: 'integer', jsonPath: '.status.replicas', priority: 1 },
          AGE,
        ],
        selectableFields: [{ jsonPath: '.spec.strategy.type' }, { jsonPath: '.spec.replicas' }],
      },
    ),
  ],
});

const OPEN = defined({
  kind: 'Application',
  plural: 'applications',
  group: 'argo.example.io',
  names: { shortNames: ['app', 'apps'] },
  spec: { scope: 'Cluster' },
  versions: [
    served(
      'v1alpha1',
      object({ apiVersion: S, kind: S, metadata: { type: 'object' }, spec: FREE, status: FREE, operation: { ...FREE, nullable: true } }, [
        'metadata',
        'spec',
      ]),
    ),
  ],
});

const SEALED = defined({
  kind: 'SealedThing',
  plural: 'sealedthings',
  group: 'sealed.example.com',
  versions: [
    served(
      'v1alpha1',
      root(
        object(
          {
            encryptedData: { ...MAP, 'x-kubernetes-preserve-unknown-fields': true },
            template: { ...FREE, nullable: true },
            manifests: list({ ...FREE, 'x-kubernetes-embedded-resource': true }),
            pod: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { metadata: { type: 'object' }, spec: FREE } },
          },
          ['encryptedData'],
        ),
      ),
      WITH_STATUS,
    ),
  ],
});

const oneOf = (...names: string[]): Json => names.map((name) => ({ required: [name] }));
const MESH = defined({
  kind: 'MeshService',
  plural: 'meshservices',
  group: 'networking.mesh.example.io',
  versions: ['v1', 'v1beta1'].map((name) =>
    served(
      name,
      root(
        object({
          hosts: list(S),
          http: list(
            object({
              match: list(
                object({
                  uri: {
                    ...object({ exact: S, prefix: S, regex: S }),
                    oneOf: [{ not: { anyOf: oneOf('exact', 'prefix', 'regex') } }, ...(oneOf('exact', 'prefix', 'regex') as Json[])],
                  },
                  headers: {
                    type: 'object',
                    additionalProperties: { ...object({ exact: S, prefix: S }), oneOf: oneOf('exact', 'prefix') },
                  },
                }),
              ),
              fault: object({
                abort: {
                  ...object({ httpStatus: INT, grpcStatus: S, percentage: object({ value: { type: 'number', format: 'double' } }) }),
                  oneOf: oneOf('httpStatus', 'grpcStatus'),
                },
              }),
            }),
          ),
        }),
        { conditions: list(FREE) },
      ),
      { storage: name === 'v1', ...WITH_STATUS },
    ),
  ),
});

const CLUSTER = defined({
  kind: 'MachinePool',
  plural: 'machinepools',
  group: 'cluster.crd-recorded.k8s.io',
  annotations: { 'api-approved.kubernetes.io': 'unapproved, request not yet submitted' },
  spec: {
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { name: 'webhook-service', namespace: 'system', path: '/convert' }, caBundle: 'Cg==' },
        conversionReviewVersions: ['v1', 'v1beta1'],
      },
    },
  },
  versions: [
    served('v1beta1', root(object({ clusterName: { ...S, minLength: 1 }, replicas: INT, failureDomains: list(S), minReadySeconds: INT })), {
      subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
    }),
    served('v1alpha4', root(object({ clusterName: S })), { storage: false, deprecated: true }),
  ],
});

const BROKEN: Readonly<Record<string, Body>> = {
  'real life: keys of conditions are not required': defined({
    ...{ kind: 'Broken', plural: 'brokens', group: 'broken.example.com' },
    versions: [served('v1', root(object({ list: keyed(object({ name: S, port: INT }), 'name', 'port') })))],
  }),
  'real life: a converted older schema': defined({
    ...{ kind: 'Older', plural: 'olders', group: 'broken.example.com' },
    spec: { preserveUnknownFields: false },
    versions: [
      served('v1', {
        properties: {
          spec: { properties: { port: { format: 'int-or-string', type: 'string' }, env: { items: { properties: { name: S } } } } },
          status: {},
        },
      }),
    ],
  }),
  'real life: alternatives with types': defined({
    ...{ kind: 'Choice', plural: 'choices', group: 'broken.example.com' },
    versions: [
      served(
        'v1',
        root(
          object({
            value: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
            kind: {
              anyOf: [
                { type: 'string', enum: ['a'] },
                { type: 'object', properties: { a: S } },
              ],
            },
          }),
        ),
      ),
    ],
  }),
  'real life: references to common types': defined({
    ...{ kind: 'Reference', plural: 'references', group: 'broken.example.com' },
    versions: [served('v1', root(object({ template: { $ref: '#/definitions/io.k8s.api.core.v1.PodTemplateSpec' } })))],
  }),
};

export const REAL_LIFE: Readonly<Record<string, Body>> = {
  'real life: certificates': CERTIFICATE,
  'real life: routes': ROUTE,
  'real life: monitors': MONITOR,
  'real life: workloads with a scale': WORKLOAD,
  'real life: everything open': OPEN,
  'real life: objects inside': SEALED,
  'real life: alternatives': MESH,
  'real life: conversion': CLUSTER,
  ...BROKEN,
};
