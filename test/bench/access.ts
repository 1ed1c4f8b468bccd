/**
 * Measures authorization decisions under many rules, seats of flow control, and gets of ConfigMaps. Prepares servers
 * for the parts that compare gets: by a service account beside an administrator, audited and traced.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Attributes } from '../../apiserver/authorization/authorizer';
import { rbacAuthorizer } from '../../apiserver/authorization/rbac/authorizer';
import { readBinding } from '../../apiserver/authorization/rbac/binding';
import { RbacPolicy } from '../../apiserver/authorization/rbac/policy';
import { readRule } from '../../apiserver/authorization/rbac/rule';
import { FlowControl } from '../../apiserver/flow-control/flow-control';
import { readFlowSchema } from '../../apiserver/flow-control/flow-schema';
import { readPriorityLevel } from '../../apiserver/flow-control/priority-level';
import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../../apiserver/kinds/flowcontrol/mandatory-objects';
import { FlowControlMetrics } from '../../apiserver/metrics/requests/flow-control-metrics';
import { SUGGESTED_PRIORITY_LEVELS, suggestedFlowSchemas } from '../../apiserver/reconcilers/flow-control/suggested-configuration';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { systemClock } from '../../shared/runtime/clock';
import { type BenchClient, configMap } from './harness/client';
import { measureWarmLoop, type Cost } from './harness/measure';

/** The number of roles, each with one binding. */
const ROLES = 1_000;
const RULES_EACH = 10;
/** The number of attributes that are decided in each of the {@link ROUNDS}, so many that a measurement takes about a second. */
const DECISIONS = 2_000;
const ROUNDS = 200;

/**
 * Microseconds per decision for a user that is bound to a thousand roles of ten rules each by two groups, and to one of
 * them by name too.
 */
export async function decisionMicros(): Promise<number> {
  const policy = new RbacPolicy();
  for (let role = 0; role < ROLES; role += 1) {
    const rules = Array.from({ length: RULES_EACH }, (_, n) =>
      readRule({
        verbs: ['get', 'list'],
        apiGroups: [`g${role % 50}`],
        resources: [`r${role}x${n}`, `r${n}/status`],
        ...(n % 3 === 0 ? { resourceNames: [`a${role}`, 'b'] } : {}),
      }),
    );
    policy.setRole('', `r${role}`, rules);
    const subjects = [
      { kind: 'Group', name: role % 2 === 0 ? 'all' : 'devs' },
      { kind: 'User', name: `u${role}` },
    ];
    const binding = { roleRef: { kind: 'ClusterRole', name: `r${role}` }, subjects };
    policy.setBinding('', `b${role}`, readBinding('', `b${role}`, binding, GENERATED_NAMES.platform));
  }
  const authorizer = rbacAuthorizer(policy);
  const user = { name: 'u7', groups: ['devs', 'all', 'system:authenticated'] };
  const allAttributes = Array.from({ length: DECISIONS }, (_, n): Attributes => ({
    kind: 'resource',
    verb: n % 3 === 0 ? 'delete' : 'get',
    group: `g${n % 60}`,
    version: 'v1',
    resource: `r${n % 1200}x${n % 10}`,
    subresource: n % 4 === 0 ? 'status' : '',
    namespace: 'ns',
    name: n % 2 === 0 ? 'b' : '',
  }));
  for (const attributes of allAttributes) await authorizer.authorize(user, attributes);
  const start = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) for (const attributes of allAttributes) void authorizer.authorize(user, attributes);
  return ((performance.now() - start) * 1000) / (ROUNDS * DECISIONS);
}

/** So many that the measurement takes about a second. */
const ACQUISITIONS = 1_000_000;
/** The priority levels share the sum of the default limits of requests in flight, 400 read-only and 200 mutating. */
const SEATS = 600;
/** A quarter of the default request timeout, which is the longest that a request queues. */
const MAX_WAIT_MS = 15_000;

/**
 * Microseconds to acquire and release a seat without queuing. The user matches the last of the suggested flow schemas.
 */
