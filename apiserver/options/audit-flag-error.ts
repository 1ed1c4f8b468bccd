/** Validates combinations of the audit flags. */
import type { ServerFlags } from './flags/flags';

/** The error of the combined flags; undefined when they are valid. */
export function auditFlagError(flags: ServerFlags): string | undefined {
  for (const sink of ['log', 'webhook'] as const) {
    if (flags[`audit-${sink}-batch-throttle-enable`] && flags[`audit-${sink}-mode`] === 'batch') {
      if (flags[`audit-${sink}-batch-throttle-qps`] === 0) return `--audit-${sink}-batch-throttle-qps must be greater than 0`;
      if (flags[`audit-${sink}-batch-throttle-burst`] === 0) return `--audit-${sink}-batch-throttle-burst must be greater than 0`;
    }
    if (flags[`audit-${sink}-batch-max-size`] > flags[`audit-${sink}-batch-buffer-size`])
      return `--audit-${sink}-batch-max-size must not be greater than --audit-${sink}-batch-buffer-size`;
    if (flags[`audit-${sink}-truncate-max-event-size`] > flags[`audit-${sink}-truncate-max-batch-size`])
      return `--audit-${sink}-truncate-max-event-size must not be greater than --audit-${sink}-truncate-max-batch-size`;
  }
  return undefined;
}
