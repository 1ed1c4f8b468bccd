/** How the recordings of each format are recorded again: a row maps the `format` of a recording's head to its driver. */
import { recordKindCases } from './kind-cases';
import type { ReferenceServer } from './reference-server';
import { recordServiceCases } from './service-cases';

/**
 * Sends the requests of a recording (`core/configmaps.v1`) to the server, in the order of its lines, and returns the new lines, the head first. Reads the
 * recording with `recordingOf`; leaves the writing to the caller. An unchanged answer must result in an unchanged line.
 */
export type RecordingDriver = (recording: string, server: ReferenceServer) => Promise<readonly unknown[]>;

export const DRIVERS: ReadonlyMap<string, RecordingDriver> = new Map<string, RecordingDriver>([
  ['kind-cases', recordKindCases],
  ['service-cases', recordServiceCases],
]);
