/** The options of the local runner from a command line, as `platform start` parses them. */
import { parseFlags } from '../../shared/cli/flags';
import { RUNNER_FLAGS, runnerOptions, type RunnerOptions } from '../../deploy/local/options';

/** `argv`: the arguments after `start`; relative paths are below `directory`. Throws with the message of an invalid command line. */
export function parseRunnerOptions(argv: readonly string[], directory = '/'): RunnerOptions {
  const parsed = parseFlags({ name: 'start', description: '', collectsUnknown: true }, RUNNER_FLAGS, argv);
  if (parsed.kind !== 'values') throw new Error(parsed.kind === 'error' ? parsed.message : parsed.text);
  const options = runnerOptions(parsed.values, { servers: parsed.rest, controllers: [] }, directory);
  if (typeof options === 'string') throw new Error(options);
  return options;
}
