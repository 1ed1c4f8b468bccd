/**
 * Declares the variables of admission expressions: request, object, old object, namespace, parameters, authorizer and
 * composited variables. Fields have upstream's names and types, so that expressions written for upstream compile. The
 * callers provide the values.
 */
import { BOOL, DYN, INT, listTypeOf, mapTypeOf, STRING, TIMESTAMP, type ObjectType, type Type } from '../types/type';

/** Names of these types contain the product's name in its canonical spelling. Other types here keep upstream's names. */
const objectType = (name: string, fields: Readonly<Record<string, Type>>): ObjectType => ({
  kind: 'object',
  name: `platform.${name}`,
  fields: new Map(Object.entries(fields)),
});

const KIND = objectType('GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const RESOURCE = objectType('GroupVersionResource', { group: STRING, version: STRING, resource: STRING });
const USER = objectType('UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listTypeOf(STRING),
  extra: mapTypeOf(STRING, listTypeOf(STRING)),
});

const REQUEST = objectType('AdmissionRequest', {
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER,
  dryRun: BOOL,
  options: DYN,
});

const CONDITION = objectType('NamespaceCondition', {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});

const NAMESPACE = objectType('Namespace', {
  metadata: objectType('NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapTypeOf(STRING, STRING),
    annotations: mapTypeOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listTypeOf(STRING),
  }),
  spec: objectType('NamespaceSpec', { finalizers: listTypeOf(STRING) }),
  status: objectType('NamespaceStatus', { phase: STRING, conditions: listTypeOf(CONDITION) }),
});

const REQUEST_VARIABLES: ReadonlyMap<string, Type> = new Map([
  ['object', DYN],
  ['oldObject', DYN],
  ['request', REQUEST],
  ['namespaceObject', NAMESPACE],
]);

const AUTHORIZER: Type = { kind: 'opaque', name: 'kubernetes.authorization.Authorizer' };
const RESOURCE_CHECK: Type = { kind: 'opaque', name: 'kubernetes.authorization.ResourceCheck' };

/** A variable with a qualified name. CEL resolves such a name before it looks for a member of `authorizer`. */
export const REQUEST_RESOURCE = 'authorizer.requestResource';

/** Which variables a policy declares. */
export interface PolicyVariables {
  /** Whether `params` is declared: the policy has a `paramKind`. */
  readonly hasParams: boolean;
  /** Whether `authorizer` is declared. It is false for message expressions. */
  readonly hasAuthorizer: boolean;
  /** The types of the policy's composited variables, the fields of `variables`, by name. Absent when there are none. */
  readonly variables?: ReadonlyMap<string, Type>;
}

/** The variables of policy expressions. */
export function policyVariables({ hasParams, hasAuthorizer, variables }: PolicyVariables): ReadonlyMap<string, Type> {
  return new Map<string, Type>([
    ...REQUEST_VARIABLES,
    ...(hasParams ? [['params', DYN] as const] : []),
    ...(hasAuthorizer
      ? ([
          ['authorizer', AUTHORIZER],
          [REQUEST_RESOURCE, RESOURCE_CHECK],
        ] as const)
      : []),
    ...(variables === undefined ? [] : [['variables', { kind: 'object', name: 'kubernetes.variables', fields: variables }] as const]),
  ]);
}

/** The variables of webhook match conditions. */
export const WEBHOOK_VARIABLES = policyVariables({ hasParams: false, hasAuthorizer: true });
