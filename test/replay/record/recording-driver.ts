/** The contract between the recorder and the driver of a format. */
import type { ReferenceServer } from './reference-server';

/**
 * Sends the requests of a recording (`core/configmaps.v1`) to the server, in the order of its lines, and returns the
 * new lines, the head first. Reads the recording with `readRecording`; the caller writes it. An unchanged response must
 * result in an unchanged line.
 */
export type RecordingDriver = (recording: string, server: ReferenceServer) => Promise<readonly unknown[]>;
