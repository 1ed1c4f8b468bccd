/** The program behind `npm start`: connects the local runner to the process, clock and console. */
import path from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { USAGE_EXIT_CODE } from '../../shared/cli/flags';
import { PERMANENT_EXIT_CODE } from '../../shared/runtime/process/permanent-error';
import { Lifecycle } from '../../shared/runtime/process/lifecycle';
import { createLogger } from '../../shared/runtime/logger';
import { systemRandom } from '../../shared/runtime/random';
import { publishClusterInfo } from '../cluster/cluster-info';
import { grantSimulationAccess } from '../cluster/simulation-access';
import { parseOptions, type RunnerOptions } from './options';
import { runLocal, StartError } from './runner';
import { startProgram } from './start-program';

async function main(options: RunnerOptions): Promise<void> {
  const clock = systemClock;
  const lifecycle = new Lifecycle({ clock, logger: createLogger({ level: 'warn', clock, fields: { component: 'local' } }), process });
  lifecycle.listenForSignals();
  try {
    await runLocal(options, {
      clock,
      lifecycle,
      // This file is in dist/deploy/local when it runs.
      programs: path.resolve(__dirname, '../..'),
      start: startProgram,
      publish: (publication, signal) => publishClusterInfo(publication, clock, systemRandom, signal),
      grantSimulationAccess: (administrator, signal) => grantSimulationAccess({ ...administrator, clock, random: systemRandom }, signal),
      print: (line) => void process.stdout.write(`${line}\n`),
    });
  } catch (error) {
    const message = error instanceof StartError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`npm start: ${message}\n`);
    await lifecycle.stop('could not start', error instanceof StartError ? PERMANENT_EXIT_CODE : 1);
  }
}

const parsed = parseOptions(process.argv.slice(2), process.cwd());
switch (parsed.kind) {
  case 'options':
    void main(parsed.options);
    break;
  case 'text':
    process.stdout.write(parsed.text);
    break;
  case 'error':
    process.stderr.write(`npm start: ${parsed.message}\nSee 'npm start -- --help'.\n`);
    process.exitCode = USAGE_EXIT_CODE;
    break;
}
