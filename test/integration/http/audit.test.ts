/** The audit log of the same requests as the reference server's, event by event. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readPrivateKey, readPublicKeys } from '../../../shared/api/identity/token-keys';
import { Auditor } from '../../../apiserver/audit/auditor';
import { eventText } from '../../../apiserver/audit/event';
import { compilePolicy } from '../../../apiserver/audit/policy';
import { POLICY_FORMAT } from '../../../apiserver/audit/policy-format';
import { readConfiguration } from '../../../shared/configuration/read';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { createLogger, silentLogger } from '../../../shared/runtime/logger';
import { AUDIT_POLICY, AUDIT_STEPS, type AuditStep } from '../../recordings/audit-steps';
import { masked, withoutLatency } from '../../recordings/masked';
import { casesOf } from '../../recordings/recording';
import { isBody, type Body, type Json } from '../../recordings/reference';
import { body, listOf, shape, text } from '../../recordings/shape';
import { MemoryStore } from '../../support/memory-store';
import { ADMIN, ALICE, call, startFixture, type Fixture } from './fixture';

const TOKENS: Readonly<Record<AuditStep['as'], string | null>> = { admin: ADMIN, alice: ALICE, bad: 'unknown', nobody: null };
const RECORDED = casesOf('audit/events', shape({ step: text, events: listOf(body) }));

let fixture: Fixture;
const folder = mkdtempSync(path.join(tmpdir(), 'audited-'));
const events: Body[] = [];
const lines: string[] = [];

beforeAll(async () => {
  const file = path.join(folder, 'policy.yaml');
  writeFileSync(file, JSON.stringify(AUDIT_POLICY));
  const auditor = new Auditor(systemClock, silentLogger);
  auditor.use(compilePolicy(await readConfiguration(file, [POLICY_FORMAT], systemClock), GENERATED_NAMES.kubernetes));
  auditor.writeTo({
    name: 'log',
    take(event) {
      const parsed: Json = JSON.parse(eventText(event, 'json', 'kubernetes'));
      if (isBody(parsed)) events.push(parsed);
      return true;
    },
    close: () => Promise.resolve(),
  });
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = (key: typeof publicKey, type: 'pkcs8' | 'spki'): string => String(key.export({ type, format: 'pem' }));
  const keys = {
    checking: readPublicKeys('sa.pub', pem(publicKey, 'spki')),
    signing: readPrivateKey('sa.key', pem(privateKey, 'pkcs8')),
  };
  const options = {
    naming: 'kubernetes',
    audit: auditor,
    serviceAccounts: { issuers: ['https://issuer.example'], keys: () => keys, extendExpiration: false },
  } as const;
  const logger = createLogger({ level: 'debug', clock: systemClock, destination: { write: (line) => void lines.push(line) } });
  fixture = await startFixture(options, new MemoryStore(), logger);
  for (const [index, { as, method, path: target, body: sent, type = 'application/json', headers = {} }] of AUDIT_STEPS.entries()) {
    const all = { 'audit-id': `step-${index}`, 'user-agent': 'recorder', ...headers };
    await call(fixture, target, {
      method,
      token: TOKENS[as],
      ...(sent === undefined ? { headers: all } : { body: sent, headers: { 'content-type': type, ...all } }),
    });
  }
});

afterAll(async () => {
  await fixture.stop();
  rmSync(folder, { recursive: true });
});

test.each(RECORDED.map(({ step, events: recorded }) => [step, recorded] as const))('%s', (step, recorded) => {
  const index = AUDIT_STEPS.findIndex(({ name }) => name === step);
  const ours = events.filter(({ auditID }) => auditID === `step-${index}`);
  expect(ours.map(comparable)).toEqual(recorded.map(comparable));
});

/** Without what is new in every run, who the users are besides their names, and what objects are made of that are answered with, which other recordings are about. */
function comparable(event: Body): Json {
  const { user, annotations, requestObject, responseObject, ...rest } = withoutLatency(event);
  return masked(
    {
      ...rest,
      user: isBody(user) ? { ...user, uid: '' } : '',
      annotations: annotations ?? '',
      requestObject: requestObject ?? '',
      responseObject: outline(responseObject),
    },
    'no namespace',
  );
}

function outline(object: Json | undefined): Json {
  if (!isBody(object)) return object ?? '';
  const { kind, apiVersion, items, metadata } = object;
  const hasManagers = JSON.stringify([metadata ?? '', items ?? '']).includes('managedFields');
  // There are flow schemas from the beginning on the reference server.
  if (kind === 'FlowSchemaList') return { kind, apiVersion: apiVersion ?? '' };
  return { kind: kind ?? '', apiVersion: apiVersion ?? '', items: Array.isArray(items) ? items.length : '', hasManagers };
}

test('each request has one line in a detailed log, without secrets', () => {
  const logged = lines.flatMap((line) => {
    const parsed: Json = JSON.parse(line);
    return isBody(parsed) && parsed['msg'] === 'request' ? [parsed] : [];
  });
  for (const index of AUDIT_STEPS.keys()) {
    const own = logged.filter(({ auditId }) => auditId === `step-${index}`);
    expect(own).toHaveLength(1);
    expect(own[0]).toMatchObject({
      from: expect.arrayContaining(['127.0.0.1']),
      status: expect.any(Number),
      uri: expect.any(String),
    });
  }
  expect(lines.filter((line) => line.includes(ADMIN) || line.includes(ALICE))).toEqual([]);
});
