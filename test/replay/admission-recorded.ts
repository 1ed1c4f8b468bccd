/** The steps that test/replay/admission.ts has recorded. */
import { casesOf } from './recording';
import { body, either, listOf, nothing, number, shape, text } from './shape';

const isStep = shape(
  {
    method: text,
    path: text,
    answer: shape(
      { code: number },
      { message: either(text, nothing), reason: either(text, nothing), object: body, warnings: listOf(text) },
    ),
  },
  { type: text, body, as: text },
);

/** Of `test/replay/answers/admission`. */
export const recordedSteps = (suite: string) => casesOf(`admission/${suite}`, isStep);

export type RecordedStep = ReturnType<typeof recordedSteps>[number];
