/** Admission policies whose expressions the kinds they are about bear out, or do not. Names are upstream's. */
import type { Body } from '../reference';

const rule = (group: string, ...resources: string[]): Body => ({
  operations: ['CREATE'],
  apiGroups: [group],
  apiVersions: ['v1'],
  resources,
});
const MAPS = rule('', 'configmaps');
const THINGS = rule('tc.example.com', 'things');

const about = (rules: readonly Body[], spec: Body): Body => ({ matchConstraints: { resourceRules: [...rules] }, ...spec });
const says = (expressions: readonly string[], rules: readonly Body[] = [MAPS], more: Body = {}): Body =>
  about(rules, { validations: expressions.map((expression) => ({ expression })), ...more });
const params = (apiVersion: string, kind: string): Body => ({ paramKind: { apiVersion, kind } });
const variables = (...all: (readonly [name: string, expression: string])[]): Body => ({
  variables: all.map(([name, expression]) => ({ name, expression })),
});

/** A kind that is made for the recording. */
export const DEFINITION: Body = {
  metadata: { name: 'things.tc.example.com' },
  spec: {
    group: 'tc.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer' },
                  at: { type: 'string', format: 'date-time' },
                  texts: { type: 'array', items: { type: 'string' } },
                  map: { type: 'object', additionalProperties: { type: 'number' } },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  either: { 'x-kubernetes-int-or-string': true },
                  package: { type: 'string' },
                  for: { type: 'string' },
                  'a-b': { type: 'string' },
                  c__d: { type: 'string' },
                  inner: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
      },
    ],
  },
};

