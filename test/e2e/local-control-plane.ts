/** Control planes as `npm start` runs them: the compiled supervisor with a data folder and free ports of its own. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sendOnce, type TextResponse } from '../support/http/send-once';
import { freePorts } from '../support/ports';
import { removeFolder, startPlatform, startProgram, temporaryFolder, type ProgramProcess } from '../support/programs';
import { useResource } from '../support/use-resource';

/** Where a control plane keeps its data and listens. */
export interface DataLocation {
  readonly folder: string;
  readonly securePort: number;
  readonly insecurePort: number;
}

/** Creates a folder, and finds free ports; each port is followed by free ports for the other replicas. */
export async function createLocation(name: string, replicas = 1): Promise<DataLocation> {
  const ports = await freePorts(2 * replicas);
  return { folder: temporaryFolder(name), securePort: ports[0] ?? 0, insecurePort: ports[replicas] ?? 0 };
}

/** A location for the tests of a file or block, which is removed after them. */
export const useLocation = (name: string, replicas?: number): (() => DataLocation) =>
  useResource(
    () => createLocation(name, replicas),
    ({ folder }) => removeFolder(folder),
  );

export interface StartedControlPlane {
  /** The process of the supervisor. Tests that end it assign the next one. */
  supervisor: ProgramProcess;
}

/** A control plane that is ready before the tests of a file or block, and stopped after them. */
export const useControlPlane = (location: () => DataLocation, flags: () => string[] = () => []): (() => StartedControlPlane) =>
  useResource(
    async () => ({ supervisor: await startUntilReady(location(), ...flags()) }),
    ({ supervisor }) => supervisor.stop(),
    60_000,
  );

const flagsOf = ({ folder, securePort, insecurePort }: DataLocation): readonly string[] => [
  `--data-dir=${folder}`,
  `--secure-port=${securePort}`,
  `--insecure-port=${insecurePort}`,
];

/** Starts a control plane and does not wait for it. */
export const start = (location: DataLocation, ...more: string[]): ProgramProcess =>
  startProgram('deploy/cli/main.js', ['start', ...flagsOf(location), ...more]);

/** Starts a control plane and waits until it is ready. */
export const startUntilReady = (location: DataLocation, ...more: string[]): Promise<ProgramProcess> =>
  startPlatform([...flagsOf(location), ...more]);

/** The process id that the supervisor or one of its programs has written. */
export const pidOf = ({ folder }: DataLocation, name: string): number =>
  Number(readFileSync(path.join(folder, 'run', `${name}.pid`), 'utf8'));

export interface PlainHttpRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Sends a request to the loopback listener without TLS. */
export const requestPlainHttp = (
  { insecurePort }: Pick<DataLocation, 'insecurePort'>,
  { body, ...options }: PlainHttpRequest,
): Promise<TextResponse> => sendOnce({ protocol: 'http:', port: insecurePort, ...options }, body);
