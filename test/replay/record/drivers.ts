/** How the recordings of each format are recorded again: a row maps the `format` of a recording's head to its driver. */
import { recordKindCases } from './kind-cases';
import type { RecordingDriver } from './recording-driver';
import { recordServiceCases } from './service-cases';

export const DRIVERS: ReadonlyMap<string, RecordingDriver> = new Map<string, RecordingDriver>([
  ['kind-cases', recordKindCases],
  ['service-cases', recordServiceCases],
]);
