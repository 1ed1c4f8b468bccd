/** What authorization decisions under many rules cost, and gets: authorized by RBAC, and audited. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Attributes } from '../../../apiserver/authorization/authorizer';
import { rbacAuthorizer } from '../../../apiserver/authorization/rbac/authorizer';
import { readBinding } from '../../../apiserver/authorization/rbac/binding';
import { RbacPolicy } from '../../../apiserver/authorization/rbac/policy';
import { readRule } from '../../../apiserver/authorization/rbac/rule';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { printRow, withServers } from '../harness/bench-server';
import { BenchClient } from '../harness/client';
import { seconds } from '../harness/settings';
import { measureGet, prepareAccess } from './readers';

/** Repetitions of each comparison: the load of a machine varies. */
const COMPARISONS = 3;
/** The number of roles, each with one binding. */
const ROLES = 1_000;
const RULES_EACH = 10;
/** Attributes that are decided in each of the {@link ROUNDS}. There are so many that a measurement takes about a second. */
const DECISIONS = 2_000;
const ROUNDS = 200;

/**
 * Prints the cost of a decision, and of gets. The servers, of which one audits nothing, one both stages and one the end
 * alone, are measured in alternation, because the load of a machine varies.
 */
export async function access(): Promise<void> {
  console.log();
  printRow('decision, 10,000 rules in 1,000 bindings', { cpuMicros: await decisionMicros() });
  const auditing = (...omitted: readonly string[]) => ({ prepare: (folder: string) => writeAuditPolicy(folder, omitted) });
  await withServers([{}, auditing(), auditing('RequestReceived')], async ([admin, bothStages, endOnly]) => {
    if (admin === undefined || bothStages === undefined || endOnly === undefined) return;
    const account = { ...admin, client: new BenchClient(admin.client.port, await prepareAccess(admin)) };
    for (const audited of [bothStages, endOnly]) await prepareAccess(audited);
    for (let round = 0; round < COMPARISONS; round += 1) {
      const floor = await measureGet(admin, seconds);
      printRow('get by an administrator', floor);
      printRow('get by a service account, RBAC', await measureGet(account, seconds), { name: 'administrator', ...floor });
      printRow('get, both stages recorded at Metadata', await measureGet(bothStages, seconds), { name: 'not recorded', ...floor });
      printRow('get, its end recorded at Metadata', await measureGet(endOnly, seconds), { name: 'not recorded', ...floor });
    }
    account.client.close();
  });
}

/**
 * Microseconds per decision for a user that is bound to a thousand roles of ten rules each by two groups, and to one of
 * them by name too.
 */
async function decisionMicros(): Promise<number> {
  const policy = new RbacPolicy();
  for (let role = 0; role < ROLES; role += 1) {
    const rules = Array.from({ length: RULES_EACH }, (_, rule) =>
      readRule({
        verbs: ['get', 'list'],
        apiGroups: [`g${role % 50}`],
        resources: [`r${role}x${rule}`, `r${rule}/status`],
        ...(rule % 3 === 0 ? { resourceNames: [`a${role}`, 'b'] } : {}),
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
  // The remainders spread the attributes over groups, resources and names. No rule allows the verb delete.
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

/** Flags that audit everything at level Metadata, with files in `folder`, except the stages in `omitted`. */
function writeAuditPolicy(folder: string, omitted: readonly string[] = []): readonly string[] {
  const file = path.join(folder, 'policy.yaml');
  const rules = `omitStages: [${omitted.join(', ')}]\nrules: [{level: Metadata}]\n`;
  writeFileSync(file, `apiVersion: audit.platform.io/v1\nkind: Policy\n${rules}`);
  return [`--audit-policy-file=${file}`, `--audit-log-path=${path.join(folder, 'audit.log')}`];
}
