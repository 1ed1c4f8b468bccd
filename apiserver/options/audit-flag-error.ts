/**
 * Validates combinations of the audit flags, which are the same for both backends. Each flag on its own is validated
 * when it is parsed.
 */
import type { ServerFlags } from './flags/flags';

/** The error of the combined flags; `undefined` when they are valid. */
export function auditFlagError(flags: ServerFlags): string | undefined {
  for (const backend of ['log', 'webhook'] as const) {
    if (flags[`audit-${backend}-batch-throttle-enable`] && flags[`audit-${backend}-mode`] === 'batch') {
      if (flags[`audit-${backend}-batch-throttle-qps`] === 0) return `--audit-${backend}-batch-throttle-qps must be greater than 0`;
      if (flags[`audit-${backend}-batch-throttle-burst`] === 0) return `--audit-${backend}-batch-throttle-burst must be greater than 0`;
    }
    if (flags[`audit-${backend}-batch-max-size`] > flags[`audit-${backend}-batch-buffer-size`]) {
      return `--audit-${backend}-batch-max-size must not be greater than --audit-${backend}-batch-buffer-size`;
    }
    if (flags[`audit-${backend}-truncate-max-event-size`] > flags[`audit-${backend}-truncate-max-batch-size`]) {
      return `--audit-${backend}-truncate-max-event-size must not be greater than --audit-${backend}-truncate-max-batch-size`;
    }
  }
  return undefined;
}
