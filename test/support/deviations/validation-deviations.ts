/**
 * Recorded cases in which this server deliberately responds differently from release 1.31.1, because the API documents
 * it so, with the expected response. The recordings stay as they were recorded.
 */
import type { RecordedResponse } from '../../replay/formats/kind-case';

type Cause = readonly [field: string, reason: string, text: string];

const refused = (...causes: readonly Cause[]): RecordedResponse => ({ code: 422, causes: causes.map((cause) => [...cause]) });
const tooManyPorts = (count: number): RecordedResponse =>
  refused(['ports', 'FieldValueTooMany', `Too many: ${count}: must have at most 100 items`]);

/** By resource and title of the case. */
export const VALIDATION_DEVIATIONS: ReadonlyMap<string, RecordedResponse> = new Map([
  // A slice has at most 100 ports.
  ['endpointslices 101 ports', tooManyPorts(101)],
  ['endpointslices 20001 ports', tooManyPorts(20_001)],
  ['endpointslices 20001 wrong ports', tooManyPorts(20_001)],
  // Addresses of an endpoint are unique.
  [
    'endpointslices the same address twice in one endpoint',
    refused(['endpoints[0].addresses[1]', 'FieldValueDuplicate', 'Duplicate value: "10.1.1.1"']),
  ],
  // The field is required and may be null.
  ['endpointslices no endpoints', refused(['endpoints', 'FieldValueRequired', 'Required value'])],
  ['endpointslices endpoints go', refused(['endpoints', 'FieldValueRequired', 'Required value'])],
  // An address cannot be both ready and not ready.
  [
    'endpoints an address that is ready and not ready',
    refused(['subsets[0].notReadyAddresses[0].ip', 'FieldValueInvalid', 'Invalid value: "10.1.1.1": must not be in `addresses` as well']),
  ],
]);

/**
 * Whether release 1.31.1 rejected a null that it made itself: it sets an object or list to null when an apply removes
 * its last field, whereas this server leaves it empty. `causes` are those of the recorded rejection.
 */
export function rejectsOwnNull(appliedConfiguration: object | undefined, causes: readonly (readonly string[])[] | undefined): boolean {
  const containsNull = JSON.stringify(appliedConfiguration ?? null).includes('null');
  return !containsNull && causes !== undefined && causes.every(([, , text = '']) => text.startsWith('Invalid value: "null"'));
}

const externalNameForbidden = refused([
  'spec.externalName',
  'FieldValueForbidden',
  "Forbidden: may only be used when `type` is 'ExternalName'",
]);
const CLUSTER_IP = '["create",{"spec":{"selector":{"a":"b"},"ports":[{"name":"p","port":80}]}}]';
const LOAD_BALANCER = '["create",{"spec":{"selector":{"a":"b"},"type":"LoadBalancer","ports":[{"name":"p","port":80}]}}]';
const INGRESS = 'status.loadBalancer.ingress[0]';
const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (…)";
const portRequired: Cause = [`${INGRESS}.ports[0].port`, 'FieldValueInvalid', 'Invalid value: 0: must be between 1 and 65535, inclusive'];

/**
 * Expected responses for Services, by the text of the case or sequence and the index of the response: `externalName` is
 * only for the type ExternalName, and the status is validated.
 */
export const SERVICE_DEVIATIONS: ReadonlyMap<string, ReadonlyMap<number, RecordedResponse>> = new Map([
  ...['["cluster",{"externalName":"a.b"}]', '["cluster",{"externalName":"A_B"}]', '["headless",{"externalName":"a.b"}]'].map(
    (text) => [text, new Map([0, 1].map((index) => [index, externalNameForbidden]))] as const,
  ),
  [`[${CLUSTER_IP},["apply",{"spec":{"externalName":"a.b"}}]]`, new Map([[1, externalNameForbidden]])],
  [
    `[${LOAD_BALANCER},["status",{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.7","ports":[{"protocol":"TCP"}]}]}}}]]`,
    new Map([[1, refused(portRequired)]]),
  ],
  [
    `[${LOAD_BALANCER},["status",{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.7","ports":[{"port":0,"protocol":"X","error":"a b"}]}]}}}]]`,
    new Map([
      [
        1,
        refused(
          portRequired,
          [`${INGRESS}.ports[0].protocol`, 'FieldValueNotSupported', 'Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"'],
          [`${INGRESS}.ports[0].error`, 'FieldValueInvalid', `Invalid value: "a b": ${NAME_PART}`],
        ),
      ],
    ]),
  ],
  [
    `[${LOAD_BALANCER},["status",{"status":{"conditions":[{"type":"a b","status":"X","reason":"","lastTransitionTime":null}]}}]]`,
    new Map([
      [
        1,
        refused(
          ['status.conditions[0].type', 'FieldValueInvalid', `Invalid value: "a b": ${NAME_PART}`],
          ['status.conditions[0].status', 'FieldValueNotSupported', 'Unsupported value: "X": supported values: "False", "True", "Unknown"'],
          ['status.conditions[0].reason', 'FieldValueRequired', 'Required value: must be set'],
        ),
      ],
    ]),
  ],
]);
