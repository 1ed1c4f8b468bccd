/** `platform version`: the release of the package, of the API and of Node. */
import path from 'node:path';
import { RELEASE } from '../../../shared/names/dialect';
import { readFileIfExists } from '../../../shared/runtime/files/read-file-if-exists';
import { isObject, stringAt, type JsonValue } from '../../../shared/values/json';
import type { VersionFlags } from './flags';
import type { CommandHost } from '../terminal/host';

/** Returns the exit code. */
export async function version({ output }: VersionFlags, host: CommandHost): Promise<number> {
  const versions = {
    package: packageVersion(host.programs),
    api: RELEASE.gitVersion,
    node: process.version,
  };
  const text = Object.entries(versions).map(([name, value]) => `${name.padEnd(7)}   ${value}\n`);
  host.write(output === 'json' ? `${JSON.stringify(versions, undefined, 2)}\n` : text.join(''));
  return 0;
}

/** The manifest is beside the folder of the programs, in the package and in a checkout. */
function packageVersion(programs: string): string {
  const text = readFileIfExists(path.join(programs, '../package.json'))?.toString() ?? '{}';
  const manifest = JSON.parse(text) as JsonValue;
  return stringAt(isObject(manifest) ? manifest : undefined, 'version') ?? 'unknown';
}
