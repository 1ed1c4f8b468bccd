/**
 * What a Pod of sixty fields costs before it is stored: decoding, defaults, disabled fields and validation, beside
 * JSON.parse of its text. Runs in this process.
 */
import { validatePod } from '../../../apiserver/kinds/core/pod/validate-pod';
import POD from './pod.json';
import { applyDefaults, decodeObject, dropDisabledFields } from '../../../shared/api/types';
import { printRow } from '../harness/bench-server';

const TYPE = 'core.v1.Pod';
/** Calls after which V8 has compiled what they run, and calls that are measured. */
const WARM_UP = 5000;
const ROUNDS = 20_000;

/** Prints the cost of one Pod over that of JSON.parse. */
export function pods(): void {
  const text = JSON.stringify(POD);
  const parse = { name: 'JSON.parse of it', cpuMicros: microsPer(() => void JSON.parse(text)) };
  printRow('a Pod of 60 fields: decode, default, validate', { cpuMicros: microsPer(processPod) }, parse);
}

function processPod(): void {
  const { object } = decodeObject(TYPE, POD);
  applyDefaults(TYPE, object);
  dropDisabledFields(TYPE, object);
  if (validatePod(object).length > 0) throw new Error('the pod is invalid');
}

/** Microseconds of CPU time per call. */
function microsPer(work: () => void): number {
  for (let round = 0; round < WARM_UP; round += 1) work();
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / ROUNDS;
}
