/**
 * Environment of drivers that need more than a kubeconfig, because files must exist before the server starts: they
 * write the files to a folder, and then wait for the server.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '../../support/programs';
import type { ReferenceServer } from './reference-server';

/** Time to start the server by hand. */
const START_MS = 60_000;

/**
 * `RECORD_FOLDER` is for files that the server's flags name, `WEBHOOK_PORT` is where the webhook listens,
 * `WEBHOOK_ADDRESS` is an address of this machine that is not loopback.
 */
export function fromEnvironment(name: 'RECORD_FOLDER' | 'WEBHOOK_PORT' | 'WEBHOOK_ADDRESS'): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`this recording needs ${name} in the environment`);
  return value;
}

/** Writes files with these JSON contents to the folder `RECORD_FOLDER`, and returns their paths. */
export function writeRecordFiles(contents: Readonly<Record<string, object>>): readonly string[] {
  const folder = fromEnvironment('RECORD_FOLDER');
  mkdirSync(folder, { recursive: true });
  return Object.entries(contents).map(([name, content]) => {
    const file = path.join(folder, name);
    writeFileSync(file, JSON.stringify(content));
    return file;
  });
}

/** Asks for a server that is started with these files, and waits until it is ready. */
export async function waitForServer(server: ReferenceServer, files: readonly string[]): Promise<void> {
  process.stdout.write(`wrote ${files.join(', ')}; waiting for a server that was started with them\n`);
  const isReady = async (): Promise<boolean> => {
    const reply = await server.send({ method: 'GET', path: '/readyz' }).catch(() => undefined);
    return reply?.code === 200;
  };
  await waitUntil('the server to be ready', isReady, START_MS);
}
