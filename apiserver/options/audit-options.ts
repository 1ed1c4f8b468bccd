/**
 * Creates the auditor with its policy and backends (a log, a webhook, or both) from the audit flags. Loaded only when a
 * policy is configured. The flags have been validated by audit-flag-error.ts.
 */
import { BackOff } from '../../shared/client/back-off';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { Logger } from '../../shared/runtime/logger';
import { Auditor } from '../audit/auditor';
import { BatchBackend, type BatchOptions, type DeliverBatch } from '../audit/batch-backend';
import { LogFile } from '../audit/log-file';
import { LogBackend, createStreamTarget, type LineTarget } from '../audit/log-backend';
import { compilePolicy } from '../audit/policy';
import { AUDIT_POLICY_FORMAT } from '../audit/policy-format';
import type { OnEventsLost, AuditBackend, EventEncoding } from '../audit/audit-backend';
import { createWebhookDelivery } from '../audit/webhook-delivery';
import type { ServerFlags } from './flags/flags';
import { openWebhook, type KubeconfigWebhookDependencies } from './webhooks';

/** Dependencies of the audit backends. */
export interface AuditDependencies extends KubeconfigWebhookDependencies {
  readonly logger: Logger;
}

const MEGABYTE = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
/** Maximum size of a log file when the flag is 0. */
const DEFAULT_MEGABYTES = 100;
/** The growth of the delays between attempts is upstream's. */
const WEBHOOK_BACK_OFF = { maxMs: 5 * 60_000, factor: 1.5, jitter: 0.2 } as const;

/**
 * Reads the policy, and creates the auditor if a backend is configured; `undefined` without one. Rejects when the policy
 * or a backend is unusable.
 */
export async function openAudit(flags: ServerFlags, deps: AuditDependencies): Promise<Auditor | undefined> {
  const path = flags['audit-policy-file'];
  const auditor = new Auditor(deps.clock, deps.logger);
  await deps.configurations.loadConfiguration({
    name: 'audit-policy',
    path,
    formats: [AUDIT_POLICY_FORMAT],
    apply: (policy) => auditor.setPolicy(compilePolicy(policy, GENERATED_NAMES[flags.naming])),
  });
  if (flags['audit-log-path'] === '' && flags['audit-webhook-config-file'] === '') return undefined;
  const backends: AuditBackend[] = [];
  if (flags['audit-log-path'] !== '') backends.push(createLogBackend(flags, deps, auditor.onEventsLost));
  if (flags['audit-webhook-config-file'] !== '') backends.push(await openWebhookBackend(flags, deps, auditor.onEventsLost));
  auditor.setBackends(...backends);
  return auditor;
}

function createLogBackend(flags: ServerFlags, deps: AuditDependencies, onEventsLost: OnEventsLost): AuditBackend {
  const { clock } = deps;
  const target = openLogTarget(flags, deps);
  const encoding: EventEncoding = {
    format: flags['audit-log-format'],
    dialect: flags.naming,
    maxEventBytes: flags['audit-log-truncate-enabled'] ? flags['audit-log-truncate-max-event-size'] : undefined,
  };
  const mode = flags['audit-log-mode'];
  if (mode !== 'batch') return new LogBackend({ target, encoding, isStrict: mode === 'blocking-strict', clock, onEventsLost });
  const batching: BatchOptions = {
    bufferSize: flags['audit-log-batch-buffer-size'],
    maxSize: flags['audit-log-batch-max-size'],
    maxWaitMs: flags['audit-log-batch-max-wait'],
    throttle: flags['audit-log-batch-throttle-enable']
      ? { perSecond: flags['audit-log-batch-throttle-qps'], burst: flags['audit-log-batch-throttle-burst'] }
      : undefined,
    maxBytes: flags['audit-log-truncate-enabled'] ? flags['audit-log-truncate-max-batch-size'] : undefined,
  };
  const deliver: DeliverBatch = async (events) => target.append(Buffer.from(`${events.join('\n')}\n`));
  return new BatchBackend({
    name: 'log',
    batching,
    encoding,
    clock,
    deliver,
    onEventsLost,
    onClosed: () => target.close(),
  });
}

function openLogTarget(flags: ServerFlags, { clock, logger }: AuditDependencies): LineTarget {
  const path = flags['audit-log-path'];
  if (path === '-') return createStreamTarget(process.stdout);
  const options = {
    path,
    maxBytes: (flags['audit-log-maxsize'] === 0 ? DEFAULT_MEGABYTES : flags['audit-log-maxsize']) * MEGABYTE,
    maxAgeMs: flags['audit-log-maxage'] * DAY_MS,
    maxBackups: flags['audit-log-maxbackup'],
    compress: flags['audit-log-compress'],
  };
  return new LogFile(options, clock, (error) => logger.warn('old audit logs could not be compressed or removed', { file: path, error }));
}

/** In blocking mode every event is a batch of its own, and the throttle does not apply. */
async function openWebhookBackend(flags: ServerFlags, deps: AuditDependencies, onEventsLost: OnEventsLost): Promise<AuditBackend> {
  const { clock, random } = deps;
  const webhook = await openWebhook('audit-webhook', flags['audit-webhook-config-file'], deps);
  const initialMs = flags['audit-webhook-initial-backoff'];
  const isTruncating = flags['audit-webhook-truncate-enabled'];
  const isBlocking = flags['audit-webhook-mode'] === 'blocking';
  return new BatchBackend({
    name: 'webhook',
    batching: {
      bufferSize: flags['audit-webhook-batch-buffer-size'],
      maxSize: isBlocking ? 1 : flags['audit-webhook-batch-max-size'],
      maxWaitMs: flags['audit-webhook-batch-max-wait'],
      throttle:
        !isBlocking && flags['audit-webhook-batch-throttle-enable']
          ? { perSecond: flags['audit-webhook-batch-throttle-qps'], burst: flags['audit-webhook-batch-throttle-burst'] }
          : undefined,
      maxBytes: isTruncating ? flags['audit-webhook-truncate-max-batch-size'] : undefined,
    },
    encoding: {
      format: 'json',
      dialect: flags.naming,
      maxEventBytes: isTruncating ? flags['audit-webhook-truncate-max-event-size'] : undefined,
    },
    clock,
    deliver: createWebhookDelivery({
      address: () => webhook.address,
      dialect: flags.naming,
      clock,
      backOff: () => new BackOff(random, { initialMs, ...WEBHOOK_BACK_OFF }),
    }),
    onEventsLost,
    onClosed: async () => webhook.address.transport.close(),
  });
}
