/**
 * Recorded cases in which this server deliberately rejects what release 1.31.1 accepts or rejects otherwise, with the
 * expected response; read from validation-deviations.yaml. The recordings stay as they were recorded.
 */
import type { RecordedResponse } from '../../replay/formats/kind-case';
import { listOf, number, shape, text } from '../../replay/shape';
import { readTable } from '../read-table';

const causes = listOf(listOf(text));
const table = readTable(
  'test/support/deviations/validation-deviations.yaml',
  shape({
    cases: listOf(shape({ reason: text, cases: listOf(text), causes })),
    services: listOf(shape({ reason: text, texts: listOf(text), responses: listOf(number), causes })),
  }),
);

/** By resource and title of the case. */
export const VALIDATION_DEVIATIONS: ReadonlyMap<string, RecordedResponse> = new Map(
  table.cases.flatMap((row) => row.cases.map((title) => [title, { code: 422, causes: row.causes }])),
);

/** `request`: the text of a recorded case or sequence of Services; `index`: that of the response in it. */
export function serviceDeviation(request: string, index: number): RecordedResponse | undefined {
  const row = table.services.find(({ texts, responses }) => texts.includes(request) && responses.includes(index));
  return row === undefined ? undefined : { code: 422, causes: row.causes };
}

/**
 * Whether release 1.31.1 rejected a null that it made itself: it sets an object or list to null when an apply removes
 * its last field, whereas this server leaves it empty. `recordedCauses` are those of the recorded rejection.
 */
export function rejectsOwnNull(
  appliedConfiguration: object | undefined,
  recordedCauses: readonly (readonly string[])[] | undefined,
): boolean {
  const containsNull = JSON.stringify(appliedConfiguration ?? null).includes('null');
  return !containsNull && recordedCauses?.every(([, , message = '']) => message.startsWith('Invalid value: "null"')) === true;
}
