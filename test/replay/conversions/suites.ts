/** The recordings of conversion webhooks, by the name of their file. */
import { ADMISSION_CASES } from './admission-cases';
import type { ConversionCase } from './case';
import { CASES } from './cases';
import { FAILURE_CASES } from './failure-cases';
import { OWNER_CASES } from './owner-cases';

export const SUITES: Readonly<Record<string, readonly ConversionCase[]>> = {
  'custom/conversions': CASES,
  'custom/conversion-owners': OWNER_CASES,
  'custom/conversion-admission': ADMISSION_CASES,
  'custom/conversion-failures': FAILURE_CASES,
};
