/**
 * Where this server answers otherwise than the recorded one on purpose, because this API promises so: what is replayed is held to these
 * answers instead. The recordings stay as they were recorded.
 */
import type { RuleAnswer } from './recorded-rules';

type Cause = readonly [field: string, reason: string, text: string];

const refused = (...causes: readonly Cause[]): RuleAnswer => ({ code: 422, causes: causes.map((cause) => [...cause]) });
const tooManyPorts = (count: number): RuleAnswer =>
  refused(['ports', 'FieldValueTooMany', `Too many: ${count}: must have at most 100 items`]);

/** By resource and title of the case. */
export const DEVIATIONS: ReadonlyMap<string, RuleAnswer> = new Map([
  // A slice has at most 100 ports.
  ['endpointslices 101 ports', tooManyPorts(101)],
  ['endpointslices 20001 ports', tooManyPorts(20_001)],
  ['endpointslices 20001 wrong ports', tooManyPorts(20_001)],
  // Addresses of an endpoint are unique.
  [
    'endpointslices the same address twice in one endpoint',
    refused(['endpoints[0].addresses[1]', 'FieldValueDuplicate', 'Duplicate value: "10.1.1.1"']),
  ],
  // An address is ready or it is not.
  [
    'endpoints an address that is ready and not ready',
    refused(['subsets[0].notReadyAddresses[0].ip', 'FieldValueInvalid', 'Invalid value: "10.1.1.1": must not be in `addresses` as well']),
  ],
]);

/**
 * Release 1.31.1 makes null of an object or list that loses its last field to an apply, and then refuses the null that it has made. This server leaves
 * the object or list empty. `stated` = the applied configuration, `causes` = of the recorded refusal.
 */
export function refusesNullOfItsOwn(stated: object | undefined, causes: readonly (readonly string[])[] | undefined): boolean {
  const saysNull = JSON.stringify(stated ?? null).includes('null');
  return !saysNull && causes !== undefined && causes.every(([, , text = '']) => text.startsWith('Invalid value: "null"'));
}