export function seatMicros(): number {
  const metrics = new FlowControlMetrics();
  const control = new FlowControl({
    clock: systemClock,
    seats: SEATS,
    maxWaitMs: MAX_WAIT_MS,
    meterFor: (schema, level) => metrics.meterOf(schema, level),
  });
  const names = GENERATED_NAMES.platform;
  for (const [name, spec] of [...MANDATORY_PRIORITY_LEVELS, ...SUGGESTED_PRIORITY_LEVELS])
    control.setLevel(name, readPriorityLevel({ metadata: { name }, spec }));
  for (const [name, spec] of [...MANDATORY_FLOW_SCHEMAS, ...suggestedFlowSchemas(names)]) {
    control.setSchema(name, readFlowSchema({ metadata: { name }, spec }, names));
  }
  const user = { name: 'u', groups: ['devs', 'system:authenticated'] };
  const attributes = { kind: 'resource', verb: 'get', group: '', resource: 'pods', subresource: '', namespace: 'ns' } as const;
  const request = { user, attributes, seats: () => 1, deadline: Infinity };
  const acquireOnce = (): void => {
    const admitted = control.startRequest(request);
    if (admitted === undefined || !('done' in admitted)) throw new Error('the request got no seat at once');
    admitted.done();
  };
  for (let count = 0; count < ACQUISITIONS / 10; count += 1) acquireOnce();
  const start = performance.now();
  for (let count = 0; count < ACQUISITIONS; count += 1) acquireOnce();
  const elapsedMs = performance.now() - start;
  control.stop();
  return (elapsedMs * 1000) / ACQUISITIONS;
}

export interface AccessServer {
  readonly client: BenchClient;
  readonly pid: number;
}

export const ACCESS_CONFIG_MAPS = '/api/v1/namespaces/access/configmaps';
/** The ConfigMaps are named `o-0`, `o-1` and so on. */
export const ACCESS_OBJECTS = 1_000;

/**
 * Creates {@link ACCESS_OBJECTS} ConfigMaps of 1,000 characters. Resolves with the token of a service account that a
 * role allows to read them.
 */
export async function prepareAccess({ client }: AccessServer): Promise<string> {
  const post = (path: string, body: object | string): Promise<number> => client.send('POST', path, body);
  await post('/api/v1/namespaces', { metadata: { name: 'access' } });
  for (let n = 0; n < ACCESS_OBJECTS; n += 1) await post(ACCESS_CONFIG_MAPS, configMap('access', `o-${n}`, '', 1000));
  await post('/api/v1/namespaces/access/serviceaccounts', { metadata: { name: 'robot' } });
  const rbac = '/apis/rbac.authorization.platform.io/v1/namespaces/access';
  const rules = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }];
  await post(`${rbac}/roles`, { metadata: { name: 'reader' }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.platform.io', kind: 'Role', name: 'reader' };
  await post(`${rbac}/rolebindings`, { metadata: { name: 'reader' }, roleRef, subjects: [{ kind: 'ServiceAccount', name: 'robot' }] });
  const request = { spec: { expirationSeconds: 3600 } };
  const token = await client.text('POST', '/api/v1/namespaces/access/serviceaccounts/robot/token', request);
  return /"token":"([^"]+)"/.exec(token)?.[1] ?? '';
}

/** CPU time of the server per get. */
export function measureGet({ client, pid }: AccessServer, seconds: number): Promise<Cost> {
  return measureWarmLoop(
    pid,
    { workers: 32, seconds },
    async (index) => void (await client.send('GET', `${ACCESS_CONFIG_MAPS}/o-${index % ACCESS_OBJECTS}`)),
  );
}

/** Flags that audit everything at level Metadata, with files in `folder`, except the stages in `omitted`. */
export function writeAuditPolicy(folder: string, omitted: readonly string[] = []): readonly string[] {
  const file = path.join(folder, 'policy.yaml');
  const rules = `omitStages: [${omitted.join(', ')}]\nrules: [{level: Metadata}]\n`;
  writeFileSync(file, `apiVersion: audit.platform.io/v1\nkind: Policy\n${rules}`);
  return [`--audit-policy-file=${file}`, `--audit-log-path=${path.join(folder, 'audit.log')}`];
}

/** Writes a tracing configuration that samples `rate` of a million requests and exports to this port. */
export function writeTracingFile(folder: string, { port, rate }: { readonly port: number; readonly rate: number }): string {
  const file = path.join(folder, 'tracing.yaml');
  const endpoint = `endpoint: 127.0.0.1:${port}\nsamplingRatePerMillion: ${rate}\n`;
  writeFileSync(file, `apiVersion: apiserver.config.platform.io/v1beta1\nkind: TracingConfiguration\n${endpoint}`);
  return file;
}
