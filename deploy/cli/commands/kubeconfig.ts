/** `platform kubeconfig`: prints the administrator's kubeconfig, or merges it into the user's. */
import { closeSync, mkdirSync, openSync, realpathSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { readKubeconfig } from '../../../shared/client/kubeconfig/kubeconfig';
import { shellQuote } from '../../../shared/cli/shell-quote';
import { errorCode } from '../../../shared/runtime/error-code';
import { errorMessage } from '../../../shared/runtime/error-message';
import { readFileIfExists } from '../../../shared/runtime/files/read-file-if-exists';
import { writeFileAtomically } from '../../cluster/files';
import { mergeKubeconfig, type KubeconfigEntry } from '../../cluster/merge-kubeconfig';
import { layoutOf } from '../../local/plan';
import type { KubeconfigFlags } from './flags';
import { CommandError, type CommandHost } from '../terminal/host';

const PRIVATE_FILE = 0o600;

/**
 * Resolves to the exit code 0. Throws {@link CommandError} when no control plane was started in the data folder, and when the
 * user's kubeconfig is locked or cannot be merged.
 */
export async function kubeconfig(flags: KubeconfigFlags, host: CommandHost): Promise<number> {
  const dataDir = path.resolve(host.directory, flags['data-dir']);
  const source = layoutOf(dataDir).kubeconfig;
  const text = readFileIfExists(source)?.toString();
  if (text === undefined) throw new CommandError(`${source} does not exist: 'platform start' creates it`);
  if (!flags.merge) {
    host.write(text);
    return 0;
  }
  const target = targetFile(flags, host);
  mergeIntoFile(target, entryFrom(source, flags));
  const change = flags['set-current-context'] ? 'is the current context of' : 'was added to';
  host.write(`the context ${flags.context} ${change} ${target}\n`);
  if (!flags['set-current-context']) host.write(`\n  kubectl --context=${shellQuote(flags.context)} get namespaces\n`);
  return 0;
}

function entryFrom(source: string, flags: KubeconfigFlags): KubeconfigEntry {
  const { servers, tls } = readKubeconfig(source);
  return {
    name: flags.context,
    server: servers[0]?.origin ?? '',
    authority: String(tls.ca ?? ''),
    credential: { certificate: String(tls.cert ?? ''), key: String(tls.key ?? '') },
    isCurrent: flags['set-current-context'],
    overwrites: flags.overwrite,
  };
}

/** kubectl reads all files of KUBECONFIG; the first one has precedence. */
function targetFile({ kubeconfig: given }: KubeconfigFlags, { directory, environment }: CommandHost): string {
  if (given !== '') return path.resolve(directory, given);
  const first = (environment['KUBECONFIG'] ?? '').split(path.delimiter).find((file) => file !== '');
  return first === undefined ? path.join(environment['HOME'] ?? homedir(), '.kube/config') : path.resolve(directory, first);
}

/** Holds the lock file that kubectl uses as well. A symbolic link stays one. */
function mergeIntoFile(file: string, entry: KubeconfigEntry): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const isPresent = statSync(file, { throwIfNoEntry: false }) !== undefined;
  const target = isPresent ? realpathSync(file) : file;
  const lock = `${file}.lock`;
  acquireLock(lock);
  try {
    const text = readFileIfExists(target)?.toString() ?? '';
    writeFileAtomically(target, mergeText(file, text, entry), isPresent ? statSync(target).mode & 0o777 : PRIVATE_FILE);
  } finally {
    rmSync(lock, { force: true });
  }
}

function mergeText(file: string, text: string, entry: KubeconfigEntry): string {
  try {
    return mergeKubeconfig(text, entry);
  } catch (error) {
    throw new CommandError(`${file} ${errorMessage(error)}`);
  }
}

function acquireLock(lock: string): void {
  try {
    closeSync(openSync(lock, 'wx', PRIVATE_FILE));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new CommandError(`another program is writing the file: ${lock} exists; remove it when that program has ended`);
  }
}
