/** The scenarios about custom resources by the recording below answers/custom that holds what the reference server answered. */
import { CUSTOM_DEFINITIONS, CUSTOM_STEPS } from './custom-steps';
import { VERSION_DEFINITIONS, VERSION_STEPS } from './custom-version-steps';
import type { RequestStep } from './update-steps';

export interface CustomSuite {
  /** Made before the steps; each is established before the first of them. */
  readonly definitions: readonly Readonly<Record<string, unknown>>[];
  readonly steps: Readonly<Record<string, readonly RequestStep[]>>;
}

export const CUSTOM_SUITES = {
  requests: { definitions: CUSTOM_DEFINITIONS, steps: CUSTOM_STEPS },
  versions: { definitions: VERSION_DEFINITIONS, steps: VERSION_STEPS },
} as const satisfies Readonly<Record<string, CustomSuite>>;
