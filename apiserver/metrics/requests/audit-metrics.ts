/**
 * Audit metrics under upstream's names: events, requests by level, and lost events. The audit recorder counts; the
 * counts are read at scrape time.
 */
import { Counter, type Registry } from 'prom-client';

/** Counts since the start. */
export interface AuditCounts {
  readonly events: number;
  /** Requests that were rejected because their event could not be written. */
  readonly rejected: number;
  /** Requests, by audit level. */
  readonly levels: Readonly<Record<string, number>>;
  /** Lost events, by backend. */
  readonly lost: Readonly<Record<string, number>>;
}

/** The counts of a server without auditing. */
const NO_EVENTS: AuditCounts = { events: 0, rejected: 0, levels: {}, lost: {} };

/** Registers the metrics; called once per registry. `counts` is undefined when auditing is off: then all are 0. */
export function publishAudit(registry: Registry, counts: AuditCounts = NO_EVENTS): void {
  const registers = [registry];
  const publishTotal = (name: string, help: string, total: () => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(total());
      },
    });
  };
  const publishByLabel = (name: string, help: string, label: string, countByValue: Readonly<Record<string, number>>): void => {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(countByValue)) if (count > 0) this.inc({ [label]: value }, count);
      },
    });
  };
  publishTotal('apiserver_audit_event_total', 'Audit events.', () => counts.events);
  publishTotal(
    'apiserver_audit_requests_rejected_total',
    'Requests that were rejected because their audit event could not be written.',
    () => counts.rejected,
  );
  publishByLabel('apiserver_audit_level_total', 'Requests by audit level of their policy rule.', 'level', counts.levels);
  publishByLabel('apiserver_audit_error_total', 'Audit events that were lost, by backend.', 'plugin', counts.lost);
}
