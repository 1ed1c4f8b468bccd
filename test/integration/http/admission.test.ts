/** What the admission plug-ins make of requests, as release 1.31.1 did (test/replay/admission.ts), step by step. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AS_THE_TABLE_SAYS } from '../../../apiserver/admission/switches';
import { readAdmissionConfiguration } from '../../../apiserver/options/admission-configuration';
import { systemClock } from '../../../shared/runtime/clock';
import { CONFIGURATION, EVENT_LIMITS } from '../../replay/admission-configured';
import { recordedSteps, type RecordedStep } from '../../replay/admission-recorded';
import { expected, taken } from './admission-replay';
import { issuingAccounts, startFixture, type Fixture, type FixtureChanges } from './fixture';

const SUITES = ['default-toleration-seconds', 'priority', 'runtime-class', 'service-account', 'storage-class', 'taint-nodes'];

function replay(suite: string, changes: () => Promise<FixtureChanges>, wanted = expected): void {
  describe(suite, () => {
    let fixture: Fixture;
    beforeAll(async () => (fixture = await startFixture({ naming: 'kubernetes', ...(await changes()) })));
    afterAll(() => fixture.stop());

    it.each(recordedSteps(suite).map((step, at) => [at, step] as const))('step %i', async (_at, step) => {
      expect(await taken(fixture, step)).toEqual(wanted(step));
    });
  });
}

for (const suite of SUITES) replay(suite, () => Promise.resolve({ plugins: AS_THE_TABLE_SAYS }));

/** Where the reference takes a fault of what somebody wrote for its own (500), the request is forbidden here. */
function forbidden(step: RecordedStep): ReturnType<typeof expected> {
  const answer = expected(step);
  if (answer.code !== 500) return answer;
  const { metadata } = step.body as { readonly metadata?: { readonly name: string } };
  const name = metadata?.name ?? /\/pods\/([^/]+)/.exec(step.path)?.[1] ?? '';
  return { ...answer, code: 403, reason: 'Forbidden', message: `pods "${name}" is forbidden: ${String(answer.message)}` };
}

for (const suite of ['ephemeral-secrets', 'rules-before-limits'])
  replay(suite, () => Promise.resolve({ plugins: AS_THE_TABLE_SAYS }), forbidden);

const ASKED_FOR = [
  'AlwaysPullImages',
  'DenyServiceExternalIPs',
  'ExtendedResourceToleration',
  'LimitPodHardAntiAffinityTopology',
  'PodNodeSelector',
  'PodTolerationRestriction',
];
replay('asked-for', () => Promise.resolve({ plugins: { enabled: ASKED_FOR, disabled: ['ServiceAccount'] } }), forbidden);

const PROVISIONING = ['NamespaceAutoProvision', 'NamespaceExists'];
replay('namespace-auto-provision', () =>
  Promise.resolve({ plugins: { enabled: PROVISIONING, disabled: [] }, serviceAccounts: issuingAccounts() }),
);

const CONFIGURED = ['PodTolerationRestriction', 'PodNodeSelector', 'OwnerReferencesPermissionEnforcement'];
for (const suite of ['node-selectors', 'pod-tolerations', 'pod-security', 'limited-resources', 'owner-references'])
  replay(suite, configured, forbidden);

async function configured(): Promise<FixtureChanges> {
  const folder = mkdtempSync(join(tmpdir(), 'admission-'));
  try {
    writeFileSync(join(folder, 'admission.yaml'), CONFIGURATION);
    writeFileSync(join(folder, 'events.yaml'), EVENT_LIMITS);
    const admission = await readAdmissionConfiguration(join(folder, 'admission.yaml'), systemClock);
    return { admission, plugins: { enabled: CONFIGURED, disabled: [] } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
