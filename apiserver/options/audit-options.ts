/** Creates the auditor with its policy and sinks from the audit flags. Loaded only when a policy is configured. */
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
import { openWebhook, type WebhookParts } from './webhooks';

export interface AuditDependencies extends WebhookParts {
  readonly logger: Logger;
}

const MEGABYTE = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
const DEFAULT_MEGABYTES = 100;
const MAX_BACK_OFF_MS = 5 * 60_000;

/** Undefined without a sink. Rejects when the policy or a sink is unusable; the policy is read without a sink too. */
export async function openAudit(flags: ServerFlags, parts: AuditDependencies): Promise<Auditor | undefined> {
  const path = flags['audit-policy-file'];
  const auditor = new Auditor(parts.clock, parts.logger);
  await parts.configurations.loadConfiguration({
    name: 'audit-policy',
    path,
    formats: [AUDIT_POLICY_FORMAT],
    apply: (policy) => auditor.setPolicy(compilePolicy(policy, GENERATED_NAMES[flags.naming])),
  });
  if (flags['audit-log-path'] === '' && flags['audit-webhook-config-file'] === '') return undefined;
  const sinks: AuditBackend[] = [];
  if (flags['audit-log-path'] !== '') sinks.push(logSink(flags, parts, auditor.onEventsLost));
  if (flags['audit-webhook-config-file'] !== '') sinks.push(await webhookSink(flags, parts, auditor.onEventsLost));
  auditor.setBackends(...sinks);
  return auditor;
}

function logSink(flags: ServerFlags, parts: AuditDependencies, onLost: OnEventsLost): AuditBackend {
  const { clock } = parts;
  const target = logTarget(flags, parts);
  const encoding: EventEncoding = {
    format: flags['audit-log-format'],
    dialect: flags.naming,
    maxEventBytes: flags['audit-log-truncate-enabled'] ? flags['audit-log-truncate-max-event-size'] : undefined,
  };
  const mode = flags['audit-log-mode'];
  if (mode !== 'batch') return new LogBackend({ target, encoding, isStrict: mode === 'blocking-strict', clock, onEventsLost: onLost });
  const options: BatchOptions = {
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
    batching: options,
    encoding: encoding,
    clock,
    deliver,
    onEventsLost: onLost,
    onClosed: () => target.close(),
  });
}

function logTarget(flags: ServerFlags, { clock, logger }: AuditDependencies): LineTarget {
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

async function webhookSink(flags: ServerFlags, parts: AuditDependencies, onLost: OnEventsLost): Promise<AuditBackend> {
  const { clock, random } = parts;
  const webhook = await openWebhook('audit-webhook', flags['audit-webhook-config-file'], parts);
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
      backOff: () => new BackOff(random, { initialMs, maxMs: MAX_BACK_OFF_MS, factor: 1.5, jitter: 0.2 }),
    }),
    onEventsLost: onLost,
    onClosed: async () => webhook.address.transport.close(),
  });
}