export const CHECKED: Readonly<Record<string, Body>> = {
  good: says(["object.metadata.name == 'x'", "object.data.a == 'x'"]),
  'a member that is not there': says(['object.spec.replicas > 1']),
  'another type': says(['object.metadata.name == 1']),
  'keywords as members': says(
    [
      "object.metadata.namespace == 'x' && has(object.metadata.namespace)",
      "object.metadata.__namespace__ == 'x' && has(object.metadata.__namespace__)",
      'object.metadata.namespace == 1',
      'object.metadata.__namespace__ == 1',
      "oldObject.metadata.namespace == 'x'",
    ],
    [MAPS, rule('apps', 'deployments')],
  ),
  'keywords as members of members': says(
    [
      "object.spec.claimRef.namespace == 'x' && object.spec.claimRef.__namespace__ == 'x'",
      'object.spec.claimRef.namespace == 1',
      'object.spec.claimRef.name == 1',
    ],
    [rule('', 'persistentvolumes')],
  ),
  'keywords as members of a custom kind': says(
    [
      "object.metadata.namespace == 'x' && object.spec.package == 'x' && object.spec.for == 'x'",
      'object.spec.package == 1',
      'object.spec.__package__ == 1',
      'object.spec.__for__ == 1',
    ],
    [THINGS],
  ),
  'names that are spelled otherwise': says(
    [
      "object.spec.a__dash__b == 'x'",
      "object.spec.c__underscores__d == 'x'",
      'object.spec.c__d == 1',
      'object.spec.inner.metadata.namespace == 1',
    ],
    [THINGS],
  ),
  'the second of two': says(["object.data.a == 'x'", 'object.data.a == 1']),
  'two errors in one': says(['object.spec.a == 1 && object.spec.b == 2']),
  'two kinds, one of which has it': says(['object.spec.replicas > 1'], [rule('apps', 'deployments', 'replicasets'), MAPS]),
  'three kinds, none of which has it': says(['object.spec.x == 1'], [rule('apps', 'statefulsets', 'deployments'), rule('', 'pods')]),
  'a kind twice': says(['object.spec.a == 1'], [MAPS, MAPS]),
  'every resource': says(['object.spec.x > 1'], [rule('apps', '*')]),
  'every group': says(['object.spec.x > 1'], [rule('*', 'configmaps')]),
  'every version': says(['object.spec.x > 1'], [{ ...rule('apps', 'deployments'), apiVersions: ['*'] }]),
  'a part': says(['object.spec.x > 1'], [rule('apps', 'deployments/scale')]),
  'a part and the whole': says(['object.spec.x > 1'], [rule('apps', 'deployments', 'deployments/status')]),
  'a kind that nobody knows': says(['object.spec.x > 1'], [rule('none.example.com', 'things')]),
  deletions: says(['object.spec.x > 1'], [{ ...MAPS, operations: ['DELETE'] }]),
  'the old object': says(['oldObject.spec.x > 1']),
  'a message': about([MAPS], { validations: [{ expression: 'true', messageExpression: 'string(object.spec.foo)' }] }),
  'a message and its expression': about([MAPS], {
    validations: [{ expression: 'object.spec.a == 1', messageExpression: 'string(object.spec.foo)' }],
  }),
  'a condition': says(['true'], [MAPS], { matchConditions: [{ name: 'a', expression: 'object.spec.foo == 1' }] }),
  'a note': about([MAPS], { auditAnnotations: [{ key: 'k', valueExpression: 'string(object.spec.foo)' }] }),
  'a variable that is not there': says(['variables.x > 1'], [MAPS], variables(['x', 'object.spec.foo'])),
  'a variable of another type': says(['variables.x == 1'], [MAPS], variables(['x', 'object.metadata.name'])),
  'a variable of a variable': says(['variables.b == 1'], [MAPS], variables(['a', 'object.metadata.name'], ['b', 'variables.a'])),
  'parameters that nobody knows': says(['params.spec.x == 1'], [MAPS], params('rules.example.com/v1', 'Nope')),
  parameters: says(['params.data.x == 1', 'params.spec.x == 1'], [MAPS], params('v1', 'ConfigMap')),
  'parameters and the object': says(['params.spec.x == object.spec.y'], [MAPS], params('v1', 'ConfigMap')),
  'parameters of a custom kind': says(["params.spec.size == 'x'"], [MAPS], params('tc.example.com/v1', 'Thing')),
  'parameters where no kind is named': says(["params.spec.size == 'x'"], [rule('*', 'x')], params('tc.example.com/v1', 'Thing')),
  quantities: says(["object.spec.containers.all(c, c.resources.limits['cpu'] == 1)"], [rule('', 'pods')]),
  'a quantity': says(['object.capacity == 1'], [rule('storage.k8s.io', 'csistoragecapacities')]),
  'numbers or texts': says(
    ['object.spec.ports.all(p, p.targetPort == 1)', 'object.spec.ports.all(p, p.targetPort == true)'],
    [rule('', 'services')],
  ),
  'a time': says(["object.metadata.creationTimestamp == 'x'"]),
  bytes: says(['object.binaryData.a == 1']),
  'its kind': says(["object.kind == 'x' && object.apiVersion == 1"]),
  'who owns what': says(['object.metadata.managedFields[0].fieldsV1.x == 1']),
  'whether it is there': says(['has(object.spec) && has(object.metadata.foo)']),
  anything: says(['object.data.x == 1'], [rule('apps', 'controllerrevisions')]),
  numbers: says(['object.spec.replicas == 1.5', "object.metadata.generation == '1'"], [rule('apps', 'deployments')]),
  'a namespace': says(['object.spec.x == 1'], [rule('', 'namespaces')]),
  'a definition': says(
    ['object.spec.versions[0].schema.openAPIV3Schema.type == 1'],
    [rule('apiextensions.k8s.io', 'customresourcedefinitions')],
  ),
  'a custom kind': says(
    [
      "object.spec.size == 1 && object.spec.either == 1 && object.spec.either == 'x' && object.spec.texts[0] == 'a'",
      "object.spec.size == 'a'",
      'object.spec.none == 1',
      'object.spec.free.x == 1',
      'object.spec.inner.metadata.foo == 1',
      'object.spec.inner.x == 1',
      "object.spec.at == 'x'",
      "object.spec.map['a'] == 'x'",
      'object.metadata.foo == 1',
      'object.status.x == 1',
    ],
    [THINGS],
  ),
};
