/** Reads and writes the timelines that were recorded with the reference: `test/replay/answers/faults/<scenario>.jsonl`. */
import { listRecordings, readRecording, writeRecording } from '../../replay/recording';
import { listOf, number, shape, text, tupleOf, type Check } from '../../replay/shape';
import type { ProbeReport, Timeline } from './timeline';

const AREA = 'faults';

const isProbeReport: Check<ProbeReport> = shape({ sent: number, failed: number, longestOutage: number });
/** `steps`: the seconds since the fault and the name of each. */
const isHead = shape({ steps: listOf(tupleOf(number, text)), requests: isProbeReport, service: isProbeReport });
/** The seconds since the fault, the subject and its change. */
const isEvent = tupleOf(number, text, text);

/** `undefined` for a scenario that has not been recorded. */
export function readTimeline(scenario: string): Timeline | undefined {
  if (!listRecordings(AREA).includes(`${AREA}/${scenario}`)) return undefined;
  const { head, cases } = readRecording(`${AREA}/${scenario}`, isHead, isEvent);
  return {
    steps: head.steps.map(([at, name]) => ({ at, name })),
    events: cases.map(([at, subject, change]) => ({ at, subject, change })),
    requests: head.requests,
    service: head.service,
  };
}

/** Replaces the recorded timeline of the scenario. */
export function writeTimeline(scenario: string, { steps, events, requests, service }: Timeline): void {
  const head = { steps: steps.map(({ at, name }) => [at, name]), requests, service };
  writeRecording(`${AREA}/${scenario}`, [head, ...events.map(({ at, subject, change }) => [at, subject, change])]);
}
