/**
 * Audit events of recorded requests, compared with those of the reference server, and the lines that a log of level
 * debug has for the same requests.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Auditor } from '../../../apiserver/audit/auditor';
import { compilePolicy } from '../../../apiserver/audit/policy';
import { AUDIT_POLICY_FORMAT } from '../../../apiserver/audit/policy-format';
import { readConfiguration } from '../../../shared/configuration/read-configuration';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { createLogger, silentLogger } from '../../../shared/runtime/logger';
import { requestSteps } from '../../replay/requests/request-step';
import { maskVolatileValues, withoutLatency } from '../../replay/normalize/mask-volatile-values';
import { readCases } from '../../replay/recording';
import { isBody, type Body, type Json } from '../../replay/json-response';
import { body, listOf, shape, text } from '../../replay/shape';
import { collectionDeletionStatus } from '../../support/deviations/request-deviations';
import { collectAuditEvents } from '../../support/objects/audit-event';
import { useFolder } from '../../support/use-resource';
import { STEP_TOKENS, useServer } from './fixture';
import { serviceAccountOptions, type FixtureOptions } from './fixture-options';

const {
  head: { policy: AUDIT_POLICY },
  steps: AUDIT_STEPS,
} = requestSteps('audit/requests');
const RECORDED = readCases('audit/events', shape({ step: text, events: listOf(body) }));

const folder = useFolder('audited');
const auditEvents: Body[] = [];
const logLines: string[] = [];

async function auditedOptions(): Promise<FixtureOptions> {
  const file = path.join(folder, 'policy.yaml');
  writeFileSync(file, JSON.stringify(AUDIT_POLICY));
  const audit = new Auditor(systemClock, silentLogger);
  audit.setPolicy(compilePolicy(await readConfiguration(file, [AUDIT_POLICY_FORMAT], systemClock), GENERATED_NAMES.kubernetes));
  audit.setBackends(collectAuditEvents(auditEvents));
  return { naming: 'kubernetes', audit, serviceAccounts: serviceAccountOptions() };
}

const logger = createLogger({ level: 'debug', clock: systemClock, destination: { write: (line) => void logLines.push(line) } });
const api = useServer(auditedOptions, { logger });
beforeAll(async () => {
  for (const [index, step] of AUDIT_STEPS.entries()) await api.callStep(step, { 'audit-id': `step-${index}`, 'user-agent': 'recorder' });
});

test.each(RECORDED.map(({ step, events: recorded }) => [step, recorded] as const))('%s has the recorded events', (step, recorded) => {
  const index = AUDIT_STEPS.findIndex(({ name }) => name === step);
  const actual = auditEvents.filter(({ auditID }) => auditID === `step-${index}`);
  expect(actual.map(comparable)).toEqual(recorded.map(withCollectionDeletionStatus).map(comparable));
});

/**
 * The expected event of a recorded one: when its response object is the list of a deleted collection, this server has
 * a Status in its place, which the event repeats as its response status.
 */
function withCollectionDeletionStatus(event: Body): Body {
  const { verb, requestURI, responseObject } = event;
  if (verb !== 'deletecollection' || !isBody(responseObject) || typeof requestURI !== 'string') return event;
  const status = collectionDeletionStatus(requestURI);
  const { kind: _kind, apiVersion: _apiVersion, ...responseStatus } = status;
  return { ...event, responseObject: status, responseStatus };
}

/**
 * Leaves out values that differ between runs, uids of users, and the content of response objects, which other
 * recordings compare. The requests name only namespaces that they create or that every cluster has, so that no name of
 * a namespace is masked.
 */
function comparable(event: Body): Json {
  const { user, annotations, requestObject, responseObject, ...rest } = withoutLatency(event);
  return maskVolatileValues(
    {
      ...rest,
      user: isBody(user) ? { ...user, uid: '' } : '',
      annotations: annotations ?? '',
      requestObject: requestObject ?? '',
      responseObject: outlineOf(responseObject),
    },
    '',
  );
}

/**
 * Kind, version, number of items and whether there are managed fields, which the policy may omit. A response object
 * that is not a JSON object remains; '' when there is none.
 */
function outlineOf(object: Json | undefined): Json {
  if (!isBody(object)) return object ?? '';
  const { kind, apiVersion, items, metadata } = object;
  const hasManagers = JSON.stringify([metadata ?? '', items ?? '']).includes('managedFields');
  // The number of built-in FlowSchemas differs.
  if (kind === 'FlowSchemaList') return { kind, apiVersion: apiVersion ?? '' };
  return { kind: kind ?? '', apiVersion: apiVersion ?? '', items: Array.isArray(items) ? items.length : '', hasManagers };
}

const requestLines = (): readonly Body[] =>
  logLines.flatMap((line) => {
    const parsed: Json = JSON.parse(line);
    return isBody(parsed) && parsed['msg'] === 'request' ? [parsed] : [];
  });

test.each(AUDIT_STEPS.map(({ name }, index) => [name, `step-${index}`] as const))(
  '%s has one line in a log of level debug',
  (_, auditId) => {
    const line = { auditId, from: expect.arrayContaining(['127.0.0.1']), status: expect.any(Number), uri: expect.any(String) };
    expect(requestLines().filter((candidate) => candidate['auditId'] === auditId)).toEqual([expect.objectContaining(line)]);
  },
);

test.each(['admin', 'alice', 'bad'] as const)('a log of level debug does not contain the bearer token of the user %s', (user) => {
  const token = STEP_TOKENS[user];
  expect(AUDIT_STEPS.map(({ as }) => as)).toContain(user);
  expect(logLines.filter((line) => line.includes(token))).toEqual([]);
});
