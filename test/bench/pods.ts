/**
 * Measures a Pod of sixty fields before it is stored: decoding, defaults, disabled fields and validation, beside
 * JSON.parse of its text.
 */
import { validatePod } from '../../apiserver/kinds/core/pod/validate-pod';
import POD from './pod.json';
import { applyDefaults, decodeObject, dropDisabledFields } from '../../shared/api/types';

const TYPE = 'core.v1.Pod';
/** Calls after which V8 has compiled what they run, and calls that are measured. */
const WARM_UP = 5000;
const ROUNDS = 20_000;

/** Microseconds of CPU time. */
export function podMicros(): { readonly processing: number; readonly parsed: number } {
  const text = JSON.stringify(POD);
  return { processing: microsPer(processPod), parsed: microsPer(() => void JSON.parse(text)) };
}

function processPod(): void {
  const { object } = decodeObject(TYPE, POD);
  applyDefaults(TYPE, object);
  dropDisabledFields(TYPE, object);
  if (validatePod(object).length > 0) throw new Error('the pod is invalid');
}

function microsPer(work: () => void): number {
  for (let round = 0; round < WARM_UP; round += 1) work();
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / ROUNDS;
}
