/**
 * What expressions see that judge requests before they are stored: the request, its object before and after, and the namespace it is in. Types only; whoever
 * evaluates brings the values.
 */
import { BOOL, DYN, INT, listOf, mapOf, STRING, TIMESTAMP, type ObjectType, type Type } from '../types/type';

const object = (name: string, fields: Readonly<Record<string, Type>>): ObjectType => ({
  kind: 'object',
  name: `platform.${name}`,
  fields: new Map(Object.entries(fields)),
});

const KIND = object('GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const RESOURCE = object('GroupVersionResource', { group: STRING, version: STRING, resource: STRING });
const USER = object('UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
});

const REQUEST = object('AdmissionRequest', {
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

const CONDITION = object('NamespaceCondition', {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});

const NAMESPACE = object('Namespace', {
  metadata: object('NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  }),
  spec: object('NamespaceSpec', { finalizers: listOf(STRING) }),
  status: object('NamespaceStatus', { phase: STRING, conditions: listOf(CONDITION) }),
});

const REQUEST_VARIABLES: ReadonlyMap<string, Type> = new Map([
  ['object', DYN],
  ['oldObject', DYN],
  ['request', REQUEST],
  ['namespaceObject', NAMESPACE],
]);

const AUTHORIZER: Type = { kind: 'opaque', name: 'kubernetes.authorization.Authorizer' };
const RESOURCE_CHECK: Type = { kind: 'opaque', name: 'kubernetes.authorization.ResourceCheck' };

/** Under its whole name, which an expression reads as one. */
export const REQUEST_RESOURCE = 'authorizer.requestResource';

export interface PolicyVariables {
  /** Whether there are parameters. */
  readonly params: boolean;
  /** Whether the authorizer may be asked. */
  readonly authorizer: boolean;
  /** What the policy works out by itself, by name; absent = it does not. */
  readonly variables?: ReadonlyMap<string, Type>;
}

/** What expressions of policies see. */
export function policyVariables({ params, authorizer, variables }: PolicyVariables): ReadonlyMap<string, Type> {
  return new Map<string, Type>([
    ...REQUEST_VARIABLES,
    ...(params ? [['params', DYN] as const] : []),
    ...(authorizer
      ? ([
          ['authorizer', AUTHORIZER],
          [REQUEST_RESOURCE, RESOURCE_CHECK],
        ] as const)
      : []),
    ...(variables === undefined ? [] : [['variables', { kind: 'object', name: 'kubernetes.variables', fields: variables }] as const]),
  ]);
}

/** What the conditions of webhooks see. */
export const WEBHOOK_VARIABLES = policyVariables({ params: false, authorizer: true });
