/** Runs programs in the repository's root: executables of installed packages, scripts of this folder, npm, and others. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { root } from './repository.mjs';

/**
 * Runs a program in the repository's root with inherited streams; resolves to its exit code: 1 when it could not start or
 * a signal ended it.
 */
export function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit' });
    child.once('error', (error) => {
      process.stderr.write(`${command}: ${error.message}\n`);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/**
 * The program and arguments that run npm. Under npm, npm_execpath is the path of npm; it is more reliable than the bare
 * name on Windows and with unusual PATHs.
 */
export function npmCommand(args) {
  const npm = process.env.npm_execpath;
  return npm === undefined ? ['npm', args] : [process.execPath, [npm, ...args]];
}

/** Runs the executable of an installed package with this Node. */
export function runTool(file, args) {
  return run(process.execPath, [path.join(root, 'node_modules', file), ...args]);
}

/** As `runTool`; captures the output. */
export function captureTool(file, args) {
  return capture(process.execPath, [path.join(root, 'node_modules', file), ...args]);
}

/** As `captureTool`, for a file of this folder. */
export function captureScript(file, args) {
  return capture(process.execPath, [path.join(root, 'deploy/scripts', file), ...args]);
}

/**
 * As `run`, without input; resolves to `{ code, output }` with the text of both streams. Sends SIGTERM when the output
 * contains `until`, and kills the program after `timeout` ms.
 */
export function capture(command, args, { until, timeout } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], timeout, killSignal: 'SIGKILL' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
        if (until !== undefined && !child.killed && output.includes(until)) child.kill('SIGTERM');
      });
    }
    child.once('error', (error) => resolve({ code: 1, output: `${output}${error.message}\n` }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
