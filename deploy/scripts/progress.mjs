/**
 * Shows a step and its seconds in one line of the terminal while it runs. Writes nothing when standard error is no
 * terminal. Uses only Node, because it runs before packages are installed.
 */
import process from 'node:process';

const REDRAW_MS = 200;
const CLEAR_LINE = '\r\u001B[K';

/** Resolves or rejects as `work` does. */
export async function withProgress(step, work) {
  if (process.stderr.isTTY !== true) return work();
  const started = performance.now();
  const text = () => `${step} … ${Math.round((performance.now() - started) / 1_000)} s`;
  // The cursor returns to the start of the line, which the output of the step then overwrites.
  const draw = () => process.stderr.write(`${CLEAR_LINE}${text()}\r`);
  draw();
  const timer = setInterval(draw, REDRAW_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    process.stderr.write(`${CLEAR_LINE}${text()}\n`);
  }
}
