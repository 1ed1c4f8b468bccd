/**
 * Typical manifests: 61 objects of more than forty kinds, applied twice without a warning, printed as with the
 * reference server, explained, validated for unknown fields, and deleted.
 */
import { readFileSync } from 'node:fs';
import { describeWithPackagedKubectl, type KubectlSession } from '../../support/external/kubectl-session';
import { manifests, printedTables, RECORDED_TABLES } from '../../support/scenarios/manifest-tables';

const NAMESPACE = 'show-shop';

/**
 * Objects that kubectl reports as configured although nothing changes, because its patch is not empty; the same with
 * the reference server.
 */
const ALWAYS_CONFIGURED = [
  'statefulset.apps/db',
  'secret/db',
  'secret/db-login',
  'validatingwebhookconfiguration.admissionregistration.k8s.io/show-images',
  'mutatingwebhookconfiguration.admissionregistration.k8s.io/show-sidecars',
  'validatingadmissionpolicy.admissionregistration.k8s.io/show-replicas',
  'secret/api-keys',
  'deployment.apps/web',
  'endpoints/legacy',
  'endpointslice.discovery.k8s.io/legacy-1',
  'poddisruptionbudget.policy/web',
  'poddisruptionbudget.policy/api',
  'networkpolicy.networking.k8s.io/web-from-edge',
];

/** The spec of a valid Deployment. */
const DEPLOYMENT_SPEC = {
  selector: { matchLabels: { a: 'b' } },
  template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
};

describeWithPackagedKubectl('manifests', () => ({ args: ['--naming=kubernetes'] }), manifestTests, NAMESPACE);

function manifestTests(session: KubectlSession): void {
  const objects = manifests(NAMESPACE);
  const objectCount = objects.match(/^kind: /gm)?.length ?? 0;
  beforeAll(() => session.ok(`create namespace ${NAMESPACE}`));

  it('are applied without a warning, and change nothing when they are applied again', async () => {
    expect(objectCount).toBeGreaterThanOrEqual(60);
    const first = await session.run('apply -f -', objects);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout.match(/ created$/gm)).toHaveLength(objectCount);
    const getVersions = ['get', '-f', '-', '-o', 'jsonpath={.items[*].metadata.resourceVersion}'];
    const before = await session.ok(getVersions, objects);
    const second = await session.run('apply -f -', objects);
    expect([second.code, second.stderr]).toEqual([0, '']);
    const changed = second.stdout.split('\n').filter((line) => line !== '' && !line.endsWith(' unchanged'));
    expect(changed).toEqual(ALWAYS_CONFIGURED.map((name) => `${name} configured`));
    expect(await session.ok(getVersions, objects)).toBe(before);
  });

  it('are printed as with the reference server', async () => {
    expect(await printedTables(session)).toBe(readFileSync(RECORDED_TABLES, 'utf8'));
  });

  it('have no diff after they are applied', async () => {
    const { code, stdout, stderr } = await session.run('diff -f -', objects);
    expect([code, stdout, stderr]).toEqual([0, '', '']);
  });

  it.each([
    ['pod.spec.containers.livenessProbe', 'FIELD: livenessProbe <Probe>', /httpGet\t<HTTPGetAction>\n {4}HTTPGet specifies/],
    ['deployment.spec.template.spec', 'FIELD: spec <PodSpec>', /containers\t<\[\]Container> -required-\n {4}List of containers/],
    ['ingress.spec.rules.http', 'FIELD: http <HTTPIngressRuleValue>', /paths\t<\[\]HTTPIngressPath> -required-/],
    ['hpa.spec.metrics.resource', 'FIELD: resource <ResourceMetricSource>', /target\t<MetricTarget> -required-/],
    ['networkpolicy.spec.ingress.from', 'FIELD: from <[]NetworkPolicyPeer>', /ipBlock\t<IPBlock>/],
  ])('are explained: explain %s prints %s', async (field, fieldLine, memberPattern) => {
    const text = await session.ok(`explain ${field}`);
    expect(text).toContain(fieldLine);
    expect(text).toMatch(/DESCRIPTION:\n {4}\w/);
    expect(text).toMatch(memberPattern);
  });

  it('with an unknown field are rejected with strict validation, and otherwise warned of', async () => {
    /** A Deployment with the unknown field `replica`. */
    const misspelt = (name: string): string =>
      JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: { ...DEPLOYMENT_SPEC, replica: 2 } });
    const strict = await session.fails('create --validate=strict -f -', misspelt('strict'));
    expect(strict).toContain('strict decoding error: unknown field "spec.replica"');
    const warned = await session.run('create --validate=warn -f -', misspelt('warned'));
    expect([warned.code, warned.stdout]).toEqual([0, 'deployment.apps/warned created\n']);
    expect(warned.stderr).toBe('Warning: unknown field "spec.replica"\n');
    await session.ok('delete deployment warned');
  });

  it('kubectl delete removes every object of the manifests in one call', async () => {
    const deleted = await session.ok('delete --wait=false -f -', objects);
    expect(deleted.match(/ deleted$/gm)).toHaveLength(objectCount);
  });
}
