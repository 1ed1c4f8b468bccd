/** Audit metrics: events, levels and lost events. Collected at scrape time. */
import { Counter, type Registry } from 'prom-client';

export interface AuditCounts {
  readonly events: number;
  readonly rejected: number;
  readonly levels: Readonly<Record<string, number>>;
  readonly lost: Readonly<Record<string, number>>;
}

const NONE: AuditCounts = { events: 0, rejected: 0, levels: {}, lost: {} };

/** `counts` is undefined when auditing is off. */
export function publishAudit(registry: Registry, counts: AuditCounts = NONE): void {
  const registers = [registry];
  const plain = (name: string, help: string, value: () => number): unknown =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  const labelled = (name: string, help: string, label: string, values: Readonly<Record<string, number>>): unknown =>
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(values)) if (count > 0) this.inc({ [label]: value }, count);
      },
    });
  plain('apiserver_audit_event_total', 'Audit events.', () => counts.events);
  plain(
    'apiserver_audit_requests_rejected_total',
    'Requests that were rejected because their audit event could not be written.',
    () => counts.rejected,
  );
  labelled('apiserver_audit_level_total', 'Requests by audit level of their policy rule.', 'level', counts.levels);
  labelled('apiserver_audit_error_total', 'Audit events that were lost, by backend.', 'plugin', counts.lost);
}
