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

export const REQUEST_VARIABLES: ReadonlyMap<string, Type> = new Map([
  ['object', DYN],
  ['oldObject', DYN],
  ['request', REQUEST],
  ['namespaceObject', NAMESPACE],
]);
