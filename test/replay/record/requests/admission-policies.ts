/**
 * Drivers of recordings about admission policies: their effect on requests (`admission-policies`), and the status that
 * the server's controllers write into them (`policy-status`).
 */
import { isPolicyCase, preparePolicyCases, runPolicyCase } from '../../formats/admission-policies';
import { readRecording } from '../../recording';
import { membersOf, objectNameOf, type Body, type Json } from '../../json-response';
import { anything, body, listOf, shape, text } from '../../shape';
import { systemClock } from '../../../../shared/runtime/clock';
import { waitUntil } from '../../../support/programs';
import type { ReferenceServer } from '../reference-server';
import { DEFINITIONS } from '../definitions/custom-definition';
import { auditedTarget } from '../targets';

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
/** Time after which controllers have discovered the kinds of a new definition. */
const DISCOVERY_MS = 3_000;

export async function recordAdmissionPolicies(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, shape({ format: text }, { serverFlags: listOf(text) }), isPolicyCase);
  const target = auditedTarget(server);
  await preparePolicyCases(target);
  const lines: unknown[] = [head];
  for (const line of cases) lines.push(await runPolicyCase(target, line));
  return lines;
}

/** The head has a definition of a kind that some policies match. */
export async function recordPolicyStatus(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const isHead = shape({ format: text, definition: body });
  const { head, cases } = readRecording(recording, isHead, shape({ title: text, spec: body }, { status: anything }));
  await server.sendJson('POST', DEFINITIONS, head.definition);
  await systemClock.sleep(DISCOVERY_MS);
  const lines: unknown[] = [head];
  for (const [index, line] of cases.entries()) lines.push({ ...line, status: await statusOf(server, `checked-${index}`, line.spec) });
  await server.sendJson('DELETE', `${DEFINITIONS}/${objectNameOf(head.definition)}`);
  return lines;
}

/** The status that the server's controllers write into a policy. */
async function statusOf(server: ReferenceServer, name: string, spec: Body): Promise<Json> {
  await server.create(POLICIES, { metadata: { name }, spec });
  try {
    return await waitUntil(`the status of ${name}`, async () => {
      const status = membersOf((await server.sendJson('GET', `${POLICIES}/${name}`)).body['status']);
      return status['observedGeneration'] !== undefined && status;
    });
  } finally {
    await server.sendJson('DELETE', `${POLICIES}/${name}`);
  }
}
